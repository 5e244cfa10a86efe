"""The forms of date in the datasets. None names a time zone that matters, so times stay naive and no day can shift.

They are read by pattern: strptime's month and am/pm names depend on the locale of the machine.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_LOCOMO = re.compile(
    r"(?P<hour>\d{1,2}):(?P<minute>\d\d)\s*(?P<half>[ap])m\s+on\s+"
    r"(?P<day>\d{1,2})\s+(?P<month>[a-z]+),?\s+(?P<year>\d{4})",
    re.IGNORECASE | re.ASCII,
)
_LONGMEMEVAL = re.compile(
    r"(?P<year>\d{4})/(?P<month>\d{1,2})/(?P<day>\d{1,2})\s+(\([a-z]+\)\s+)?(?P<hour>\d{1,2}):(?P<minute>\d\d)",
    re.IGNORECASE | re.ASCII,
)
_PLAIN = re.compile(
    r"(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)"
    r"([T ](?P<hour>\d\d):(?P<minute>\d\d)(:(?P<second>\d\d)([.,]\d{1,9})?)?\s?(Z|[+-]\d\d(:?\d\d)?)?)?",
    re.IGNORECASE | re.ASCII,
)


def locomo_date(value: Any) -> datetime | None:
    """``1:56 pm on 8 May, 2023`` as a naive time; None for anything else. 12:xx am is just after midnight."""
    match = _LOCOMO.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None or match["month"].lower() not in _MONTHS or not 1 <= int(match["hour"]) <= 12:
        return None
    hour = int(match["hour"]) % 12 + (12 if match["half"].lower() == "p" else 0)
    month = _MONTHS.index(match["month"].lower()) + 1
    return _time(int(match["year"]), month, int(match["day"]), hour, int(match["minute"]))


def longmemeval_date(value: Any) -> datetime | None:
    """``2023/05/20 (Sat) 02:21`` as a naive time; None for anything else. The weekday is not checked."""
    match = _LONGMEMEVAL.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None:
        return None
    return _time(*(int(match[part]) for part in ("year", "month", "day", "hour", "minute")))


def plain_date(value: Any) -> datetime | None:
    """``2024-05-01 18:30``, ``2024-05-01`` or ISO 8601 as a naive time; None for anything else.

    A time zone is left out, not converted: the clock that people saw is what they speak of.
    """
    match = _PLAIN.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None:
        return None
    return _time(*(int(match[part] or 0) for part in ("year", "month", "day", "hour", "minute", "second")))


def _time(year: int, month: int, day: int, hour: int, minute: int, second: int = 0) -> datetime | None:
    """The time, None where the calendar has no such day or the day no such minute."""
    try:
        return datetime(year, month, day, hour, minute, second)
    except ValueError:
        return None
