"""Documents for the tests of the command line."""

from __future__ import annotations

from pathlib import Path

GENERATED = """
[source.readings]
kind = "generator"
rows_per_second = 100
total_rows = 2000
disorder = { late = 0.2, delay = "pareto", scale = "500 ms", cap = "20 s" }

[[query]]
name = "totals"
from = "readings"
where = "value > 0"
select = ["key % 4 AS sensor", "value"]
window = "10 s"
slide = "2 s"
group_by = "sensor"
slack = "1 s"
late = "revise"
keep = "30 s"
[query.aggregate]
n = "count(*)"
mean = "avg(value)"
[[query.then]]
window = "20 s"
aggregate = { n = "sum(n)", mean = "avg(mean)" }
"""

FILES = """
[pipeline]
checkpoint = "state"
trigger = "available-now"

[source.readings]
kind = "files"
path = "rows"
time = "ts"
files_per_batch = 2

[[query]]
name = "sums"
from = "readings"
where = ["value >= 1", "sensor < 3"]
window = "10 s"
slide = "5 s"
group_by = ["sensor"]
aggregate = { n = "count(*)", total = "sum(value)" }
slack = "1 hour"
sink = { kind = "parquet", path = "out/sums" }
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "pipeline.toml"
    path.write_text(text, encoding="utf-8")
    return path
