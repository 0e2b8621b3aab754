"""A simulated cluster: rows in batches, operators with queues, nodes that work them off."""
