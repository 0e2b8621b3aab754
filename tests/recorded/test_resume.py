"""Checkpoints that were recorded go on in any folder, and end as if nothing had happened."""

from __future__ import annotations

import json
import re
import tarfile
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from tests.recorded.archive import RECORDED, arrive, unpack
from tests.recorded.case import CASES, Case, told

LARGEST = 200_000
BY_NAME = {case.name: case for case in CASES}


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.parametrize("version", RECORDED)
def test_a_recorded_checkpoint_goes_on_as_if_it_had_never_stopped(
    spark: SparkSession, tmp_path: Path, case: Case, version: int
) -> None:
    expected = unpack(RECORDED[version] / f"{case.name}.tar.gz", tmp_path)
    assert told(tmp_path) != expected
    arrive(tmp_path)
    case.run(spark, tmp_path, ends=True)
    assert without_experience(told(tmp_path)) == without_experience(expected)


LABELS = re.compile(r"\('(?:coverage|\w+_(?:low|high|scaled))', [^()]*\),? ?")


def without_experience(rows: dict[str, list[str]]) -> dict[str, list[str]]:
    """Rows without what estimates say of themselves: since format 7 all of a batch say what was
    known before it, earlier ones also knew the finals of their own.
    """
    return {
        output: sorted(LABELS.sub("", row) if "'estimate'" in row else row for row in some)
        for output, some in rows.items()
    }


def body(case: Case, version: int, kind: str, batch: int) -> Any:
    """A record of a checkpoint as its archive has it; ``None`` if it has none."""
    with tarfile.open(RECORDED[version] / f"{case.name}.tar.gz") as archive:
        name = f"./checkpoint/{kind}/{batch:08d}.json"
        found = archive.extractfile(name) if name in archive.getnames() else None
        return None if found is None else json.loads(found.read())["body"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.parametrize("version", RECORDED)
def test_state_is_open_and_a_death_lies_between_decision_and_manifest(
    case: Case, version: int
) -> None:
    last = body(case, version, "manifest", case.before - 1)
    assert last["format"] == version
    assert not last["sealed"]
    assert last["runs"]
    assert last["control"]["tier"] == case.tier
    assert body(case, version, "manifest", case.before) is None
    assert (body(case, version, "decision", case.before) is not None) == case.dies


@pytest.mark.parametrize("version", RECORDED)
def test_rows_wait_in_the_backlog_of_the_costly_one(version: int) -> None:
    report = body(BY_NAME["costly"], version, "manifest", 5)["report"]
    assert report["queries"]["costly"]["backlog"]["aside"] > 0


@pytest.mark.parametrize("version", RECORDED)
def test_there_is_one_small_archive_for_each_case(version: int) -> None:
    sizes = {path.name: path.stat().st_size for path in RECORDED[version].iterdir()}
    assert sorted(sizes) == sorted(f"{case.name}.tar.gz" for case in CASES)
    assert max(sizes.values()) < LARGEST
