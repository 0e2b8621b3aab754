"""Parallel track: the new tree beside the old one, until nothing of before matters any more.

Zhu 2006, spec 4.5. A row is *old* if it came in a batch before the change, a combination if one of
its members is. The old tree gives what is old, the new one what is new; the new one begins empty,
so that nothing is made at once and nothing waits.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from slackwater.migrate.match import match
from slackwater.plan.join import JoinPlan
from slackwater.plan.tree import JoinNode


@dataclass(frozen=True, slots=True)
class Track:
    """A change under way: the tree ``was`` runs beside the new one since a batch.

    Rows of earlier batches are old. No result that is in time has an old member once the watermark
    is beyond ``until``.
    """

    was: JoinNode
    since: int
    until: int


def begin(
    plan: JoinPlan, was: JoinNode, tree: JoinNode, batch: int, clocks: Mapping[str, int | None]
) -> Track | None:
    """A change to ``tree`` in a batch; ``clocks`` are those of the streams before it.

    ``None`` if there is nothing to wait for: the new tree lacks no state, or no row has come.
    """
    ends = [
        clock + plan.graph.patience(one.name)
        for one in plan.inputs
        if (clock := clocks.get(one.stream)) is not None
    ]
    return Track(was, batch, max(ends)) if ends and match(plan, was, tree).made else None


def is_over(track: Track, watermark: int | None, keep: int) -> bool:
    """Whether no old row can be part of anything that is joined from now on.

    ``watermark`` is that before the batch, ``keep`` how much longer than answers need them rows
    have been kept. A combination is let go of with the first of its members, so this holds for
    trees of any height.
    """
    return watermark is not None and track.until < watermark - keep
