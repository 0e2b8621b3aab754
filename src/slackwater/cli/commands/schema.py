"""``slackwater schema``: the keys of pipeline files for editors, as a JSON schema."""

from __future__ import annotations

import json

import typer

from slackwater.frontends.toml.editor import schema as schema_of
from slackwater.spark.catalog import catalog


def schema() -> None:
    """Print the JSON schema of pipeline files, for editors that complete and check keys."""
    typer.echo(json.dumps(schema_of(catalog()), indent=1))
