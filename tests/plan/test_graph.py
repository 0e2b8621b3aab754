"""What inputs of a join have in common."""

from __future__ import annotations

import pytest

from slackwater.plan.graph import JoinGraph, per_stream

CHAIN = (("a.x", "b.x"), ("b.y", "c.y"))
ALIKE = (("a.x", "b.x", "c.x"),)
PARALLEL = (("a.x", "b.x"), ("a.y", "b.y"))
CIRCLE = (*CHAIN, ("c.z", "a.z"))
APART = (("a.x", "b.x"), ("c.y", "d.y"))


@pytest.mark.parametrize(
    ("classes", "is_tree"),
    [(CHAIN, True), (ALIKE, True), (APART, True), (PARALLEL, False), (CIRCLE, False)],
)
def test_there_is_one_way_from_input_to_input_or_several(
    classes: tuple[tuple[str, ...], ...], is_tree: bool
) -> None:
    split = tuple(
        tuple((owner, column) for owner, _, column in (text.partition(".") for text in members))
        for members in classes
    )
    assert JoinGraph(tuple("abcd"), per_stream([1] * 4), split, ()).is_tree is is_tree
