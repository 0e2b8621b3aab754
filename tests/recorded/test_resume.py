"""Checkpoints that were recorded go on in any folder, and end as if nothing had happened."""

from __future__ import annotations

import json
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
def test_a_recorded_checkpoint_goes_on_as_if_it_had_never_stopped(
    spark: SparkSession, tmp_path: Path, case: Case
) -> None:
    expected = unpack(RECORDED / f"{case.name}.tar.gz", tmp_path)
    assert told(tmp_path) != expected
    arrive(tmp_path)
    case.run(spark, tmp_path, ends=True)
    assert told(tmp_path) == expected


def body(case: Case, kind: str, batch: int) -> Any:
    """A record of a checkpoint as its archive has it; ``None`` if it has none."""
    with tarfile.open(RECORDED / f"{case.name}.tar.gz") as archive:
        name = f"./checkpoint/{kind}/{batch:08d}.json"
        found = archive.extractfile(name) if name in archive.getnames() else None
        return None if found is None else json.loads(found.read())["body"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_state_is_open_and_a_death_lies_between_decision_and_manifest(case: Case) -> None:
    last = body(case, "manifest", case.before - 1)
    assert last["format"] == 5
    assert not last["sealed"]
    assert last["runs"]
    assert last["control"]["tier"] == case.tier
    assert body(case, "manifest", case.before) is None
    assert (body(case, "decision", case.before) is not None) == case.dies


def test_rows_wait_in_the_backlog_of_the_costly_one() -> None:
    report = body(BY_NAME["costly"], "manifest", 5)["report"]
    assert report["queries"]["costly"]["backlog"]["aside"] > 0


def test_there_is_one_small_archive_for_each_case() -> None:
    sizes = {path.name: path.stat().st_size for path in RECORDED.iterdir()}
    assert sorted(sizes) == sorted(f"{case.name}.tar.gz" for case in CASES)
    assert max(sizes.values()) < LARGEST
