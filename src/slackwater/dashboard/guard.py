"""Who may read, and what a browser may do with it.

Requests only read. With a token every request must bring it (``Authorization: Bearer``, once as
``?token=``, then as a cookie). Without one only names of this machine are answered to, so that a
page from elsewhere cannot be pointed here.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from slackwater.dashboard.settings import Settings

COOKIE = "slackwater"
_NAMES = ("localhost", "127.0.0.1", "[::1]")
HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_REFUSED = (
    "slackwater: the token is missing or wrong.\n"
    "Open the address that 'slackwater dashboard' printed, or send 'Authorization: Bearer TOKEN'.\n"
)


class Guard:
    """Lets requests through to ``app`` that may pass."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._token = settings.token
        self._mark = "" if settings.token is None else _digest(settings.token)
        self._names = {*_NAMES, settings.host, f"[{settings.host}]"}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        answer = self._answer(scope) or self._app
        await answer(scope, receive, send_guarded)

    def _answer(self, scope: Scope) -> Response | None:
        """What to say instead of what was asked for; ``None`` to let it pass."""
        headers = Headers(scope=scope)
        if scope["method"] not in ("GET", "HEAD"):
            return PlainTextResponse("slackwater: this page can only be read.\n", 405)
        if self._token is None:
            host = _name(headers)
            if host not in self._names:
                return PlainTextResponse("slackwater: this name is not served here.\n", 421)
            return None
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        if given and self._is_token(given):
            return self._with_cookie(scope)
        if self._is_token(_bearer(headers)) or self._is_marked(headers):
            return None
        return PlainTextResponse(_REFUSED, 401, {"WWW-Authenticate": "Bearer"})

    def _with_cookie(self, scope: Scope) -> Response | None:
        """The token leaves the address bar and becomes a cookie."""
        if scope["path"] != "/":
            return None
        response = RedirectResponse("./", 303)
        response.set_cookie(COOKIE, self._mark, httponly=True, samesite="strict")
        return response

    def _is_token(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(), (self._token or "").encode())

    def _is_marked(self, headers: Headers) -> bool:
        try:
            cookie = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
        except CookieError:
            return False
        return cookie is not None and hmac.compare_digest(
            cookie.value.encode(), self._mark.encode()
        )


def _digest(token: str) -> str:
    return hashlib.sha256(f"slackwater page {token}".encode()).hexdigest()


def _bearer(headers: Headers) -> str:
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def _name(headers: Headers) -> str:
    """The name that was asked for, without the port."""
    host = headers.get("host", "")
    name, _, port = host.rpartition(":")
    return name if name and port.isdigit() else host
