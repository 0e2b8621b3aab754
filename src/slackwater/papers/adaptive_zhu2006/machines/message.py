"""What the distribution manager, machines and splits say to each other, in the order it was said.

Reference: Zhu 2006, ch. 21 and 22. Messages take time; what travels with the rows of a stream (meta
tuples) does not overtake them, and is written down here as well.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field

MANAGER = "DM"
Ids = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Message:
    """``other`` is the machine that partition groups go to, ``value`` an amount or a time."""

    at: float
    kind: str
    sender: str
    receiver: str
    ids: Ids = ()
    value: float | None = None
    other: str = ""
    cargo: object = field(default=None, compare=False)


@dataclass(slots=True)
class Wire:
    """All that was said, and what is on its way."""

    latency: float = 10.0
    log: list[Message] = field(default_factory=list)
    _sent: deque[Message] = field(default_factory=deque)

    def send(self, message: Message) -> None:
        self.log.append(message)
        self._sent.append(message)

    def note(self, message: Message) -> None:
        """A meta tuple, which goes with the rows."""
        self.log.append(message)

    def due(self, now: float) -> Iterable[Message]:
        """What arrives until now, in the order it was sent."""
        while self._sent and self._sent[0].at + self.latency <= now:
            yield self._sent.popleft()

    @property
    def is_silent(self) -> bool:
        return not self._sent


def split_name(stream: str) -> str:
    return f"split {stream}"
