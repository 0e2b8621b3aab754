"""Limits of a query, and its part of those of a pipeline, ready to plan by."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

from slackwater.plan.join import ADAPTIVE
from slackwater.plan.report import Reporter
from slackwater.plan.terms import Terms
from slackwater.query.resources import Resources
from slackwater.query.stream import JoinDef, Query

SIZES = {"b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "kib": 2**10, "mib": 2**20, "gib": 2**30}


@dataclass(frozen=True, slots=True)
class ResourcePlan(Terms):
    """Bytes that a join may hold, and the share of time that joining may take."""

    memory: int | None = None
    cpu: float | None = None


def resource_plan(query: Query, report: Reporter) -> ResourcePlan | None:
    """The limits of a query, if it states any; problems are told by the names of parameters."""
    if query.resources is None:
        return None
    if not is_plan_open(query):
        text = "limits choose the plan of a join, which is not open here"
        hint = 'give them to a query over sw.join(..., order="adaptive")'
        report.problem("RESOURCES_PLACE", "resources", text, hint)
    return limits_of(query.resources, report)


def is_plan_open(query: Query) -> bool:
    """Whether a query has a join for which the engine chooses what it holds, too."""
    base = query.stream.base
    return isinstance(base, JoinDef) and base.order in ADAPTIVE and not base.optional


def limits_of(asked: Resources, report: Reporter) -> ResourcePlan:
    """Limits as numbers."""
    memory = None if asked.memory is None else bytes_of(asked.memory)
    if asked.memory is not None and memory is None:
        text = f"{asked.memory!r} is not a number of bytes above 0"
        report.problem("RESOURCES_MEMORY", "resources, memory", text, 'e.g. "512 MB", "2 GiB"')
    cpu = asked.cpu
    is_number = isinstance(cpu, int | float) and not isinstance(cpu, bool)
    if cpu is not None and not (is_number and 0 < cpu < float("inf")):
        text = f"{cpu!r} is not a share of time above 0"
        report.problem("RESOURCES_CPU", "resources, cpu", text, "e.g. 0.8")
        cpu = None
    return ResourcePlan(memory, cpu)


def share(limits: ResourcePlan, own: Sequence[ResourcePlan | None]) -> list[ResourcePlan]:
    """What each of some joins may take, so that all together are within the limits.

    Equal parts, which do not change while the joins run: no join waits for what another one holds,
    and none gets what another one leaves. One whose own limit is less leaves the rest to all.
    """
    asked = [one or ResourcePlan() for one in own]
    memory = parts(limits.memory, [one.memory for one in asked])
    cpu = parts(limits.cpu, [one.cpu for one in asked])
    return [
        ResourcePlan(None if held is None else max(1, int(held)), time)
        for held, time in zip(memory, cpu, strict=True)
    ]


def parts(total: float | None, own: Sequence[float | None]) -> list[float | None]:
    """A total in equal parts, but for those who want less.

    >>> parts(90, [None, 10, None])
    [40.0, 10, 40.0]
    """
    found = list(own)
    if total is None:
        return found
    left: float = total
    ordered = sorted(range(len(own)), key=lambda number: _wanted(own[number]))
    for taken, number in enumerate(ordered):
        found[number] = min(_wanted(own[number]), left / (len(own) - taken))
        left -= found[number] or 0.0
    return found


def _wanted(limit: float | None) -> float:
    return inf if limit is None else limit


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
