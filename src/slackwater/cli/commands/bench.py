"""``slackwater bench``: plain Structured Streaming against Slackwater, measured here and now."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.status import Status

from slackwater.bench import adapt as adapting
from slackwater.bench import estimates as estimating
from slackwater.bench import files as reading
from slackwater.bench import growth as growing
from slackwater.bench import joins as joining
from slackwater.bench import methods, plot, topics
from slackwater.bench import precedence as ranking
from slackwater.bench import recall as finding
from slackwater.bench import robust as swinging
from slackwater.bench import slack as waiting
from slackwater.bench import windows as comparing
from slackwater.bench.cases import choose
from slackwater.bench.joins import CASES as JOINS
from slackwater.bench.regimes import REGIMES
from slackwater.bench.session import bench_session
from slackwater.cli.options import TierChoice
from slackwater.cli.show.bench import (
    adapt_table,
    cost_table,
    crossing_line,
    emission_table,
    join_table,
    point_table,
    precedence_tables,
    promise_table,
    read_table,
    recall_table,
    robust_table,
    window_line,
    window_table,
)
from slackwater.runs.files import storage_error

UNEQUAL = 1

app = typer.Typer(no_args_is_help=True, help="Measure Slackwater against plain Spark.")

JsonFile = Annotated[Path | None, typer.Option("--json", help="Write the figures to this file.")]
Plot = Annotated[Path | None, typer.Option("--plot", help="Draw pictures into this folder.")]
KeepData = Annotated[
    Path | None,
    typer.Option(help="Keep input files here for the next time; a temporary folder if left out."),
]


@app.command()
def windows(
    *,
    quick: Annotated[bool, typer.Option("--quick", help="Light cases only: 3 minutes.")] = False,
    json_: JsonFile = None,
    cases: Annotated[
        list[str] | None, typer.Option(help='Only cases that begin so, e.g. "tumbling-200k".')
    ] = None,
    tier: Annotated[TierChoice | None, typer.Option(help="Run all cases on this tier.")] = None,
    batches: Annotated[int | None, typer.Option(min=2, help="Batches of each case.")] = None,
    tuned: Annotated[
        bool, typer.Option("--tuned", help="Give plain Spark our checkpoint file setting too.")
    ] = False,
    plot_: Plot = None,
    keep_data: KeepData = None,
) -> None:
    """Windowed sums: the same query and files in both engines, results compared exactly.

    Figures are medians of batches after warm-up, in seconds; runs of the engines alternate.
    """
    pinned = tier.value if tier and tier is not TierChoice.auto else None
    chosen = choose(cases or (), quick=quick, tier=pinned, batches=batches)
    console = Console()
    outcomes = []
    with console.status("start Spark") as status:
        for outcome in comparing.measure(
            bench_session(),
            chosen,
            cache=_cache(keep_data),
            tuned=tuned,
            tell=_teller(status, len(chosen)),
        ):
            outcomes.append(outcome)
            console.print(window_line(outcome))
    report = comparing.report(outcomes)
    console.print(window_table(outcomes))
    _deliver(console, report, json_, plot_)
    _fail_unless(all(outcome.equal for outcome in outcomes), console)


@app.command()
def kafka(
    *,
    servers: Annotated[
        str, typer.Option(envvar="KAFKA_SERVERS", help="Brokers to make topics at, HOST:PORT.")
    ],
    quick: Annotated[bool, typer.Option("--quick", help="Fewer batches.")] = False,
    json_: JsonFile = None,
    keep_data: KeepData = None,
) -> None:
    """Windowed sums over a topic: the same messages and connector in both engines.

    Figures are medians of batches after warm-up, in seconds; runs of the engines alternate. Topics
    are made for it and removed.
    """
    chosen = topics.cases(quick=quick)
    console = Console()
    outcomes = []
    with console.status("start Spark") as status:
        for outcome in topics.measure(
            bench_session(kafka=True),
            chosen,
            servers,
            cache=_cache(keep_data),
            tell=_teller(status, len(chosen)),
        ):
            outcomes.append(outcome)
            console.print(window_line(outcome))
    console.print(window_table(outcomes))
    _deliver(console, topics.report(outcomes), json_, None)
    _fail_unless(all(outcome.equal for outcome in outcomes), console)


@app.command()
def growth(
    *,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer points.")] = False,
    only: Annotated[
        list[str] | None, typer.Option(help=f"Only these: {', '.join(growing.SERIES)}.")
    ] = None,
    json_: JsonFile = None,
    plot_: Plot = None,
    keep_data: KeepData = None,
) -> None:
    """How cost grows: with size/slide, with keys, with history, with open panes."""
    console = Console()
    with console.status("start Spark") as status:
        report = growing.measure(
            bench_session(), only or (), cache=_cache(keep_data), quick=quick, tell=status.update
        )
    for name in growing.SERIES:
        if name in report:
            console.print(point_table(name, report[name]))
    _deliver(console, report, json_, plot_)


@app.command()
def slack(
    *,
    quick: Annotated[bool, typer.Option("--quick", help="Shorter streams, no overhead.")] = False,
    only: Annotated[
        list[str] | None, typer.Option(help=f"Only these: {', '.join(REGIMES)}.")
    ] = None,
    method: Annotated[
        list[str] | None,
        typer.Option(help=f"How slacks are chosen; {' and '.join(methods.USUAL)} by default."),
    ] = None,
    json_: JsonFile = None,
    keep_data: KeepData = None,
) -> None:
    """Error bounds: were they kept, and how long did results take?

    For each regime of disorder and each bound, against Max-K and against the best fixed slack
    chosen in hindsight on the same micro-batches. Latency is event time, mean over all results.
    """
    console = Console()
    cost = None
    with console.status("start Spark") as status:
        session = bench_session()
        seconds = 600 if quick else 1800
        outcomes = list(
            waiting.measure(
                session,
                only or (),
                methods=methods.choose(method or ()),
                seconds=seconds,
                cache=_cache(keep_data),
                tell=status.update,
            )
        )
        if not quick and not only:
            status.update("overhead")
            cost = waiting.overhead(session, cache=_cache(keep_data))
    console.print(promise_table(outcomes))
    if cost is not None:
        console.print(
            f"an error bound adds {cost['share']:.1%} to the time of a batch, "
            f"choosing the slack {cost['adaptation_share']:.1%}"
        )
    _deliver(console, waiting.report(outcomes, cost), json_, None)


@app.command()
def joins(
    *,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer cases.")] = False,
    only: Annotated[
        list[str] | None, typer.Option(help=f"Only these: {', '.join(c.label for c in JOINS)}.")
    ] = None,
    tuned: Annotated[
        bool, typer.Option("--tuned", help="Plain Spark with the settings of our own streams.")
    ] = False,
    json_: JsonFile = None,
    keep_data: KeepData = None,
) -> None:
    """Joins against plain Spark's chained stream-stream joins, on the same files."""
    console = Console()
    chosen = joining.choose(only or (), quick=quick)
    outcomes: list[joining.Outcome] = []
    with console.status("start Spark") as status:
        for outcome in joining.measure(
            bench_session(),
            chosen,
            cache=_cache(keep_data),
            tuned=tuned,
            tell=_teller(status, len(chosen)),
        ):
            outcomes.append(outcome)
            one = f"{outcome.case.label}: Slackwater {outcome.slackwater_s:.3f} s"
            console.print(f"{one}, plain Spark {outcome.native_s:.3f} s ({outcome.store} store)")
    console.print(join_table(outcomes))
    for tier in joining.long_tiers(outcomes):
        console.print(f"{tier} tier: {crossing_line(joining.crossing(outcomes, tier))}")
    _deliver(console, joining.report(outcomes), json_, None)
    _fail_unless(all(outcome.equal for outcome in outcomes), console)


@app.command()
def adapt(
    *,
    quick: Annotated[bool, typer.Option("--quick", help="One case, without plain Spark.")] = False,
    only: Annotated[
        list[str] | None,
        typer.Option(help=f"Only these: {', '.join(c.case for c in adapting.CASES)}."),
    ] = None,
    native: Annotated[bool, typer.Option(help="Measure plain Spark, too.")] = True,
    json_: JsonFile = None,
    plot_: Plot = None,
    keep_data: KeepData = None,
) -> None:
    """Joins whose plan follows the stream, against every fixed plan on the same files.

    Seconds are those of all batches that count, after the first six. In hindsight: the best plan of
    each phase, changed at no cost.
    """
    console = Console()
    chosen = adapting.choose(only or (), quick=quick)
    outcomes: list[adapting.Outcome] = []
    with console.status("start Spark") as status:
        for outcome in adapting.measure(
            bench_session(),
            chosen,
            cache=_cache(keep_data),
            native=native and not quick,
            tell=_teller(status, len(chosen)),
        ):
            outcomes.append(outcome)
            console.print(f"{outcome.case.case}: {outcome.adaptive_s:.2f} s, {outcome.course}")
    console.print(adapt_table(outcomes))
    _deliver(console, adapting.report(outcomes), json_, plot_)
    _fail_unless(all(outcome.equal for outcome in outcomes), console)


@app.command()
def robust(
    *,
    quick: Annotated[bool, typer.Option("--quick", help="One case only.")] = False,
    only: Annotated[
        list[str] | None, typer.Option(help=f"Only these: {', '.join(swinging.CASES)}.")
    ] = None,
    json_: JsonFile = None,
) -> None:
    """Joins of five streams that swing within a few batches: a prepared plan for each batch,
    against fixed plans and an adaptive join, without Spark.

    Seconds are those of all batches after every stream was scarce once, and that was learned. The
    oracle takes the fixed plan that was the fastest in each batch.
    """
    console = Console()
    chosen = swinging.choose(only or (), quick=quick)
    outcomes: list[swinging.Outcome] = []
    with console.status("make rows") as status:
        for outcome in swinging.measure(chosen, tell=_teller(status, len(chosen))):
            outcomes.append(outcome)
            console.print(f"{outcome.case}: {outcome.total(swinging.ROBUST):.2f} s")
    console.print(robust_table(outcomes))
    _deliver(console, swinging.report(outcomes), json_, None)
    _fail_unless(all(outcome.equal for outcome in outcomes), console)


@app.command()
def files(
    *,
    quick: Annotated[
        bool, typer.Option("--quick", help="A million rows, every engine once.")
    ] = False,
    cases: Annotated[
        list[str] | None,
        typer.Option(help=f"Only these: {', '.join(c.label for c in reading.CASES)}."),
    ] = None,
    rows: Annotated[
        int | None, typer.Option(help=f"Rows of each case; {reading.ROWS:,} by default.")
    ] = None,
    json_: JsonFile = None,
    keep_data: KeepData = None,
) -> None:
    """Whole jobs over CSV, Parquet and JSON files, with DuckDB once over all of them as a floor.

    Every engine has run a small job of the same kind before. Figures are seconds by the clock.
    """
    chosen = reading.choose(cases or (), quick=quick, rows=rows)
    console = Console()
    outcomes: list[reading.Outcome] = []
    with console.status("start Spark") as status:
        for outcome in reading.measure(
            bench_session(),
            chosen,
            cache=_cache(keep_data),
            tell=_teller(status, len(chosen)),
        ):
            outcomes.append(outcome)
            one = f"{outcome.case.label}: Slackwater {outcome.slackwater_s:.2f} s, plain Spark "
            console.print(f"{one}{outcome.native_s:.2f} s, DuckDB {outcome.duckdb_s:.2f} s")
    console.print(read_table(outcomes))
    _deliver(console, reading.report(outcomes), json_, None)
    _fail_unless(all(outcome.equal for outcome in outcomes), console)


@app.command()
def recall(
    *,
    quick: Annotated[bool, typer.Option("--quick", help="Shorter streams.")] = False,
    only: Annotated[
        list[str] | None, typer.Option(help=f"Only these: {', '.join(finding.REGIMES)}.")
    ] = None,
    method: Annotated[
        list[str] | None,
        typer.Option(help=f"How slacks are chosen; {' and '.join(methods.USUAL)} by default."),
    ] = None,
    json_: JsonFile = None,
    keep_data: KeepData = None,
) -> None:
    """Recall contracts of joins: were they kept, at which latency and memory?"""
    console = Console()
    with console.status("start Spark") as status:
        outcomes = list(
            finding.measure(
                bench_session(),
                only or (),
                methods=methods.choose(method or ()),
                seconds=240 if quick else 600,
                cache=_cache(keep_data),
                tell=status.update,
            )
        )
    console.print(recall_table(outcomes))
    _deliver(console, finding.report(outcomes), json_, None)


@app.command()
def precedence(
    *,
    quick: Annotated[bool, typer.Option("--quick", help="Four times the load alone.")] = False,
    only: Annotated[
        list[str] | None,
        typer.Option(help=f"Only these: {', '.join(c.label for c in ranking.CASES)}."),
    ] = None,
    json_: JsonFile = None,
    plot_: Plot = None,
) -> None:
    """Ranks under overload: results of each rank, all six ways on the same rows, without Spark.

    Counts are the same in every run. A result counts if it was given within the lifespan of rows.
    """
    console = Console()
    chosen = ranking.choose(only or (), quick=quick)
    outcomes: list[ranking.Outcome] = []
    with console.status("draw rows") as status:
        for outcome in ranking.measure(chosen, tell=_teller(status, len(chosen))):
            outcomes.append(outcome)
            levels = ", ".join(f"{rows:,}" for rows in outcome.levels)
            console.print(f"{outcome.case.label}, {outcome.system}: {levels}")
    for table in precedence_tables(outcomes):
        console.print(table)
    _deliver(console, ranking.report(outcomes), json_, plot_)
    equal = all(outcome.equal is not False for outcome in outcomes)
    _fail_unless(equal, console, "results differ without overload")


@app.command()
def estimates(
    *,
    quick: Annotated[bool, typer.Option("--quick", help="One case, few batches.")] = False,
    only: Annotated[
        list[str] | None,
        typer.Option(help=f"Only these: {', '.join(c.label for c in estimating.CASES)}."),
    ] = None,
    json_: JsonFile = None,
    keep_data: KeepData = None,
) -> None:
    """Estimates: their cost per batch, their speed on demand, and Spark's update mode beside them.

    Finals are compared with a fresh computation, with and without estimates.
    """
    chosen = estimating.choose(only or (), quick=quick)
    console = Console()
    with console.status("start Spark") as status:
        session = bench_session()
        outcomes = list(
            estimating.measure(
                session,
                chosen,
                cache=_cache(keep_data),
                rounds=1 if quick else estimating.ROUNDS,
                tell=_teller(status, len(chosen)),
            )
        )
        emissions = estimating.compare(
            session, chosen[0], cache=_cache(keep_data), tell=status.update
        )
    console.print(cost_table(outcomes))
    console.print(emission_table(emissions))
    _deliver(console, estimating.report(outcomes, emissions), json_, None)
    _fail_unless(all(outcome.equal for outcome in outcomes), console, "finals differ")


def _cache(folder: Path | None) -> Path | None:
    return None if folder is None else folder.absolute()


def _teller(status: Status, cases: int) -> comparing.Tell:
    """Shows the step at hand and which case of how many it belongs to."""
    seen: list[str] = []

    def tell(step: str) -> None:
        case = step.partition(":")[0]
        if case not in seen:
            seen.append(case)
        status.update(f"[{len(seen)}/{cases}] {step}".replace("[", "\\["))

    return tell


def _fail_unless(equal: bool, console: Console, said: str = "the engines do not agree") -> None:
    """Figures of results that differ are worth nothing: say so, and fail."""
    if not equal:
        console.print(f"[bold red]{said}[/]")
        raise typer.Exit(UNEQUAL)


def _deliver(
    console: Console, report: dict[str, Any], json_: Path | None, folder: Path | None
) -> None:
    try:
        if json_ is not None:
            json_.parent.mkdir(parents=True, exist_ok=True)
            json_.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
        for path in plot.draw(report, folder) if folder is not None else ():
            console.print(f"picture: {path}")
    except OSError as error:
        raise storage_error(error, json_ or folder or Path()) from error
