"""Cases, one after the other, until the time is up; what failed is made smaller."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise

from tests.differential.case import STRAY, TIME, Asked, Case, Life, Replan
from tests.differential.compare import differences
from tests.differential.generate import STRAYS_AMONG, make
from tests.differential.place import Place

Killer = Callable[[Case], tuple[int, list[str]]]  # how often, and what differed
REDUCING = 40  # tries to make a failing case smaller


@dataclass
class Tally:
    """What was tried, and what differed."""

    pipelines: int = 0
    queries: int = 0
    rows: int = 0
    batches: int = 0
    restarts: int = 0
    replans: int = 0
    kills: int = 0
    failures: list[str] = field(default_factory=list)

    def count(self, case: Case) -> None:
        self.pipelines += 1
        self.queries += len(case.queries)
        self.rows += case.rows
        self.batches += len(case.batches)
        self.restarts += len(case.lives) - 1
        self.replans += sum(map(len, case.replans.values()))

    def __str__(self) -> str:
        numbers = ("pipelines", "queries", "rows", "batches", "restarts", "replans", "kills")
        told = ", ".join(f"{getattr(self, name)} {name}" for name in numbers)
        return f"{told}, {len(self.failures)} differences"


def check(place: Place, case: Case) -> list[str]:
    """The differences of one case; an error is one, too."""
    try:
        return differences(case, place.run(case))
    except Exception as error:  # noqa: BLE001 - whatever it is, the case shows it
        return [f"{type(error).__name__}: {str(error)[:1500]}"]


def hunt(
    place: Place,
    seeds: Iterator[str],
    seconds: float,
    *,
    reduce: bool = True,
    verbose: bool = False,
    kill: Killer | None = None,
) -> Tally:
    """Try the cases of these seeds until the time is up.

    With ``kill``, one of three that go through the public API is killed on its way: how often, and
    what differed.
    """
    tally, end = Tally(), time.monotonic() + seconds
    for number, seed in enumerate(seeds):
        if time.monotonic() >= end:
            break
        case, began = place.fitted(make(seed)), time.monotonic()
        tally.count(case)
        if kill is not None and case.public and number % 3 == 0:
            struck, found = _killed(kill, case)
            tally.kills += struck
        else:
            found = check(place, case)
        if verbose:
            print(f"{seed}: {time.monotonic() - began:.1f} s", flush=True)
        if found:
            tally.failures.append(report(place, case, found, reduce=reduce))
            print(tally.failures[-1], flush=True)
    return tally


def _killed(kill: Killer, case: Case) -> tuple[int, list[str]]:
    try:
        return kill(case)
    except Exception as error:  # noqa: BLE001 - whatever it is, the case shows it
        return 0, [f"with kills: {type(error).__name__}: {str(error)[-1500:]}"]


def report(place: Place, case: Case, found: list[str], *, reduce: bool) -> str:
    if reduce:
        case, found = smaller(case, found, lambda one: check(place, one))
    again = f"python -m tests.differential --place {place.name} --only {case.seed}"
    return "\n".join([f"seed {case.seed}, again with: {again}", *found[:12], shown(case)])


def smaller(
    case: Case, found: list[str], judge: Callable[[Case], list[str]]
) -> tuple[Case, list[str]]:
    """A smaller case that still differs: fewer lives, queries, batches, rows."""
    tries = REDUCING
    progress = True
    while progress and tries > 0:
        progress = False
        for one in filter(is_fair, _candidates(case)):
            tries -= 1
            told = judge(one)
            if told:
                case, found, progress = one, told, True
                break
            if tries <= 0:
                break
    return case, found


def is_fair(case: Case) -> bool:
    """Whether the engine must tell strays from others as the case does: the others lie close to
    each other, and are more than the strays of their batch.
    """
    for feed in case.feeds:
        clock: int | None = None
        for batch in case.batches:
            timed = [row for row in batch[feed.name] if row[TIME] is not None]
            times = sorted(row[TIME] for row in timed if not row[STRAY])
            if len(timed) - len(times) > 0 and len(times) < STRAYS_AMONG:
                return False
            followed = times if clock is None else [clock, *(t for t in times if t > clock)]
            if any(b - a > feed.max_ahead for a, b in pairwise(followed)):
                return False
            clock = followed[-1] if followed else clock
    return True


def _candidates(case: Case) -> Iterator[Case]:
    """Simpler cases, the greatest step first."""
    whole = Life(len(case.batches), case.lives[0].tier)
    if case.lives != (whole,):
        yield replace(case, lives=(whole,), pins={})
    if case.public:
        yield replace(case, public=False)
    if whole.tier != "columnar":
        yield replace(case, lives=(replace(whole, tier="columnar"),), pins={})
    has_parts = any(part in repr(case.queries) for part in ("hour(", "AS DATE)"))
    if case.zone != "UTC" and not has_parts:  # what they should be was fixed with the zone
        yield replace(case, zone="UTC")
    for asked in case.queries:
        if len(case.queries) > 1:
            yield _alone(case, asked)
        if any(one.query == asked.name for some in case.replans.values() for one in some):
            yield replace(case, replans=_without(case, asked.name))
        if asked.prods:
            kept = [replace(q, prods=()) if q is asked else q for q in case.queries]
            yield replace(case, queries=tuple(kept), requests={})
    yield from _fewer_rows(case)


def _without(case: Case, query: str) -> dict[int, tuple[Replan, ...]]:
    """The replans of all other queries."""
    return {
        batch: kept
        for batch, some in case.replans.items()
        if (kept := tuple(one for one in some if one.query != query))
    }


def _alone(case: Case, asked: Asked) -> Case:
    """The case with one query only."""
    number = case.queries.index(asked)
    used = {one.feed for one in asked.inputs}
    requests = {
        batch: tuple(one for one in some if one[0] == asked.name)
        for batch, some in case.requests.items()
    }
    lives = [replace(life, order=(), terms=life.terms[number : number + 1]) for life in case.lives]
    return replace(
        case,
        queries=(asked,),
        feeds=tuple(feed for feed in case.feeds if feed.name in used),
        lives=tuple(lives),
        requests=requests,
        replans={
            batch: tuple(one for one in some if one.query == asked.name)
            for batch, some in case.replans.items()
        },
    )


def _fewer_rows(case: Case) -> Iterator[Case]:
    """Batches keep their number, so that lives, pins and requests stay what they are."""
    last = len(case.batches) - 1
    if last > 0:
        life = Life(last, case.lives[0].tier)
        yield replace(case, batches=case.batches[:-1], lives=(life,))
    for number, batch in enumerate(case.batches):
        for name, rows in batch.items():
            for part in (slice(0, len(rows) // 2), slice(len(rows) // 2, None)):
                if len(rows) > 0 and rows[part] != rows:
                    cut = {**batch, name: rows[part]}
                    batches = [cut if n == number else b for n, b in enumerate(case.batches)]
                    yield replace(case, batches=tuple(batches))


def shown(case: Case) -> str:
    """The case for people."""
    lines = [f"  public={case.public} flush={case.flush} zone={case.zone} folder={case.folder!r}"]
    lines += [f"  {life}" for life in case.lives]
    lines += [f"  pins={case.pins} requests={case.requests}"] if case.pins or case.requests else []
    lines += [f"  before batch {n}: {some}" for n, some in case.replans.items()]
    lines += [
        f"  {f.name}: time {f.time!r}, { {c: k.sql for c, k in f.columns.items()} }"
        for f in case.feeds
    ]
    for asked in case.queries:
        lines.append(f"  {asked.name}: slack={asked.slack} late={asked.late} keep={asked.keep}")
        lines += [f"    from {one}" for one in asked.inputs]
        lines += [f"    {asked.join}"] if asked.join else []
        lines += [f"    {one}" for one in (*asked.levels, *asked.prods)]
    for number, batch in enumerate(case.batches):
        for name, rows in batch.items():
            told = [str({k: v for k, v in row.items() if k != STRAY or v})[:300] for row in rows]
            lines += [
                f"  batch {number} {name}: {len(rows)} rows",
                *(told if case.rows < 25 else ()),
            ]
    return "\n".join(lines)
