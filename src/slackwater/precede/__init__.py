"""Whose results come first when there is more work than capacity: ranks of rows (Works 2015)."""
