"""Exactly once over a store that fails, throttles, loses replies, answers twice and lists late.

The store is an S3 stand-in on loopback, asked by the real client through a proxy that fails.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import obstore
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from obstore.store import S3Store

import slackwater as sw
from slackwater.errors import CheckpointError, StorageError
from slackwater.query.stream import Query
from slackwater.runs.objects import bucket as buckets
from slackwater.runs.objects import copied
from slackwater.runs.objects.bucket import Bucket
from slackwater.runs.objects.located import copy_of
from tests.driver import Driver, feed, make_loop, readings
from tests.faulty_store import FAULTS, FaultyStore, faulty, s3
from tests.story import batches, ending

__all__ = ["s3"]
QUICK = {
    "max_retries": 3,
    "retry_timeout": timedelta(seconds=10),
    "backoff": {
        "init_backoff": timedelta(milliseconds=2),
        "max_backoff": timedelta(milliseconds=9),
    },
}


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(buckets, "RETRY", QUICK)
    monkeypatch.setattr(copied, "LOGS_EVERY", -1.0)
    monkeypatch.setenv("SLACKWATER_WORK", str(tmp_path / "work"))


def told() -> tuple[Query, ...]:
    counted = readings("1 day").window("4 s", "2 s").group_by("k").aggregate(n="count(*)")
    return (counted.query("q", sw.slack("2 s"), late="side", estimates=sw.estimates(every="4 s")),)


def live(tables: list[pa.Table], at: str) -> bool:
    """One life; whether it came to the end of the stream."""
    try:
        loop = make_loop(told(), at)
    except StorageError:
        return False
    try:
        if not loop.sealed:
            loop.finish_begun()
        if not loop.sealed:
            for number in range(loop.batch + 1, len(tables)):
                feed(loop, tables[number], number)
            loop.finish()
    except StorageError:
        return False
    finally:
        loop.close()
    return True


def download(store: FaultyStore, name: str, folder: Path) -> Path:
    """What readers see, past all faults."""
    host, port = store.backend
    direct = S3Store(name, endpoint=f"http://{host}:{port}", client_options={"allow_http": True})
    for one in obstore.list(direct, "job").collect():
        file = folder / Path(one["path"]).relative_to("job")
        if "_staging" not in file.parts:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(bytes(obstore.get(direct, one["path"]).bytes()))
    return folder


def lives_until_done(backend: tuple[str, int], folder: Path, seed: int, share: float) -> int:
    """The number of lives, each on another machine, that a stream took."""
    tables, name, lives = batches(5), f"faulty-{seed}", 1
    Driver().run(told(), tables, folder / "calm")
    with faulty(backend, name, seed=seed, share=share) as store:
        at = f"s3://{name}/job"
        while not live(tables, at):
            lives += 1
            assert lives < 50
            shutil.rmtree(folder / "work", ignore_errors=True)
        seen = download(store, name, folder / "seen")
        shutil.copy(copy_of(at) / "events.jsonl", seen / "events.jsonl")
        assert ending(seen) == ending(folder / "calm")
        assert len(store.met) > len(FAULTS) - 2
    return lives


def test_a_store_that_fails_loses_and_doubles_nothing(s3: tuple[str, int], tmp_path: Path) -> None:
    lives_until_done(s3, tmp_path, seed=1, share=0.2)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [2, 3, 4, 5])
def test_a_store_that_fails_half_of_the_time_ends_lives(
    s3: tuple[str, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setattr(buckets, "RETRY", {**QUICK, "max_retries": 1})
    assert lives_until_done(s3, tmp_path, seed=seed, share=0.4) > 1


def test_a_change_whose_reply_was_lost_is_known_as_our_own(s3: tuple[str, int]) -> None:
    with faulty(s3, "lost") as store:
        bucket = Bucket.at("s3://lost/place")
        found = iter(["no reply", None, None, "error after all", None, None, "twice", None])
        store.draw = lambda: next(found)  # type: ignore[method-assign]
        first = bucket.swap("head", b"one", None)
        second = bucket.swap("head", b"two", first)
        third = bucket.swap("head", b"three", second)
        store.draw = lambda: None  # type: ignore[method-assign]
        assert None not in (first, second, third)
        assert bucket.swap("head", b"four", second) is None
        now = bucket.get("head")
        assert now is not None
        assert (now.data, now.tag) == (b"three", third)


@pytest.fixture
def careless(s3: tuple[str, int]) -> Iterator[str]:
    """A store that writes whatever it is asked to write."""
    with faulty(s3, "careless") as store:
        store.refuses_conditions = False
        yield "s3://careless/job"


def test_a_store_without_conditional_writes_is_refused(careless: str) -> None:
    with pytest.raises(CheckpointError, match="does not refuse a conditional write") as caught:
        make_loop(told(), careless)
    assert caught.value.condition == "STORE_UNCONDITIONAL"
    assert "two pipelines could write the same batch" in caught.value.message


def test_a_store_that_stays_away_ends_the_pipeline_and_says_so(s3: tuple[str, int]) -> None:
    with faulty(s3, "away") as store:
        loop = make_loop(told(), "s3://away/job")
        feed(loop, batches(1)[0], 0)
        store.draw = lambda: "slow down"  # type: ignore[method-assign]
        with pytest.raises(StorageError, match="s3://away/job/") as caught:
            feed(loop, batches(2)[1], 1)
        loop.close()
        assert caught.value.condition == "STORE_FAILED"
        assert "committed batches are safe" in caught.value.hint
        store.draw = lambda: None  # type: ignore[method-assign]
        again = make_loop(told(), "s3://away/job")
        assert again.batch == 0
        again.close()


def test_a_bucket_that_is_not_there_is_named(s3: tuple[str, int]) -> None:
    with faulty(s3, "there"), pytest.raises(StorageError, match="s3://nowhere/job") as caught:
        make_loop(told(), "s3://nowhere/job")
    assert caught.value.condition == "STORE_FAILED"


def test_a_head_that_was_damaged_is_refused(s3: tuple[str, int], tmp_path: Path) -> None:
    with faulty(s3, "damaged"):
        make_loop(told(), "s3://damaged/job").close()
        bucket = Bucket.at("s3://damaged/job")
        head = bucket.get("head.json")
        assert head is not None
        assert json.loads(head.data)["body"]["writer"]["left"] is True
        bucket.put("head.json", head.data.replace(b'"left": true', b'"left": null'))
        with pytest.raises(CheckpointError, match="is not what was written") as caught:
            make_loop(told(), "s3://damaged/job")
    assert caught.value.condition == "CHECKPOINT_DAMAGED"


def test_results_in_a_store_are_read_by_any_reader_of_parquet(
    s3: tuple[str, int], tmp_path: Path
) -> None:
    """A local checkpoint with results in a store: the place belongs to that checkpoint."""
    window = readings("1 day").window("4 s").aggregate(n="count(*)")
    with faulty(s3, "results") as store:
        sink = sw.parquet("s3://results/job")
        query = window.query("q", sw.slack("2 s"), sink=sink)
        Driver().run((query,), batches(4), tmp_path / "mine")
        calm = window.query("q", sw.slack("2 s"), sink=sw.parquet(tmp_path / "calm"))
        Driver().run((calm,), batches(4), tmp_path / "other")
        seen = download(store, "results", tmp_path / "seen")
        rows, expected = (
            sorted(pq.read_table(place).drop(["emitted_at"]).to_pylist(), key=repr)
            for place in (seen, tmp_path / "calm")
        )
        assert rows == expected
        with pytest.raises(sw.SinkError, match="results of query 'q' of the checkpoint in"):
            Driver().run((query,), batches(1), tmp_path / "third")
