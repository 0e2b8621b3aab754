"""Pipelines written down as TOML."""
