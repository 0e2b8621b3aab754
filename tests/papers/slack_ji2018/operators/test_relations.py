from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.papers.slack_ji2018.operators.relations import dstream, istream, rstream

RELATION = st.lists(st.lists(st.sampled_from("abc"), max_size=5), max_size=8)
GOLDEN = [["a"], ["a", "a", "b"], [], ["b"]]


def bags(stream: list[tuple[int, str]], length: int) -> list[Counter[str]]:
    return [Counter(item for at, item in stream if at == instant) for instant in range(length)]


@pytest.mark.spec("qddh:F007")
def test_istream_gives_what_is_new() -> None:
    assert list(istream(GOLDEN)) == [(0, "a"), (1, "a"), (1, "b"), (3, "b")]


@pytest.mark.spec("qddh:F007")
def test_rstream_gives_everything_each_time() -> None:
    assert list(rstream(GOLDEN)) == [(0, "a"), (1, "a"), (1, "a"), (1, "b"), (3, "b")]


@pytest.mark.spec("qddh:F007")
def test_dstream_gives_what_is_gone() -> None:
    assert list(dstream(GOLDEN)) == [(2, "a"), (2, "a"), (2, "b")]


@pytest.mark.spec("qddh:F007")
@given(RELATION)
def test_insertions_and_deletions_rebuild_the_relation(relation: list[list[str]]) -> None:
    inserted = bags(list(istream(relation)), len(relation))
    deleted = bags(list(dstream(relation)), len(relation))
    current: Counter[str] = Counter()
    for instant, content in enumerate(relation):
        assert deleted[instant] <= current
        current = current - deleted[instant] + inserted[instant]
        assert current == Counter(content)


@pytest.mark.spec("qddh:F007")
@given(RELATION)
def test_rstream_is_the_relation_itself(relation: list[list[str]]) -> None:
    assert bags(list(rstream(relation)), len(relation)) == [Counter(bag) for bag in relation]
