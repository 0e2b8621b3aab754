"""What estimates of a query were worth, once their finals were known."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from slackwater.estimate.monitor import BINS_PER_SPAN, MonitorParams, MonitorState, Pairs, take
from slackwater.estimate.running import Running

Array = npt.NDArray[np.float64]
Brief = dict[str, float | int | None]
PARAMS = MonitorParams()


@dataclass(frozen=True, slots=True)
class Compared:
    """Estimates of a batch beside their finals: by column, and accuracy by source of prods."""

    columns: dict[str, Pairs]
    sources: dict[str, Array]
    band: float = PARAMS.band


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Accuracy of a query's estimates: of each column, and of each source of prods."""

    columns: dict[str, MonitorState] = field(default_factory=dict)
    sources: dict[str, Running] = field(default_factory=dict)

    def plus(self, found: Compared) -> Accuracy:
        """What is known after some estimates met their finals."""
        params = replace(PARAMS, band=found.band)
        columns = {
            name: take(params, self.columns.get(name, MonitorState()), pairs)
            for name, pairs in found.columns.items()
        }
        sources = {
            name: self.sources.get(name, Running()).add(
                accuracies[np.isfinite(accuracies)], last=PARAMS.last, weight=PARAMS.weight
            )
            for name, accuracies in found.sources.items()
        }
        return Accuracy(columns, self.sources | sources)

    def report(self) -> dict[str, Brief]:
        """In brief, by column: pairs, mean, of the newest, and worst accuracy in percent; and the
        share of finals within their error bands.
        """
        return {
            name: {**_brief(state.overall), "in_band": state.in_band}
            for name, state in self.columns.items()
        }

    def details(self) -> dict[str, dict[str, object]]:
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


def _brief(running: Running) -> Brief:
    return {
        "pairs": running.pairs,
        "mean": running.mean,
        "recent": running.last_mean,
        "worst": running.worst,
    }
