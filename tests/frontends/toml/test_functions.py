"""Functions in a pipeline file: found by import path, called as Python would; what is not found."""

from __future__ import annotations

from pathlib import Path

import pytest

from slackwater.query.stream import Apply, Where, WhereFunction
from tests.frontends.kinds import QUERY, READINGS, problems, sound

MODULE = """
def is_large(value): ...
def is_new(key): ...
def score(value): ...
TEXT = "no function"
"""
CALLS = """
where = "value > 1"
filter = ["models:is_large", { function = "models:is_new", effects = true, name = "new" }]
apply = [{ function = "models:score", returns = "double", where = "score > 2" }]
select = ["key", "score"]
"""
JOINED = """
[[query]]
name = "j"
join = [
  { from = "readings", as = "a", filter = { function = "models:is_large", order = "written" } },
  { from = "readings", as = "b", apply = [{ function = "models:score", returns = { x = "int" } }] },
]
on = "key"
within = "1 s"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "models.py").write_text(MODULE)
    return tmp_path


def test_functions_are_those_of_the_module_beside_the_file(folder: Path) -> None:
    [query] = sound(folder, READINGS + QUERY + CALLS).queries
    where, large, new, score, high, _, _ = query.stream.steps
    assert (where, high) == (Where("value > 1"), Where("score > 2"))
    assert isinstance(large, WhereFunction)
    assert (large.function.name, large.function.effects) == ("is_large", False)
    assert isinstance(new, WhereFunction)
    assert (new.function.name, new.function.effects) == ("new", True)
    assert isinstance(score, Apply)
    assert score.function.columns == {"score": "double"}
    [again] = sound(folder, READINGS + QUERY + CALLS).queries
    assert again == query  # the very same functions


def test_inputs_of_a_join_have_functions(folder: Path) -> None:
    text = JOINED.replace("filter = {", "filter = [{").replace('"written" }', '"written" }]')
    [query] = sound(folder, READINGS + text).queries
    steps = [step for stream in query.stream.base.inputs for step in stream.steps]  # type: ignore[union-attr]
    assert [type(step) for step in steps] == [WhereFunction, Apply]


def test_files_of_one_name_in_two_folders_are_two(folder: Path) -> None:
    other = folder / "other"
    other.mkdir()
    (other / "models.py").write_text(MODULE)
    one, two = (sound(path, READINGS + QUERY + CALLS).queries[0] for path in (folder, other))
    assert one != two


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("is_large", "is no module:function"),
        ("models:", "is no module:function"),
        ("models:no_such", "no function 'no_such' in module 'models'"),
        ("models:TEXT", "no function 'TEXT'"),
        ("no_such_module:f", "ModuleNotFoundError"),
        ("broken:f", "ZeroDivisionError"),
    ],
)
def test_what_cannot_be_imported_is_told(folder: Path, text: str, said: str) -> None:
    (folder / "broken.py").write_text("1 / 0")
    found = problems(folder, f'{READINGS}{QUERY}filter = "x"'.replace('"x"', f'["{text}"]'))
    [(where, (condition, message))] = found.items()
    assert where == "query.q.filter[1]"
    assert condition == "FUNCTION_IMPORT"
    assert said in message


@pytest.mark.parametrize(
    "text", ["filter = [3]", 'filter = [{ name = "f" }]', 'apply = [{ function = "models:score" }]']
)
def test_keys_of_functions_are_checked(folder: Path, text: str) -> None:
    found = problems(folder, READINGS + QUERY + text)
    assert all(where.startswith("query.q.") for where in found)
    assert {condition for condition, _ in found.values()} <= {"KEY_TYPE", "KEY_MISSING"}
