"""A child process that runs the story with its own JVM and can be killed."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import Any


class Child:
    """A running victim, in a process group of its own, and what it said so far."""

    def __init__(
        self, *arguments: object, java: str = "", module: str = "tests.spark.victim"
    ) -> None:
        command = [sys.executable, "-m", module, *map(str, arguments)]
        self.said: list[str] = []
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[2],
            env={**os.environ, "VICTIM_JAVA": java},
            start_new_session=True,
        )
        self.complaints: list[str] = []
        self._ears = [
            Thread(target=self._listen, args=(self.process.stdout, self.said), daemon=True),
            Thread(target=self._listen, args=(self.process.stderr, self.complaints), daemon=True),
        ]
        for ear in self._ears:
            ear.start()

    @staticmethod
    def _listen(pipe: Any, heard: list[str]) -> None:
        heard.extend(line.strip() for line in pipe)

    @property
    def batches(self) -> list[int]:
        return [int(word) for word in self.said if word.isdigit()]

    @property
    def is_done(self) -> bool:
        return "done" in self.said

    def go(self, checkpoint: Path) -> None:
        self._wait(lambda: "ready" in self.said, 120)
        self.process.stdin.write(f"{checkpoint}\n")
        self.process.stdin.flush()

    def wait_for(self, committed: int, seconds: float) -> None:
        """Wait until so many batches were committed in this life, or it is over."""
        self._wait(lambda: len(self.batches) >= committed or self.is_done, seconds)

    def wait_for_end(self, seconds: float) -> None:
        self._wait(lambda: self.is_done, seconds)

    def _wait(self, is_so: Callable[[], bool], seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while not is_so():
            if self.process.poll() is not None and not is_so():
                raise AssertionError("it died by itself:\n" + "\n".join(self.complaints[-30:]))
            assert time.monotonic() < deadline, f"nothing happened for {seconds} s: {self.said}"
            time.sleep(0.005)

    def kill(self, *, alone: bool = False) -> None:
        """SIGKILL for Python and its JVM, or for Python alone: the JVM then notices and goes."""
        with suppress(ProcessLookupError):
            if alone:
                self.process.kill()
            else:
                os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def leave(self, seconds: float) -> None:
        """Let it and its JVM go by themselves."""
        deadline = time.monotonic() + seconds
        with suppress(ProcessLookupError):
            while time.monotonic() < deadline:
                self.process.poll()
                os.killpg(self.process.pid, 0)
                time.sleep(0.05)

    def bury(self) -> None:
        self.kill()
        for ear in self._ears:
            ear.join()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            with suppress(BrokenPipeError):
                pipe.close()


class Fate:
    """When to kill: before the first commit of a life, or somewhere in the batch after it."""

    def __init__(self, seed: str) -> None:
        self.draw = random.Random(seed)
        self.pace = 3.0  # seconds from the start to the first commit, as seen so far

    def strike(self, child: Child, *, alone: bool) -> bool:
        """Wait for a random moment and kill; not if the child was done before."""
        began = time.monotonic()
        if self.draw.random() < 0.6:
            child.wait_for(1, 180)
            self.pace = time.monotonic() - began
            time.sleep(self.draw.uniform(0, self.pace / 2))
        else:
            time.sleep(self.draw.uniform(0, 1.2 * self.pace))
        if child.is_done:
            return False
        child.kill(alone=alone)
        return True


@contextmanager
def line_of(birth: Callable[[], Child]) -> Iterator[Iterator[Child]]:
    """One child after the other; the next one starts its JVM while the last one lives."""
    born: list[Child] = []

    def bear() -> Child:
        born.append(birth())
        return born[-1]

    def line() -> Iterator[Child]:
        waiting = bear()
        while True:
            current, waiting = waiting, bear()
            yield current

    try:
        yield line()
    finally:
        for child in born:
            child.bury()
