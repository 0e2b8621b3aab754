"""The source works that can be run."""

from __future__ import annotations

from slackwater.errors import SlackwaterError
from slackwater.papers.adaptive_zhu2006.run import PAPER as ADAPTIVE
from slackwater.papers.concurrent_ji2018.run import PAPER as CONCURRENT
from slackwater.papers.hybrid_ji2018.run import PAPER as HYBRID
from slackwater.papers.paper import Paper
from slackwater.papers.precedence_works2015.run import PAPER as PRECEDENCE
from slackwater.papers.prodding_bhat2011.run import PAPER as PRODDING
from slackwater.papers.recall_ji2018.run import PAPER as RECALL
from slackwater.papers.robust_lei2014.run import PAPER as ROBUST
from slackwater.papers.slack_ji2018.run import PAPER as SLACK

PAPERS: tuple[Paper, ...] = (
    SLACK,
    RECALL,
    CONCURRENT,
    HYBRID,
    PRODDING,
    ADAPTIVE,
    ROBUST,
    PRECEDENCE,
)


def paper(name: str) -> Paper:
    """The work of this name.

    >>> paper("slack_ji2018").source
    'Ji 2018, ch. 4'
    """
    for one in PAPERS:
        if one.name == name:
            return one
    names = ", ".join(one.name for one in PAPERS)
    raise SlackwaterError("PAPER_UNKNOWN", f"there is no paper {name!r}", f"there are: {names}")
