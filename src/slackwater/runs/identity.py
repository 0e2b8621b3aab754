"""What a checkpoint is of: the file that says which queries it has, had, and what they mean.

It is written before anything is done about a change. The memory of queries is in manifests, so a
change that was written down and not begun may still be taken back.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import uuid4

from slackwater.errors import CheckpointError, Problem
from slackwater.plan.change import Change, Known, change_of
from slackwater.plan.meaning import Order, other_zone
from slackwater.runs.files import write_atomically

FORMAT = 7
OLDER = (5, 6)  # formats that are read, and become this one when a pipeline goes on


@dataclass(frozen=True, slots=True)
class Meaning:
    """A pipeline as its checkpoint knows it: a fingerprint, all that it means, the same in words,
    and how its plan is arranged.
    """

    fingerprint: str
    meaning: Mapping[str, Any]
    words: Mapping[str, str]
    order: Order | None = None

    def to_json(self) -> dict[str, Any]:
        order = self.order or Order.of(self.meaning)
        told = {"order": order.to_json(), "words": self.words}
        return {"format": FORMAT, "pipeline": self.fingerprint, "meaning": self.meaning, **told}


@dataclass(frozen=True, slots=True)
class Identity:
    """The file ``slackwater.json`` of a checkpoint; ``spark`` is the folder of Spark's record."""

    path: Path
    spark: Path

    @property
    def exists(self) -> bool:
        return self.path.exists()

    def read(self) -> dict[str, Any]:
        try:
            value: dict[str, Any] = json.loads(self.path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise CheckpointError(
                "CHECKPOINT_DAMAGED", f"{self.path} is not JSON", "restore the file or start afresh"
            ) from error
        return value

    def write(self, value: Mapping[str, Any]) -> None:
        write_atomically(self.path, json.dumps(value, indent=1).encode())

    def order(self) -> Order:
        """How streams and inputs were first written; nothing if the checkpoint is new."""
        return order_of(self.path.read_bytes() if self.exists else None)

    def become(self, given: Meaning) -> Change:
        """Let the checkpoint be of this pipeline from now on, unless that cannot be."""
        if not self.exists:
            self.write({**given.to_json(), "id": uuid4().hex})
            return Change()
        value = self.read()
        check_format(self.path.parent, value.get("format"))
        self._refuse_zone(value.get("meaning", {}), given.meaning)
        if value.get("pipeline") == given.fingerprint:
            return Change()
        change = self.change(given)
        if change.refused:
            told = "; ".join(_told(problem) for problem in change.refused)
            hints = dict.fromkeys(problem.hint for problem in change.refused)
            raise CheckpointError(
                "CHECKPOINT_OTHER_QUERY",
                f"{self.path.parent} cannot go on with this pipeline: {told}",
                f"{'; '.join(hints)}. Slack, late rows, sinks and tiers may change, and queries "
                "may come and go: 'slackwater diff' shows what would become of each",
            )
        if not change.is_none:
            self.write(self._changed(value, given, change))
        return change

    def change(self, given: Meaning) -> Change:
        """What becoming this pipeline would do; nothing is done."""
        found = change_of(Known.of(self.read()), given.meaning, given.words)
        return replace(found, refused=(*found.refused, *self._other_sources(found)))

    def _other_sources(self, change: Change) -> Iterator[Problem]:
        """Spark goes on from its record only with the sources that it has numbered there."""
        if not any((self.spark / "offsets").glob("[0-9]*")):
            return
        for name in change.new_streams:
            text = "it was not read so far, and Spark goes on with the same sources only"
            hint = "run the queries that read it beside this pipeline, in a folder of their own"
            yield Problem("CHANGE_STREAM", f"stream {name!r}", text, hint)
        for name in change.old_streams:
            text = "no query reads it any more, and Spark goes on with the same sources only"
            hint = "keep a query that reads it"
            yield Problem("CHANGE_STREAM", f"stream {name!r}", text, hint)

    def _changed(self, value: dict[str, Any], given: Meaning, change: Change) -> dict[str, Any]:
        """The file after a change: it still tells what queries meant that are gone."""
        before, now = value["meaning"]["queries"], given.meaning["queries"]
        gone = {**value.get("gone", {}), **{name: before[name] for name in change.dropped}}
        left = {name: one for name, one in gone.items() if name not in now}
        order = (given.order or Order.of(given.meaning)).with_known(self.order())
        return {**value, **replace(given, order=order).to_json(), "gone": left}

    def _refuse_zone(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> None:
        zones = other_zone(old, new)
        if zones is not None:
            raise CheckpointError(
                "CHECKPOINT_OTHER_ZONE",
                f"{self.path.parent} was begun in a session in the time zone {zones[0]}, this one "
                f"is in {zones[1]}: hours, days and times as text would mean two things",
                f"set spark.sql.session.timeZone to {zones[0]}, or use a new folder",
            )


def order_of(identity: bytes | None) -> Order:
    """How streams and inputs were first written, by what the file says; opening it tells what is
    wrong with it.
    """
    try:
        value = json.loads(identity or b"")
        if "order" in value:
            return Order.from_json(value["order"], value["meaning"]["queries"])
        return Order.of(value["meaning"])
    except (ValueError, KeyError, TypeError, AttributeError):
        return Order()


def _told(problem: Problem) -> str:
    """What is refused; differences name their part themselves."""
    is_named = problem.message.startswith(problem.where)
    return problem.message if is_named else f"{problem.where}: {problem.message}"


def check_format(folder: Path, found: object) -> None:
    """Refuse what a version wrote that this one cannot read."""
    if found not in (FORMAT, *OLDER):
        known = " and ".join(str(one) for one in (*OLDER, FORMAT))
        raise CheckpointError(
            "CHECKPOINT_FORMAT",
            f"{folder} has format {found}, this version reads formats {known}",
            "use the version of slackwater that wrote it, or a new folder",
        )
