from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slackwater.errors import SlackwaterError
from slackwater.papers.recall_ji2018.operators.condition import Equal, Term, same_key
from slackwater.papers.recall_ji2018.operators.operator import Probing, Purge
from slackwater.papers.recall_ji2018.operators.oracle import all_combinations
from slackwater.papers.recall_ji2018.operators.tree import (
    HybridTree,
    JoinTree,
    Shape,
    TreeParams,
)
from slackwater.papers.recall_ji2018.operators.windows import (
    JoinWindows,
    PairWindows,
    StreamWindows,
)
from tests.papers.recall_ji2018.operators.disordered import (
    Identities,
    Row,
    identities,
    long_streams,
    ordered,
    rows,
    shapes,
)

PURGE = st.sampled_from(["newest", "tight"])
PROBING = st.sampled_from(["hash", "nested"])


def run(
    shape: tuple[Shape, ...],
    windows: JoinWindows,
    terms: tuple[Term, ...],
    arrivals: list[Row],
    **options: object,
) -> Identities:
    params = TreeParams(JoinTree.of(shape), windows, terms, **options)  # type: ignore[arg-type]
    tree = HybridTree(params)
    results = [result for arrival in ordered(arrivals) for result in tree.update(arrival)]
    assert all(one.ts <= other.ts for one, other in pairwise(results))
    return identities(results)


def chain(names: str) -> tuple[Term, ...]:
    """Neighbours are linked, each pair by another part of the key."""
    parts = [lambda key, n=n: key // 2**n % 2 for n in range(len(names))]
    return tuple(
        Equal(one, other, parts[n], parts[n]) for n, (one, other) in enumerate(pairwise(names))
    )


@pytest.mark.spec("adaptive:SUB-19", "adaptive:SUB-11", "adaptive:SUB-07")
@given(rows("abcd", longest=24, keys=8), st.integers(0, 12), PURGE, PROBING)
@settings(max_examples=15)
def test_all_shapes_of_four_streams_give_the_combinations_of_the_definition(
    arrivals: list[Row], size: int, purge: Purge, probing: Probing
) -> None:
    windows, terms = PairWindows.everywhere("abcd", size), chain("abcd")
    true = dict.fromkeys(all_combinations(windows, terms, arrivals), 1)
    for shape in shapes("abcd"):
        assert run(shape, windows, terms, arrivals, purge=purge, probing=probing) == true


@pytest.mark.spec("adaptive:SUB-19", "adaptive:SUB-11", "adaptive:SUB-06", "adaptive:SUB-07")
@given(rows("abcd", longest=24, keys=8), st.tuples(*[st.integers(0, 9)] * 3), PURGE)
@settings(max_examples=15)
def test_all_shapes_agree_under_local_windows(
    arrivals: list[Row], sizes: tuple[int, int, int], purge: Purge
) -> None:
    pairs = [("a", "b"), ("b", "c"), ("c", "d")]
    windows, terms = PairWindows.of("abcd", dict(zip(pairs, sizes, strict=True))), chain("abcd")
    true = dict.fromkeys(all_combinations(windows, terms, arrivals), 1)
    for shape in shapes("abcd"):
        assert run(shape, windows, terms, arrivals, purge=purge) == true


@pytest.mark.spec("adaptive:SUB-19", "adaptive:SUB-11")
@given(rows("abcde", longest=22, keys=4), st.sampled_from([6, 15]))
@settings(max_examples=4)
def test_all_shapes_of_five_streams_agree(arrivals: list[Row], size: int) -> None:
    windows, terms = PairWindows.everywhere("abcde", size), chain("abcde")
    true = dict.fromkeys(all_combinations(windows, terms, arrivals), 1)
    for shape in shapes("abcde"):
        assert run(shape, windows, terms, arrivals) == true


@pytest.mark.spec("adaptive:SUB-19", "adaptive:SUB-11", "adaptive:SUB-07")
@pytest.mark.parametrize(("names", "size", "least"), [("abcd", 60, 200), ("abcde", 45, 50)])
def test_all_shapes_agree_on_a_busy_input(names: str, size: int, least: int) -> None:
    arrivals = long_streams(names, 0.2, late_ms=40, keys=16)[:size]
    windows, terms = PairWindows.everywhere(names, 45_000), chain(names)
    true = dict.fromkeys(all_combinations(windows, terms, arrivals), 1)
    assert len(true) > least
    for shape in shapes(names):
        assert run(shape, windows, terms, arrivals) == true


@pytest.mark.spec("adaptive:SUB-19", "adaptive:SUB-11", "qddh:F080")
@given(rows("abc"), PURGE)
def test_all_shapes_agree_where_each_stream_has_a_window_of_its_own(
    arrivals: list[Row], purge: Purge
) -> None:
    windows = StreamWindows.of({"a": 6, "b": 3, "c": 9})
    terms = same_key("abc")
    true = dict.fromkeys(all_combinations(windows, terms, arrivals), 1)
    for shape in shapes("abc"):
        assert run(shape, windows, terms, arrivals, purge=purge) == true


@pytest.mark.spec("adaptive:SUB-11")
def test_tight_purging_keeps_fewer_intermediate_tuples() -> None:
    arrivals = ordered(long_streams("abc", 2, late_ms=1, keys=5))
    sizes = {}
    for purge in ("newest", "tight"):
        windows = PairWindows.everywhere("abc", 200_000)
        tree = HybridTree(
            TreeParams(JoinTree.of((("a", "b"), "c")), windows, same_key("abc"), purge=purge)
        )
        for arrival in arrivals:
            tree.update(arrival)
        sizes[purge] = tree.nodes[-1].operator.sizes[0]
    assert 0 < sizes["tight"] < 0.7 * sizes["newest"]


@pytest.mark.parametrize("shape", [("a",), ("a", ("b", "a")), ("a", ("b",))])
def test_what_is_no_tree_is_refused(shape: tuple[Shape, ...]) -> None:
    with pytest.raises(SlackwaterError, match="join tree"):
        JoinTree.of(shape)
