"""Cases without Java: the same loop over Arrow tables, in the driver's tier alone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from slackwater.testing import Micro, Settings, make_loop
from tests.differential.case import Case
from tests.differential.place import Left, by_hand, left_in, request, scratch


@dataclass(frozen=True)
class Arrow:
    """Runs cases through :mod:`slackwater.testing`."""

    name: str = "arrow"

    def fitted(self, case: Case) -> Case:
        lives = tuple(replace(life, stops=False) for life in case.lives)
        return replace(case, lives=lives, public=False)

    def run(self, case: Case) -> Left:
        with scratch(case) as folder:
            _run(case, folder / "checkpoint")
            return left_in(folder / "checkpoint", case)


def _run(case: Case, checkpoint: Path) -> None:
    """Between lives the loop is closed and opened again."""
    bases, number = by_hand(case), 0
    for index, life in enumerate(case.lives):
        pin = None if life.tier == "auto" else life.tier
        settings = Settings(zone=case.zone, tier=pin, columnar_rows=life.columnar_rows)
        loop = make_loop(case.build(bases, life), checkpoint, settings)
        try:
            for _ in range(life.batches):
                loop.pin = case.pins.get(number, loop.pin)  # type: ignore[assignment]
                request(loop, case, number)
                rows = {f.name: f.table(case.batches[number][f.name]) for f in case.feeds}
                loop.process(Micro(rows), number)
                number += 1
            if case.flush and index == len(case.lives) - 1:
                loop.finish()
        finally:
            loop.close()
