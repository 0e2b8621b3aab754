"""Open windows of a query whose state is spread, asked from beside the loop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from slackwater.control.share import Share
from slackwater.execute.estimates.snapshot import Question, Snapshot
from slackwater.execute.slices import GROUPS
from slackwater.execute.spread.engine import Above, GroupEngine
from slackwater.execute.spread.parts import Part, write_part
from slackwater.execute.spread.portion import Parted, Portion
from slackwater.execute.spread.task import Handed, Site, read_by, whole_of
from slackwater.plan.spread import Leg
from slackwater.runs.catalog import Catalog
from slackwater.runs.files import storage_error
from slackwater.runs.run import Run, new_run


@dataclass(frozen=True, slots=True)
class Inquiry:
    """What one task is asked: of which groups, over which runs, by which leg of the query."""

    number: int
    portion: Portion
    question: Question
    runs: tuple[Run, ...]
    legs: tuple[Leg, ...]
    leg: int
    folder: Path
    handed: Handed = field(default_factory=Handed)


@dataclass(frozen=True, slots=True)
class Answered:
    """What a task has to say: rows in a file, or what the next leg reads."""

    part: Part | None = None
    handed: Handed = field(default_factory=Handed)


class Asker(Protocol):
    """Who runs inquiries: Spark's executors, or a test."""

    @property
    def size(self) -> int: ...

    def ask(self, site: Site, inquiries: Sequence[Inquiry]) -> list[Answered]: ...


def ask(
    site: Site, crew: Asker, snapshot: Snapshot, question: Question, folder: Path
) -> list[Part]:
    """The estimates that answer a question, as files in a folder."""
    reading = site.layout.readings[question.query]
    runs = [run for state in reading.states for run in snapshot.catalog.at(state)]
    legs = tuple(leg for leg in site.spread.legs[question.query] if leg.last > 0)
    share = Share.even(GROUPS, crew.size)
    portions = [Portion.of(number, share, Parted()) for number in range(crew.size)]
    handed = Handed()
    for leg in range(len(legs)):
        inquiries = [
            Inquiry(n, one, question, read_by(one, runs), legs, leg, folder, handed.of(one))
            for n, one in enumerate(portions)
        ]
        answered = crew.ask(site, inquiries)
        handed = sum((one.handed for one in answered), Handed())
    return [one.part for one in answered if one.part is not None]


def inquire(site: Site, inquiry: Inquiry, attempt: str) -> Answered:
    """What the groups of a task say."""
    question, leg, mark = (
        inquiry.question,
        inquiry.legs[inquiry.leg],
        f"a{inquiry.number}-{attempt}",
    )
    reading = site.layout.readings[question.query]
    engine = GroupEngine(site.runs, site.duck(), inquiry.portion, {}, token=site.token, mark=mark)
    try:
        catalog = Catalog.of(inquiry.runs)
        below = whole_of(engine, inquiry.handed.opened)
        given = {} if leg.first <= 1 else {f"open-{leg.first - 1}": below}
        if inquiry.leg + 1 < len(inquiry.legs):
            query = next(one for one in site.layout.plan.queries if one.name == question.query)
            run = new_run(f"{query.name}-handed", 0, f"{inquiry.leg}a")
            opened = question.estimator(engine, reading, catalog, given).opened(leg.last)
            next_leg = inquiry.legs[inquiry.leg + 1]
            above = Above.of(site.layout, query, next_leg)
            passed = engine.handed(opened, above, next_leg.columns[next_leg.first], run)
            engine.settle()
            return Answered(handed=Handed(opened=passed))
        said = question.answer(engine, reading, catalog, given)
    except FileNotFoundError as error:  # of a batch that has become old meanwhile
        raise storage_error(error, site.runs) from error
    finally:
        engine.close()
    return Answered(write_part(said, inquiry.folder / f"{mark}.parquet") if said.num_rows else None)
