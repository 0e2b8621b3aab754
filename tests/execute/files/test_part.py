"""Parts of files: together all of a file, whatever is in it and wherever it is cut."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.execute.files import part as parts
from slackwater.execute.files.form import Form
from slackwater.execute.files.part import Part, shared
from slackwater.execute.files.pieces import pieces
from slackwater.execute.files.read import read
from slackwater.query.schema import Schema

LINES = st.lists(st.text("ab ", max_size=9), max_size=20)
PAIR = Schema.of(k="bigint", v="string")


@given(LINES, st.booleans(), st.integers(1, 9), st.integers(1, 20))
def test_parts_have_all_lines_of_a_file_once_and_in_order(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], ends: bool, of: int, size: int
) -> None:
    path = tmp_path_factory.mktemp("lines") / "x.csv"
    data = ("\n".join(lines) + "\n" * ends).encode()
    path.write_bytes(data)
    found = [b"".join(pieces(Part(path, number, of), size=size)) for number in range(of)]
    assert b"".join(found) == data
    cut = b""
    for one in found[:-1]:
        cut += one
        assert not cut or cut.endswith(b"\n") or cut == data


@pytest.mark.parametrize("kind", ["csv", "json", "parquet"])
def test_a_file_in_parts_is_the_file(tmp_path: Path, kind: str) -> None:
    table = pa.table({"k": pa.array(range(1000)), "v": [f"text {n}" for n in range(1000)]})
    path = tmp_path / f"x.{kind}"
    if kind == "parquet":
        pq.write_table(table, path, row_group_size=90)
    elif kind == "csv":
        rows = zip(*table.to_pydict().values(), strict=True)
        path.write_text("k,v\n" + "".join(f"{k},{v}\n" for k, v in rows))
    else:
        path.write_text("".join(f'{{"k": {k}, "v": "text {k}"}}\n' for k in range(1000)))
    form = Form(kind, PAIR, (("header", "true"),) if kind == "csv" else (), "UTC")
    for of in (1, 2, 7, 40):
        found = [b for n in range(of) for b in read(Part(path, n, of), form, ["k", "v"])]
        assert pa.Table.from_batches(found, form.schema(["k", "v"])) == table


def test_large_files_are_cut_and_tasks_have_about_as_much(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parts, "SMALL", 10)
    sizes = {"a.csv": 1000, "b.csv": 30, "c.csv": 70, "d.csv.gz": 300}
    for name, size in sizes.items():
        (tmp_path / name).write_bytes(b"x" * size)
    found = shared([("r", tmp_path / name) for name in (*sizes, "gone.csv")], 4)
    loads = [sum(sizes.get(p.file.name, 0) // p.of for _, p in mine) for mine in found]
    assert max(loads) <= 400
    seen = sorted((p.file.name, p.number, p.of) for mine in found for _, p in mine)
    assert [(n, of) for name, n, of in seen if name == "a.csv"] == [(0, 3), (1, 3), (2, 3)]
    assert ("d.csv.gz", 0, 1) in seen
    assert ("gone.csv", 0, 1) in seen
    assert len(shared([("r", tmp_path / "b.csv")], 4)) <= 3
