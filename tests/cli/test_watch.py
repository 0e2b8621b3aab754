"""The terminal view: what it shows, and that it follows a run in a real (pseudo) terminal."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path

from typer.testing import CliRunner

from slackwater.cli.main import app
from slackwater.events.log import EventLog
from tests.events.joins import joined
from tests.events.story import batch, costly, ended, ranked, tell

cli = CliRunner(env={"COLUMNS": "150"})
CODE = "from slackwater.cli.main import main; main()"
_CONTROL = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


def test_one_picture_says_how_a_run_stands_and_why(tmp_path: Path) -> None:
    result = cli.invoke(app, ["watch", str(ended(tmp_path / "run", 30)), "--once"])
    assert result.exit_code == 0, result.stderr
    shown = result.stdout
    for words in ("stopped", "batch 29", "readings", "fixed", "bounded", "90.00 %", "2 s"):
        assert words in shown
    assert "why is the oldest window still open?" in shown
    assert "is open until the clock has moved on by" in shown
    assert "recent windows kept the promise" in shown
    assert "slack 4 s → 3 s" in shown
    assert re.search(r"fixed +90 +30 +3 +2 +total 9\d.\d\d % \(worst 70.00 %\)", shown)
    assert "accuracy-1 0." in shown


def test_a_run_without_estimates_has_no_line_for_them(tmp_path: Path) -> None:
    log = tell(tmp_path, 0)
    told = batch(0)
    del told["queries"]["fixed"]["estimates"]
    log.write("batch", **told)
    log.close()
    assert "mistimed" not in cli.invoke(app, ["watch", str(tmp_path), "--once"]).stdout


def test_the_time_of_a_batch_is_told_by_the_verbs_of_the_loop(tmp_path: Path) -> None:
    shown = cli.invoke(app, ["watch", str(ended(tmp_path, 3)), "--once"]).stdout
    verbs = ("observe 100", "decide 1", "execute 8", "deliver 2", "commit 2")
    assert re.search(" ms +".join(verbs), shown), shown


def test_an_older_log_is_told_by_the_verbs_it_has(tmp_path: Path) -> None:
    spent = {"record": 2.0, "observe": 100.0, "apply": 10.0, "decide": 1.0}
    shown = cli.invoke(
        app, ["watch", str(ended(tmp_path, 3, made=lambda n: batch(n) | {"ms": spent})), "--once"]
    ).stdout
    assert re.search("observe 100 ms +decide 1 ms +apply 10 ms +record 2", shown), shown


def test_a_backlog_is_shown_with_its_oldest_row(tmp_path: Path) -> None:
    shown = cli.invoke(app, ["watch", str(ended(tmp_path, 21, made=costly)), "--once"]).stdout
    assert re.search(r"backlog +waiting +set aside +oldest +worked on +expired +shed", shown), shown
    assert re.search(r"fixed +2,000 +[▁-█]+ +40 +20 s +1,260 +0 +42", shown), shown
    assert "set aside" not in cli.invoke(app, ["watch", str(ended(tmp_path / "b", 2))]).stdout


def test_ranks_are_shown_with_their_rows_their_work_and_what_promises_them(tmp_path: Path) -> None:
    shown = cli.invoke(app, ["watch", str(ended(tmp_path, 8, made=ranked)), "--once"]).stdout
    words = ("ranks", "rank", "came", "promising", "worked on", "of work", "waiting", "expired")
    assert re.search(" +".join(words), shown), shown
    assert re.search(r"fixed +1 +160 +25 +120 +42.9 % +0 +0 +0 +6\b", shown), shown
    assert re.search(r"  2 +160 +25 +40 +14.3 % +0 +40 +0 +7\b", shown), shown
    assert re.search(r"none +480 +25 +280 +42.9 % +57 +[▁-█]+ +0 +24 +–", shown), shown
    assert "promising" not in cli.invoke(app, ["watch", str(ended(tmp_path / "b", 2))]).stdout


def test_a_join_is_shown_with_its_plan_cost_memory_and_last_change(tmp_path: Path) -> None:
    shown = cli.invoke(app, ["watch", str(joined(tmp_path, 40)), "--once"]).stdout
    head = r"join +plan +predicted +measured +off by +memory +limit +change"
    assert re.search(head, shown), shown
    line = r"fixed +\(a \(b c\)\) +12 ms +10 ms +\+20 % +0.039 MB +0.03 MB +parallel, 6 batches"
    assert re.search(line, shown), shown
    assert "off by" not in cli.invoke(app, ["watch", str(ended(tmp_path / "b", 2))]).stdout


def test_a_change_of_plan_that_is_under_way_is_shown(tmp_path: Path) -> None:
    shown = cli.invoke(app, ["watch", str(joined(tmp_path, 24)), "--once"]).stdout
    line = r"fixed +\(a \(b c\)\) +12 ms +– +– +0.023 MB +0.03 MB +beside \(\(a b\) c\) since"
    assert re.search(line, shown), shown


def test_controllers_explain_themselves_without_being_known(tmp_path: Path) -> None:
    shown = cli.invoke(app, ["watch", str(ended(tmp_path, 21, made=costly)), "--once"]).stdout
    assert re.search(r"toy +fixed +pressure 0\.\d+ [▁-█]+ +mood calm 20", shown), shown
    assert re.search(r"order +fixed +plan a ⋈ b +cost \(rows\) 1,234,587 [▁-█]+ +gain –", shown)


def test_of_a_join_the_share_of_periods_with_their_recall_is_told(tmp_path: Path) -> None:
    joined = {"queries": {"j": {"join": {"inputs": {"a": "s1", "b": "s2"}}, "stages": []}},
              "contracts": {"j": {"min_recall": 0.8, "confidence": 0.9}}}  # fmt: skip
    told = batch(0, names=("j",))
    told["queries"]["j"]["quality"] = {"recall": 1.0, "phase": "model", "measured": 4, "within": 3}
    log = EventLog(tmp_path / "events.jsonl")
    log.write("start", plan=joined)
    log.write("batch", **told)
    log.close()
    shown = cli.invoke(app, ["watch", str(tmp_path), "--once"]).stdout
    assert re.search(r"90.00 % +75.00 %", shown), shown  # not the recall of the last period


def test_names_are_text_not_style(tmp_path: Path) -> None:
    folder = tmp_path / "[bold red]run"
    log = tell(folder, 1)
    log.write("batch", **batch(1, names=("[blink]q[/]",)))
    log.write("notice", batch=1, text="[link=file:///x]click[/link]")
    log.close()
    shown = cli.invoke(app, ["watch", str(folder)]).stdout
    assert "[bold red]run" in shown
    assert "[blink]q[/]" in shown
    assert "[link=file:///x]click[/link]" in shown


def test_what_is_no_run_is_refused(tmp_path: Path) -> None:
    result = cli.invoke(app, ["watch", str(tmp_path)])
    assert result.exit_code == 2
    assert "[CHECKPOINT_MISSING]" in result.stderr


def test_a_run_without_batches_is_waited_for(tmp_path: Path) -> None:
    tell(tmp_path, 0).close()
    assert "waiting for the first one" in cli.invoke(app, ["watch", str(tmp_path)]).stdout


def test_in_a_terminal_the_view_follows_the_run_until_interrupted(tmp_path: Path) -> None:
    log = tell(tmp_path, 3)
    child, terminal = pty.fork()
    if child == 0:  # pragma: no cover - the other process
        os.execv(sys.executable, [sys.executable, "-c", CODE, "watch", str(tmp_path)])
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 150, 0, 0))
    try:
        read_until(terminal, lambda text: "batch 2" in text and "bounded" in text)
        log.write("batch", **{**batch(3), "at": int(time.time() * 1e6)})
        shown = read_until(terminal, lambda text: "batch 3" in text)
        assert "live" in shown
        os.kill(child, signal.SIGINT)
        read_until(terminal, lambda _: False)  # until it is closed
    finally:
        log.close()
        os.close(terminal)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) in (0, 130)


def read_until(terminal: int, is_enough: Callable[[str], bool], seconds: float = 30) -> str:
    """What a terminal shows, without control sequences, until there is enough or it is closed."""
    text = ""
    limit = time.monotonic() + seconds
    while time.monotonic() < limit:
        ready, _, _ = select.select([terminal], [], [], 0.5)
        if not ready:
            continue
        try:
            data = os.read(terminal, 65_536)
        except OSError:  # how Linux says that the other side is closed
            return text
        text += _CONTROL.sub("", data.decode("utf-8", "replace"))
        if not data or is_enough(text):
            return text
    raise AssertionError(f"not seen in {seconds} s:\n{text[-3000:]}")
