"""Slack by a bound on the error of window aggregates. Reference: Ji 2018, ch. 4."""
