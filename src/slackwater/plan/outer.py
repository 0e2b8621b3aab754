"""Joins with optional inputs: what can be asked of them, and how far apart members may be.

The inputs that are *required* are joined as ever. Each *optional* one hangs off them: it has
conditions with required inputs only, so that what one of them has found says nothing of another.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from sqlglot import exp

from slackwater.plan.graph import UNBOUND, equal_classes, per_pair
from slackwater.plan.report import Reporter
from slackwater.query.expression import Expression
from slackwater.query.join import HOWS
from slackwater.query.stream import JoinDef

Reach = tuple[tuple[int, ...], ...]
WAYS = 'how="left", how="right" for two streams, or stream.optional() for any of them'
_STRICT = (  # null if any part of it is
    *(exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between, exp.Like, exp.Not),
    *(exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod, exp.Neg, exp.Abs, exp.Cast, exp.DataType),
    *(exp.Column, exp.Identifier, exp.Literal, exp.Paren),
)


def check_outer(base: JoinDef, report: Reporter) -> None:
    """Tell what is wrong with how a join treats rows without partner, whatever its inputs are."""
    at, marked = "join, how", [stream.name for stream in base.inputs if stream.is_optional]
    if base.how not in HOWS:
        text = f"{base.how!r} is not one of: {', '.join(HOWS)}"
        if base.how in ("full", "outer", "full outer"):
            text, hint = (
                f"{base.how!r} joins are not offered",
                "ask for left and right in a query each",
            )
        else:
            hint = WAYS
        report.problem("JOIN_OUTER", at, text, hint)
    elif base.how == "right" and len(base.inputs) > 2:
        text = f"a right join is one of two streams, got {len(base.inputs)}"
        report.problem("JOIN_OUTER", at, text, "mark streams that may be missing with .optional()")
    elif base.how != "inner" and marked:
        text = f"{base.how!r} says which streams are optional, and so does {marked[0]}.optional()"
        report.problem("JOIN_OUTER", at, text, "say it once")
    elif len(marked) == len(base.inputs):
        text = "every stream is optional, so that nothing has to be answered"
        report.problem("JOIN_OUTER", "join", text, "leave one without .optional()")


def check_windows(
    windows: Mapping[tuple[str, str], int], optional: Collection[str], report: Reporter
) -> None:
    """Refuse windows between two optional inputs."""
    for one, other in windows:
        if one in optional and other in optional:
            text = f"{one} and {other} are both optional: neither waits for the other"
            report.problem("JOIN_OUTER", "join, within", text, "give windows with required streams")


def outer_pairs(
    names: Sequence[str], optional: Collection[str], windows: Mapping[tuple[str, str], int]
) -> Reach:
    """Reach from windows between pairs; that of required inputs never leads over optional ones."""
    required = [name for name in names if name not in optional]
    inner = per_pair(required, {p: w for p, w in windows.items() if set(p) <= set(required)})
    between = {
        (one, other): inner[i][j]
        for i, one in enumerate(required)
        for j, other in enumerate(required)
    }
    direct = {frozenset(pair): window for pair, window in windows.items()}
    for name in optional:
        for one in required:
            ways = [
                direct.get(frozenset((name, via)), UNBOUND) + between[via, one] for via in required
            ]
            between[name, one] = between[one, name] = min(*ways, UNBOUND)
    reach = tuple(tuple(between.get((one, other), 0) for other in names) for one in names)
    return over_required(names, optional, reach)


def over_required(names: Sequence[str], optional: Collection[str], reach: Reach) -> Reach:
    """Two optional inputs are as far apart as their distances to required ones allow, no less."""
    if not optional:
        return reach
    via = [number for number, name in enumerate(names) if name not in optional]

    def between(i: int, j: int) -> int:
        if i == j or i in via or j in via:
            return reach[i][j]
        return min(UNBOUND, *(reach[i][v] + reach[v][j] for v in via))

    size = range(len(names))
    return tuple(tuple(between(i, j) for j in size) for i in size)


def check_conditions(
    parts: Sequence[tuple[Expression, tuple[str, str] | None]],
    owner: Mapping[str, str],
    optional: Collection[str],
    report: Reporter,
) -> None:
    """Refuse conditions under which it makes no sense that an input is missing.

    ``parts`` are conjuncts, each with its columns if it is an equality of two.
    """
    at = "join, on"
    for part, _ in parts:
        names = {owner[column] for column in part.columns}
        missing = sorted(names & set(optional))
        if not names or (not missing and len(names) == 1):
            hint = "filter rows before the join: stream.where(...)"
            text = f"{part.sql!r} is about no optional stream"
            report.problem("JOIN_OUTER", at, text, hint)
        elif len(names) > 1 and len(missing) > 1 and _is_tied(part, parts, owner, missing):
            text = f"{part.sql!r} is about {' and '.join(missing)}, which are optional both"
            hint = "give each its own condition with a stream that is required"
            report.problem("JOIN_OUTER", at, text, hint)
    _check_classes([pair for _, pair in parts if pair is not None], owner, optional, report)


def _is_tied(
    part: Expression,
    parts: Sequence[tuple[Expression, tuple[str, str] | None]],
    owner: Mapping[str, str],
    missing: Sequence[str],
) -> bool:
    """Whether a condition really is between optional inputs: an equality may follow from others."""
    pair = next((pair for one, pair in parts if one is part), None)
    if pair is None:
        return True
    classes = equal_classes([p for _, p in parts if p is not None], owner)
    members = next(m for m in classes if pair[0] in {column for _, column in m})
    return all(name in missing for name, _ in members)


def _check_classes(
    pairs: Sequence[tuple[str, str]],
    owner: Mapping[str, str],
    optional: Collection[str],
    report: Reporter,
) -> None:
    """Refuse equalities between required inputs that only an optional one makes."""
    inner = [pair for pair in pairs if not {owner[column] for column in pair} & set(optional)]
    known = [{column for _, column in members} for members in equal_classes(inner, owner)]
    for members in equal_classes(pairs, owner):
        columns = [column for name, column in members if name not in optional]
        if len(columns) > 1 and not any(set(columns) <= one for one in known):
            text = f"{' and '.join(columns)} are equal only where an optional stream is there"
            hint = "if they are to be equal, say so in a condition of their own"
            report.problem("JOIN_OUTER", "join, on", text, hint)


def needs(condition: Expression, columns: Collection[str]) -> bool:
    """Whether a condition can never be true where these columns are null."""
    tree = condition.tree
    strict = all(isinstance(node, _STRICT) for node in tree.walk())
    return strict and bool(condition.columns & set(columns))
