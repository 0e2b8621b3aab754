"""Files of a folder read here, with the meaning Spark's readers give them, or not at all."""

from slackwater.execute.files.form import SETTINGS, Form, why_not
from slackwater.execute.files.not_plain import NotPlain
from slackwater.execute.files.read import read

__all__ = ["SETTINGS", "Form", "NotPlain", "read", "why_not"]
