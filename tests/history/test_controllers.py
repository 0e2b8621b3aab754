"""What controllers explain is kept without knowing them: numbers as columns, words as said last."""

from __future__ import annotations

import pytest

from slackwater.history.controllers import explained, field_of, parts_of
from slackwater.history.history import History
from slackwater.history.table import Key
from tests.events.story import SECOND, batch, costly, plan


def told(*numbers: int) -> History:
    history = History()
    history.use_plan(plan())
    history.add([{"event": "batch", **costly(number)} for number in numbers])
    return history


def test_numbers_have_a_course_and_words_are_kept_as_said_last() -> None:
    history = told(1, 2, 3)
    course = history.table.column(Key("controller", "fixed", "order/cost (rows)"))
    assert course.tolist() == [1_234_568, 1_234_569, 1_234_570]
    assert history.explained["fixed"]["toy"]["mood"] == "calm 3"
    assert history.explained["fixed"]["order"]["gain"] is None
    fields = {key.field for key in history.table.keys if key.group == "controller"}
    assert fields == {"toy/pressure", "order/cost (rows)"}


def test_a_query_without_controllers_explains_nothing() -> None:
    history = History()
    history.add([{"event": "batch", **batch(0)}])
    assert history.explained == {}
    assert not [key for key in history.table.keys if key.group == "controller"]


def test_what_a_batch_does_not_explain_stays_as_it_was_said_last() -> None:
    history = told(1)
    history.add([{"event": "batch", **batch(2)}])
    assert history.explained["fixed"]["toy"]["mood"] == "calm 1"


def test_a_repair_takes_explanations_back() -> None:
    history = told(1, 2)
    history.add([{"event": "repair", "batch": 1}])
    assert history.explained == {}
    history.add([{"event": "batch", **costly(2)}])
    assert history.explained["fixed"]["toy"]["mood"] == "calm 2"


def test_a_label_may_contain_anything() -> None:
    assert parts_of(field_of("toy", "rows/s")) == ("toy", "rows/s")


@pytest.mark.parametrize(
    "told",
    [None, [], "words", {"toy": 5}, {"toy": {"list": [1], "object": {}, "huge": 1 << 70}}],
)
def test_what_cannot_be_shown_is_left_out(told: object) -> None:
    assert not any(explained(told).values())


def test_of_a_backlog_levels_stay_and_counts_add_up_when_thinned() -> None:
    history = History(most=2)
    history.add([{"event": "batch", **costly(number)} for number in range(4)])
    assert history.table.size == 2
    assert history.table.last(Key("backlog", "fixed", "aside")) == 40
    assert history.table.last(Key("backlog", "fixed", "todo")) == 300
    assert history.table.total(Key("backlog", "fixed", "shed")) == 8


def test_the_age_of_the_oldest_row_is_by_the_querys_clock() -> None:
    assert told(4).table.last(Key("backlog", "fixed", "age")) == 4 * SECOND
