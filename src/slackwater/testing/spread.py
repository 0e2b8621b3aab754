"""Tasks that take turns in this process, over tables: state that is spread, without Spark."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import pyarrow as pa

from slackwater.control.orders import Piece
from slackwater.control.turn import Turn
from slackwater.execute.delta import Delta
from slackwater.execute.hands import Asked, Seen, Side
from slackwater.execute.look import look, together
from slackwater.execute.raw import RawReader
from slackwater.execute.sinks.sink import Results
from slackwater.execute.spread.ask import Answered, Inquiry, inquire
from slackwater.execute.spread.look import bring, brought, reader
from slackwater.execute.spread.parts import Part, PartResults
from slackwater.execute.spread.task import Performed, Site, Work, perform
from slackwater.runs.run import Run


class Giver(Side[Any], Protocol):
    """Whoever has the tables."""

    @property
    def raw(self) -> RawReader: ...

    def tables(self, rows: Any, asked: Asked) -> dict[str, pa.Table]: ...

    def admitted(self, seen: Seen, rows: Any, asked: Asked) -> Seen: ...

    def work(
        self, turn: Turn, number: int, runs: Sequence[Run], pieces: Sequence[Piece]
    ) -> Delta: ...


@dataclass(frozen=True, slots=True)
class TakingTurns:
    """Some tasks; each gets its share of the rows of every batch."""

    giver: Giver
    size: int = 3

    def look(self, site: Site, rows: Any, asked: Asked) -> Seen:
        tables = self.giver.tables(rows, asked)
        parts = [
            brought(site, look(self.giver.raw, reader(site), mine, asked), asked.batch, _mark(n))
            for n in range(self.size)
            for mine in [_share(tables, n, self.size)]
        ]
        return self.giver.admitted(together(parts, asked), rows, asked)

    def work(
        self, site: Site, turn: Turn, number: int, runs: Sequence[Run], pieces: Sequence[Piece]
    ) -> Delta:
        worked = self.giver.work(turn, number, runs, pieces)
        return bring(site, worked, turn.batch, _mark(number))

    def perform(self, site: Site, works: Sequence[Work]) -> list[Performed]:
        return [perform(site, work, _mark(work.number)) for work in works]

    def ask(self, site: Site, inquiries: Sequence[Inquiry]) -> list[Answered]:
        return [inquire(site, one, _mark(one.number)) for one in inquiries]

    def late(self, rows: Any, turn: Turn) -> Results:
        return self.giver.late(rows, turn)

    def together(self, parts: Sequence[Part], schema: pa.Schema, order: tuple[str, ...]) -> Results:
        return PartResults(tuple(parts), schema, order)


def _mark(number: int) -> str:
    return f"{number}-{uuid.uuid4().hex[:8]}"


def _share(tables: Mapping[str, pa.Table], number: int, of: int) -> dict[str, pa.Table]:
    found = {}
    for name, table in tables.items():
        first, end = (table.num_rows * n // of for n in (number, number + 1))
        found[name] = table.slice(first, end - first)
    return found
