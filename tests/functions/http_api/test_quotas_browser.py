"""The quotas in a real browser: what is part of what is seen, and nothing is cut off on a telephone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.functions.http_api.test_browser import POOR_CONTRAST, address, browser, page
from tests.functions.http_api.test_quotas import fill

if TYPE_CHECKING:
    from playwright.sync_api import Page

__all__ = ["address", "browser", "page"]  # fixtures

pytestmark = pytest.mark.browser


@pytest.mark.parametrize(("width", "scheme"), [(1200, "light"), (360, "dark")])
def test_quotas_are_seen_below_each_other(page: Page, world: Any, width: int, scheme: Any) -> None:
    """Each level begins further right, no row is wider than the screen, and every text stands out."""
    fill(world)
    page.set_viewport_size({"width": width, "height": 740})
    page.emulate_media(color_scheme=scheme)
    page.goto(f"/?token={world.token}")
    names = [page.locator(f"#quota-{one} h3 bdi").bounding_box() for one in ("vision", "training", "vision-small")]
    lefts = [box["x"] for box in names if box]
    assert lefts == sorted(set(lefts))
    assert len(lefts) == 3
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert page.evaluate(POOR_CONTRAST) == []
