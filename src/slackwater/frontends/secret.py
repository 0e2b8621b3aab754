"""Where a secret is, in a file that has none. No problem repeats what was written instead."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import model_validator

from slackwater.frontends.table import Table
from slackwater.frontends.values import IN_TEXT, WRONG, Located, Text, refusal
from slackwater.secrets import Secret, secret


class SecretTable(Table):
    """``password``: where it is, which is not in this file."""

    form: ClassVar[str] = 'a table with env or file, e.g. { env = "ANSWERS_PASSWORD" }'

    env: Text | None = None
    """an environment variable"""
    file: Located | None = None
    """a file with nothing else in it"""

    @model_validator(mode="before")
    @classmethod
    def _is_elsewhere(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            raise refusal(IN_TEXT, "a secret does not stand in this file", f"give {cls.form}")
        return value

    @model_validator(mode="after")
    def _has_one_place(self) -> SecretTable:
        if len(self.said()) != 1:
            raise refusal(WRONG, f"wanted {self.form}")
        return self

    def secret(self) -> Secret:
        return secret(**self.said())


class AddressTable(Table):
    """``server``, ``catalog``: an address, or where it is if it is a secret itself."""

    form: ClassVar[str] = 'text, or a table with env or file, e.g. { env = "ANSWERS_URL" }'

    address: Text | None = None
    """the address; a text alone is one"""
    env: Text | None = None
    """an environment variable that has it"""
    file: Located | None = None
    """a file that has it"""

    @model_validator(mode="before")
    @classmethod
    def _address(cls, value: Any) -> Any:
        if not isinstance(value, str | dict):
            raise refusal(WRONG, f"wanted {cls.form}")
        return {"address": value} if isinstance(value, str) else value

    @model_validator(mode="after")
    def _has_one_place(self) -> AddressTable:
        if len(self.said()) != 1:
            raise refusal(WRONG, f"wanted {self.form}")
        return self

    def value(self) -> str | Secret:
        return self.address if self.address is not None else secret(**self.said())
