"""The two written forms of date: exact, naive, independent of the machine."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cuemem.datasets.dates import locomo_date, longmemeval_date

MONTHS = "January February March April May June July August September October November December".split()  # noqa: SIM905
minutes = st.datetimes(datetime(1900, 1, 1), datetime(2199, 12, 31)).map(lambda t: t.replace(second=0, microsecond=0))


@pytest.fixture(params=["America/Los_Angeles", "Asia/Shanghai", "Pacific/Kiritimati"])
def zone(request: pytest.FixtureRequest) -> Iterator[None]:
    before = os.environ.get("TZ")
    os.environ["TZ"] = request.param
    time.tzset()
    yield
    os.environ.pop("TZ") if before is None else os.environ.__setitem__("TZ", before)
    time.tzset()


@pytest.mark.usefixtures("zone")
def test_the_day_never_shifts_with_the_time_zone() -> None:
    assert locomo_date("12:09 am on 13 September, 2023") == datetime(2023, 9, 13, 0, 9)
    assert longmemeval_date("2023/03/12 (Sun) 02:30") == datetime(2023, 3, 12, 2, 30)  # does not exist in California
    assert locomo_date("12:09 am on 13 September, 2023").tzinfo is None  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("written", "hour"),
    [("12:00 am", 0), ("12:59 AM", 0), ("1:00 am", 1), ("11:59 am", 11), ("12:00 pm", 12), ("1:56 pm", 13)],
)
def test_twelve_am_is_midnight(written: str, hour: int) -> None:
    time_read = locomo_date(f"{written} on 8 May, 2023")
    assert time_read is not None
    assert (time_read.day, time_read.hour) == (8, hour)


@given(moment=minutes)
def test_every_minute_comes_back_as_it_was_written(moment: datetime) -> None:
    half = "am" if moment.hour < 12 else "pm"
    clock = f"{(moment.hour + 11) % 12 + 1}:{moment.minute:02}"
    assert locomo_date(f"{clock} {half} on {moment.day} {MONTHS[moment.month - 1]}, {moment.year}") == moment
    assert longmemeval_date(f"{moment:%Y/%m/%d} (Sat) {moment:%H:%M}") == moment


@pytest.mark.parametrize(
    "written",
    [
        *(
            None,
            "",
            "soon",
            1683554160,
            ["1:56 pm on 8 May, 2023"],
            "1:56 pm on 31 June, 2023",
            "13:56 pm on 8 May, 2023",
        ),
        *("0:10 am on 8 May, 2023", "1:76 pm on 8 May, 2023", "1:56 pm on 8 Mai, 2023", "2023-05-08T13:56:00"),
        *("2023/02/30 (Thu) 10:00", "2023/05/20 (Sat) 24:01", "2023/13/01 (Sun) 10:00", "٢٠٢٣/05/20 (Sat) 02:21"),
    ],
)
def test_anything_else_is_unknown_and_never_now(written: object) -> None:
    assert locomo_date(written) is None
    assert longmemeval_date(written) is None
