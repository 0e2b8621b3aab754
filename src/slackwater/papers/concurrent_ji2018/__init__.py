"""Buffers shared by concurrent queries: chapter 5 of Ji (2018)."""
