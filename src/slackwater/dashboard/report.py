"""A run as one file that opens anywhere, without a server and without a network."""

from __future__ import annotations

import re
from pathlib import Path

import orjson

from slackwater.dashboard import runs
from slackwater.dashboard.page import STATIC
from slackwater.errors import SlackwaterError, StorageError
from slackwater.history.follow import Follower

POINTS = 1_500
ENTRIES = 2_000
_POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"
_STYLE = re.compile(r'<link rel="stylesheet" href="([^"]+)">')
_SCRIPT = re.compile(r'<script src="([^"]+)"></script>')
_MODULE = re.compile(r'<script type="module" src="([^"]+)"></script>')
_IMPORT = re.compile(r'^import \{[^}]*\} from "\./([\w-]+\.js)";\n', re.MULTILINE)


def write_report(checkpoints: list[Path], output: Path) -> int:
    """Write the report of some runs; its size in bytes."""
    followers = [Follower(checkpoint, long=1 << 62) for checkpoint in checkpoints]
    for run in followers:
        newest = run.look_through().newest
        run.close()
        if newest is None:
            text = f"there is no batch in {run.path.parent} yet"
            raise SlackwaterError("RUN_EMPTY", text, "wait for the first one")
    data = report(followers).encode()
    try:
        output.write_bytes(data)
    except OSError as error:
        raise StorageError.of(error, output, "the checkpoint was only read") from error
    return len(data)


def report(followers: list[Follower]) -> str:
    """The page with everything it needs inside."""
    data = [
        {
            **runs.describe(run, number),
            "history": runs.numbers(run, POINTS),
            "log": runs.log(run, ENTRIES),
        }
        for number, run in enumerate(followers)
    ]
    html = (STATIC / "index.html").read_text(encoding="utf-8")
    policy = f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
    html = html.replace('<meta charset="utf-8">', f'<meta charset="utf-8">\n{policy}', 1)
    html = _STYLE.sub(lambda found: f"<style>\n{_text(found[1])}\n</style>", html)
    html = _SCRIPT.sub(lambda found: f"<script>\n{_text(found[1])}\n</script>", html)
    inside = f'<script type="application/json" id="data">{_quoted(data)}</script>'
    return _MODULE.sub(
        lambda found: f'{inside}\n<script type="module">\n{_bundle(found[1])}\n</script>', html
    )


def _text(name: str) -> str:
    return (STATIC.parent / name).read_text(encoding="utf-8")


def _quoted(value: object) -> str:
    """JSON that cannot end the script element it stands in."""
    return orjson.dumps(value).decode().replace("<", "\\u003c")


def _bundle(name: str, seen: set[str] | None = None) -> str:
    """A module and all it imports, each once, in one scope: names are unique across modules."""
    seen = set() if seen is None else seen
    seen.add(name)
    text = _text(name)
    folder = name.rpartition("/")[0]
    parts = [
        _bundle(f"{folder}/{found}", seen)
        for found in _IMPORT.findall(text)
        if f"{folder}/{found}" not in seen
    ]
    own = _IMPORT.sub("", text)
    return "\n".join([*parts, re.sub(r"^export ", "", own, flags=re.MULTILINE)])
