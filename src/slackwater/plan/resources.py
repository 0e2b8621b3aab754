"""Limits of a query, ready to plan by."""

from __future__ import annotations

import re
from dataclasses import dataclass

from slackwater.plan.join import OPEN
from slackwater.plan.report import Reporter
from slackwater.plan.terms import Terms
from slackwater.query.stream import JoinDef, Query

SIZES = {"b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "kib": 2**10, "mib": 2**20, "gib": 2**30}


@dataclass(frozen=True, slots=True)
class ResourcePlan(Terms):
    """Bytes that a join may hold, and the share of time that joining may take."""

    memory: int | None = None
    cpu: float | None = None


def resource_plan(query: Query, report: Reporter) -> ResourcePlan | None:
    """The limits of a query, if it states any; problems are told by the names of parameters."""
    asked = query.resources
    if asked is None:
        return None
    base = query.stream.base
    if not isinstance(base, JoinDef) or base.order not in OPEN:
        text = "limits choose the plan of a join, which is not open here"
        hint = 'give them to a query over sw.join(..., order="adaptive")'
        report.problem("RESOURCES_PLACE", "resources", text, hint)
    memory = None if asked.memory is None else bytes_of(asked.memory)
    if asked.memory is not None and memory is None:
        text = f"{asked.memory!r} is not a number of bytes above 0"
        report.problem("RESOURCES_MEMORY", "resources, memory", text, 'e.g. "512 MB", "2 GiB"')
    cpu = asked.cpu
    is_number = isinstance(cpu, int | float) and not isinstance(cpu, bool)
    if cpu is not None and not (is_number and 0 < cpu < float("inf")):
        text = f"{cpu!r} is not a share of time above 0"
        report.problem("RESOURCES_CPU", "resources, cpu", text, "e.g. 0.8")
    return ResourcePlan(memory, cpu)


def bytes_of(value: object) -> int | None:
    """How many bytes a number or a text means; nothing if it means none.

    >>> bytes_of("1.5 MiB")
    1572864
    """
    if isinstance(value, int) and not isinstance(value, bool):
        return value if value > 0 else None
    said = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*", str(value).lower())
    if said is None or (said[2] or "b") not in SIZES:
        return None
    return int(float(said[1]) * SIZES[said[2] or "b"]) or None
