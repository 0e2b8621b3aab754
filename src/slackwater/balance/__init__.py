"""Partition groups: who has them, whether to move some, and which."""
