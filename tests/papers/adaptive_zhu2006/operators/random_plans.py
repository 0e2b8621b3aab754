"""Random queries, plans and streams, for properties that hold of all of them."""

from __future__ import annotations

from itertools import pairwise
from random import Random

from slackwater.papers.adaptive_zhu2006.operators.plan import Join, Plan, Source, tree
from slackwater.papers.adaptive_zhu2006.operators.query import Column, Equal, Query
from slackwater.papers.adaptive_zhu2006.operators.row import Single
from slackwater.papers.adaptive_zhu2006.operators.windows import Windows

NAMES = "ABCDE"


def random_query(random: Random, streams: int, window: int = 12) -> Query:
    """A connected join graph, sometimes with a cycle; one key column an edge, on both its ends."""
    names = NAMES[:streams]
    pairs = [(names[random.randrange(n)], names[n]) for n in range(1, streams)]
    if streams > 2 and random.random() < 0.4:
        pairs.append((names[0], names[-1]))
    columns: dict[str, list[str]] = {name: ["v"] for name in names}
    edges = []
    for number, (one, other) in enumerate(dict.fromkeys(pairs)):
        for name in (one, other):
            columns[name].append(f"k{number}")
        edges.append(Equal(Column(one, f"k{number}"), Column(other, f"k{number}")))
    return Query(
        {name: tuple(found) for name, found in columns.items()},
        tuple(edges),
        Windows.same(window),
    )


def random_plan(random: Random, streams: list[str]) -> Plan:
    """Any hybrid tree: joins of two or more inputs, each a stream or a join."""
    if len(streams) == 1:
        return Source(streams[0])
    shuffled = random.sample(streams, len(streams))
    parts = random.randint(2, len(streams))
    cuts = sorted(random.sample(range(1, len(streams)), parts - 1))
    groups = [shuffled[a:b] for a, b in zip([0, *cuts], [*cuts, len(streams)], strict=True)]
    return Join(tuple(random_plan(random, group) for group in groups))


def random_arrivals(random: Random, query: Query, count: int = 60, keys: int = 2) -> list[Single]:
    """Tuples of all streams in the order of time; some share an instant."""
    ts, seqs, found = 0, dict.fromkeys(query.columns, 0), []
    for _ in range(count):
        ts += random.choice((0, 1, 1, 2, 3))
        stream = random.choice(sorted(query.columns))
        values = tuple(random.randrange(keys) for _ in query.columns[stream])
        found.append(query.single(stream, ts, seqs[stream], values))
        seqs[stream] += 1
    return found


def chain(window: int = 12, names: str = "ABCD") -> Query:
    """A - B - C - D, each edge on a column of its own."""
    columns = {name: ["v"] for name in names}
    edges = []
    for number, (one, other) in enumerate(pairwise(names)):
        for name in (one, other):
            columns[name].append(f"k{number}")
        edges.append(Equal(Column(one, f"k{number}"), Column(other, f"k{number}")))
    return Query({k: tuple(v) for k, v in columns.items()}, tuple(edges), Windows.same(window))


LEFT, RIGHT = tree("((A B) C) D"), tree("A ((B C) D)")
