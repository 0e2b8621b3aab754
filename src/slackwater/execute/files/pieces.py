"""A file of lines in pieces of whole lines, so that no more than a few are in memory."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pyarrow as pa

from slackwater.execute.files.not_plain import NotPlain
from slackwater.execute.files.part import Part

PIECE_BYTES = 4 << 20
MOST_BYTES = 64 << 20  # of a line, and of what is looked at to find its end
MARK = b"\xef\xbb\xbf"
_PACKED = {".gz": "gzip", ".bz2": "bz2"}
# Spark unpacks by the name of a file, and not all of it as Arrow does.
_ODD = (".deflate", ".snappy", ".lz4", ".zst", ".zstd", ".xz", ".lzo", ".passthrough", ".br")

Work = Callable[[bytes], pa.RecordBatch]


def pieces(part: Part, *, size: int = PIECE_BYTES) -> Iterator[bytes]:
    """The bytes of a part of a file, cut after ends of lines; the mark of UTF-8 that a file may
    begin with is left out.
    """
    rest, first = b"", part.number == 0
    for block in _blocks(part, size):
        read, first = block.removeprefix(MARK) if first else block, False
        cut = read.rfind(b"\n") + 1
        if cut:
            yield _checked(rest + read[:cut])
            rest = read[cut:]
        else:
            rest += read
        if len(rest) > MOST_BYTES:
            raise NotPlain("a line is very long")
    if rest:
        yield _checked(rest)


def _blocks(part: Part, size: int) -> Iterator[bytes]:
    if part.of > 1:
        yield from _within(part, size)
        return
    with pa.input_stream(str(part.file), compression=_compression(part.file)) as stream:
        while block := stream.read(size):
            yield block


def _within(part: Part, size: int) -> Iterator[bytes]:
    """The lines that begin in a part of a file."""
    first, end = part.span(part.file.stat().st_size)
    at, begun = max(first - 1, 0), first == 0
    with part.file.open("rb") as stream:
        stream.seek(at)
        while first < end and (block := stream.read(size)):
            if not begun:  # the line that reaches into the part is not of it
                skipped = block.find(b"\n") + 1
                at, begun = at + (skipped or len(block)), skipped > 0
                if at >= end:
                    return
                if not begun:
                    continue
                block = block[skipped:]
            cut = block.find(b"\n", max(0, end - 1 - at)) + 1
            if cut:
                yield block[:cut]
                return
            yield block
            at += len(block)


def in_order(work: Work, parts: Iterator[bytes], *, threads: bool) -> Iterator[pa.RecordBatch]:
    """The work done on each part, in their order; with threads, on a few of them at once."""
    if not threads:
        yield from map(work, parts)
        return
    width = os.cpu_count() or 1
    with ThreadPoolExecutor(width) as pool:
        waiting: deque[Future[pa.RecordBatch]] = deque()
        for part in parts:
            waiting.append(pool.submit(work, part))
            if len(waiting) > width:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def _compression(path: Path) -> str | None:
    ending = path.suffix.lower()
    if ending in _ODD or (ending in _PACKED and path.suffix not in _PACKED):
        raise NotPlain(f"files that end in {path.suffix} are unpacked by Spark")
    return _PACKED.get(ending)


def _checked(piece: bytes) -> bytes:
    """A piece without what the readers of lines see differently."""
    if b"\0" in piece:
        raise NotPlain("there is a zero byte")
    if b"\r" in piece and piece.count(b"\r") != piece.count(b"\r\n"):
        raise NotPlain("a line ends in a carriage return alone")
    return piece
