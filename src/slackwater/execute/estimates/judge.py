"""What estimates were worth, once their finals are known."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from slackwater.estimate.accuracy import accuracy
from slackwater.estimate.monitor import BINS_PER_SPAN, MonitorParams, MonitorState, Pairs, take
from slackwater.estimate.running import Running
from slackwater.execute.estimates.sample import Sample, sample_of
from slackwater.plan.estimates import EstimatePlan, ProdSource
from slackwater.plan.sql.estimates import final_of

Array = npt.NDArray[np.float64]
PARAMS = MonitorParams()
ENOUGH = 3000  # pairs of one batch


@dataclass(frozen=True, slots=True)
class Judged:
    """Accuracy of a query's estimates: of each column, and of each source of prods.

    ``sample`` is the newest one that was taken; it is told once and not saved.
    """

    columns: dict[str, MonitorState] = field(default_factory=dict)
    sources: dict[str, Running] = field(default_factory=dict)
    sample: Sample | None = None

    def to_json(self) -> dict[str, Any]:
        return {
            "columns": {name: state.to_json() for name, state in self.columns.items()},
            "sources": {name: running.to_json() for name, running in self.sources.items()},
        }

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Judged:
        columns = {name: MonitorState.from_json(one) for name, one in value["columns"].items()}
        sources = {name: Running.from_json(one) for name, one in value["sources"].items()}
        return cls(columns, sources)

    def report(self) -> dict[str, dict[str, float | int | None]]:
        """In brief, by column: pairs, mean, of the newest, and worst accuracy in percent."""
        return {name: _brief(state.overall) for name, state in self.columns.items()}

    def details(self) -> dict[str, dict[str, Any]]:
        """The same by age and by group as well."""
        return {
            name: {
                **brief,
                "by_age": {
                    number / BINS_PER_SPAN: _brief(one.running)
                    for number, one in self.columns[name].ages
                },
                "by_group": {
                    group: _brief(one.running) for group, one in self.columns[name].groups
                },
            }
            for name, brief in self.report().items()
        }


def _brief(running: Running) -> dict[str, float | int | None]:
    return {
        "pairs": running.pairs,
        "mean": running.mean,
        "recent": running.last_mean,
        "worst": running.worst,
    }


def judge(before: Judged, plan: EstimatePlan, pairs: pa.Table, batch: int) -> Judged:
    """What is known after some estimates met their finals in a batch.

    Of very many pairs as many as are enough are judged, evenly chosen.
    """
    if pairs.num_rows == 0:
        return before
    if pairs.num_rows > ENOUGH:
        pairs = pairs.take(np.linspace(0, pairs.num_rows - 1, ENOUGH).astype(np.int64))
    names = [n for n in pairs.column_names if final_of(n) in pairs.column_names and n != "tuples"]
    known = {name: _accuracy(plan, pairs, name) for name in names}
    age, group = _numbers(pairs, "__age"), np.asarray(pairs["__group"].to_pylist(), np.str_)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = _numbers(pairs, "tuples") / _numbers(pairs, final_of("tuples"))
        ratios = {n: _numbers(pairs, final_of(n)) / _numbers(pairs, n) for n in names}
    columns = {
        name: take(
            PARAMS,
            before.columns.get(name, MonitorState()),
            Pairs(age, known[name], ratios[name], share, group),
        )
        for name in names
    }
    sample = sample_of(pairs, names[0], batch) if names else None
    return Judged(columns, _sources(before, plan, pairs, known), sample)


def _numbers(pairs: pa.Table, name: str) -> Array:
    return np.asarray(pairs[name].to_numpy(), np.float64)


def _accuracy(plan: EstimatePlan, pairs: pa.Table, name: str) -> Array:
    early, final = _numbers(pairs, name), _numbers(pairs, final_of(name))
    if plan.quality is None:
        return accuracy(early, final, is_clamped=True)
    found = plan.quality(early, final, _numbers(pairs, "__gap").astype(np.int64))
    return np.broadcast_to(np.asarray(found, np.float64), early.shape)


def _sources(
    before: Judged, plan: EstimatePlan, pairs: pa.Table, known: dict[str, Array]
) -> dict[str, Running]:
    """Accuracy by source of prods: of each of its estimates the worst column it is about.

    The mean of these is no larger than that of any column, so whoever keeps a target by it keeps
    it column by column; a mean over columns would let a good one hide a bad one.
    """
    prods = np.asarray(pairs["prod"].to_pylist(), np.str_)
    found = dict(before.sources)
    for source in plan.sources:
        mine = np.char.startswith(prods, f"{source.label}/")
        columns = _about(source, known)
        if not columns or not mine.any():
            continue
        worst = np.fmin.reduce([column[mine] for column in columns])  # unknown only if all are
        past = found.get(source.label, Running())
        usable = worst[np.isfinite(worst)]
        found[source.label] = past.add(usable, last=PARAMS.last, weight=PARAMS.weight)
    return found


def _about(source: ProdSource, known: dict[str, Array]) -> list[Array]:
    return [column for name, column in known.items() if not source.of or name in source.of]
