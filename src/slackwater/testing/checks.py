"""Conformance: what every sink must do, tried on yours."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa

from slackwater.execute.sinks.sink import Sink, TableResults, Target

Rows = list[dict[str, object]]
Answer = tuple[int, str | None, str, int, int]  # as ANSWERS, the instant in seconds
SCHEMA = pa.schema({"n": pa.int64()})
ANSWERS = pa.schema(
    {
        "window_start": pa.timestamp("us", "UTC"),
        "k": pa.string(),
        "kind": pa.string(),
        "revision": pa.int32(),
        "n": pa.int64(),
    }
)


class NonconformityError(AssertionError):
    """A sink does not do what the engine relies on."""


def check_sink(
    make: Callable[[], Sink],
    read: Callable[[], Rows],
    *,
    hides: bool = True,
    goes_back: bool = True,
) -> None:
    """Try a sink: repeats, crashes before and after the manifest, recovery, a repaired checkpoint.

    Parameters
    ----------
    make
        A new object for the same place, as after a restart of the process.
    read
        All rows that somebody sees at that place now.
    hides
        Whether prepared rows are hidden until they are committed. A sink that cannot hide them
        must skip, or replace, what comes again under the same batch id.
    goes_back
        Whether it forgets what is later than the batch it recovers, as it must after ``slackwater
        repair``. One that does not must not be used with a repaired checkpoint, or refuse it.
    """
    _told(make, read, hides)
    _repeated(make, read)
    _dead_before_manifest(make, read)
    _dead_after_manifest(make, read)
    if goes_back:
        _repaired(make, read)


def check_latest(make: Callable[[], Sink], read: Callable[[], Rows]) -> None:
    """Try a sink that keeps one row for each key: which of several counts, nulls, repeats.

    ``make`` and ``read`` are those of :func:`check_sink`, of a place of their own.
    """
    sink = make()
    sink.open(Target("checked", schema=ANSWERS, keys=("window_start", "k")))
    sink.recover(-1)
    told: tuple[list[Answer], ...] = (
        [(0, "a", "estimate", 0, 1), (0, None, "final", 0, 2), (1, "a", "final", 0, 3)],
        [(0, "a", "estimate", 2, 4), (0, "a", "estimate", 1, 5)],
        [(0, "a", "final", 0, 6), (0, "a", "estimate", 9, 7)],
        [(0, None, "revision", 2, 8), (0, None, "revision", 1, 9), (2, "b", "final", 0, 10)],
        [(0, "a", "estimate", 10, 11), (1, "a", "revision", 1, 12)],
    )
    shown = ([1, 2, 3], [2, 3, 4], [2, 3, 6], [3, 6, 8, 10], [6, 8, 10, 12])
    for batch, (rows, expected) in enumerate(zip(told, shown, strict=True)):
        for _ in range(2):
            sink.prepare(batch, TableResults(_answers(rows)))
        sink.commit(batch)
        sink.commit(batch)
        _expect(
            _seen(read) == sorted(expected, key=repr),
            f"of each key the row that counts is seen after batch {batch}",
        )


def _told(make: Callable[[], Sink], read: Callable[[], Rows], hides: bool) -> None:
    sink = _opened(make, -1)
    _expect(sink.prepare(0, _results(1, 2)) == 2, "prepare gives the number of rows")
    if hides:
        _expect(_seen(read) == [], "nothing is seen before the commit")
    sink.commit(0)
    _expect(_seen(read) == [1, 2], "what is committed is seen")
    sink.prepare(1, _results())
    sink.commit(1)
    sink.commit(2)
    _expect(_seen(read) == [1, 2], "a batch without rows, or never prepared, shows nothing")


def _repeated(make: Callable[[], Sink], read: Callable[[], Rows]) -> None:
    sink = _opened(make, 1)
    for _ in range(2):
        sink.prepare(2, _results(3))
    for _ in range(2):
        sink.commit(2)
    _expect(_seen(read) == [1, 2, 3], "a batch that is prepared and committed twice counts once")


def _dead_before_manifest(make: Callable[[], Sink], read: Callable[[], Rows]) -> None:
    _opened(make, 2).prepare(3, _results(4))
    sink = _opened(make, 2)  # batch 3 was not finished: it comes again
    sink.prepare(3, _results(4))
    sink.commit(3)
    _expect(_seen(read) == [1, 2, 3, 4], "a batch that died before its manifest counts once")


def _dead_after_manifest(make: Callable[[], Sink], read: Callable[[], Rows]) -> None:
    _opened(make, 3).prepare(4, _results(5))
    _opened(make, 4)  # the manifest of batch 4 is there: it does not come again
    _expect(_seen(read) == [1, 2, 3, 4, 5], "a batch that died after its manifest is not lost")
    _opened(make, 4)
    _expect(_seen(read) == [1, 2, 3, 4, 5], "a restart changes nothing")


def _repaired(make: Callable[[], Sink], read: Callable[[], Rows]) -> None:
    sink = _opened(make, 2)  # the checkpoint went back: batches 3 and 4 come with other rows
    _expect(_seen(read) == [1, 2, 3], "what is later than the batch gone back to is forgotten")
    for batch, number in ((3, 6), (4, 7)):
        sink.prepare(batch, _results(number))
        sink.commit(batch)
    _expect(_seen(read) == [1, 2, 3, 6, 7], "after going back an id may come with other rows")


def _answers(rows: list[Answer]) -> pa.Table:
    columns = [list(column) for column in zip(*rows, strict=True)]
    columns[0] = [second * 1_000_000 for second in columns[0]]
    return pa.table(columns, names=ANSWERS.names).cast(ANSWERS)


def _opened(make: Callable[[], Sink], last: int) -> Sink:
    sink = make()
    sink.open(Target("checked", schema=SCHEMA, keys=("n",)))
    sink.recover(last)
    return sink


def _results(*numbers: int) -> TableResults:
    return TableResults(pa.table({"n": pa.array(numbers, pa.int64())}, SCHEMA))


def _seen(read: Callable[[], Rows]) -> list[object]:
    return sorted((row["n"] for row in read()), key=repr)


def _expect(holds: bool, sentence: str) -> None:
    if not holds:
        raise NonconformityError(sentence)
