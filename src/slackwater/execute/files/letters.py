"""The bytes of a column of text, for a look at all of them at once."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa


def letters(texts: pa.StringArray) -> npt.NDArray[np.uint8]:
    """All bytes of a column, one value after the other."""
    data = texts.buffers()[2]
    if data is None:
        return np.empty(0, np.uint8)
    offsets = _offsets(texts)
    return np.frombuffer(data, np.uint8)[offsets[0] : offsets[-1]]


def edges(texts: pa.StringArray) -> npt.NDArray[np.int64]:
    """Where each value begins among the letters, and at last where they end."""
    offsets: npt.NDArray[np.int64] = _offsets(texts).astype(np.int64)
    offsets -= offsets[0]
    return offsets


def _offsets(texts: pa.StringArray) -> npt.NDArray[np.int32]:
    offsets = np.frombuffer(texts.buffers()[1], np.int32)
    return offsets[texts.offset : texts.offset + len(texts) + 1]
