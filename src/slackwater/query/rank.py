"""Ranks: which rows come first when there is more work than can be done."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from sqlglot.errors import SqlglotError
from sqlglot.tokens import Tokenizer

from slackwater.units import DurationLike

MEASURED = "measured"
PRECEDENCES = ("prune", "full", "static", "semantic", "random", "none")


@dataclass(frozen=True, slots=True)
class Rank:
    """Conditions, the most critical first; the work of a batch; how an overload is treated."""

    criteria: tuple[str, ...]
    budget: int | DurationLike | None = None
    precedence: str = "prune"


def rank(
    *criteria: str, budget: int | DurationLike | None = None, precedence: str = "prune"
) -> Rank:
    """Say which rows are critical, and how much is worked on in a batch.

    As long as everything can be worked on, a rank changes nothing. Otherwise a batch works on rows
    of rank 1 first, then of rank 2, and so on, until its budget is used; the others wait.

    Parameters
    ----------
    criteria
        Conditions on rows: the first is that of rank 1, the second of rank 2. Each is about one
        stream, of a join written ``stream.column``. Or one text in the notation of the source work:
        ``"RANK 1 CRITERIA severity = 'high' RANK 2 CRITERIA severity = 'medium'"``.
    budget
        A whole number: rows that a batch works on, and for joins the combinations that they are
        expected to make. A duration such as ``"500 ms"``: the time that working may take in a
        batch. ``"measured"``, the default: what this machine can do between two triggers, for which
        the pipeline is started with a ``trigger`` interval. Where the stream is ``costly``, that
        says it already.
    precedence
        ``"prune"``: also rows come first that will meet critical ones, where that is worth most
        (*PR-Prune*); ``"full"``: wherever a critical row may be met (*PR*); ``"static"``: only
        critical rows themselves (*PP*); ``"semantic"``: others are shed when they arrive (*Sem*);
        ``"random"``: as many as needed are shed by chance (*Rand*); ``"none"``: first come, first
        served (*Trad*).

    Examples
    --------
    >>> rank("severity = 'high'", budget=1000).precedence
    'prune'

    Notes
    -----
    Works & Rundensteiner 2015. A promise is found as values of join columns, counted batch by
    batch, and holds for rows that arrive from the next batch on.
    """
    return Rank(criteria, budget, precedence)


def clauses(text: str) -> list[tuple[int, str]]:
    """The ranks and conditions of a text in the notation of the source work; none of another.

    >>> clauses("RANK 1 CRITERIA a = 1 RANK 2 CRITERIA b")
    [(1, 'a = 1'), (2, 'b')]
    """
    try:
        tokens = Tokenizer().tokenize(text)
    except SqlglotError:
        return []  # whoever reads it as a condition tells what is wrong
    begun = list(starts(tokens))
    if not begun or begun[0][0] > 0:
        return []
    bounds = pairwise([*begun, (len(tokens), 0)])
    return [(rank, written(text, tokens[at + 3 : end])) for (at, rank), (end, _) in bounds]


def starts(tokens: Sequence[Any]) -> Iterator[tuple[int, int]]:
    """Where ``RANK n CRITERIA`` begins, and n."""
    for at, (word, number, criteria) in enumerate(
        zip(tokens, tokens[1:], tokens[2:], strict=False)
    ):
        is_clause = word.text.upper() == "RANK" and criteria.text.upper() == "CRITERIA"
        if is_clause and number.text.isdecimal():
            yield at, int(number.text)


def written(text: str, tokens: Sequence[Any]) -> str:
    """The stretch of a text that some tokens were read from."""
    return text[tokens[0].start : tokens[-1].end + 1] if tokens else ""
