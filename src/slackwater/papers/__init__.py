"""The source works' own operators and experiments, behind ``slackwater papers``."""
