"""Answers that passed through: how many of which kind, how long after their windows."""

from __future__ import annotations

from pathlib import Path

from slackwater.history.summary import Answered, Spread
from tests.cli.reports import Story, answers, grown


def answered(story: Story) -> Answered:
    return story.shown.answers.answered(story.shown.run.history)["sums"]


def test_kinds_are_counted_and_waits_are_from_the_windows_end_to_the_clock(tmp_path: Path) -> None:
    assert answered(grown(tmp_path)) == Answered(2, 2, Spread(4.0, 4.0))


def test_estimates_are_counted_apart_from_answers(tmp_path: Path) -> None:
    found = answered(grown(tmp_path, "final", "revision", "estimate", "estimate"))
    assert (found.finals, found.revisions) == (2, 2)


def test_answers_of_a_batch_that_was_not_committed_do_not_count(tmp_path: Path) -> None:
    story = Story(tmp_path)
    story.tell(1, emitted=0)
    story.look(answers(2, "final"))
    assert answered(story).finals == 0
    story.tell(2, emitted=1)
    assert answered(story).finals == 1


def test_kinds_of_answers_that_were_not_seen_are_unknown(tmp_path: Path) -> None:
    story = Story(tmp_path)
    story.tell(1, emitted=1_000)
    assert answered(story).finals is None


def test_windows_closed_by_the_end_of_the_stream_have_no_latency(tmp_path: Path) -> None:
    story = Story(tmp_path)
    story.tell(1, "final", watermark=1 << 61, emitted=1)
    assert answered(story) == Answered(1, 0, Spread(None, None))


def test_of_batches_looked_at_together_each_has_its_own_clock(tmp_path: Path) -> None:
    story = Story(tmp_path)
    story.tell(1)
    story.tell(2)
    story.look(answers(1, "final"), answers(2, "final"))
    assert answered(story).latency_s == Spread(4.0, 4.0)
