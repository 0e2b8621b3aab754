"""The closed loop: estimates are judged by their finals, and prods come earlier or later for it.

Reference: Bhat 2011, ch. 6.
"""

from __future__ import annotations

from collections.abc import Iterable

from slackwater.estimate.aggressiveness import (
    AggressivenessParams,
    AggressivenessState,
    set_manually,
    step,
)
from slackwater.estimate.monitor import MonitorParams, MonitorState, take
from slackwater.papers.prodding_bhat2011.operators.element import Result
from slackwater.papers.prodding_bhat2011.operators.measures import Pair, monitored
from slackwater.papers.prodding_bhat2011.operators.plan import Plan
from slackwater.papers.prodding_bhat2011.operators.prodder import Prodder
from slackwater.papers.prodding_bhat2011.operators.sources import Timed
from slackwater.papers.prodding_bhat2011.operators.views import Key


class Loop:
    """A plan, its prodder, a monitor and a controller.

    ``trail`` is the aggressiveness after each final, with the time.
    """

    def __init__(
        self,
        plan: Plan,
        prodder: Prodder,
        params: AggressivenessParams,
        monitor: MonitorParams | None = None,
    ) -> None:
        self.plan, self._prodder, self._params = plan, prodder, params
        self._monitor_params = monitor or MonitorParams()
        self.monitor = MonitorState()
        self.state = AggressivenessState.first(params)
        self.trail: list[tuple[int, float]] = []
        self._open: dict[Key, list[Result]] = {}
        self._read = 0
        prodder.aggressiveness = self.state.value

    def run(self, stream: Iterable[Timed]) -> list[Result]:
        for at, element in stream:
            self.plan.push(element, at)
            self._learn()
        return self.plan.results

    def set_manually(self, value: float | None) -> None:
        """A person takes over, or hands back."""
        self.state = set_manually(self.state, value, self.monitor.overall)
        self._prodder.aggressiveness = self.state.value

    def _learn(self) -> None:
        new = self.plan.results[self._read :]
        self._read += len(new)
        for result in new:
            key = (result.window, result.group)
            if result.kind == "early":
                self._open.setdefault(key, []).append(result)
            elif result.kind == "final":
                met = [Pair(early, result) for early in self._open.pop(key, [])]
                self._judge(met, result.emitted)

    def _judge(self, met: list[Pair], now: int) -> None:
        if met:
            self.monitor = take(self._monitor_params, self.monitor, monitored(met))
            self.state = step(self._params, self.state, self.monitor.overall)
            self._prodder.aggressiveness = self.state.value
        self.trail.append((now, self.state.value))
