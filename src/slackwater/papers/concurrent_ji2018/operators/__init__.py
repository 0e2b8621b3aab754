"""Chains of K-slack buffers, tuple by tuple: what leaves them, and how they change in between."""
