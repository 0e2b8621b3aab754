"""What a batch leaves behind, and what it began with: the two records of the commit protocol."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from slackwater.codec import pack, unpack
from slackwater.control.records import ControlState, Decision
from slackwater.control.saved import plain, read_after, read_decision, read_state
from slackwater.control.step import CONTROLLERS, Controllers
from slackwater.runs.catalog import Catalog, StateInfo
from slackwater.runs.requests import Answer
from slackwater.runs.run import Run

Json = dict[str, Any]  # as it is written; whoever reads it makes a record of it at once


@dataclass(frozen=True, slots=True)
class Manifest:
    """Everything a batch left behind; if it is written, the batch is done.

    ``offsets`` is the mark of Spark's offsets, ``None`` if no stream of Spark's gave the batch.
    ``report`` is its ``batch`` event, told again if the process dies before that. ``answers`` say
    what became of prods, ``answered`` which of them their stream may give once more. ``hashing`` is
    the mark of what tells the groups of rows.
    """

    batch: int
    memory: ControlState
    runs: tuple[Run, ...]
    report: Json
    sealed: bool = False
    offsets: str | None = None
    states: dict[str, StateInfo] = field(default_factory=dict)
    answers: tuple[Answer, ...] = ()
    answered: tuple[str, ...] = ()
    hashing: str | None = None

    @property
    def catalog(self) -> Catalog:
        return Catalog.of(self.runs, self.states)

    @property
    def paths(self) -> set[str]:
        return {run.path for run in self.runs}

    def to_json(self) -> Json:
        return {
            "batch": self.batch,
            "sealed": self.sealed,
            "offsets": self.offsets,
            "control": plain(self.memory),
            "runs": pack(self.runs),
            "states": pack(self.states),
            "report": self.report,
            "answers": pack(self.answers),
            "answered": list(self.answered),
            "hashing": self.hashing,
            "since": True,
        }

    @classmethod
    def from_json(
        cls, value: Mapping[str, Any], controllers: Controllers = CONTROLLERS
    ) -> Manifest:
        """The record; format 5 had no states, and measurements beside the memory of control."""
        answered = value["answered"] if "answered" in value else value["answered_before"]
        return cls(
            batch=value["batch"],
            memory=read_state(value["control"], controllers, manifest=value),
            runs=unpack(value["runs"], tuple[Run, ...]),
            report=value["report"],
            sealed=value["sealed"],
            offsets=value["offsets"],
            states=_states(value),
            answers=unpack(value["answers"], tuple[Answer, ...]),
            answered=tuple(answered),
            hashing=value.get("hashing"),
        )


def _states(value: Mapping[str, Any]) -> dict[str, StateInfo]:
    """What is known of states. Before queries could come and go nobody wrote down from when on a
    state has all rows: surely those that come after what there is.
    """
    found = unpack(value.get("states", {}), dict[str, StateInfo])
    clocks = [one.get("clock") for one in value["control"]["streams"].values()]
    newest = max((clock for clock in clocks if clock is not None), default=None)
    if value.get("since") or newest is None:
        return found
    return {state: replace(info, since=newest + 1) for state, info in found.items()}


@dataclass(frozen=True, slots=True)
class Begun:
    """A batch that was decided: written before anything of it is applied, so that a repetition
    decides the same. ``ended``: it is the end of the streams. ``tables`` are the versions that its
    rows met.
    """

    ended: bool
    offsets: str | None
    decision: Json
    after: Json
    tables: tuple[Run, ...] = ()

    @classmethod
    def of(
        cls,
        decision: Decision,
        after: ControlState,
        offsets: str | None,
        *,
        ended: bool,
        tables: Iterable[Run] = (),
    ) -> Begun:
        return cls(ended, offsets, plain(decision), plain(after), tuple(tables))

    def decided(
        self, before: ControlState, controllers: Controllers = CONTROLLERS
    ) -> tuple[Decision, ControlState]:
        """What was decided, and the memory it leaves."""
        decision = read_decision(self.decision, controllers)
        return decision, read_after(self.after, before, controllers)
