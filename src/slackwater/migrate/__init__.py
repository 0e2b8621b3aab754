"""From one plan of a join to another while it runs: what they share, what is made, how long."""
