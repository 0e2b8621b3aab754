"""Tables of what `slackwater bench` measured."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

from rich.table import Table

from slackwater.bench import adapt as adapting
from slackwater.bench import estimates as estimating
from slackwater.bench import files as reading
from slackwater.bench import joins as joining
from slackwater.bench import precedence as ranking
from slackwater.bench import recall as finding
from slackwater.bench import robust as swinging
from slackwater.bench import slack as waiting
from slackwater.bench import windows as comparing


def read_table(outcomes: list[reading.Outcome]) -> Table:
    table = Table(title="seconds of a whole job", title_justify="left")
    table.add_column("case", no_wrap=True)
    for name in ("plain Spark", "Slackwater", "ratio", "DuckDB", "of it", "equal"):
        table.add_column(name, justify="right")
    for one in outcomes:
        table.add_row(
            one.case.label,
            f"{one.native_s:.2f}",
            f"{one.slackwater_s:.2f}",
            f"[bold]{one.ratio:.2f}[/]",
            f"{one.duckdb_s:.2f}",
            f"{one.of_duckdb:.2f}",
            "yes" if one.equal else "[bold red]no[/]",
        )
    return table


def join_table(outcomes: list[joining.Outcome]) -> Table:
    table = Table(title="seconds a batch", title_justify="left")
    table.add_column("case", no_wrap=True)
    heads = ("rows", "plain Spark", "Slackwater", "ratio", "state rows", "on disk", "memory")
    for name in (*heads, "equal"):
        table.add_column(name, justify="right")
    for one in outcomes:
        table.add_row(
            one.case.label,
            f"{one.case.rows * one.case.ways:,}",
            f"{one.native_s:.3f}",
            f"{one.slackwater_s:.3f}",
            f"{one.ratio:.2f}",
            f"{one.state_rows:,}",
            f"{one.state_bytes / 1e6:,.0f} MB",
            f"{one.memory / 1e6:,.0f} MB",
            "yes" if one.equal else "NO",
        )
    return table


def crossing_line(rows: float | None) -> str:
    if rows is None:
        return "no state is too large: a batch of plain Spark grows with it at least as much"
    return f"plain Spark would be as fast at {rows:,.0f} rows of state"


def recall_table(outcomes: list[finding.Outcome]) -> Table:
    table = Table(title="recall in periods of 10 s", title_justify="left")
    table.add_column("regime", no_wrap=True)
    costs = ("latency", "Max-K", "fixed", "held", "Max-K", "fixed")
    heads = ("recall", "mean", "kept", "within 1 %", "told", *costs)
    table.add_column("method", no_wrap=True)
    table.add_column("emit", no_wrap=True)
    for name in heads:
        table.add_column(name, justify="right", no_wrap=True)
    for one in outcomes:
        table.add_row(
            one.regime,
            one.method,
            one.emit[:5],
            f"{one.gamma:g}",
            f"{one.recall:.3f}",
            f"{one.fulfilment:.0%}",
            f"{one.nearly:.0%}",
            "" if one.measured is None else f"{one.measured:.0%}",
            f"{one.latency_s:.1f} s",
            f"{one.latency_maxk_s:.1f} s",
            f"{one.latency_fixed_s:.1f} s",
            f"{one.held:,.0f}",
            f"{one.held_maxk:,.0f}",
            f"{one.held_fixed:,.0f}",
        )
    return table


def precedence_tables(outcomes: list[ranking.Outcome]) -> Iterator[Table]:
    """A table for each load; without overload it is about what ranks cost."""
    for case, group in groupby(outcomes, key=lambda one: one.case):
        yield (_served if case.load else _unhurried)(case.label, group)


def _served(title: str, outcomes: Iterable[ranking.Outcome]) -> Table:
    table = Table(title=f"results by rank: {title}", title_justify="left")
    table.add_column("precedence", no_wrap=True)
    for name in ("level 1", "2", "3", "1 / none", "in two batches", "slowest"):
        table.add_column(name, justify="right", no_wrap=True)
    for one in outcomes:
        table.add_row(
            one.system,
            *(f"{rows:,}" for rows in one.levels),
            "" if one.level1_vs_none is None else f"[bold]{one.level1_vs_none:.2f}[/]",
            "" if one.soon is None else f"{one.soon:.1%}",
            "" if one.slowest is None else f"{one.slowest}",
        )
    return table


def _unhurried(title: str, outcomes: Iterable[ranking.Outcome]) -> Table:
    table = Table(title=f"what ranks cost: {title}", title_justify="left")
    table.add_column("precedence", no_wrap=True)
    for name in ("rows a CPU second", "time over none", "decide", "equal"):
        table.add_column(name, justify="right", no_wrap=True)
    for one in outcomes:
        table.add_row(
            one.system,
            f"{one.rows_per_cpu_s:,.0f}",
            "" if one.overhead_share is None else f"{one.overhead_share:+.1%}",
            f"{1000 * one.search_s:.1f} ms",
            "[bold red]no[/]" if one.equal is False else "yes",
        )
    return table


def cost_table(outcomes: list[estimating.Outcome]) -> Table:
    table = Table(title="one estimate per batch, and on demand", title_justify="left")
    table.add_column("case", no_wrap=True)
    for name in ("finals only", "with estimates", "overhead", "on demand", "equal finals"):
        table.add_column(name, justify="right")
    for one in outcomes:
        table.add_row(
            one.case.label,
            f"{one.finals_only_s:.3f} s",
            f"{one.with_estimates_s:.3f} s",
            f"[bold]{one.overhead:.1%}[/]",
            f"{one.estimate_s:.3f} s",
            "yes" if one.equal else "[bold red]no[/]",
        )
    return table


def emission_table(emissions: list[estimating.Emission]) -> Table:
    table = Table(title="what is said until an answer is final", title_justify="left")
    table.add_column("mode", no_wrap=True)
    for name in ("batch", "rows per result", "first answer after"):
        table.add_column(name, justify="right")
    for one in emissions:
        table.add_row(
            one.mode, f"{one.batch_s:.3f} s", f"{one.rows_per_result:.2f}", f"{one.first_s:.1f} s"
        )
    return table


def promise_table(outcomes: list[waiting.Outcome]) -> Table:
    table = Table(title="95 % of results within the bound?", title_justify="left")
    table.add_column("regime", no_wrap=True)
    table.add_column("method", no_wrap=True)
    costs = ("latency", "Max-K", "same fixed", "ratio", "least fixed")
    for name in ("bound", "within", "short", *costs):
        table.add_column(name, justify="right")
    for one in outcomes:
        table.add_row(
            one.regime,
            one.method,
            f"{one.epsilon:.1%}",
            f"{one.fulfilment:.1%}",
            f"{one.short:.0%}",
            f"{one.latency_s:.2f} s",
            f"{one.latency_maxk_s:.2f} s",
            f"{one.latency_best_fixed_s:.2f} s",
            f"{one.against_fixed:.2f}",
            f"{one.latency_least_fixed_s:.2f} s",
        )
    return table


def window_line(outcome: comparing.Outcome) -> str:
    stores = ", ".join(f"{name} store {s:.3f} s" for name, s in outcome.stores.items())
    return f"{outcome.case.label}: Slackwater {outcome.slackwater_s:.3f} s, plain Spark {stores}"


def window_table(outcomes: list[comparing.Outcome]) -> Table:
    table = Table(title="median seconds of a micro-batch", title_justify="left")
    table.add_column("case", no_wrap=True)
    for name in ("plain Spark", "Slackwater", "ratio", "equal", "DuckDB"):
        table.add_column(name, justify="right")
    for one in outcomes:
        table.add_row(
            one.case.label,
            f"{one.native_s:.3f} ({one.store})",
            f"{one.slackwater_s:.3f}",
            f"[bold]{one.ratio:.2f}[/]",
            "yes" if one.equal else "[bold red]no[/]",
            f"{one.duckdb_s:.3f}",
        )
    return table


def point_table(name: str, found: Any) -> Table:
    """A series as a table; of a history only what it comes to."""
    if isinstance(found, dict):
        found = [{"batches": len(found["seconds"]), "last_to_first": found["last_to_first"]}]
    columns = list(dict.fromkeys(key for point in found for key in point))
    table = Table(*columns, title=name, title_justify="left")
    for point in found:
        table.add_row(*(str(point.get(column, "–")) for column in columns))
    return table


def adapt_table(outcomes: list[adapting.Outcome]) -> Table:
    table = Table(title="seconds of all batches", title_justify="left")
    table.add_column("case", no_wrap=True)
    heads = ("adaptive", "best plan", "worst", "hindsight", "changes", "pause", "batch", "MB")
    for name in (*heads, "limit", "equal"):
        table.add_column(name, justify="right")
    for one in outcomes:
        table.add_row(
            one.case.case,
            f"{one.adaptive_s:.2f}",
            f"{one.best_static_s:.2f} ({one.adaptive_s / one.best_static_s:.2f})",
            f"{one.worst_static_s:.2f}",
            f"{one.hindsight_s:.2f} ({one.adaptive_s / one.hindsight_s:.2f})",
            str(len(one.adaptive.moved)),
            f"{one.longest_pause_s:.2f}",
            f"{one.batch_s:.2f}",
            f"{max(one.adaptive.bytes) / 1e6:,.0f}",
            one.case.limit or "",
            "yes" if one.equal else "[bold red]no[/]",
        )
    return table


def robust_table(outcomes: list[swinging.Outcome]) -> Table:
    table = Table(title="seconds of all batches", title_justify="left")
    table.add_column("case", no_wrap=True)
    heads = ("robust", "best plan", "adaptive", "oracle", "switches", "choosing")
    for name in (*heads, "equal"):
        table.add_column(name, justify="right")
    for one in outcomes:
        mine = one.total(swinging.ROBUST)
        others = (one.best_static_s, one.total(swinging.ADAPTIVE), one.oracle_s)
        table.add_row(
            one.case,
            f"{mine:.2f}",
            *(f"{seconds:.2f} ({mine / seconds:.2f})" for seconds in others),
            str(one.switches),
            f"{one.classify_share:.2%}",
            "yes" if one.equal else "[bold red]no[/]",
        )
    return table
