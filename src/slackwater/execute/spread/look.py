"""Observe in tasks: what is kept of the rows that one looks at is written by group."""

from __future__ import annotations

from dataclasses import replace

from slackwater.execute.delta import Delta
from slackwater.execute.duck import DuckReader
from slackwater.execute.look import Looked
from slackwater.execute.slices import arranged, numbers, written
from slackwater.execute.spread.task import Site
from slackwater.runs.files import write_file
from slackwater.runs.run import checksum, filled, new_run


def reader(site: Site) -> DuckReader:
    """What a task looks at rows with."""
    return DuckReader(site.runs, site.duck(), {})


def brought(site: Site, looked: Looked, batch: int, mark: str) -> Looked:
    """What was seen, with files in the place of tables."""
    deltas = {name: bring(site, delta, batch, mark) for name, delta in looked.deltas.items()}
    return replace(looked, deltas=deltas)


def bring(site: Site, delta: Delta, batch: int, mark: str) -> Delta:
    """Write what is kept of rows by group; they become runs where their groups are."""
    assert delta.table is not None
    if delta.table.num_rows == 0:
        return replace(delta, table=None)
    identity = delta.state.identity
    groups = numbers(site.duck(), delta.table, site.spread.fed[identity])
    table, slices = arranged(delta.table, groups)
    run = new_run(identity, batch, "n")
    run = replace(run, name=run.name.replace(".parquet", f"-{mark}.arrow"), slices=slices)
    data = memoryview(written(table))
    write_file(site.runs / run.path, data, flush=False)  # no manifest will name it
    parts: dict[str, tuple[int, int | None]] = {"": (data.nbytes, checksum(data))}
    run = filled(run, table.num_rows, 0, 0, parts)
    return replace(delta, table=None, brought=(run,))
