"""Unit costs of both engines, learned from how busy their operators were.

The cost model is linear in them, so that a few runs and non-negative least squares give them all.
Errors count in proportion to what was measured.
"""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import numpy as np
import numpy.typing as npt

from slackwater.hybrid.algebra import Step, steps
from slackwater.hybrid.cost import Composite
from slackwater.hybrid.units import UNITS, Measured, UnitCosts, Units, Work
from slackwater.papers.hybrid_ji2018.operators.execution import Execution
from slackwater.papers.hybrid_ji2018.workload import MEANINGS, Pressed, query

Observed = tuple[Work, float]
Floats = npt.NDArray[np.float64]
LEAST = 1e-4  # shares of a second below that are noise
CASES = ("Q1", "Q3", "Q4", "Q5")


def calibrated(
    engine: duckdb.DuckDBPyConnection, factor: float, rates: tuple[float, ...], moves: int
) -> tuple[Units, float]:
    """Unit costs, and by how much the model is off on what it was learned from, at the median."""
    observed = [
        one
        for rate in rates
        for name in CASES
        for column in placements(query(name, Pressed(factor, rate)))
        for one in busy(engine, name, Pressed(factor, rate), column, moves)
    ]
    units = fitted(observed)
    off = [abs(_priced(units, work) - use) / use for work, use in observed if use > LEAST]
    return units, float(np.median(off))


def placements(root: Step) -> tuple[frozenset[str], ...]:
    """All in rows, all in columns, and filters in rows alone."""
    names = {step.name for step in steps(root)}
    return frozenset(), frozenset(names), frozenset(n for n in names if not n.startswith("load"))


def busy(
    engine: duckdb.DuckDBPyConnection,
    name: str,
    pressed: Pressed,
    column: frozenset[str],
    moves: int,
) -> Iterator[Observed]:
    """What each operator of a run had to do in a second, and the share of it that it took."""
    root = query(name, pressed)
    run = Execution(root, column, MEANINGS, engine)
    for _ in run.run(pressed.feed(), moves):
        pass
    model = UnitCosts(Units())
    for one in run.operators.values():
        what = one.what
        work = model.column_work(what) if isinstance(what, Composite) else model.row_work(what)
        yield work, one.seconds / (moves * pressed.slide)


def fitted(observed: list[Observed]) -> Units:
    """Units by least squares, none below 0."""
    known = [name for name in UNITS if any(work.get(name) for work, _ in observed)]
    rows = np.array([[work.get(name, 0.0) for name in known] for work, _ in observed])
    used = np.array([max(use, LEAST) for _, use in observed])
    largest = rows.max(axis=0)
    solved = least_squares(rows / largest / used[:, None], np.ones(used.size))
    seconds = dict(zip(known, (solved / largest).tolist(), strict=True))
    return Units({name: Measured(1.0, unit) for name, unit in seconds.items()})


def least_squares(rows: Floats, wanted: Floats, rounds: int = 2000) -> Floats:
    """The least squares answer with nothing below 0, one unknown after the other, in turn.

    >>> least_squares(np.array([[1.0, 0.0], [1.0, 1.0]]), np.array([2.0, 1.0])).round(6).tolist()
    [1.5, 0.0]
    """
    inner, target = rows.T @ rows, rows.T @ wanted
    found = np.zeros(target.size)
    for _ in range(rounds):
        for n in range(found.size):
            if inner[n, n] > 0:
                left = target[n] - inner[n] @ found
                found[n] = max(0.0, found[n] + left / inner[n, n])
    return found


def _priced(units: Units, work: Work) -> float:
    return sum(times * units[name] for name, times in work.items())
