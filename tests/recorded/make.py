"""Record checkpoints: ``python -m tests.recorded.make [CASE ...]``.

Each archive has a checkpoint with open state, the input so far, the input that comes ``later``, and
what a run that was never interrupted tells (``expected.json``). They were written by the version of
Slackwater whose format the folder names, so that later versions can show that they go on from
there. Do not make them anew with a later version: a new format gets a folder of its own.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

from pyspark.sql import SparkSession

import slackwater as sw
from slackwater.runs.checkpoint import FORMAT, Checkpoint
from slackwater.runs.manifest import Manifest
from tests.recorded.archive import folder_of, pack
from tests.recorded.case import CASES, Case, told, write_batches


def make(spark: SparkSession, case: Case) -> None:
    """Run a case twice, undisturbed and interrupted, and pack what the second left."""
    with tempfile.TemporaryDirectory() as scratch:
        calm, folder = Path(scratch) / "calm", Path(scratch) / "broken"
        write_batches(calm, range(case.batches), case.batches)
        case.run(spark, calm, ends=True)
        interrupt(spark, case, folder)
        write_batches(folder / "later", range(_there(case), case.batches), case.batches)
        text = json.dumps(told(calm), indent=0, sort_keys=True)
        (folder / "expected.json").write_text(text)
        pack(folder, folder_of(FORMAT) / f"{case.name}.tar.gz")


def _there(case: Case) -> int:
    """How many batches of files there were: one more than done, if that one was begun."""
    return case.before + case.dies


def interrupt(spark: SparkSession, case: Case, folder: Path) -> None:
    """Leave a checkpoint behind that was stopped, or whose process died before a manifest."""
    write_batches(folder, range(_there(case)), case.batches)
    with _picture(folder, case.before if case.dies else None):
        case.run(spark, folder, ends=False)
    if case.dies:
        picture = folder.with_name("picture")
        shutil.rmtree(folder)
        picture.rename(folder)


@contextmanager
def _picture(folder: Path, batch: int | None) -> Iterator[None]:
    """Copy the folder just before a batch is committed: what a death at that point leaves."""
    commit = Checkpoint.commit

    def pictured(self: Checkpoint, manifest: Manifest) -> None:
        if manifest.batch == batch:
            shutil.copytree(folder, folder.with_name("picture"))
        commit(self, manifest)

    with patch.object(Checkpoint, "commit", pictured):
        yield


def main(*names: str) -> None:
    conf = {"spark.sql.session.timeZone": "UTC", "spark.sql.shuffle.partitions": "2"}
    spark = sw.local_session("recorded", cores=2, conf={**conf, "spark.ui.enabled": "false"})
    for case in CASES:
        if not names or case.name in names:
            make(spark, case)
            print(case.name, (folder_of(FORMAT) / f"{case.name}.tar.gz").stat().st_size, flush=True)
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
