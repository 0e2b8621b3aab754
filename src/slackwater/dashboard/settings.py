"""Where the page is served, and to whom."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass

from slackwater.errors import SlackwaterError

PORT = 8765
LOOPBACK = "127.0.0.1"
SHORTEST = 8  # characters of a token


@dataclass(frozen=True, slots=True)
class Settings:
    """Address, port (0 for any free one), and the token that every request must bring.

    Raises
    ------
    SlackwaterError
        Other machines could read without a token, or the token is too easy to guess.
    """

    host: str = LOOPBACK
    port: int = PORT
    token: str | None = None

    def __post_init__(self) -> None:
        if self.token is not None and len(self.token) < SHORTEST:
            raise SlackwaterError(
                "TOKEN_SHORT",
                f"the token has {len(self.token)} characters, {SHORTEST} are the least",
                "make one with: python3 -c 'import secrets; print(secrets.token_urlsafe())'",
            )
        if self.token is None and not self.is_loopback:
            raise SlackwaterError(
                "TOKEN_MISSING",
                f"on {self.host} other machines could read everything",
                "set SLACKWATER_TOKEN to a secret, or leave --host out to serve this machine only",
            )

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can connect."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    def url(self, port: int) -> str:
        """The address to open."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        query = f"?token={self.token}" if self.token else ""
        return f"http://{host}:{port}/{query}"
