"""Write the keys of pipeline files into docs/guide/pipeline-files.md.

Usage: python scripts/pipeline_keys.py
"""

from __future__ import annotations

from pathlib import Path

from slackwater.frontends.toml.reference import reference
from slackwater.spark.catalog import catalog

PAGE = Path(__file__).resolve().parent.parent / "docs" / "guide" / "pipeline-files.md"
_BEGIN = "<!-- keys: written by scripts/pipeline_keys.py -->\n"
_END = "<!-- end of keys -->\n"


def with_keys(page: str) -> str:
    """The page with the keys that there are."""
    before, _, rest = page.partition(_BEGIN)
    _, _, after = rest.partition(_END)
    return f"{before}{_BEGIN}\n{reference(catalog())}\n{_END}{after}"


if __name__ == "__main__":
    PAGE.write_text(with_keys(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
