"""One codec for everything that is saved: frozen records to plain JSON values and back, by type.

The text of the JSON is written elsewhere (numbers that are not finite survive there). Design note 8
tells why msgspec.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")


def pack(value: Any, encode: Callable[[Any], Any] | None = None) -> Any:
    """A record as dicts, lists, texts and numbers; ``encode`` knows types that are no records.

    >>> from slackwater.plan.window import Window
    >>> pack(Window(10, 5))["slide"]
    5
    """
    return msgspec.to_builtins(value, enc_hook=encode)


def unpack(value: Any, kind: type[T], decode: Callable[[type, Any], Any] | None = None) -> T:
    """The record that :func:`pack` made this of; raises ``ValueError`` if it is none.

    >>> from slackwater.plan.window import Window
    >>> unpack({"size": 10, "slide": 5}, Window)
    Window(size=10, slide=5, offset=0)
    """
    return msgspec.convert(value, kind, dec_hook=decode)
