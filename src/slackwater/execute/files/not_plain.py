"""What is raised when a file may mean something else to Spark than to us."""

from __future__ import annotations


class NotPlain(Exception):  # noqa: N818 - no fault of anybody, only work for Spark
    """The file is left to Spark; ``reason`` says why, in plain words."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)
