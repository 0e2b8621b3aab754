"""Functions ``OVER (PARTITION BY ... ORDER BY ...)`` in queries over a window."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sqlglot import exp

from slackwater.query.kinds import WHOLE, is_decimal, is_number
from slackwater.query.scope import Scoped, spelled
from slackwater.query.totals import total
from slackwater.query.typed import Typed, UnsupportedError

_PLACES = ("row_number", "rank", "dense_rank")


class Ordered(Scoped):
    """Translates orders of rows, and what is computed over rows in an order."""

    def order(self, order: Any, *, of_results: bool = True) -> str:
        """``of_results``: a bare name is first of all one of the SELECT list."""
        if order is None:
            return ""
        texts = []
        for one in order.expressions:
            key = one.this
            is_named = isinstance(key, exp.Column) and not key.table
            if of_results and is_named and key.name.lower() in self.scope.named:
                value = self.named_value(key.name.lower())
            else:
                value = self.of(key)
            way = "DESC" if one.args.get("desc") else "ASC"
            nulls = "FIRST" if one.args.get("nulls_first") else "LAST"
            texts.append(f"{value.sql} {way} NULLS {nulls}")
        return f"ORDER BY {', '.join(texts)}"

    def window_call(self, node: exp.Window) -> Typed:
        """Places, neighbours and totals ``OVER (PARTITION BY ... ORDER BY ...)``."""
        over = self._over(node)
        call: Any = node.this
        name = call.name if isinstance(call, exp.Anonymous) else call.sql_name()
        name = name.lower()
        if name in _PLACES and not call.expressions:
            return Typed(f"CAST({name}() OVER {over} AS INTEGER)", "int")
        if isinstance(call, exp.Lag | exp.Lead) and call.args.get("default") is None:
            value, steps = self.of(call.this), call.args.get("offset")
            far = "1" if steps is None else steps.name
            if far.isdigit():
                name = "lag" if isinstance(call, exp.Lag) else "lead"
                return Typed(f"{name}({value.sql}, {far}) OVER {over}", value.kind)
        if isinstance(call, exp.Count | exp.Min | exp.Max | exp.Avg | exp.Sum):
            return self._total_over(call, over)
        hint = f"{', '.join(_PLACES)}, lag, lead, count, min, max, sum, avg"
        raise UnsupportedError(f"{spelled(node)} is not offered", f"OVER takes {hint}")

    def _over(self, node: exp.Window) -> str:
        if node.args.get("spec") is not None or node.alias:
            raise UnsupportedError(f"{spelled(node)} is not offered", "OVER without a frame")
        parts = [self.of(one).sql for one in node.args.get("partition_by") or ()]
        by = f"PARTITION BY {', '.join(parts)}" if parts else ""
        order = self.order(node.args.get("order"), of_results=False)
        return f"({' '.join(part for part in (by, order) if part)})"

    def _total_over(self, call: Any, over: str) -> Typed:
        found = total(call, self.of)
        value = None if isinstance(call, exp.Count) else self.of(call.this)
        if value is not None and isinstance(call, exp.Sum | exp.Avg):
            if is_decimal(value.kind) or not is_number(value.kind):
                raise UnsupportedError(f"{spelled(call)} OVER of {value.kind}", "cast it to double")
            if isinstance(call, exp.Sum) and value.kind in WHOLE:
                return Typed(f"sw_long(sum({value.sql}) OVER {over})", "bigint")
        return replace(found, sql=f"{found.sql} OVER {over}")
