"""Golden texts: what is written is compared with a file, which a flag writes anew.

A file has a section for each case, headed ``-- case``. Statements are broken into lines at clauses
and columns; nothing but single spaces is replaced, so that the text can be had back.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

FOLDER = Path(__file__).parent / "golden"
_CLAUSE = re.compile(r"(FROM|WHERE|GROUP BY|ORDER BY|((LEFT|SEMI|CROSS) )?JOIN|UNION ALL|ON)\b")
_INSIDE = ("DISTINCT", "LEFT", "SEMI", "CROSS")  # what comes next belongs to these words
_HEAD = re.compile(r"^-- (.+)$", re.MULTILINE)


def in_lines(text: str) -> str:
    """A statement with a line for each clause and each column, indented by depth."""
    out: list[str] = []
    selects: list[bool] = [False]  # by open parenthesis: whether a SELECT stands in it
    quote = ""
    for place, char in enumerate(text):
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"'":
            quote = char
        elif char == "(":
            selects.append(False)
        elif char == ")":
            selects.pop()
        elif text.startswith("SELECT ", place):
            selects[-1] = True
        breaks = not quote and char == " " and _breaks(text, place, selects[-1])
        out.append("\n" + "  " * (len(selects) - 1) + "  " * breaks if breaks else char)
    return "".join(out)


def _breaks(text: str, place: int, selects: bool) -> int:
    """How much deeper than its clause the next line is, from 1; 0 if there is none."""
    if selects and text[place - 1] == ",":
        return 2
    inside = text[:place].endswith(_INSIDE)
    return 1 if _CLAUSE.match(text, place + 1) and not inside else 0


def in_one(lines: str) -> str:
    """The statement as it was written."""
    return re.sub(r"\n *", " ", lines)


def sections(text: str) -> dict[str, str]:
    """The cases of a file."""
    parts = _HEAD.split(text)
    return {name: body.strip("\n") for name, body in zip(parts[1::2], parts[2::2], strict=True)}


def rewrite(texts: Mapping[str, Mapping[str, str]]) -> None:
    """Write all files anew and remove those that nothing writes."""
    FOLDER.mkdir(exist_ok=True)
    for path in FOLDER.iterdir():
        path.unlink()
    for name, cases in texts.items():
        parts = [f"-- {case}\n{body}\n" for case, body in cases.items()]
        (FOLDER / f"{name}.sql").write_text("\n".join(parts), encoding="utf-8")
