"""A session is examined: what its executors have, and share with the driver."""

from __future__ import annotations

import json
import platform
import subprocess
import sys
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import pytest
from pyspark import cloudpickle
from pyspark.sql import SparkSession

from slackwater.codec import unpack
from slackwater.errors import MachineError
from slackwater.spark.examination import (
    PACKAGES,
    Told,
    _asking,
    clocks,
    examine_session,
    in_store,
    memory,
    same_packages,
    same_python,
    visible,
)

GB = 1 << 30
MINE = {name: version(name) for name in PACKAGES}
ONE = Told("node-1", platform.python_version(), dict(MINE), 100.0, 64 * GB, None)


def test_a_local_session_is_sound(spark: SparkSession, tmp_path: Path) -> None:
    folder = tmp_path / "shared"
    found = {one.name: one for one in examine_session(spark, str(folder))}
    wrong = [one for one in found.values() if not one.ok]
    assert [one.name for one in wrong if one.name != "memory of tasks"] == []
    assert "the same everywhere" in found["packages of executors"].found
    assert "seen by driver and executors" in found["shared folder"].found
    assert list(folder.iterdir()) == []


def test_a_folder_that_the_driver_cannot_write_is_told(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(MachineError, match="the driver cannot write to"):
        list(examine_session(spark, str(tmp_path / "file" / "below")))


def test_another_python_is_told_with_its_machine() -> None:
    found = same_python([ONE, replace(ONE, host="node-2", python="3.9.1")])
    assert not found.ok
    assert found.needed
    assert "3.9.1 on node-2" in found.found
    assert same_python([ONE]).ok


def test_packages_that_differ_or_are_missing_are_told_with_their_machine() -> None:
    other = replace(ONE, host="node-2", packages={**MINE, "duckdb": "1.0", "slackwater": None})
    found = same_packages([ONE, other])
    assert not found.ok
    assert f"duckdb 1.0 on node-2, {MINE['duckdb']} here" in found.found
    assert "slackwater missing on node-2" in found.found
    assert same_packages([ONE]).ok


def test_clocks_are_compared_with_when_they_were_asked() -> None:
    assert clocks([ONE], before=99.0, after=101.0).ok
    late = clocks([ONE, replace(ONE, clock=106.5)], before=99.0, after=101.0)
    assert not late.ok
    assert "5.5 s" in late.found


def test_a_container_that_may_take_less_than_its_machine_has_is_told() -> None:
    tight = memory([ONE, replace(ONE, host="pod-1", allowed=4 * GB)], None)
    assert not tight.ok
    assert "pod-1 may take 4.0 GB of 64.0 GB" in tight.found
    assert "spark.slackwater.taskMemory" in tight.hint
    assert memory([replace(ONE, allowed=4 * GB)], "1g").ok
    assert memory([ONE], None).ok


def test_a_folder_that_executors_do_not_share_is_told(tmp_path: Path) -> None:
    (tmp_path / "task-1").touch()
    sound = replace(ONE, sees=True, writes="task-1")
    assert visible([sound], tmp_path).ok
    blind = visible([sound, replace(sound, host="node-2", sees=False)], tmp_path)
    assert not blind.ok
    assert "is not shared with node-2" in blind.found


def test_a_checkpoint_in_a_store_keeps_state_in_the_driver() -> None:
    assert in_store("s3://bucket/job", local=True).ok
    found = in_store("s3://bucket/job", local=False)
    assert not found.ok
    assert 'tier="columnar"' in found.hint


def test_what_a_task_is_asked_needs_nothing_of_ours_where_it_runs(tmp_path: Path) -> None:
    (tmp_path / "driver-t").touch()
    (tmp_path / "asking").write_bytes(cloudpickle.dumps(_asking(str(tmp_path), "t")))
    program = (
        "import pickle, sys; sys.modules['slackwater'] = None; "
        f"ask = pickle.load(open({str(tmp_path / 'asking')!r}, 'rb')); print(*ask([7]), sep='\\n')"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True, timeout=60
    )
    told = unpack(json.loads(done.stdout), Told)
    assert (told.python, told.packages) == (platform.python_version(), MINE)
    assert told.sees
    assert told.writes == "task-t-7"
    assert visible([told], tmp_path).ok
