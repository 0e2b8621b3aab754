"""Join graphs: inputs, the predicates between them, and how far apart members may be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from sqlglot import exp

from slackwater.query.expression import Expression, column
from slackwater.units import END_OF_TIME

UNBOUND = END_OF_TIME  # a reach that no window limits


@dataclass(frozen=True, slots=True)
class Predicate:
    """A condition on a combination, and the inputs it speaks of."""

    expression: Expression
    inputs: frozenset[str]


@dataclass(frozen=True, slots=True)
class JoinGraph:
    """What a join means, apart from how it is run.

    ``reach[i][j]`` is how much older (microseconds) the member of input ``j`` may be than that of
    input ``i``. Columns in one ``classes`` group are equal in every result that has them.
    ``optional`` inputs may be missing in a result, and ``above`` are conditions on results that can
    be decided only once it is known which are.
    """

    names: tuple[str, ...]
    reach: tuple[tuple[int, ...], ...]
    classes: tuple[tuple[tuple[str, str], ...], ...]
    predicates: tuple[Predicate, ...]
    optional: frozenset[str] = frozenset()
    above: tuple[Expression, ...] = ()

    @property
    def required(self) -> tuple[str, ...]:
        """The inputs that every result has."""
        return tuple(name for name in self.names if name not in self.optional)

    def reach_between(self, newer: str, older: str) -> int:
        return self.reach[self.names.index(newer)][self.names.index(older)]

    def patience(self, name: str, others: Iterable[str] | None = None) -> int:
        """How long a row of this input may wait for its newest partner (among ``others``).

        A row of an optional input also waits for rows that come late and may still be answered:
        else they would seem to have no partner.
        """
        if others is None and name in self.optional:
            return min(self.patience(r) + self.reach_between(r, name) for r in self.required)
        partners = self.names if others is None else tuple(others)
        return max((self.reach_between(o, name) for o in partners if o != name), default=0)

    @property
    def is_tree(self) -> bool:
        """Whether at most one way by equal columns leads from an input to another."""
        groups = [frozenset({name}) for name in self.names]
        for members in self.classes:
            link = frozenset(name for name, _ in members)
            met = [group for group in groups if group & link]
            if len(met) < len(link):
                return False
            groups = [group for group in groups if not group & link] + [frozenset().union(*met)]
        return True

    def equalities(self, left: frozenset[str], right: frozenset[str]) -> list[tuple[str, str]]:
        """One equality for each class of equal columns that both sides have."""
        found = []
        for members in self.classes:
            mine = [col for name, col in members if name in left]
            theirs = [col for name, col in members if name in right]
            if mine and theirs:
                found.append((mine[0], theirs[0]))
        return found

    def conditions(self, left: frozenset[str], right: frozenset[str]) -> list[Expression]:
        """The predicates that can be decided once both sides are together, not before."""
        both = left | right
        return [
            p.expression
            for p in self.predicates
            if p.inputs <= both and not p.inputs <= left and not p.inputs <= right
        ]

    def touches(self, left: frozenset[str], right: frozenset[str]) -> bool:
        """Whether any predicate connects the two sides."""
        return bool(self.equalities(left, right) or self.conditions(left, right))

    def pairs(self) -> list[frozenset[str]]:
        """Pairs of inputs that a predicate connects."""
        return [
            frozenset(pair)
            for pair in combinations(self.names, 2)
            if self.touches(*(frozenset({name}) for name in sorted(pair)))
        ]

    def parts(self, among: Iterable[str] | None = None) -> list[frozenset[str]]:
        """The connected parts (``among`` some inputs); one if no combination is a cartesian
        product.
        """
        some = frozenset(self.names if among is None else among)
        groups = [frozenset({name}) for name in self.names if name in some]
        links = [frozenset(name for name, _ in members) & some for members in self.classes]
        links += [p.inputs for p in self.predicates if p.inputs <= some]
        for link in links:
            joined = frozenset().union(*(g for g in groups if g & link))
            groups = [g for g in groups if not g & link] + ([joined] if joined else [])
        return groups


def equality_columns(expression: Expression) -> tuple[str, str] | None:
    """The two columns of a plain equality, else nothing."""
    tree = expression.tree
    if not isinstance(tree, exp.EQ):
        return None
    left, right = tree.this, tree.expression
    if isinstance(left, exp.Column) and isinstance(right, exp.Column):
        return left.name, right.name
    return None


def equal_classes(
    pairs: Sequence[tuple[str, str]], owner: Mapping[str, str]
) -> tuple[tuple[tuple[str, str], ...], ...]:
    """Columns grouped by equality, which is transitive; each with the input it belongs to."""
    groups: list[set[str]] = []
    for pair in pairs:
        touched = [group for group in groups if group & set(pair)]
        groups = [group for group in groups if not group & set(pair)]
        groups.append(set(pair).union(*touched))
    return tuple(tuple((owner[name], name) for name in sorted(group)) for group in groups)


def inner_equalities(
    classes: Sequence[Sequence[tuple[str, str]]],
) -> dict[str, list[Expression]]:
    """Equalities between columns of one input, which follow from a class and filter it."""
    found: dict[str, list[Expression]] = {}
    for members in classes:
        first: dict[str, str] = {}
        for name, col in members:
            if name in first:
                text = f"{column(first[name]).sql} = {column(col).sql}"
                found.setdefault(name, []).append(Expression(text))
            first.setdefault(name, col)
    return found


def conjuncts(expression: Expression) -> list[Expression]:
    """The parts of an AND."""
    tree = expression.tree
    while isinstance(tree, exp.Paren):
        tree = tree.this
    if isinstance(tree, exp.And):
        parts = [Expression(side.sql("spark")) for side in (tree.this, tree.expression)]
        return [deeper for part in parts for deeper in conjuncts(part)]
    return [Expression(tree.sql("spark"))]


def per_stream(windows: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """Reach from one window for each stream: how long its rows wait for newer partners."""
    return tuple(
        tuple(0 if i == j else w for j, w in enumerate(windows)) for i in range(len(windows))
    )


def per_pair(
    names: Sequence[str], windows: Mapping[tuple[str, str], int]
) -> tuple[tuple[int, ...], ...]:
    """Reach from windows between pairs, completed by shortest paths (Floyd-Warshall).

    Pairs that no path connects stay unbound (``UNBOUND``).
    """
    size = len(names)
    reach = [[0 if i == j else UNBOUND for j in range(size)] for i in range(size)]
    for (one, other), window in windows.items():
        i, j = names.index(one), names.index(other)
        reach[i][j] = reach[j][i] = min(reach[i][j], window)
    for via in range(size):
        for i in range(size):
            for j in range(size):
                reach[i][j] = min(reach[i][j], reach[i][via] + reach[via][j])
    return tuple(tuple(min(value, UNBOUND) for value in row) for row in reach)
