"""The executor of the source work: rank queues, punctuations, a budget, and its control loop."""
