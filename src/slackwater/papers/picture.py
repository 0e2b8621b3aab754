"""Pictures of a source work's figures, written to files without a screen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt


def save(figure: Any, path: Path) -> Path:
    """Write a figure and let go of it."""
    figure.tight_layout()
    figure.savefig(path, dpi=90)
    plt.close(figure)
    return path
