"""The web application: files, JSON, live events and metrics, all of it only to read."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any

import orjson
from fastapi import FastAPI, Query, Request
from fastapi.responses import FileResponse, PlainTextResponse, Response, StreamingResponse
from prometheus_client import CollectorRegistry
from prometheus_client.exposition import choose_encoder
from starlette.staticfiles import StaticFiles

from slackwater.dashboard import live, runs
from slackwater.dashboard.guard import Guard
from slackwater.dashboard.metrics import Collector
from slackwater.dashboard.runs import Runs
from slackwater.dashboard.settings import Settings
from slackwater.errors import SlackwaterError

STATIC = Path(__file__).parent / "static"
MOST = 5_000  # points or entries in one answer
_VERSIONS = re.compile(r";\s*version=([^;,]*)")
_VERSION = re.compile(r"\s*[0-9]{1,9}(\.[0-9]{1,9}){0,3}\s*", re.ASCII)
Micros = Annotated[float | None, Query(description="wall time, microseconds")]


def page(shown: Runs, settings: Settings) -> Guard:
    """The application that shows some runs, behind its guard."""
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, title="slackwater")
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    _add_files(app)
    _add_json(app, shown)
    _add_metrics(app, shown)

    @app.exception_handler(SlackwaterError)
    async def refused(_: Request, error: SlackwaterError) -> Response:
        return PlainTextResponse(f"{error}\n", 404)

    return Guard(app, settings)


def _add_files(app: FastAPI) -> None:
    @app.get("/")
    async def index() -> Response:
        return FileResponse(STATIC / "index.html")


def _json(value: Any) -> Response:
    return Response(orjson.dumps(value), media_type="application/json")


def _add_json(app: FastAPI, shown: Runs) -> None:
    @app.get("/api/runs")
    def all_runs() -> Response:
        return _json([runs.describe(run, number) for number, run in enumerate(shown.all)])

    @app.get("/api/runs/{number}/history")
    def history(
        number: str,
        points: Annotated[int, Query(ge=2, le=MOST)] = runs.POINTS,
        low: Micros = None,
        high: Micros = None,
    ) -> Response:
        return _json(runs.numbers(shown.find(number), points, low, high))

    @app.get("/api/runs/{number}/log")
    def log(
        number: str,
        newest: Annotated[int, Query(ge=1, le=MOST)] = 200,
        until: Micros = None,
        since: Micros = None,
    ) -> Response:
        return _json(runs.log(shown.find(number), newest, until, since))

    @app.get("/api/live")
    async def news(since: Annotated[list[str], Query()]) -> Response:
        viewers = live.cursors(since, shown)
        return StreamingResponse(live.stream(shown, viewers), media_type="text/event-stream")


def _add_metrics(app: FastAPI, shown: Runs) -> None:
    registry = CollectorRegistry()
    registry.register(Collector(shown.all))

    @app.get("/metrics")
    def metrics(request: Request) -> Response:
        accepted = request.headers.get("accept", "")
        if any(not _VERSION.fullmatch(given) for given in _VERSIONS.findall(accepted)):
            return PlainTextResponse("slackwater: no format is known by that version.\n", 400)
        encode, kind = choose_encoder(accepted)
        return Response(encode(registry), headers={"Content-Type": kind})
