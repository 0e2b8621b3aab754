"""Random values of each type as people write them, and texts that are not quite values."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

KINDS = (
    *("bigint", "int", "smallint", "tinyint", "double", "float", "boolean", "string"),
    *("date", "timestamp", "timestamp_ntz", "decimal(10,2)", "decimal(38,18)", "decimal(4,4)"),
)
ZONES = ("UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "+05:30", "UTC-3")
_WIDTH = {"bigint": 63, "int": 31, "smallint": 15, "tinyint": 7}
_NUMBERS = (
    *(
        "+5",
        " 5",
        "5 ",
        "\t5",
        "007",
        "-0",
        "-",
        "+",
        "1e3",
        "1.0",
        "1.",
        ".5",
        "0x10",
        "0XF",
        "1_0",
    ),
    *("9223372036854775807", "9223372036854775808", "-9223372036854775808", "2147483648", "32768"),
    *("128", "200", "٣", "1L", "1d", "1.5f", "NaN", "nan", "-nan", "Inf", "-Inf", "+Inf", "inf"),
    *(
        "Infinity",
        "-Infinity",
        "+Infinity",
        "INFINITY",
        "1e400",
        "-1e400",
        "1e-400",
        "0x1p3",
        "1,5",
    ),
    *("1e39", "3.4028236e38", "1.401298464324817e-46", "0.1", "16777217", "9007199254740993"),
    *("1.00000017881393421514957253748434595763683319091796875001", "1e23", "8.5e-46", "2e-45"),
    *("123456789.125", "99999999.995", "1E+2", "1e-2", "0.005", "-0.005", "1.10", "00.10", "1e-30"),
    *("12345678901234567890.123456789012345678", "99999999999999999999.999999999999999999"),
)
_TIMES = (
    *("2024-01-01", "2024-1-1", "2024-01-01 1:2:3", "2024-01-01 12", "2024-01-01 12:30", "2024"),
    *("2024-01", "2024-01-01T", "2024-01-01 ", " 2024-01-01", "2024-01-01 24:00:00", "12:30:15"),
    *("T12:30", "2024-01-01 12:30:60", "2024-02-30", "2023-02-29", "2024-02-29", "2024-13-01"),
    *("2024-01-01 12:30:15.1234567", "2024-01-01 12:30:15.123456789", "2024-01-01 12:30:15."),
    *("2024-01-01T12:30:15Z", "2024-01-01T12:30:15z", "2024-01-01 12:30:15 Z", "2024-01-01Z"),
    *("2024-01-01 12:30:15+01", "2024-01-01 12:30:15+0100", "2024-01-01 12:30:15+1:00"),
    *("2024-01-01 12:30:15 +01:00", "2024-01-01 12:30:15-18:00", "2024-01-01 12:30:15+18:01"),
    *("2024-01-01 12:30:15 UTC", "2024-01-01 12:30:15 Europe/Berlin", "2024-01-01T12:30:15CET"),
    *("2024-01-01 12Z", "2024-01-01 12:30Z", "2024-01-01 12:30+01:00", "2024-01-01 12+01:00:00"),
    *("2024-03-31 02:30:00", "2024-10-27 02:30:00", "2024-03-10 02:30:00", "2024-11-03 01:30:00"),
    *(
        "1800-01-01 00:00:00",
        "1582-10-10",
        "0001-01-01",
        "0000-01-01",
        "9999-12-31 23:59:59.999999",
    ),
    *(
        "10000-01-01",
        "-0001-01-01",
        "1969-12-31 23:59:59.999999",
        "1899-12-31",
        "2050-07-01 00:00:00",
    ),
    *("1704067200", "2024/01/01", "01.02.2024", "20240101", "now", "epoch", "2024-01-01t12:30:15"),
    *("2024-01-01 12:30:15,5", "2024-01-01 12:30:15+00:00", "2024-01-01 12:30:15.5-17:59"),
)
_WORDS = (
    *(
        "true",
        "TRUE",
        "True",
        "tRuE",
        "false",
        "1",
        "0",
        "t",
        "yes",
        " true",
        "true ",
        "null",
        "NULL",
    ),
    *(
        "NA",
        "None",
        "",
        " ",
        "\t",
        "\u00a0",
        "\u2028",
        "ü",
        "日本",
        "😀",
        "a b",
        "#x",
        "'x'",
        "{}",
        "[1]",
    ),
    *("a\\b", "\\", "\\n", "x" * 2000, "\x7f", "\x01", "\x1f", "\x0b", "\x0c", "\x85", "e\u0301"),
)


@dataclass(frozen=True)
class Chance:
    """A seeded source of choices."""

    random: random.Random

    def often(self, share: float) -> bool:
        return self.random.random() < share

    def text(self, kind: str) -> str:
        """A value of a type as people write it."""
        pick = self.random
        if kind in _WIDTH:
            size = pick.randint(0, _WIDTH[kind])
            return str(pick.randint(-(1 << size), (1 << size) - 1))
        if kind in ("double", "float"):
            number = pick.choice([pick.gauss(0, 1e3), pick.random(), pick.gauss(0, 1) * 1e-6])
            return pick.choice([repr(number), f"{number:.3f}", f"{number:e}"])
        if kind == "boolean":
            return pick.choice(["true", "false"])
        if kind == "string":
            return pick.choice(["a", "hello", "x y", "Zürich", "日本", "k7", "-", "1", "a-b_c.d"])
        if kind.startswith("decimal"):
            digits, scale = (int(part) for part in kind[8:-1].split(","))
            number = pick.randint(0, 10 ** pick.randint(0, digits) - 1)
            whole, part = divmod(number, 10**scale)
            return f"{pick.choice(['', '-'])}{whole}.{part:0{scale}}"
        return self.time(kind)

    def time(self, kind: str) -> str:
        pick = self.random
        at = self._instant()
        while not all(exists(at, zone) for zone in ZONES):
            at = self._instant()
        if kind == "date":
            return at.strftime("%Y-%m-%d")
        between = pick.choice(" T")
        rest = pick.choice(["", "", ".5", f".{at.microsecond:06}", f".{at.microsecond // 1000:03}"])
        zones = ["Z", "+00:00", "-03:30", "+17:59"] if kind == "timestamp" else [""]
        zone = pick.choice(zones) if self.often(0.3) else ""
        return at.strftime(f"%Y-%m-%d{between}%H:%M:%S") + rest + zone

    def _instant(self) -> datetime:
        past = self.random.randrange(0, 56 * 365 * 86_400_000_000)
        return datetime(1980, 1, 2, tzinfo=UTC) + timedelta(microseconds=past)

    def odd(self, kind: str) -> str:
        """A value that is not quite what it should be, or of another type."""
        pick = self.random
        near = _TIMES if kind in ("date", "timestamp", "timestamp_ntz") else _NUMBERS
        near = _WORDS if kind in ("boolean", "string") else near
        if self.often(0.7):
            return pick.choice(near)
        if self.often(0.5):
            return mutated(self.text(kind), pick)
        if self.often(0.2):
            return repr(pick.gauss(0, 1) * 10 ** pick.randint(-330, 308))
        return pick.choice([*_TIMES, *_NUMBERS, *_WORDS, self.text(pick.choice(KINDS))])


def exists(at: datetime, zone: str) -> bool:
    """Whether clocks of a zone ever show this; those that skip it make it odd."""
    if "/" not in zone:
        return True
    local = at.replace(tzinfo=ZoneInfo(zone))
    return local.astimezone(UTC).astimezone(local.tzinfo).replace(tzinfo=UTC) == at


def mutated(text: str, pick: random.Random, letters: str = " \t\"\\,;:+-.0x9eETZ\r\n'{}[]") -> str:
    """A text with a letter put in, taken out, doubled or exchanged."""
    place = pick.randint(0, len(text))
    letter = pick.choice([pick.choice(letters), pick.choice("\x00\ufeffü\u2028n/#")])
    return pick.choice(
        [
            text[:place] + letter + text[place:],
            text[:place] + text[place + 1 :],
            text[:place] + letter + text[place + 1 :],
            text[:place] + text[place : place + 1] * 2 + text[place + 1 :],
        ]
    )


def alike(text: str, kind: str, *, zoned: bool) -> str:
    """A time with a zone or without, as the others of its file."""
    if kind != "timestamp" or len(text) < 19:
        return text
    has = text.endswith("Z") or text[-6] in "+-"
    if zoned:
        return text if has else text + "Z"
    return text.removesuffix("Z")[: 19 if has else None]
