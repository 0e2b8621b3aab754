"""From the errors of aggregates to the error of an expression over them, by interval arithmetic.

If each aggregate lies within ``[1 - e, 1 + e]`` of its true value, a product of two lies within
``[(1 - e)², (1 + e)²]`` and a quotient within ``[(1 - e) / (1 + e), (1 + e) / (1 - e)]`` of its
own. The largest ``e`` that keeps the expression within ``epsilon`` is what each of its aggregates
is asked for. It is safe, not sharp: parts that miss the same rows often err together, and a
quotient of them by less.

Where values cancel (a difference, a sum of parts whose signs are not known), or where an error is
no relative one (the rank of a percentile), nothing follows for the expression.

Reference: Ji 2018, ch. 4, composites.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

COUNTS = (exp.Count, exp.CountIf)
ROUNDS = 60  # of bisection: as fine as a double


@dataclass(frozen=True, slots=True)
class Factor:
    """What a value may be multiplied by; ``sign`` of the value is 1, -1 or unknown (0)."""

    low: float
    high: float
    sign: int

    @property
    def error(self) -> float:
        return max(self.high - 1, 1 - self.low)


def part_error(tree: exp.Expr, epsilon: float) -> float | None:
    """The relative error that each aggregate in a composite may have, ``None`` if none follows.

    >>> from sqlglot import parse_one
    >>> round(part_error(parse_one("sum(a) / sum(b)"), 0.01), 8)
    0.00497512
    >>> part_error(parse_one("sum(a) - sum(b)"), 0.01)
    """
    if _factor(tree, epsilon) is None:
        return None
    low, high = 0.0, epsilon
    for _ in range(ROUNDS):
        middle = (low + high) / 2
        found = _factor(tree, middle)
        is_kept = found is not None and found.error <= epsilon
        low, high = (middle, high) if is_kept else (low, middle)
    return low


def _factor(node: exp.Expr, error: float) -> Factor | None:
    """Between which multiples of its true value an expression lies."""
    if isinstance(node, exp.Paren | exp.Filter):
        return _factor(node.this, error)
    if isinstance(node, exp.ApproxQuantile):
        return None
    if isinstance(node, exp.AggFunc):
        return Factor(1 - error, 1 + error, int(isinstance(node, COUNTS)))
    if isinstance(node, exp.Literal) and not node.is_string:
        return Factor(1, 1, 1)
    if isinstance(node, exp.Neg | exp.Abs) or _is_real_cast(node):
        return _of_one(node, error)
    if isinstance(node, exp.Mul | exp.Div | exp.Add | exp.Sub):
        return _of_two(node, error)
    return None


def _is_real_cast(node: exp.Expr) -> bool:
    """A cast to a whole number or a decimal rounds: an error of its own."""
    return isinstance(node, exp.Cast) and node.to.this in (exp.DType.DOUBLE, exp.DType.FLOAT)


def _of_one(node: exp.Expr, error: float) -> Factor | None:
    inside = _factor(node.this, error)
    if inside is None or isinstance(node, exp.Cast):
        return inside
    sign = 1 if isinstance(node, exp.Abs) else -inside.sign
    return Factor(inside.low, inside.high, sign)


def _of_two(node: exp.Expr, error: float) -> Factor | None:
    one, other = _factor(node.this, error), _factor(node.expression, error)
    if one is None or other is None:
        return None
    if isinstance(node, exp.Mul):
        return Factor(one.low * other.low, one.high * other.high, one.sign * other.sign)
    if isinstance(node, exp.Div):
        if other.low <= 0:
            return None
        return Factor(one.low / other.high, one.high / other.low, one.sign * other.sign)
    sign = other.sign if isinstance(node, exp.Add) else -other.sign
    if not one.sign or one.sign != sign:
        return None
    return Factor(min(one.low, other.low), max(one.high, other.high), sign)
