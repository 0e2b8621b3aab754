"""The minimal reference of spec/prodding.md, appendix A, and random streams in its form.

Elements are ``("T", ts, group, value)``, ``("U", t, group or None, id)`` for a punctuation and
``("P", t, group or None, id)`` for a prod; rows are ``(kind, id, (window, group), value)``.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from typing import Any

from slackwater.papers.prodding_bhat2011.operators.element import (
    DataTuple,
    Element,
    Punctuation,
    Result,
)
from slackwater.papers.prodding_bhat2011.operators.operator import Operator
from slackwater.papers.prodding_bhat2011.operators.plan import Plan, WindowQuery
from slackwater.papers.prodding_bhat2011.operators.predicate import Eq, Le
from slackwater.papers.prodding_bhat2011.operators.prod import Prod
from slackwater.papers.stream.monoids import AVG, COUNT, MAX, MIN, SUM, Monoid

Item = tuple[str, int, Any, Any]
Row = tuple[str, int, tuple[int, Any], Any]

ALGEBRA: dict[str, tuple[Callable[..., Any], Callable[..., Any], Callable[..., Any]]] = {
    "sum": (lambda v: v, lambda a, b: a + b, lambda s: s),
    "count": (lambda _: 1, lambda a, b: a + b, lambda s: s),
    "max": (lambda v: v, max, lambda s: s),
    "min": (lambda v: v, min, lambda s: s),
    "avg": (lambda v: (v, 1), lambda a, b: (a[0] + b[0], a[1] + b[1]), lambda s: s[0] / s[1]),
}
MONOIDS = {"sum": SUM, "count": COUNT, "max": MAX, "min": MIN, "avg": AVG}


def all_five() -> Monoid[Any, Any, Any]:
    """The five aggregates at once; the result is a tuple in the order of ``MONOIDS``."""
    parts = tuple(MONOIDS.values())
    return Monoid(
        tuple(one.zero for one in parts),
        lambda value: tuple(one.lift(value) for one in parts),
        lambda a, b: tuple(one.merge(x, y) for one, x, y in zip(parts, a, b, strict=True)),
        lambda state: tuple(one.get(x) for one, x in zip(parts, state, strict=True)),
    )


def _fold(merge: Callable[..., Any], table: dict[Any, Any], key: Any, part: Any) -> None:
    table[key] = merge(table[key], part) if key in table else part


def _answer(e: Item, k: int, table: dict[Any, Any], result: Any, out: list[Row]) -> None:
    def is_covered(key: tuple[int, Any]) -> bool:
        hit = key[0] == k if e[0] == "P" else key[0] <= k
        return hit and e[2] in (None, key[1])

    for key in sorted(x for x in table if is_covered(x)):
        out.append((e[0], e[3], key, result(table[key])))
        if e[0] == "U":
            del table[key]


def flat_plan(els: Iterable[Item], size: int, slide: int, fn: str) -> list[Row]:
    lift, merge, result = ALGEBRA[fn]
    windows: dict[Any, Any] = {}
    out: list[Row] = []
    for e in els:
        if e[0] == "T":
            for w in range(e[1] // slide, (e[1] + size) // slide):
                _fold(merge, windows, (w, e[2]), lift(e[3]))
        else:
            _answer(e, e[1] // slide - 1, windows, result, out)
    return out


def random_items(
    rnd: random.Random, n: int, size: int, span: int = 200, disorder: int = 25, low: int = 0
) -> list[Item]:
    """A disordered stream with plain and group-wise prods and grammatical punctuations."""
    tuples: list[Item] = [
        ("T", rnd.randrange(span), rnd.randrange(3), rnd.randrange(low, 100)) for _ in range(n)
    ]
    tuples.sort(key=lambda e: e[1] + rnd.random() * disorder)
    els: list[Item] = []
    ident = 0
    for j, e in enumerate(tuples):
        els.append(e)
        safe = min((x[1] for x in tuples[j + 1 :]), default=span + size)
        ident += 2
        if rnd.random() < 0.15:
            time = rnd.randrange(span + size)
            els.append(("P", time, rnd.choice([None, None, 0, 1, 2]), ident))
        if rnd.random() < 0.08 and safe > 0:
            els.append(("U", safe - 1, rnd.choice([None, None, 0]), ident + 1))
    return [*els, ("U", span + 2 * size, None, ident + 2)]


def element(item: Item) -> Element:
    kind, time, group, last = item
    if kind == "T":
        return DataTuple({"ts": time, "group": group, "value": last})
    named = () if group is None else (("group", Eq(group)),)
    return Prod(last, Eq(time), named) if kind == "P" else Punctuation(last, Le(time), named)


def query(size: int, slide: int, fn: str | None = None) -> WindowQuery:
    monoid = all_five() if fn is None else MONOIDS[fn]
    return WindowQuery(size, slide, monoid, key=("group",), algebra=fn or "five")


def run(operators: list[Operator], items: Iterable[Item]) -> list[Result]:
    """Results of a plan; time is the number of the element."""
    plan = Plan(operators)
    for now, item in enumerate(items):
        plan.push(element(item), now)
    return plan.results


def finals(results: Iterable[Result]) -> list[tuple[int, Any, Any]]:
    return [(r.window, r.group, r.value) for r in results if r.kind == "final"]


def earlies(results: Iterable[Result]) -> list[tuple[Any, int, Any, Any]]:
    return [(r.prod, r.window, r.group, r.value) for r in results if r.kind == "early"]
