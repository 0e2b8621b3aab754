"""Which queries a checkpoint has, since when, and which it had."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from slackwater.runs.checkpoint import Checkpoint
from slackwater.runs.manifest import Manifest
from slackwater.runs.overlay import Changes
from slackwater.runs.run import total_rows


@dataclass(frozen=True, slots=True)
class Listed:
    """A query, as of the newest batch.

    ``since`` is its first batch (``None``: there from the beginning), and what ends until
    ``whole_after`` it did not give. ``rows`` of state it reads, those that others read, too,
    included. ``status`` is ``running``, ``new`` (from the next batch on) or ``gone``; ``is_added``
    says that it was added to a pipeline that ran.
    """

    query: str
    status: str
    since: int | None = None
    whole_after: int | None = None
    watermark: int | None = None
    rows: int = 0
    is_added: bool = False

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def roster(checkpoint: Checkpoint) -> list[Listed]:
    """All queries of a checkpoint, those that are gone last; raises if there is none."""
    known, manifest = checkpoint.known(), checkpoint.newest()
    added = Changes(checkpoint.folder).overlay().added
    there = known.meaning.get("queries", {})
    found = [_listed(name, manifest, is_added=name in added) for name in there]
    return [*found, *(Listed(name, "gone") for name in known.gone)]


def _listed(name: str, manifest: Manifest | None, *, is_added: bool) -> Listed:
    memory = None if manifest is None else manifest.memory.queries.get(name)
    if manifest is None or memory is None:
        return Listed(name, "new", is_added=is_added)
    came, states = memory.arrival, manifest.states.items()
    read = [state for state, info in states if name in info.readers]
    rows = total_rows([run for run in manifest.runs if run.state in read])
    since = None if came is None else came.batch
    return Listed(name, "running", since, memory.whole_after, memory.watermark, rows, is_added)
