"""The views of a run that goes on here, and its summary for people."""

from __future__ import annotations

import io
import json
from dataclasses import asdict
from pathlib import Path

from rich.console import Console

from slackwater.cli.show.summary import print_summary
from slackwater.cli.show.view import PlainView, open_view
from slackwater.history.summary import summarize
from tests.cli.reports import ESTIMATES, Story, grown
from tests.events.story import ranked

PLACES = {"results": {"sums": "here"}, "side": {"sums": "aside"}, "events": "", "log": ""}


def picture(story: Story, seconds: float = 4.0) -> str:
    paper = Console(width=120, file=io.StringIO(), record=True)
    paper.print(story.shown.picture(seconds))
    return paper.export_text()


def summary(story: Story) -> str:
    shown = story.shown
    found = summarize(shown.run.history, 4.0, shown.answers.answered(shown.run.history))
    paper = Console(width=160, file=io.StringIO(), record=True)
    print_summary(paper, {**asdict(found), **PLACES})
    return paper.export_text()


def test_a_picture_shows_clock_watermark_lag_late_rows_and_newest_answers(tmp_path: Path) -> None:
    text = picture(grown(tmp_path))
    for shown in ("2024-01-01 00:00:20", "00:00:18", "2 s", "revision 1", "30 rows in 2 runs"):
        assert shown in text
    assert "newest of sums" in text
    assert "for 4 s" in text


def test_a_picture_shows_how_much_of_the_time_has_passed(tmp_path: Path) -> None:
    assert "of 60 s" in picture(Story(tmp_path, limit=60.0))


def test_before_the_first_batch_there_is_a_picture(tmp_path: Path) -> None:
    assert "waiting for the first one" in picture(Story(tmp_path))


def test_estimates_are_mentioned_while_running_and_at_the_end(tmp_path: Path) -> None:
    kinds = ("final", "revision", "estimate", "estimate")
    story = grown(tmp_path / "with", *kinds, estimates=ESTIMATES)
    live = picture(story)
    assert "total 92.50 % (worst 60.00 %)" in live
    assert "estimate 0" not in live  # among the newest answers
    words = "60 by 4 prods; total 92.50 % accurate, worst 60.00 %; accuracy-1 at 0.25; 2 mistimed"
    assert words in summary(story)
    assert "estimates of" not in summary(grown(tmp_path / "without"))


def test_a_backlog_is_mentioned_while_running_and_at_the_end(tmp_path: Path) -> None:
    backlog = {"todo": 1_200, "aside": 34, "shed": 7, "worked": 500}
    story = grown(tmp_path / "with", backlog=backlog)
    assert "1,200" in picture(story)
    assert "backlog of sums  1,000 rows worked on, 1,234 wait, 14 shed" in summary(story)
    assert "backlog" not in picture(grown(tmp_path / "without"))


def test_ranks_are_told_while_running_and_at_the_end(tmp_path: Path) -> None:
    story = grown(tmp_path, backlog=ranked(1)["queries"]["fixed"]["backlog"])
    assert "promising" in picture(story)
    text = summary(story)
    assert "backlog of sums         110 rows worked on, 51 wait, 20 expired, 6 shed" in text
    assert "rank 1 of sums          40 rows came, 2 of them promising; 30 worked on" in text
    assert "without a rank of sums  120 rows came" in text


def test_the_end_of_a_stream_is_said_instead_of_a_watermark(tmp_path: Path) -> None:
    story = grown(tmp_path)
    story.tell(3, watermark=1 << 61)
    assert " end " in picture(story)


def test_lines_for_pipes_are_printed_once_per_batch(tmp_path: Path) -> None:
    file = io.StringIO()
    view = PlainView(Console(file=file, width=40), grown(tmp_path).shown.run)
    view.show(1.0)
    view.show(1.2)
    assert len(file.getvalue().splitlines()) == 1
    assert "batch 2  rows 200" in file.getvalue()


def test_json_lines_are_the_batches_of_this_start(tmp_path: Path) -> None:
    grown(tmp_path)  # an earlier one
    file = io.StringIO()
    again = Story(tmp_path)
    with open_view("json", Console(file=file, width=40), again.shown) as view:
        again.tell(3)  # told late, as after a crash
        assert file.getvalue() == ""
        again.tell_start()
        again.tell(4)
        again.tell(5)
        view.show(1.0)
        view.show(1.2)
    lines = [json.loads(line) for line in file.getvalue().splitlines()]
    assert [(line["event"], line["batch"]) for line in lines] == [("batch", 4), ("batch", 5)]


def test_in_a_terminal_the_picture_is_drawn_again_as_the_run_goes_on(tmp_path: Path) -> None:
    story, file = grown(tmp_path), io.StringIO()
    terminal = Console(file=file, width=120, height=60, force_terminal=True)
    with open_view("screen", terminal, story.shown) as view:
        view.show(1.0)
        assert "newest of sums" in file.getvalue()
        before = len(file.getvalue())
        story.tell(3, "final")
        view.show(2.0)
    drawn = file.getvalue()[before:]
    assert "00:00:30" in drawn  # the clock of the third batch
    assert "slackwater watch" not in drawn
