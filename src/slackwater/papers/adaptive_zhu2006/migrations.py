"""The migration experiments, ch. 16.2 and 16.3: how long, how much work, and what comes out."""

from __future__ import annotations

from typing import Any, Literal, get_args

from slackwater.papers.adaptive_zhu2006.operators.box import Box
from slackwater.papers.adaptive_zhu2006.operators.engine import Engine
from slackwater.papers.adaptive_zhu2006.operators.join import JoinParams
from slackwater.papers.adaptive_zhu2006.operators.lengths import moving_units
from slackwater.papers.adaptive_zhu2006.operators.moving import move_state
from slackwater.papers.adaptive_zhu2006.operators.parallel import ParallelTrack
from slackwater.papers.adaptive_zhu2006.operators.plan import tree
from slackwater.papers.adaptive_zhu2006.operators.state import Purge
from slackwater.papers.adaptive_zhu2006.operators.work import UnitCost
from slackwater.papers.adaptive_zhu2006.timed import check_undisturbed, run_timed
from slackwater.papers.adaptive_zhu2006.workload import (
    HIGH,
    LOW,
    Load,
    arrivals,
    set_1,
    set_2,
    set_3,
    value_at,
)

Row = dict[str, Any]
OLD, NEW = tree("((A B) C) D"), tree("A ((B C) D)")
UNIT_MS = 0.01  # what a unit takes in the comparison of T_MS with T_PT; the source work gives none
BUDGET = 60.0  # units a millisecond, between what the old and the new plan need
AMPLE = 1000.0
How = Literal["old", "new", "moving", "parallel"]


def over_windows(is_quick: bool) -> list[Row]:
    """T_PT and T_MS over W, low rates (16.1, 16.2)."""
    windows = (500, 1000, 2000) if is_quick else (500, 1000, 2000, 3000, 4000, 5000)
    seeds = range(1 if is_quick else 3)
    return [_lengths(set_1(window), seed) for window in windows for seed in seeds]


def over_rates(is_quick: bool) -> list[Row]:
    """The same over the rate of B (16.3)."""
    delays = (100, 50, 20) if is_quick else (100, 50, 25, 20, 10)
    seeds = range(1 if is_quick else 3)
    return [
        {"delay_b": delay, **_lengths(set_2(delay), seed)} for delay in delays for seed in seeds
    ]


def crossover(is_quick: bool) -> list[Row]:
    """T_MS against 2 W at high rates (16.4)."""
    windows = (250, 500, 1000) if is_quick else (250, 500, 750, 1000, 1250, 1500, 1750, 2000)
    found = []
    for window in windows:
        row = _moved(set_3(window), 0, 3 * window)
        row["moving_ms"] = row["moving_units"] * UNIT_MS
        row["track_ms"] = _track(set_3(window), 0, 3 * window, "max") if window <= 500 else None
        found.append(row)
    return found


def output(is_quick: bool) -> list[Row]:
    """Results and rows over time, high rates and too few units for the old plan (16.7, 16.8)."""
    until = 16_000 if is_quick else 30_000
    return [_thinned(_output(how, HIGH, BUDGET, until)) for how in get_args(How)]


def output_low(is_quick: bool) -> list[Row]:
    """The same at low rates, with units for every plan (16.5, 16.6)."""
    until = 16_000 if is_quick else 50_000
    rows = [_output(how, LOW, AMPLE, until) for how in get_args(How)]
    new = rows[1]["intermediate"]
    for row in rows:
        row["level_ms"] = _level(row["intermediate"], new, row["started_ms"])
        late = [kept for when, kept in row["intermediate"] if when >= 14_000]
        row["late_intermediate"] = sum(late) / len(late)
    return [_thinned(row) for row in rows]


def _lengths(load: Load, seed: int) -> Row:
    start = max(3 * load.window, 6000)
    row = _moved(load, seed, start)
    for purge in ("max", "tight"):
        length = _track(load, seed, start, purge)
        row[f"track_{purge}"] = length / load.window
    return row


def _engine(load: Load, purge: Purge = "max") -> Engine:
    return Engine(load.query, OLD, joins=JoinParams("hash", purge, charged="nested"))


def _moved(load: Load, seed: int, start: int) -> Row:
    engine = _engine(load)
    engine.run(arrivals(load, start, seed))
    before = UnitCost().of(engine.work)
    done = move_state(engine, Box((NEW,)))
    rates = [1000 / value_at(load.delays[name], 0) for name in "BCD"]
    edges = [value_at(one, 0) for one in load.selectivities]
    window = load.window / 1000
    model = moving_units((rates[0], rates[1], rates[2]), window, (edges[1], edges[2]))
    units = UnitCost().of(engine.work) - before
    return {
        "window": load.window,
        "seed": seed,
        "moving_units": units,
        "model_units": model,
        "made_rows": done.made_rows,
    }


def _track(load: Load, seed: int, start: int, purge: Purge) -> float:
    """T_PT; the results must be those of a run without a migration."""
    stream = arrivals(load, start + 4 * load.window, seed)
    engine, calm = _engine(load, purge), _engine(load, purge)
    engine.run([one for one in stream if one.ts < start])
    track, end = ParallelTrack(engine, Box((NEW,))), None
    for one in (one for one in stream if one.ts >= start):
        engine.push(one)
        if end is None and track.poll():
            end = one.ts
    if end is None:
        raise AssertionError("the old box was not finished after four windows")
    calm.run(stream)
    if engine.records() != calm.records():
        raise AssertionError("the migration changed the results")
    return end - start


def _output(how: How, load: Load, budget: float, until: int) -> Row:
    """A run that migrates after ten seconds; raises if a result is not that of the old plan."""
    stream = arrivals(load, until, 1)
    joins = JoinParams("hash", charged="nested")
    engine = Engine(load.query, NEW if how == "new" else OLD, joins=joins)
    track: list[ParallelTrack] = []
    times: dict[str, float] = {}
    intermediate: list[tuple[float, int]] = []

    def migrate(now: float) -> None:
        if now >= 10_000 and "start" not in times and how in ("moving", "parallel"):
            times["start"] = now
            if how == "moving":
                move_state(engine, Box((NEW,)))
            else:
                track.append(ParallelTrack(engine, Box((NEW,)), order="merge"))
        if track and track[0].poll() and "end" not in times:
            times["end"] = now
        intermediate.append((now, engine.intermediate()))

    run = run_timed(engine, stream, budget, migrate, until=until)
    check_undisturbed([run], Engine(load.query, OLD, joins=joins), stream[: run.processed])
    return {
        "how": how,
        "results": run.results_until(until),
        "peak_rows": max(rows for _, rows in run.memory),
        "gap_ms": run.longest_gap(10_000, 12_000),
        "started_ms": times.get("start"),
        "ended_ms": times.get("end"),
        "series": _series(run.given, until),
        "rows": [run.memory[n] for n in range(0, len(run.memory), 40)],
        "intermediate": intermediate,
    }


def _thinned(row: Row) -> Row:
    points = row["intermediate"]
    return {**row, "intermediate": points[:: max(len(points) // 100, 1)]}


def _level(
    rows: list[tuple[float, int]], new: list[tuple[float, int]], start: float | None
) -> float | None:
    """How long after its start a migration has come to keep no more than the new plan does."""
    if start is None:
        return None
    pairs = zip(rows, new, strict=True)  # the same tuples at the same times: nobody waits
    return next(
        when - start for (when, kept), (_, least) in pairs if when >= start and kept <= least
    )


def _series(given: list[tuple[float, int]], until: int) -> list[int]:
    """Results in every second."""
    counts = [0] * (until // 1000)
    for when, count in given:
        if when < until:
            counts[int(when // 1000)] += count
    return counts
