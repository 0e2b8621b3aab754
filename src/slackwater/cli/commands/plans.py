"""``slackwater plans``: which plans a join can have, and what they cost. Starts nothing."""

from __future__ import annotations

import json
from collections.abc import Sequence
from math import inf, isfinite
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from slackwater.cli.commands.advise import check_picture
from slackwater.cli.options import Json, PipelineFile, QueryName
from slackwater.cli.show.advice import output
from slackwater.cli.show.plans import tell
from slackwater.errors import SlackwaterError, StorageError
from slackwater.optimize.choose import Choice, choose
from slackwater.optimize.cost import Cost, Units
from slackwater.optimize.plan import Plan, Space
from slackwater.optimize.statistics import known_of
from slackwater.plan.join import JoinPlan
from slackwater.plan.stage import PipelinePlan
from slackwater.plan.tree import all_trees, show_tree
from slackwater.spark.document import load

ALL = 6  # inputs up to which every plan is shown: 2,752 of them


def plans(
    *,
    document: PipelineFile,
    rates: Annotated[
        str, typer.Option(metavar="LIST", help='Rows in a second, e.g. "a=100,b=20".')
    ],
    selectivities: Annotated[
        str,
        typer.Option(metavar="LIST", help='Share of pairs that join, e.g. "a-b=0.01"; 1 if not.'),
    ] = "",
    query: QueryName = None,
    memory: Annotated[float | None, typer.Option(help="Rows that may be held.")] = None,
    cpu: Annotated[float | None, typer.Option(help="Work in a second that is allowed.")] = None,
    inspected: Annotated[
        bool, typer.Option("--inspected", help="Count pairs that are looked at, not those made.")
    ] = False,
    json_: Json = False,
    plot: Annotated[Path | None, typer.Option(help="Draw a picture (png, svg or pdf).")] = None,
) -> None:
    """Show the plans of a join: work against rows held, the best ones, and which is chosen.

    Work is in units of the cost model: one for a row that is put into a state or taken out, one for
    a pair.
    """
    check_picture(plot)
    join = _join(load(document).pipeline.plan, query)
    limits = Cost(_limit("--cpu", cpu), _limit("--memory", memory))
    known = known_of(join.graph, _rates(rates), _shares(selectivities))
    space = Space(known, Units(pairs="inspected" if inspected else "produced"))
    choice = choose(space, limits)
    every = _every(space, choice)
    if json_:
        typer.echo(json.dumps(_document(join, choice, len(every), limits)))
    else:
        tell(join.query, choice, len(every), limits, output())
    if plot is not None:
        _draw(choice, every, limits, plot)


def _join(plan: PipelinePlan, name: str | None) -> JoinPlan:
    joins = {query.name: query.join for query in plan.queries if query.join is not None}
    if name is None and len(joins) == 1:
        [name] = joins
    if name not in joins:
        known = ", ".join(joins) or "none"
        said = "there are several joins" if name is None and joins else f"no join {name!r}"
        raise SlackwaterError("JOIN_UNKNOWN", said, f"queries with a join: {known}; say --query")
    return joins[name]


def _every(space: Space, choice: Choice) -> Sequence[Plan]:
    """All plans of a few inputs, else those that were found worth it."""
    if len(space.known.names) > ALL:
        return choice.front
    return [space.plan(space.best(tree)) for tree in all_trees(space.known.names)]


def _limit(name: str, value: float | None) -> float:
    if value is None:
        return inf
    if not value > 0:
        raise SlackwaterError("LIMIT_INVALID", f"{name} is {value:g}, it must be above 0")
    return value


def _rates(text: str) -> dict[str, float]:
    return dict(_numbers(text, "--rates", "a=100,b=20"))


def _shares(text: str) -> dict[frozenset[str], float]:
    found: dict[frozenset[str], float] = {}
    for name, value in _numbers(text, "--selectivities", "a-b=0.01,b-c=0.2"):
        pair = frozenset(part.strip() for part in name.split("-"))
        if len(pair) != 2:
            raise _unreadable("--selectivities", name, "a-b=0.01,b-c=0.2")
        if found.setdefault(pair, value) != value:
            said = f"{name} is {found[pair]:g} and {value:g}"
            raise SlackwaterError("STATISTICS_INVALID", said, "say it once")
    return found


def _numbers(text: str, option: str, example: str) -> list[tuple[str, float]]:
    found = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, _, value = part.partition("=")
        try:
            found.append((name.strip(), float(value)))
        except ValueError:
            raise _unreadable(option, part, example) from None
    return found


def _unreadable(option: str, part: str, example: str) -> SlackwaterError:
    return SlackwaterError(
        "STATISTICS_INVALID", f"{option}: cannot read {part!r}", f'e.g. {option} "{example}"'
    )


def _document(join: JoinPlan, choice: Choice, count: int, limits: Cost) -> dict[str, Any]:
    return {
        "query": join.query,
        "plans": count,
        "exact": choice.is_exact,
        "limits": {
            name: value if isfinite(value) else None
            for name, value in (("cpu", limits.cpu), ("memory", limits.memory))
        },
        "scarce": choice.scarce,
        "within": choice.is_within,
        "chosen": _shown(choice.plan),
        "front": [_shown(plan) for plan in choice.front],
    }


def _shown(plan: Plan) -> dict[str, Any]:
    return {"tree": show_tree(plan.tree), "cpu": plan.cost.cpu, "memory": plan.cost.memory}


def _draw(choice: Choice, every: Sequence[Plan], limits: Cost, path: Path) -> None:
    from slackwater.optimize.picture import draw

    try:
        draw(choice, every, limits, path)
    except OSError as error:
        raise StorageError(
            "STORAGE_FAILED", f"cannot write {path}: {error.strerror}", "give another --plot"
        ) from error
    Console(stderr=True).print(Text(f"picture: {path}"), soft_wrap=True)
