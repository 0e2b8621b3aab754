"""Renew constraints.txt: install the project anew elsewhere and write down what came.

A fresh environment is used, because one that has been lived in holds more than is needed.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HEADER = """\
# Exact versions that `make setup` installs: the project, its `dev` extra and all they pull in.
# Renew with `make constraints`, then run `make check`.
"""


def newest_versions(folder: Path) -> list[str]:
    venv.create(folder, with_pip=True)
    pip = [str(folder / "bin" / "python"), "-m", "pip", "--disable-pip-version-check"]
    subprocess.run([*pip, "install", "--quiet", f"{ROOT}[dev]"], check=True)
    frozen = subprocess.run([*pip, "freeze"], check=True, capture_output=True, text=True).stdout
    return [line for line in frozen.splitlines() if "==" in line and "@" not in line]


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        versions = newest_versions(Path(folder) / "venv")
    versions = [line for line in versions if not line.startswith("slackwater==")]
    (ROOT / "constraints.txt").write_text(HEADER + "\n".join(versions) + "\n", encoding="utf-8")
    print(f"constraints.txt: {len(versions)} versions")
    return 0


if __name__ == "__main__":
    sys.exit(main())
