"""The report is the page in one file: nothing outside, nothing that data could break out of."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from slackwater.dashboard.page import STATIC
from slackwater.dashboard.report import report, write_report
from slackwater.events.log import EventLog
from slackwater.history.follow import Follower
from tests.events.story import batch, ended


def test_modules_share_no_names_so_that_they_fit_into_one_scope() -> None:
    declared = re.compile(
        r"^(?:export )?(?:async )?(?:function|class|const|let) +(\w+)", re.MULTILINE
    )
    names = Counter(
        name for file in STATIC.glob("*.js") for name in declared.findall(file.read_text())
    )
    assert [name for name, count in names.items() if count > 1] == []


def test_everything_is_inside(tmp_path: Path) -> None:
    size = write_report([ended(tmp_path / "run", 20)], tmp_path / "r.html")
    html = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert size == (tmp_path / "r.html").stat().st_size
    assert not re.search(r"<(?:link|script)[^>]+(?:src|href)=\"(?!data:)", html)
    assert not re.search(r"^(?:import|export) ", html, re.MULTILINE)
    assert "default-src 'none'" in html


def test_data_cannot_end_the_script_it_stands_in(tmp_path: Path) -> None:
    log = EventLog(tmp_path / "events.jsonl")
    log.write("batch", **batch(0, names=("</script><script>alert(1)</script><!--",)))
    log.close()
    run = Follower(tmp_path)
    run.look_through()
    run.close()
    html = report([run])
    assert "alert(1)</script>" not in html
    assert html.count("<script") == html.count("</script>") == 3
