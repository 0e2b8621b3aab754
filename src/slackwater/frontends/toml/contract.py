"""The contract of a query: of the keys that say one, which belong together."""

from __future__ import annotations

from slackwater.errors import Problem
from slackwater.frontends.table import keys_of
from slackwater.frontends.toml.model import ErrorTable, PromiseTable, QueryTable
from slackwater.query.contract import FixedSlack, MaxError, MinRecall, max_error, min_recall, slack

_COMMON = tuple(keys_of(PromiseTable))
TERMS = {"max_error": (*_COMMON, "of", "per_key"), "min_recall": (*_COMMON, "over")}


def read_contract(
    query: QueryTable, where: str, problems: list[Problem]
) -> FixedSlack | MinRecall | tuple[MaxError, ...] | MaxError:
    """The contract that a query states, none: no slack."""
    given = query.said("slack", *TERMS)
    kind = max(given, default="slack", key=["slack", *TERMS].index)
    problems += _twice(list(given), where)
    problems += _alone(query, kind, where)
    terms = query.said(*TERMS.get(kind, ("slack",)))
    if kind == "min_recall":
        return min_recall(given["min_recall"], **terms)
    if kind == "slack":
        return slack(given.get("slack", 0))
    bounds = tuple(_bound(one, terms) for one in given["max_error"])
    return bounds[0] if len(bounds) == 1 else bounds


def _bound(table: ErrorTable, terms: dict[str, object]) -> MaxError:
    """One bound; what stands beside `max_error` holds for all of them that say nothing else."""
    said = {**terms, **table.said()}
    return max_error(said.pop("epsilon"), **said)


def _twice(kinds: list[str], where: str) -> list[Problem]:
    if len(kinds) < 2:
        return []
    text = f"{' and '.join(kinds)} exclude each other"
    hint = "at_least and at_most bound the slack that a contract chooses"
    return [Problem("KEY_TWICE", f"{where}.{kinds[0]}", text, hint)]


def _alone(query: QueryTable, kind: str, where: str) -> list[Problem]:
    """Terms of a contract that is not given."""
    problems = []
    for key in query.said(*{key for keys in TERMS.values() for key in keys}):
        if key not in TERMS.get(kind, ()):
            owners = " or ".join(name for name, keys in TERMS.items() if key in keys)
            text = f"{key} belongs to {owners}, which is not given"
            problems.append(Problem("KEY_ALONE", f"{where}.{key}", text))
    return problems
