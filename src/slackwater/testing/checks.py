"""Conformance: what every sink must do, tried on yours."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa

from slackwater.execute.sinks.sink import Sink, TableResults, Target

Rows = list[dict[str, object]]
SCHEMA = pa.schema({"n": pa.int64()})


class NonconformityError(AssertionError):
    """A sink does not do what the engine relies on."""


def check_sink(make: Callable[[], Sink], read: Callable[[], Rows], *, hides: bool = True) -> None:
    """Try a sink: repeats, crashes before and after the manifest, recovery.

    Parameters
    ----------
    make
        A new object for the same place, as after a restart of the process.
    read
        All rows that somebody sees at that place now.
    hides
        Whether prepared rows are hidden until they are committed. A sink that cannot hide them
        must skip, or replace, what comes again under the same batch id.
    """
    _told(make, read, hides)
    _repeated(make, read)
    _dead_before_manifest(make, read)
    _dead_after_manifest(make, read)


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


def _opened(make: Callable[[], Sink], last: int) -> Sink:
    sink = make()
    sink.open(Target("checked", schema=SCHEMA))
    sink.recover(last)
    return sink


def _results(*numbers: int) -> TableResults:
    return TableResults(pa.table({"n": pa.array(numbers, pa.int64())}, SCHEMA))


def _seen(read: Callable[[], Rows]) -> list[object]:
    return sorted((row["n"] for row in read()), key=repr)


def _expect(holds: bool, sentence: str) -> None:
    if not holds:
        raise NonconformityError(sentence)
