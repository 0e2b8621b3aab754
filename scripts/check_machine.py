"""Say what the machine lacks to run Slackwater, and the way out. Silent when nothing does.

Runs on Python 3.7 and newer: a Python too old for the project is one of the things it reports.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec

PYTHON = (3, 11)
JAVA = 17
JAVA_WAY_OUT = f"""\
  way out: apt-get install openjdk-{JAVA}-jre-headless   (Debian, Ubuntu)
           brew install openjdk@{JAVA}                   (macOS)
           or set JAVA_HOME to a Java {JAVA}+ you already have"""


def python_problem() -> str | None:
    version = "{}.{}".format(*sys.version_info)
    if sys.version_info < PYTHON:
        return (
            f"Python {PYTHON[0]}.{PYTHON[1]} or newer is needed; {sys.executable} is {version}.\n"
            "  way out: make setup PYTHON=python3.12   (any interpreter from 3.11 on)"
        )
    if find_spec("venv") is None or find_spec("ensurepip") is None:
        return (
            f"{sys.executable} lacks the module `venv` (or `ensurepip`, which it needs).\n"
            f"  way out: apt-get install python{version}-venv   (Debian, Ubuntu)\n"
            "           or make setup PYTHON=/path/to/another/python"
        )
    return None


def java_problem() -> str | None:
    home = os.environ.get("JAVA_HOME")
    java = shutil.which(f"{home}/bin/java" if home else "java")
    if java is None:
        found = f"there is none at JAVA_HOME={home}" if home else "none is on PATH"
        return f"Java {JAVA} or newer is needed; {found}.\n{JAVA_WAY_OUT}"
    shown = subprocess.run([java, "-version"], stderr=subprocess.PIPE, check=False).stderr
    version = re.search(r'version "(?:1\.)?(\d+)', shown.decode("utf-8", "replace"))
    if version is None or int(version[1]) < JAVA:
        tells = f"is version {version[1]}" if version else "does not tell its version"
        return f"Java {JAVA} or newer is needed; {java} {tells}.\n{JAVA_WAY_OUT}"
    return None


def main() -> int:
    problems = [problem for problem in (python_problem(), java_problem()) if problem]
    for problem in problems:
        print(f"slackwater: {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
