from __future__ import annotations

from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from slackwater.errors import SlackwaterError
from slackwater.stats.arrival import Arrival, arrivals, arrivals_with, instants


@pytest.mark.spec("qddh:F001")
def test_an_arrival_carries_stream_sequence_number_event_time_and_payload() -> None:
    first, second = arrivals_with([7, 5], ["a", "b"], stream="orders")
    assert first == Arrival(stream="orders", seq=0, ts=7, payload="a")
    assert (second.stream, second.seq, second.ts, second.payload) == ("orders", 1, 5, "b")


@pytest.mark.spec("qddh:F001")
def test_several_tuples_may_share_a_timestamp_and_stay_distinct() -> None:
    one, other = arrivals([5, 5])
    assert one.ts == other.ts
    assert one != other


def test_an_arrival_does_not_change() -> None:
    (arrival,) = arrivals([5])
    with pytest.raises(FrozenInstanceError):
        arrival.ts = 6  # type: ignore[misc]


def test_columns_of_different_length_are_refused() -> None:
    with pytest.raises(ValueError, match="shorter"):
        arrivals_with([1, 2], ["a"])


def test_instants_keep_whole_numbers_and_accept_an_empty_column() -> None:
    assert instants([3, 1, 2]).tolist() == [3, 1, 2]
    assert instants([]).dtype == np.int64


@pytest.mark.parametrize("column", [[1.5, 2.0], [[1], [2]], ["a"], 3])
def test_instants_that_are_no_column_of_integers_are_refused(column: object) -> None:
    with pytest.raises(SlackwaterError, match="arrived must be one column of integers") as caught:
        instants(column, what="arrived")  # type: ignore[arg-type]
    assert caught.value.condition == "INSTANTS_INVALID"


def test_an_arrival_can_be_built_with_the_type_of_its_payload() -> None:
    assert Arrival[int]("s", 0, 1, 2) == Arrival("s", 0, 1, 2)
