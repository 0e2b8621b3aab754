"""The operators of the source work, tuple at a time, and the same over recorded columns."""
