"""Estimates beside their finals, once these are known."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from slackwater.control.accuracy import Accuracy, Compared
from slackwater.control.turn import Turn
from slackwater.estimate.accuracy import accuracy
from slackwater.estimate.monitor import Pairs
from slackwater.execute.estimates.sample import Sample, sample_of
from slackwater.plan.estimates import EstimatePlan, ProdSource
from slackwater.plan.sql.estimates import final_of

Array = npt.NDArray[np.float64]
ENOUGH = 3000  # pairs of one batch


def judged(turns: Mapping[str, Turn], pairs: Mapping[str, pa.Table]) -> dict[str, Accuracy]:
    """What the estimates of each query were worth, those that met their finals now included."""
    found = {}
    for name, met in pairs.items():
        plan = turns[name].query.estimates
        assert plan is not None
        found[name] = turns[name].spoken.accuracy.plus(compare(plan, met))
    return found


def compare(plan: EstimatePlan, pairs: pa.Table) -> Compared:
    """Estimates that met their finals in a batch."""
    known = {name: _accuracy(plan, pairs, name) for name in _names(pairs)}
    age, group = _numbers(pairs, "__age"), np.asarray(pairs["__group"].to_pylist(), np.str_)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = _numbers(pairs, "tuples") / _numbers(pairs, final_of("tuples"))
        ratios = {n: _numbers(pairs, final_of(n)) / _numbers(pairs, n) for n in known}
    columns = {
        name: Pairs(age, accuracies, ratios[name], share, group)
        for name, accuracies in known.items()
    }
    return Compared(columns, _sources(plan, pairs, known), plan.band)


def sample(pairs: pa.Table, batch: int) -> Sample | None:
    """A few of the pairs of a batch, to be looked at."""
    names = _names(pairs)
    return sample_of(pairs, names[0], batch) if names else None


def enough(pairs: pa.Table) -> pa.Table:
    """Of very many pairs as many as are enough to judge by, evenly chosen."""
    if pairs.num_rows <= ENOUGH:
        return pairs
    return pairs.take(np.linspace(0, pairs.num_rows - 1, ENOUGH).astype(np.int64))


def _names(pairs: pa.Table) -> list[str]:
    known = pairs.column_names
    return [name for name in known if final_of(name) in known and name != "tuples"]


def _numbers(pairs: pa.Table, name: str) -> Array:
    return np.asarray(pairs[name].to_numpy(), np.float64)


def _accuracy(plan: EstimatePlan, pairs: pa.Table, name: str) -> Array:
    early, final = _numbers(pairs, name), _numbers(pairs, final_of(name))
    if plan.quality is None:
        return accuracy(early, final, is_clamped=True)
    found = plan.quality(early, final, _numbers(pairs, "__gap").astype(np.int64))
    return np.broadcast_to(np.asarray(found, np.float64), early.shape)


def _sources(plan: EstimatePlan, pairs: pa.Table, known: dict[str, Array]) -> dict[str, Array]:
    """Accuracy by source of prods: of each of its estimates the worst column it is about.

    The mean of these is no larger than that of any column, so whoever keeps a target by it keeps
    it column by column; a mean over columns would let a good one hide a bad one.
    """
    prods = np.asarray(pairs["prod"].to_pylist(), np.str_)
    found: dict[str, Array] = {}
    for source in plan.sources:
        mine = np.char.startswith(prods, f"{source.label}/")
        columns = _about(source, known)
        if columns and mine.any():  # a pair is unknown only if all its columns are
            found[source.label] = np.fmin.reduce([column[mine] for column in columns])
    return found


def _about(source: ProdSource, known: dict[str, Array]) -> list[Array]:
    return [column for name, column in known.items() if not source.of or name in source.of]
