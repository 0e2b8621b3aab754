"""Secrets: said by where they are, read when they are needed, shown to nobody."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, quote_plus

from slackwater.errors import SlackwaterError

_SHOWN = "***"


@dataclass(frozen=True, slots=True)
class Secret:
    """Where a secret is. It has no value of its own, so that nobody can print it."""

    env: str | None = None
    file: str | None = None

    def __str__(self) -> str:
        return f"environment variable {self.env}" if self.env else f"file {self.file}"

    def read(self) -> str:
        """What it is now; a newline at the end of a file is not part of it."""
        value = os.environ.get(self.env) if self.env else _content(self)
        if not value:
            raise SlackwaterError("SECRET_MISSING", f"the {self} has no secret", _HINT)
        return value


_HINT = "set it for this process, or name another place: sw.secret(env=...) or sw.secret(file=...)"


def secret(*, env: str | None = None, file: str | Path | None = None) -> Secret:
    """A secret that is in the environment or in a file, read whenever it is needed.

    Parameters
    ----------
    env
        The name of an environment variable.
    file
        A file that has nothing else. A relative path starts where the process is now.

    Examples
    --------
    >>> print(secret(env="ANSWERS_PASSWORD"))
    environment variable ANSWERS_PASSWORD
    """
    if (env is None) == (file is None) or "" in (env, file):
        raise SlackwaterError("SECRET_PLACE", "a secret needs one place", "give env or file")
    return Secret(env, None if file is None else str(Path(file).expanduser().absolute()))


def revealed(one: str | Secret) -> str:
    """What is meant: a text, or the secret that is there now."""
    return one.read() if isinstance(one, Secret) else one


def readable(values: Iterable[object]) -> list[str]:
    """The secrets among some values, as far as they can be read: what no error may repeat."""
    found = []
    for one in values:
        if isinstance(one, Secret):
            with suppress(SlackwaterError):
                found.append(one.read())
    return found


def concealed(text: str, *values: str | None) -> str:
    """A text in which no secret can be read, whatever the system that told it repeats."""
    forms = {form for v in values if v for form in (v, quote(v), quote(v, ""), quote_plus(v))}
    for form in sorted(forms, key=len, reverse=True):
        text = text.replace(form, _SHOWN)
    return text


def _content(place: Secret) -> str:
    assert place.file is not None
    try:
        return Path(place.file).read_text(encoding="utf-8").rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no text"
        raise SlackwaterError("SECRET_MISSING", f"{place}: {reason}", _HINT) from None
