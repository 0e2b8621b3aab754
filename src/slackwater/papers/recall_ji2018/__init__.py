"""Slack by a recall asked of window joins. Reference: Ji 2018, ch. 4."""
