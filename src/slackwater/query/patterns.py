"""Literals with a language of their own: patterns, formats and instants, as DuckDB writes them."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime

_DATE = re.compile(r"\s*(\d{4})-(\d{1,2})-(\d{1,2})\s*")
_INSTANT = re.compile(
    r"\s*(\d{4})-(\d{1,2})-(\d{1,2})"
    r"(?:[ T](\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.(?P<part>\d{1,6}))?)?"
    r"\s*(?P<zone>Z|UTC|[+-]\d{2}:\d{2})?)?\s*"
)
_CLASSES = {"d": "[0-9]", "D": "[^0-9]", "w": "[0-9A-Za-z_]", "W": "[^0-9A-Za-z_]"}
_SPACES = "\\t\\n\\x0b\\f\\r "
_CLASSES |= {"s": f"[{_SPACES}]", "S": f"[^{_SPACES}]", "t": "\\t", "n": "\\n", "r": "\\r"}
_BREAKS = "\\n\\r\\x{85}\\x{2028}\\x{2029}"
_END = f"(?:\\r\\n|[{_BREAKS}])?\\z"
_TOKENS = {
    "yyyy": "%Y", "MM": "%m", "dd": "%d", "HH": "%H", "mm": "%M", "ss": "%S", "SSS": "%g",
    "SSSSSS": "%f",
}  # fmt: skip


def is_like(pattern: str, escape: str) -> bool:
    """Whether a pattern of LIKE escapes only what may be escaped."""
    if len(escape) != 1:
        return False
    mark = re.escape(escape)
    return re.fullmatch(f"(?:[^{mark}]|{mark}[%_{mark}])*", pattern, re.DOTALL) is not None


def regular(pattern: str) -> str | None:
    """A regular expression of Java as RE2 understands it; ``None`` if the two may differ."""
    pieces = [_piece(found) for found in _PIECE.finditer(pattern)]
    known = [piece for piece in pieces if piece is not None]
    whole = sum(len(found[0]) for found in _PIECE.finditer(pattern)) == len(pattern)
    if not whole or len(known) < len(pieces):
        return None
    try:
        re.compile(pattern)  # is it one at all?
    except re.error:
        return None
    return "".join(known)


_PIECE = re.compile(
    r"(?P<escape>\\.)|(?P<set>\[\^?(?:\\.|[^\]\[\\&^])+\])|(?P<group>\((?!\?)|\(\?:)"
    r"|(?P<repeat>(?:[*+?]|\{\d+(?:,\d*)?\})\??(?![+*?]))|(?P<dot>\.)|(?P<end>\$)"
    r"|(?P<plain>[^\\\[\](){}.$*+?])|(?P<close>\))",
    re.DOTALL,
)


def _piece(found: re.Match[str]) -> str | None:
    text = found[0]
    match found.lastgroup:
        case "escape":
            return _escape(text[1])
        case "set":
            inner = [_escape(m[1], within=True) if m[1] else m[0] for m in _IN_SET.finditer(text)]
            return None if None in inner else "".join(part or "" for part in inner)
        case "dot":
            return f"[^{_BREAKS}]"
        case "end":
            return _END
    return text


_IN_SET = re.compile(r"\\(.)|[^\\]", re.DOTALL)


def _escape(letter: str, *, within: bool = False) -> str | None:
    made = _CLASSES.get(letter)
    if made is None:
        return None if letter.isalnum() else f"\\{letter}"
    if within and made.startswith("["):
        return None if letter.isupper() else made[1:-1]
    return made


def formatted(pattern: str) -> str | None:
    """A format of ``date_format`` as one of ``strftime``; ``None`` if it has other letters."""
    out = []
    for part in re.findall(r"[A-Za-z]+|'[^']*'|[^A-Za-z']+", pattern):
        if part[0].isalpha():
            pieces = [m[0] for m in re.finditer(r"(.)\1*", part)]
            if not all(piece in _TOKENS for piece in pieces):
                return None
            out += [_TOKENS[piece] for piece in pieces]
        else:
            out.append((part.strip("'") or "'").replace("%", "%%"))
    return None if "'" in pattern and pattern.count("'") % 2 else "".join(out)


def day(text: str) -> str | None:
    """The day of a literal as ``DATE '...'``."""
    found = _DATE.fullmatch(text)
    try:
        return None if found is None else f"DATE '{date(*map(int, found.groups())).isoformat()}'"
    except ValueError:
        return None


def instant(text: str) -> str | None:
    """The instant of a literal; without a zone it is the session's."""
    found = _INSTANT.fullmatch(text)
    at = None if found is None else _moment(found)
    if at is None or found is None:
        return None
    zone = found["zone"]
    offset = "" if zone is None else "+00:00" if zone in ("Z", "UTC") else zone
    return f"TIMESTAMPTZ '{at.isoformat(sep=' ')}{offset}'"


def local_instant(text: str) -> str | None:
    """The time that a literal shows, whatever its zone."""
    found = _INSTANT.fullmatch(text)
    at = None if found is None else _moment(found)
    return None if at is None else f"TIMESTAMP '{at.isoformat(sep=' ')}'"


def _moment(found: re.Match[str]) -> datetime | None:
    year, month, day_, hour, minute, second = (int(n or 0) for n in found.groups()[:6])
    micros = int((found["part"] or "").ljust(6, "0"))
    try:
        at = datetime(year, month, day_, hour, minute, second, micros, tzinfo=UTC)
    except ValueError:
        return None
    return at.replace(tzinfo=None)
