from __future__ import annotations

import pytest

from slackwater.plan.graph import UNBOUND, per_pair, per_stream
from slackwater.plan.tree import (
    JoinNode,
    all_trees,
    inputs_of,
    mjoin,
    nodes_of,
    read_tree,
    show_tree,
    tree_from_json,
    tree_to_json,
)


@pytest.mark.spec("adaptive:SUB-11")
@pytest.mark.parametrize(("size", "count"), [(1, 1), (2, 1), (3, 4), (4, 26), (5, 236)])
def test_there_are_as_many_shapes_as_there_should_be(size: int, count: int) -> None:
    names = "abcde"[:size]
    shapes = {_canonical(tree) for tree in all_trees(list(names))}
    assert len(shapes) == count
    assert len(list(all_trees(list(names)))) == count


def _canonical(tree: object) -> object:
    if isinstance(tree, JoinNode):
        return frozenset(_canonical(child) for child in tree.children)
    return tree


def test_a_tree_reads_back_as_it_is_shown() -> None:
    for tree in all_trees(["a", "b", "c", "d"]):
        assert read_tree(show_tree(tree)) == tree
        assert tree_from_json(tree_to_json(tree)) == tree


@pytest.mark.parametrize("text", ["", "(a", "(a)", "(a b) c", ")", "()"])
def test_what_is_no_tree_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"missing|left over|two inputs"):
        read_tree(text)


def test_children_come_before_parents() -> None:
    tree = read_tree("((a b) (c d) e)")
    assert [show_tree(node) for node in nodes_of(tree)] == ["(a b)", "(c d)", show_tree(tree)]
    assert inputs_of(tree) == ("a", "b", "c", "d", "e")


def test_every_child_may_probe_in_its_own_order() -> None:
    node = JoinNode(("a", "b", "c"), ((2, 1), (0, 2), (0, 1)))
    assert [node.order(child) for child in range(3)] == [(2, 1), (0, 2), (0, 1)]
    assert mjoin(("a", "b", "c")).order(1) == (0, 2)


@pytest.mark.spec("adaptive:SUB-06")
def test_pairs_without_a_window_follow_from_the_others() -> None:
    names = ("a", "b", "c", "d")
    reach = per_pair(names, {("a", "b"): 3, ("b", "c"): 4, ("a", "c"): 20})
    assert reach[0][2] == reach[2][0] == 7  # by way of b: shorter than what was written
    assert reach[0][3] >= UNBOUND
    assert per_stream([5, 9])[0][1] == 9  # how long b's rows wait for a newer a
