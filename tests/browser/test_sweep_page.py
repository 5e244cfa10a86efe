"""A click on a point, or on a cell of the heat-map, opens its setting here and on the Trace page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

# Where a point of a chart lies on the screen, by the chart's own axes.
_WHERE = """([chart, trace, point]) => {
  const graph = document.querySelectorAll(".js-plotly-plot")[chart];
  const { x, y } = graph.calcdata[trace][point], { xaxis, yaxis, _size } = graph._fullLayout;
  const box = graph.getBoundingClientRect();
  return [box.left + _size.l + xaxis.c2p(x), box.top + _size.t + yaxis.c2p(y)];
}"""


def click(page: Page, chart: int, trace: int, point: int, off: tuple[int, int] = (0, 0)) -> None:
    page.locator(".js-plotly-plot").nth(chart).scroll_into_view_if_needed()
    page.wait_for_timeout(300)
    x, y = page.evaluate(_WHERE, [chart, trace, point])
    page.mouse.move(x + off[0], y + off[1])
    page.mouse.click(x + off[0], y + off[1])


def test_a_click_opens_a_setting_here_and_on_trace(page: Page, app: str) -> None:
    page.goto(f"{app}/sweep?conversation=lakeside&cues=imported")
    page.locator(".js-plotly-plot .points path").first.wait_for(state="attached")
    page.get_by_text("more than added up").wait_for()  # the last of the page
    before = page.url
    click(page, 0, 3, 4, off=(0, 90))  # beside all points nothing is opened
    page.wait_for_timeout(500)
    assert page.url == before
    click(page, 0, 3, 4)  # of the anchors only
    page.wait_for_url("**w=0&k=0&m=5**")
    page.get_by_role("link", name="Trace a question at w = 0, k = 0, m = 5").wait_for()
    page.get_by_text("more than added up").wait_for()
    click(page, 1, 1, 2 * 11 + 3)
    page.wait_for_url("**w=2&k=3&m=5**")
    page.get_by_role("link", name="Trace a question at w = 2, k = 3, m = 5").click()
    page.wait_for_url("**/trace?**w=2&k=3&m=5**")
    page.get_by_text("Evidence context").first.wait_for()
