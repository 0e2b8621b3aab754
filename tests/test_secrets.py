"""A secret says where it is and never what it is."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

import slackwater as sw
from slackwater.secrets import concealed, readable, revealed

PASSWORD = "p@ss word/1"


def test_a_secret_is_read_from_where_it_is_when_it_is_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "password"
    file.write_text(f"{PASSWORD}\n")
    places = [sw.secret(env="SOME_PASSWORD"), sw.secret(file=file)]
    monkeypatch.setenv("SOME_PASSWORD", PASSWORD)
    assert [place.read() for place in places] == [PASSWORD, PASSWORD]
    monkeypatch.setenv("SOME_PASSWORD", "another")
    assert places[0].read() == "another"


def test_a_secret_cannot_be_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_PASSWORD", PASSWORD)
    place = sw.secret(env="SOME_PASSWORD")
    place.read()
    for shown in (str(place), repr(place), pickle.dumps(place).decode("latin-1")):
        assert PASSWORD not in shown
        assert "SOME_PASSWORD" in shown


@pytest.mark.parametrize("places", [{}, {"env": "A", "file": "b"}, {"env": ""}])
def test_a_secret_has_one_place(places: dict[str, str]) -> None:
    with pytest.raises(sw.SlackwaterError, match="SECRET_PLACE"):
        sw.secret(**places)


def test_a_secret_that_is_not_there_is_told_by_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SOME_PASSWORD", raising=False)
    with pytest.raises(sw.SlackwaterError, match=r"SECRET_MISSING.*variable SOME_PASSWORD"):
        sw.secret(env="SOME_PASSWORD").read()
    with pytest.raises(sw.SlackwaterError, match=r"SECRET_MISSING.*password: No such file"):
        sw.secret(file=tmp_path / "password").read()


def test_texts_of_others_are_rid_of_secrets_however_they_are_written() -> None:
    text = f"cannot open postgresql://me:p%40ss%20word%2F1@host with {PASSWORD}"
    assert concealed(text, PASSWORD, None, "") == "cannot open postgresql://me:***@host with ***"


def test_what_errors_must_not_repeat_are_the_secrets_that_can_be_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SOME_PASSWORD", PASSWORD)
    monkeypatch.delenv("NO_PASSWORD", raising=False)
    place = sw.secret(env="SOME_PASSWORD")
    assert readable(["a text", place, sw.secret(env="NO_PASSWORD"), None]) == [PASSWORD]
    assert (revealed("a text"), revealed(place)) == ("a text", PASSWORD)
