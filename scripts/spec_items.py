"""Write tests/spec_items.json: the checklist items of the specifications, id and short title.

Usage: python scripts/spec_items.py FOLDER   (the folder that holds qddh.md, prodding.md, ...)

Items are the list lines of a specification's feature checklist, with or without a box::

    - [ ] F001 tuple with application timestamp, ...
    - F34 A2 simultaneous operator signals; F35 A3 staggered
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

TARGET = Path(__file__).resolve().parent.parent / "tests" / "spec_items.json"
SPECS = {
    "qddh": "Quality-driven disorder handling, hybrid row/column execution",
    "prodding": "Early, labelled estimates on demand",
    "adaptive": "Plan search and live plan change",
    "robust": "Robust plan sets and placement",
    "precedence": "Ranked results under overload",
}
LONGEST_TITLE = 72

_HEADING = re.compile(r"^(#+) .*feature checklist", re.IGNORECASE)
_LINE = re.compile(r"^\s*- (?:\[.\] )?(?=[A-Z]+-?\d)")
# "→" gives the test in one specification and is part of the title in another
_TEST = re.compile(
    r" → (?:I\d|E-\d|same |table of|section|round trip|state insp|plan ex|tuples per|early ).*"
)
_ITEM = re.compile(r"(?:^|;\s+)([A-Z]+-?\d+[a-z]?)\s+")


def checklist(text: str) -> list[str]:
    """Lines of the section headed "Feature checklist", up to the next heading of its level."""
    lines = text.splitlines()
    start, level = next(
        (number, len(found[1]))
        for number, line in enumerate(lines)
        if (found := _HEADING.match(line))
    )
    section: list[str] = []
    for line in lines[start + 1 :]:
        if re.match(rf"^#{{1,{level}}} ", line):
            break
        section.append(line)
    return section


def items(lines: list[str]) -> dict[str, str]:
    """Item id to short title, in the order of the checklist; one line may hold several items."""
    found: dict[str, str] = {}
    for line in "\n".join(lines).replace(" - [ ] ", "\n- [ ] ").splitlines():
        if not _LINE.match(line):
            continue
        parts = _ITEM.split(_LINE.sub("", line))[1:]
        for item, title in zip(parts[::2], parts[1::2], strict=True):
            if item in found:
                raise SystemExit(f"item {item} occurs twice")
            found[item] = short(title)
    return found


def short(title: str) -> str:
    """Leave out how it is tested and what follows the first clause if long; end on a whole word."""
    title = _TEST.sub("", title).replace("`", "").replace("**", "").strip(" .…")
    if len(title) > LONGEST_TITLE:
        title = title.split("; ")[0]
    if len(title) > LONGEST_TITLE:
        title = title[:LONGEST_TITLE].rsplit(" ", 1)[0] + " …"
    if title.count("(") > title.count(")"):
        title = title[: title.rindex("(")].rstrip()
    return re.sub(r"[ ,;:+]+…$", " …", title)


def main(arguments: list[str]) -> int:
    if len(arguments) != 1 or not Path(arguments[0]).is_dir():
        print(__doc__, file=sys.stderr)
        return 2
    folder = Path(arguments[0])
    specs = {
        name: {
            "title": title,
            "items": items(checklist((folder / f"{name}.md").read_text(encoding="utf-8"))),
        }
        for name, title in SPECS.items()
    }
    TARGET.write_text(json.dumps(specs, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    for name, spec in specs.items():
        print(f"{name:12} {len(spec['items']):4} items")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
