"""What is told of the plans of a join: spans of a tree, changes of it, comparisons."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

Json = dict[str, Any]
HOWS = ("moving", "parallel")
PERSON = "person"  # a reason beside those of the engine
_REASONS = {
    PERSON: "asked for by a person",
    "memory": "memory came near its limit",
    "surprise": "something differed much from what was known",
    "change": "something had changed a little, for a while",
    "period": "it was time to compare plans again",
}


@dataclass(frozen=True, slots=True)
class PlanSpan:
    """A tree, and the first and last batch it was in force in, with their wall times.

    The tree is ``None`` as long as none was chosen: inputs are probed as they are written.
    """

    tree: str | None
    first: int
    last: int
    since: float
    until: float


@dataclass(frozen=True, slots=True)
class Migration:
    """A change of tree, from the batch it began with (wall time ``at``).

    ``batches`` is how many it took: 0 if it was made in one, ``None`` while both trees run.
    ``seconds`` is the whole time of the batch that made it, or the wall time both trees ran;
    ``usual`` what a batch took before. ``reason`` is ``person``, or why plans were compared.
    """

    tree: str
    was: str | None
    how: str
    batch: int
    at: float
    batches: int | None = None
    seconds: float | None = None
    usual: float | None = None
    reason: str | None = None

    @property
    def is_running(self) -> bool:
        return self.batches is None

    @property
    def length(self) -> str:
        """In words, how long it took."""
        if self.how == "moving":
            took = "" if self.seconds is None else f" of {brief(self.seconds)}"
            before = "" if self.usual is None else f", those before took {brief(self.usual)}"
            return f"in one batch{took}{before}"
        if self.batches is None:
            return "both trees run"
        many = f"{self.batches} batch{'' if self.batches == 1 else 'es'}"
        return f"{many} side by side" + ("" if self.seconds is None else f", {brief(self.seconds)}")

    @property
    def why(self) -> str:
        """In words, why the tree was changed."""
        return why(self.reason)

    def to_json(self) -> Json:
        return {**asdict(self), "length": self.length, "why": self.why}


@dataclass(frozen=True, slots=True)
class Comparison:
    """Plans were compared: why, and the best of those not chosen, with its seconds of a batch."""

    batch: int
    at: float
    reason: str
    runner_up: str | None = None
    runner_up_s: float | None = None

    def to_json(self) -> Json:
        return {**asdict(self), "why": why(self.reason)}


def why(reason: str | None) -> str:
    """A reason in words."""
    return "" if reason is None else _REASONS.get(reason, reason)


def brief(seconds: float) -> str:
    """Seconds as people read them."""
    return f"{1000 * seconds:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"
