"""What operators of several source works share: windows, aggregates, K-slack, statistics."""
