"""``slackwater explain``: the plan of a document, without starting Spark."""

from __future__ import annotations

import typer

from slackwater.cli.options import Json, PipelineFile
from slackwater.spark.document import load


def explain(document: PipelineFile, json_: Json = False) -> None:
    """Show what a pipeline will do: levels, states, contracts. Starts nothing."""
    typer.echo(load(document).pipeline.explain("json" if json_ else "text"))
