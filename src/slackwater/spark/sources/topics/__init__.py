"""Topics of Kafka: what may be said of them, their messages as rows, and how brokers answer."""
