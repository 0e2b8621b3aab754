"""Pipelines written down as TOML."""

from slackwater.spark.document.document import Document, load

__all__ = ["Document", "load"]
