"""Requests that cannot be answered: what people, programs and disks come up with."""

from __future__ import annotations

import json
import os
from pathlib import Path

DEEP = 3_000
WHERES: dict[str, str] = {
    "text for a number": "n = 'abc'",
    "text for a time": "window_end = 'yesterday'",
    "no such time": "window_end = TIMESTAMP '2026-02-31 25:00:00'",
    "last of all times": "window_start = TIMESTAMP '9999-12-31 23:59:59'",
    "first of all times": "window_start < TIMESTAMP '0001-01-01 00:00:00'",
    "span without end": "window_end + INTERVAL '999999999' YEAR > window_start",
    "no number": "cast(t AS int) = 1",
    "too large a number": "k = 99999999999999999999999999999999999999999999",
    "overflow": "n * 9223372036854775807 > 0",
    "infinite": "k < 1e400",
    "division by zero": "n / 0 > 1",
    "no such function": "nosuch(k) = 1",
    "wrong number of arguments": "abs(k, 1, 2) = 1",
    "a function that fails": "raise_error('on purpose') IS NULL",
    "a function of the driver only": "error('on purpose') IS NULL",
    "an aggregate": "sum(n) > 1",
    "a count": "count(*) > 1",
    "a window function": "row_number() OVER (ORDER BY n) = 1",
    "many rows of one": "explode(array(1, 2)) = 1",
    "a subquery": "k = (SELECT max(k) FROM opened)",
    "a star": "*",
    "a parameter": "k = :x",
    "a nameless parameter": "k = ?",
    "a parameter of ours": "k = $origin",
    "a lambda": "x -> x + 1",
    "no condition": "k + 1",
    "no condition but a column": "t",
    "a struct": "struct(k, n) = 1",
    "nothing": "",
    "blank": "  ",
    "no value": "NULL",
    "no member": "k IN ()",
    "half": "k =",
    "no such column": "z = 1",
    "a column of ours": "__start = 1",
    "two statements": "k = 1; DROP TABLE opened",
    "deep": "(" * DEEP + "k = 1" + ")" * DEEP,
    "deep in words": "NOT " * DEEP + "k = 1",
    "deep calls": "abs(" * DEEP + "k" + ")" * DEEP + " = 1",
    "long": " OR ".join(f"k = {n}" for n in range(DEEP)),
    "many conditions": " AND ".join(["k=1"] * 600),
    "many choices": " OR ".join(f"k={n}" for n in range(300)),
    "many sums": "k" + "+1" * 1_500 + " = 1",
    "many values": f"k IN ({', '.join(str(n) for n in range(500))})",
    "too long": "k = " + "1" * 2_000_000,
    "half a character": "t = '\ud800'",
    "a character that ends texts": "t = '\x00'",
}
FILES: dict[str, str | bytes] = {
    "empty": "",
    "half a file": '{"query": "q"',
    "no text": b"\xff\xfe\x00\x01",
    "null": "null",
    "a number": "3",
    "a text": '"q"',
    "a list": "[]",
    "nested": "[" * 100_000,
    "nested inside": '{"query": "q", "where": ' + "[" * 100_000,
    "no query": "{}",
    "null for a query": '{"query": null}',
    "a number for a query": '{"query": 5}',
    "a table for a query": '{"query": {"a": 1}}',
    "a list for a query": '{"query": ["q"]}',
    "another query": '{"query": "other"}',
    "a query that is no text": '{"query": "\\ud800"}',
    "a number for a condition": '{"query": "q", "where": 5}',
    "a list for a condition": '{"query": "q", "where": ["k = 1"]}',
    "a text for a number": '{"query": "q", "aggressiveness": "fast"}',
    "yes for a number": '{"query": "q", "aggressiveness": true}',
    "not a number": '{"query": "q", "aggressiveness": NaN}',
    "infinity": '{"query": "q", "aggressiveness": Infinity}',
    "minus infinity": '{"query": "q", "aggressiveness": -Infinity}',
    "huge": '{"query": "q", "aggressiveness": 1e308}',
    "hugely negative": '{"query": "q", "aggressiveness": -1e308}',
    "a number of 400 digits": '{"query": "q", "aggressiveness": 1' + "0" * 400 + "}",
    "a number of 5000 digits": '{"query": "q", "aggressiveness": 1' + "0" * 5_000 + "}",
    "before its window": '{"query": "q", "aggressiveness": 1.5}',
    "text for yes": '{"query": "q", "automatic": "yes"}',
    "null for yes": '{"query": "q", "automatic": null}',
    "both": '{"query": "q", "automatic": true, "aggressiveness": 0.5}',
    "an unknown key": '{"query": "q", "when": "now"}',
    "an id": '{"query": "q", "id": "x"}',
    "control-²-0": '{"query": "q", "where": "k = = 1"}',
    "control-x-y": '{"query": "q", "where": "k = = 1"}',
}


def leave_wheres(folder: Path) -> set[str]:
    """Every bad condition as a file; give the ids."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, where in WHERES.items():
        text = json.dumps({"query": "q", "where": where})
        (folder / f"{name}.json").write_text(text)
    return set(WHERES)


def leave_files(folder: Path) -> set[str]:
    """Every bad file, and what looks like one; give the ids."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in FILES.items():
        data = content.encode() if isinstance(content, str) else content
        (folder / f"{name}.json").write_bytes(data)
    (folder / "a folder.json").mkdir()
    (folder / "a link to nowhere.json").symlink_to(folder / "nowhere")
    os.mkfifo(folder / "a pipe.json")
    (folder / os.fsdecode(b"no name \xff.json")).write_text('{"query": "q"}')
    return {*FILES, "a folder", "a link to nowhere", "a pipe", "no name \ufffd"}
