"""Benchmarks: the same query in plain Structured Streaming and in Slackwater, on the same files."""
