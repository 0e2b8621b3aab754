"""Pipelines written down as TOML."""

from slackwater.frontends.toml.read import PipelineFile, read

__all__ = ["PipelineFile", "read"]
