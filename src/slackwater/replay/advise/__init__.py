"""How long to wait: advice from a recorded stream, without an engine."""

from slackwater.replay.advise.advice import Advice, Line, advise
from slackwater.replay.advise.columns import Unit
from slackwater.replay.advise.frames import Frames
from slackwater.replay.advise.measure import Measure, measure
from slackwater.replay.advise.quality import Quality, Target
from slackwater.replay.advise.recording import (
    Columns,
    Described,
    Recording,
    check_recording,
    read_recording,
)
from slackwater.replay.advise.settings import Settings, settings
from slackwater.replay.advise.timeline import Timeline

__all__ = [
    "Advice",
    "Columns",
    "Described",
    "Frames",
    "Line",
    "Measure",
    "Quality",
    "Recording",
    "Settings",
    "Target",
    "Timeline",
    "Unit",
    "advise",
    "check_recording",
    "measure",
    "read_recording",
    "settings",
]
