"""A query's turn in a batch: all that executing needs to know of decision and memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from slackwater.control.clock import oldest_of, origin_of
from slackwater.control.join_plan import track_of, tree_of
from slackwater.control.prods import ProdMemory, Progress, spoken
from slackwater.control.records import ControlState, Decision, QueryDecision
from slackwater.migrate.track import Track
from slackwater.plan.stage import QueryPlan
from slackwater.plan.tree import JoinNode


@dataclass(frozen=True, slots=True)
class Turn:
    """What a query does in one batch.

    ``clocks`` and ``bounds`` are, by stream, the clock when the batch began and the newest event
    time that is believed; ``spoken`` is what its estimates have said before, and were worth. A join
    runs by ``tree``, and ``was`` the tree of the batch before; ``track`` tells that an earlier one
    runs beside it, ``left`` that one did in the batch before.
    """

    query: QueryPlan
    decision: QueryDecision
    batch: int
    emitted_at: int
    progress: Progress
    clocks: dict[str, int | None]
    bounds: dict[str, int | None]
    tree: JoinNode | None
    spoken: ProdMemory
    was: JoinNode | None = None
    track: Track | None = None
    left: Track | None = None

    @property
    def trees(self) -> tuple[JoinNode, ...]:
        """All trees by which a join runs in this batch."""
        return _trees(self.tree, self.track)

    @property
    def found(self) -> tuple[JoinNode, ...]:
        """All trees by which it ran in the batch before, of which states are still there."""
        return _trees(self.was, self.left)

    @property
    def fed(self) -> frozenset[str]:
        """The states that new rows go into, or groups of them."""
        join = self.query.join
        if join is None:
            return frozenset(state.identity for _, state in self.query.fed)
        return frozenset(one.state.identity for t in self.trees for one in join.form(t).inputs)

    @property
    def is_grouped(self) -> bool:
        """Whether what the join of the query gives are groups of results."""
        return any(tree.is_grouped for tree in self.trees)

    @property
    def labels(self) -> dict[str, int]:
        return {"origin": self.progress.origin or 0, "emitted_at": self.emitted_at}


def _trees(tree: JoinNode | None, track: Track | None) -> tuple[JoinNode, ...]:
    both = (tree, None if track is None else track.was)
    return tuple(one for one in both if one is not None)


def turns(
    queries: Sequence[QueryPlan], decision: Decision, before: ControlState, after: ControlState
) -> dict[str, Turn]:
    """The turn of every query, by name."""
    return {query.name: _turn(query, decision, before, after) for query in queries}


def _turn(query: QueryPlan, decision: Decision, before: ControlState, after: ControlState) -> Turn:
    mine, past, now = decision.queries[query.name], before.of(query.name), after.of(query.name)
    known = {name: before.streams.get(name) for name in query.streams}
    came = mine.arrival is not None and mine.arrival.batch == decision.batch  # no tree before
    origin, oldest = (f(query.streams, after.streams) for f in (origin_of, oldest_of))
    return Turn(
        query,
        mine,
        decision.batch,
        decision.emitted_at,
        Progress(
            past.clock, now.clock, mine.upto, origin, oldest=oldest, whole_after=mine.whole_after
        ),
        {name: None if stream is None else stream.clock for name, stream in known.items()},
        {name: decision.streams[name].bound for name in query.streams},
        None if query.join is None else tree_of(query.join, now),
        spoken(before, query.name),
        None if query.join is None or came else tree_of(query.join, past),
        track_of(now),
        track_of(past),
    )
