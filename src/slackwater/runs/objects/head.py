"""The head of a checkpoint in a store: one object that lists all others, and who may change it."""

from __future__ import annotations

import os
import socket
import time
import zlib
from dataclasses import dataclass, field
from uuid import uuid4

from slackwater.codec import pack, unpack
from slackwater.errors import CheckpointError
from slackwater.runs.files import opened, seal

HEAD = "head.json"
FORMAT = 1


@dataclass(frozen=True, slots=True)
class Kept:
    """A file as the store has it: small ones in the head itself, others as objects."""

    size: int
    crc: int
    text: str | None = None
    key: str | None = None

    def fits(self, data: bytes) -> bool:
        return len(data) == self.size and zlib.crc32(data) == self.crc


@dataclass(frozen=True, slots=True)
class Writer:
    """A pipeline that has taken a checkpoint over; ``since`` in microseconds."""

    epoch: int = 0
    token: str = ""
    host: str = ""
    process: int = 0
    since: int = 0
    left: bool = False  # it has ended, and said so

    @classmethod
    def next(cls, before: Writer) -> Writer:
        """Of the process at hand, after another one."""
        now = time.time_ns() // 1000
        return cls(before.epoch + 1, uuid4().hex, socket.gethostname(), os.getpid(), now)

    def __str__(self) -> str:
        return f"process {self.process} on {self.host}"


@dataclass(frozen=True, slots=True)
class Head:
    """What a checkpoint consists of.

    ``change`` counts; with the writer's token no two heads are alike. ``committed`` is the epoch
    of the writer of the newest manifest.
    """

    writer: Writer = field(default_factory=Writer)
    change: int = 0
    committed: int = 0
    files: dict[str, Kept] = field(default_factory=dict)

    def to_bytes(self) -> bytes:
        return seal({"format": FORMAT, **pack(self)})

    @classmethod
    def of(cls, data: bytes, address: str) -> Head:
        value = opened(data)
        if value is not None and value.pop("format", None) == FORMAT:
            return unpack(value, cls)
        if value is None:
            raise CheckpointError(
                "CHECKPOINT_DAMAGED",
                f"{address}/{HEAD} is not what was written",
                "restore that object from an older version, if the store keeps them, or use a new "
                "checkpoint",
            )
        raise CheckpointError(
            "CHECKPOINT_FORMAT",
            f"{address}/{HEAD} has a format that this version does not know",
            "use the version of slackwater that wrote it, or a new checkpoint",
        )

    @property
    def keys(self) -> set[str]:
        return {kept.key for kept in self.files.values() if kept.key is not None}
