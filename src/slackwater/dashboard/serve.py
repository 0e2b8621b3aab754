"""Serve the page until somebody ends it."""

from __future__ import annotations

import errno
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Thread

import uvicorn

from slackwater.dashboard.page import page
from slackwater.dashboard.runs import Runs
from slackwater.dashboard.settings import Settings
from slackwater.errors import SlackwaterError


def serve(
    checkpoints: list[Path],
    settings: Settings,
    *,
    tell: Callable[[str], None] = print,
    until_eof: bool = False,
) -> None:
    """Serve some checkpoints; ``tell`` hears the address once it can be opened.

    With ``until_eof`` it also ends when standard input does: a child does not outlive its parent.
    """
    shown = Runs(checkpoints)
    listening = _listen(settings)
    config = uvicorn.Config(
        page(shown, settings),
        log_level="warning",
        access_log=False,
        lifespan="off",
        server_header=False,
        timeout_graceful_shutdown=1,
    )
    server = uvicorn.Server(config)
    if until_eof:
        Thread(target=_end_with_input, args=(server,), daemon=True).start()
    shown.start()
    tell(settings.url(listening.getsockname()[1]))
    try:
        server.run(sockets=[listening])
    except KeyboardInterrupt:
        pass
    finally:
        listening.close()
        shown.stop()


def _end_with_input(server: uvicorn.Server) -> None:
    sys.stdin.read()
    server.should_exit = True


def _listen(settings: Settings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    where = f"cannot serve on {settings.host} port {settings.port}"
    try:
        return socket.create_server((settings.host, settings.port), family=family, backlog=128)
    except OverflowError as error:
        text = f"{where}: ports are 0 to 65535"
        raise SlackwaterError("ADDRESS_REFUSED", text) from error
    except OSError as error:
        taken = error.errno == errno.EADDRINUSE
        raise SlackwaterError(
            "PORT_TAKEN" if taken else "ADDRESS_REFUSED",
            f"{where}: {error.strerror or error}",
            "give another with --port, or --port 0 for any free one" if taken else "give --host",
        ) from error
