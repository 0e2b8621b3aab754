"""Parallel track for plans with a group-by above: a special group-by puts both shares together.

Reference: Zhu 2006, ch. 14. Each plan aggregates its own share of a group; results of the same
group and the same window are combined by a function of the aggregate. An average has none.
"""

from __future__ import annotations

from slackwater.errors import SlackwaterError
from slackwater.papers.adaptive_zhu2006.operators.box import Box
from slackwater.papers.adaptive_zhu2006.operators.engine import Engine
from slackwater.papers.adaptive_zhu2006.operators.parallel import ParallelTrack
from slackwater.papers.adaptive_zhu2006.operators.partial import COMBINED
from slackwater.papers.adaptive_zhu2006.operators.plan import GROUPS, Group, Plan
from slackwater.papers.adaptive_zhu2006.operators.row import Row, Single
from slackwater.papers.adaptive_zhu2006.operators.shared_queue import Cursor, SharedQueue


class ParallelGroups(ParallelTrack):
    """Two boxes with group-bys as roots, and a special group-by above both until the end."""

    def __init__(self, engine: Engine, new: Box, *, old: Box | None = None) -> None:
        for root in (old or Box(engine.roots)).roots:
            _check(root)
        super().__init__(engine, new, old=old, order="merge")
        self._shares: list[tuple[str, Cursor]] = []  # of the old box, beside those held
        self._outlets: dict[Plan, list[SharedQueue]] = {}
        for root in self.old.roots:
            one = engine.operators[root]
            self._outlets[root] = one.outlets
            one.outlets = [SharedQueue() for _ in one.outlets]
            self._shares += [(_check(root), queue.open()) for queue in one.outlets]

    def _release(self) -> None:
        for (aggregate, old), (new, outlet) in zip(self._shares, self._held, strict=True):
            found: dict[tuple[int, object], float] = {}
            for cursor in (old, new):
                while len(cursor):
                    item = cursor.next()
                    if isinstance(item, Row):
                        one = item.parts[GROUPS]
                        at, value = (one.ts, one.value("key")), one.value("value")
                        both = COMBINED[aggregate]
                        found[at] = both(found[at], value) if at in found else value
            for (ts, key), value in sorted(found.items(), key=lambda one: one[0][0]):
                outlet.append(Row.of(Single(GROUPS, ts, ts, ("key", "value"), (key, value))))

    def end(self) -> None:
        self._release()
        for root, outlets in self._outlets.items():
            self.engine.operators[root].outlets = outlets
        super().end()


def _check(root: Plan) -> str:
    if isinstance(root, Group) and root.aggregate in COMBINED:
        return root.aggregate
    raise SlackwaterError(
        "MIGRATION_NOT_DISTRIBUTIVE",
        "shares of two plans cannot be put together here",
        "use moving state, or one of: count, sum, min, max",
    )
