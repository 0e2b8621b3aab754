"""Small disordered inputs of several streams for the tests of joins."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np
from hypothesis import strategies as st

from slackwater.papers.recall_ji2018.operators.combined import Combined
from slackwater.papers.recall_ji2018.operators.condition import same_key
from slackwater.papers.recall_ji2018.operators.engine import JoinQuery
from slackwater.papers.recall_ji2018.operators.join_manager import JoinManager
from slackwater.papers.recall_ji2018.operators.tree import Shape
from slackwater.papers.recall_ji2018.operators.windows import StreamWindows
from slackwater.plan.tree import Tree, all_trees
from slackwater.stats.arrival import Arrival, Delayed
from slackwater.units import MILLISECOND

Row = Arrival[int]
Identities = Counter[tuple[tuple[str, int], ...]]

THREE = JoinQuery(StreamWindows.of({"a": 6, "b": 3, "c": 9}), same_key("abc"))
TWO = JoinQuery(StreamWindows.of({"a": 4, "b": 7}), same_key("ab"))


def shapes(names: str) -> list[tuple[Shape, ...]]:
    """Every tree over some streams, as nested tuples."""
    found = [_nested(tree) for tree in all_trees(names)]
    return [shape for shape in found if not isinstance(shape, str)]


def _nested(tree: Tree) -> Shape:
    return tree if isinstance(tree, str) else tuple(_nested(child) for child in tree.children)


def rows(names: str, *, longest: int = 40, keys: int = 3) -> st.SearchStrategy[list[Row]]:
    """Arrivals of some streams, out of order, with a key as payload."""
    one = st.tuples(st.sampled_from(names), st.integers(0, 30), st.integers(1, keys))
    return st.lists(one, max_size=longest).map(
        lambda moves: [Arrival(s, n, ts, key) for n, (s, ts, key) in enumerate(moves)]
    )


def ordered(arrivals: Iterable[Row]) -> list[Row]:
    return sorted(arrivals, key=lambda arrival: (arrival.ts, arrival.seq))


def largest_delay(arrivals: list[Row]) -> int:
    times: dict[str, int] = {}
    worst = 0
    for a in arrivals:
        times[a.stream] = max(a.ts, times.get(a.stream, a.ts))
        worst = max(worst, times[a.stream] - a.ts)
    return worst


def identities(results: Iterable[Combined]) -> Identities:
    return Counter(result.identity for result in results)


def single(arrival: Row) -> Combined:
    return Combined.of(Delayed(arrival, 0))


def joined(manager: JoinManager, arrivals: Iterable[Row]) -> list[Combined]:
    return [r for a in arrivals for r in manager.update(a)] + manager.finish()


def long_streams(
    names: str, seconds: float, *, late_ms: int = 400, keys: int = 20, seed: int = 1
) -> list[Row]:
    """A hundred tuples a second and stream, a quarter of them late; in microseconds."""
    draws = np.random.default_rng(seed)
    moves = []
    for shift, name in enumerate(names):
        count = round(100 * seconds)
        time = np.arange(count) * 10 * MILLISECOND + shift
        late = (draws.random(count) < 0.25) * draws.integers(0, late_ms * MILLISECOND, count)
        pairs = zip(time.tolist(), np.maximum(0, time - late).tolist(), strict=True)
        moves += [(at, name, ts, int(draws.integers(keys))) for at, ts in pairs]
    moves.sort()
    return [Arrival(name, n, ts, key) for n, (_, name, ts, key) in enumerate(moves)]
