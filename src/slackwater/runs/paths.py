"""Paths as people write them: local folders, and those that only a cluster reaches."""

from __future__ import annotations

from pathlib import Path


def is_remote(path: str) -> bool:
    """Whether only Spark can reach the path (``s3a://``, ``hdfs://``)."""
    return "://" in path and not path.startswith("file://")


def local_path(path: str | Path) -> Path:
    """The absolute local path of a path or ``file://`` address."""
    return Path(str(path).removeprefix("file://")).expanduser().absolute()
