"""The page in a process of its own, as people start it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

import psutil
from typer.testing import CliRunner

from slackwater.cli.main import app


def command(*words: object) -> list[str]:
    return [sys.executable, "-m", "slackwater.cli.main", *map(str, words)]


def environment(**more: str) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if key != "SLACKWATER_TOKEN"}
    return kept | more


@contextmanager
def serving(*words: object, **more: str) -> Iterator[tuple[str, int]]:
    """The address of a page, and the id of its process."""
    process = subprocess.Popen(
        command("dashboard", "--until-eof", "--port", 0, *words),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(**more),
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith("page at "), process.communicate()[1]
        yield line.removeprefix("page at ").strip(), process.pid
    finally:
        process.communicate(timeout=20)


def refused(*words: object, **more: str) -> str:
    """What a command says that does not start."""
    with mock.patch.dict(os.environ, environment(**more), clear=True):
        result = CliRunner().invoke(app, [str(word) for word in words])
    assert result.exit_code == 2
    return result.stderr


def resident(pid: int) -> float:
    """The largest memory a process had so far (where the system tells; else has now), in MB."""
    status = Path(f"/proc/{pid}/status")
    if not status.exists():
        return psutil.Process(pid).memory_info().rss / 2**20
    lines = status.read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) / 1024
