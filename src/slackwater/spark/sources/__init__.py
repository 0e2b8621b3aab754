"""Where rows come from."""

from slackwater.spark.sources.base import Source
from slackwater.spark.sources.files import Files, files
from slackwater.spark.sources.generator import Generator, generator
from slackwater.spark.sources.heartbeat import heartbeat
from slackwater.spark.sources.recording import Recording, recording
from slackwater.spark.sources.topics.kafka import Kafka, kafka

__all__ = [
    "Files",
    "Generator",
    "Kafka",
    "Recording",
    "Source",
    "files",
    "generator",
    "heartbeat",
    "kafka",
    "recording",
]
