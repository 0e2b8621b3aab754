"""The page beside a run: served by a child process, which knows no Spark."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from slackwater.errors import SlackwaterError


@contextmanager
def page_beside(checkpoint: Path, port: int | None = None) -> Iterator[str]:
    """The page of one run, served by a child process as long as this lasts; gives its address."""
    words = ["dashboard", "--until-eof", *([] if port is None else ["--port", str(port)])]
    child = subprocess.Popen(
        [sys.executable, "-m", "slackwater.cli.main", *words, "--", str(checkpoint)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,  # Ctrl-C is for the pipeline; the page ends after it
    )
    try:
        yield _address(child)
    finally:
        child.communicate()  # closing its input ends it


def _address(child: subprocess.Popen[str]) -> str:
    assert child.stdout is not None
    line = child.stdout.readline()
    if line.startswith("page at "):
        return line.removeprefix("page at ").strip()
    _, said = child.communicate()
    hint = "see 'slackwater dashboard --help'"
    raise SlackwaterError("PAGE_FAILED", f"the page cannot be served: {said.strip()}", hint)
