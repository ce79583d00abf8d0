"""The console in a real browser: it keeps up, keeps what is open, and breaks none of its own rules."""

from __future__ import annotations

import os
import threading
import warnings
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from werkzeug.serving import WSGIRequestHandler, make_server

from junbi.core.facts import ArrivalState, LaunchState
from junbi.core.model import Check, Reason, State

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask
    from playwright.sync_api import Browser, Page

CHROMIUM = Path("/usr/bin/chromium")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

ABORTED = "net::ERR_ABORTED"

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A real Chromium. Where there is none: a skip that says so, or a failure if JUNBI_REQUIRE_BROWSER is 1."""
    if not CHROMIUM.exists():
        message = f"there is no Chromium at {CHROMIUM}; install it to test the console in a browser"
        if os.environ.get("JUNBI_REQUIRE_BROWSER") == "1":
            pytest.fail(message)
        pytest.skip(message)
    with warnings.catch_warnings():
        # Playwright's own event loop and pipes, which it leaves to the garbage collector.
        warnings.filterwarnings("ignore", category=ResourceWarning, module=r"asyncio|playwright|subprocess")
        from playwright.sync_api import sync_playwright  # costs a second where there is no browser

        with sync_playwright() as playwright:
            chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
            yield chromium
            chromium.close()


class _Quiet(WSGIRequestHandler):
    """Serves without a line for each request."""

    def log(self, *_: Any) -> None:
        """Nothing."""


@pytest.fixture
def address(app: Flask) -> Iterator[str]:
    """The function on a real port, behind what stands for FC's gateway: it marks requests as an HTTP trigger's."""

    def gateway(environ: dict[str, Any], start: Any) -> Any:
        environ["HTTP_X_FC_CONTROL_PATH"] = "/http-invoke"
        return app(environ, start)

    server = make_server("127.0.0.1", 0, gateway, threaded=True, request_handler=_Quiet)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    """A fresh profile's page. What the browser complains of fails the test: errors and breaches of the policy."""
    context = browser.new_context(base_url=address, reduced_motion="reduce")
    context.set_default_timeout(15_000)
    tab = context.new_page()
    complaints: list[str] = []
    tab.on("console", lambda message: complaints.append(message.text) if message.type in {"error", "warning"} else None)
    tab.on("pageerror", lambda error: complaints.append(str(error)))
    tab.on("dialog", lambda dialog: complaints.append(f"a script ran: {dialog.message}"))
    # A navigation cuts off what is still loading; anything else that fails, the policy included, counts.
    tab.on("requestfailed", lambda request: complaints.append(request.url) if request.failure != ABORTED else None)
    yield tab
    tab.goto("about:blank")
    context.close()
    assert complaints == []


def refreshed(page: Page) -> None:
    """Wait until the page has fetched itself again and shows it."""
    with page.expect_response(lambda response: response.request.resource_type == "fetch") as fetched:
        pass
    fetched.value.finished()
    page.wait_for_timeout(50)


def test_signing_in_and_out(page: Page, world: Any) -> None:
    """A person pastes the token, reads why a launch is blocked, and signs out again."""
    world.apply()
    world.blocked("1")
    page.goto("/")
    assert page.url.endswith("/login")
    page.get_by_label("Token").fill(world.token)
    page.get_by_role("button", name="Open the console").click()
    assert page.get_by_role("heading", level=1).inner_text() == "One launch needs you."
    row = page.locator("#launch-l-1").inner_text()
    assert "Blocked" in row
    assert "PublicResourceUnknown" in row
    assert "perhaps to ecs.g7.large" in row
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_url("**/login")
    page.goto("/")
    assert page.url.endswith("/login")


def test_the_link_signs_in(page: Page, world: Any) -> None:
    """The link that 'junbi up' prints opens the console, and the token is gone from the address."""
    page.goto(f"/?token={world.token}")
    assert page.evaluate("location.pathname + location.search") == "/"
    assert page.evaluate("document.cookie") == ""
    assert page.get_by_role("heading", level=1).inner_text() == "No launch yet."


def test_a_link_on_another_site(page: Page, world: Any, address: str) -> None:
    """Who is signed in and follows a link from another site is in, although the browser keeps the cookie back once."""
    page.goto(f"/?token={world.token}")
    page.route(
        "http://elsewhere.example/",
        lambda route: route.fulfill(body=f"<a href='{address}/'>go</a>", content_type="text/html"),
    )
    page.goto("http://elsewhere.example/")
    page.get_by_text("go").click()
    page.get_by_role("heading", name="No launch yet.").wait_for()


def test_it_keeps_up_and_keeps_what_is_open(page: Page, world: Any) -> None:
    """What changes is shown without a reload; opened details stay open, focus and the rows themselves stay."""
    world.blocked("1")
    page.goto(f"/?token={world.token}")
    page.locator("#details-l-1 summary").click()
    page.evaluate("document.getElementById('launch-l-1').kept = true")
    world.launch("2", LaunchState.RUNNING, label="2026-04", job_id="dlc2", job_status="Running")
    world.blocked("3", label="2026-05")
    world.ledger.tell("launch:l-1", "Noted", "somebody looked", world.ledger.now())
    page.locator("#launch-l-3").wait_for()
    assert page.locator("#details-l-1").get_attribute("open") is not None
    assert page.locator("#details-l-3").get_attribute("open") is None
    assert page.get_by_text("somebody looked").is_visible()
    assert page.evaluate("document.getElementById('launch-l-1').kept") is True
    assert page.evaluate("document.activeElement.parentElement.id") == "details-l-1"
    assert page.get_by_role("heading", level=1).inner_text() == "2 launches need you."
    assert page.title().startswith("2 launches need you.")


def test_a_launch_moves_on(page: Page, world: Any) -> None:
    """A launch that begins to run moves to where running ones are, once, and stays open."""
    from dataclasses import replace

    world.blocked("1")
    world.launch("2", LaunchState.RUNNING)
    page.goto(f"/?token={world.token}")
    page.locator("#details-l-1 summary").click()
    for state in (LaunchState.SUBMITTING, LaunchState.SUBMITTED, LaunchState.RUNNING):
        one = world.ledger.launches.get("l-1")
        world.ledger.launches.save(replace(one, state=state, reason=None, job_id="dlc1"))
    page.locator("#active #launch-l-1").wait_for()
    assert page.locator("#launch-l-1").count() == 1
    assert page.locator("#held").count() == 0


def test_a_launch_comes_first(page: Page, world: Any) -> None:
    """A launch that becomes blocked moves before the others, and both stay as open as they were."""
    from dataclasses import replace

    world.launch("1", age=timedelta(minutes=1))
    world.launch("2")
    page.goto(f"/?token={world.token}")
    page.locator("#details-l-1 summary").click()
    waiting = world.ledger.launches.get("l-1")
    reason = Reason("MountCollision", "Two at /mnt.")
    world.ledger.launches.save(replace(waiting, reason=reason, checks=(Check("mounts", State.BLOCKED, reason),)))
    page.locator("#held article:first-of-type#launch-l-1").wait_for()
    assert page.locator("#held article").count() == 2
    assert page.locator("#details-l-1").get_attribute("open") is not None
    assert page.locator("#details-l-2").get_attribute("open") is None


def test_signed_out_elsewhere(page: Page, world: Any) -> None:
    """A page whose session ended goes to the login instead of showing an old state for ever."""
    world.launch("1")
    page.goto(f"/?token={world.token}")
    page.context.clear_cookies()
    page.wait_for_url("**/login")


def test_hostile_names(page: Page, world: Any) -> None:
    """Names from strangers are shown as text: no script runs, nothing is loaded, nothing turns around."""
    evil = "<script>alert(1)</script><img src=/x onerror=alert(1)>"
    reason = Reason("CaptureRefused", f"{evil} is not acceptable.")
    for key, name in enumerate((evil, "$(touch x)", "🚀 準備 训练", "אימון", "gpj\u202eexe")):
        world.blocked(str(key), reason, plan=name)
    world.arrival("$(touch x)", ArrivalState.REFUSED, reason)
    world.arrival(evil, ArrivalState.REFUSED, reason)
    page.goto(f"/?token={world.token}")
    refreshed(page)
    text = page.locator("main").inner_text()
    for shown in (evil, "$(touch x)", "oss://vision-data/digits/$(touch x)/", "🚀 準備 训练", "אימון", "gpj\\u202eexe"):
        assert shown in text
    assert page.locator("main script, main img").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_phone(page: Page, world: Any, scheme: str) -> None:
    """On a phone nothing has to be scrolled sideways, not even endless names and opened details."""
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": 360, "height": 740})
    world.apply()
    world.blocked(
        "1", Reason("X" * 60, "y" * 300, fix="z" * 300, facts={"digest": "9f" * 32}), plan="p" * 128, label="v" * 128
    )
    world.arrival("w" * 128, ArrivalState.REFUSED, Reason("CaptureRefused", "u" * 300))
    world.ledger.quarantine("oss_upload", b"q" * 2000, "r" * 300, world.ledger.now())
    page.goto(f"/?token={world.token}")
    for summary in page.locator("summary").all():
        summary.click()
    assert page.evaluate("document.documentElement.scrollWidth") == 360


def test_without_scripts(browser: Browser, address: str, world: Any) -> None:
    """Without JavaScript the page shows the same, and details open."""
    world.blocked("1")
    context = browser.new_context(base_url=address, java_script_enabled=False)
    page = context.new_page()
    page.goto(f"/?token={world.token}")
    assert page.get_by_text("digits 2026-03 arrived.").is_visible() is False
    page.locator("#details-l-1 summary").click()
    assert page.get_by_text("digits 2026-03 arrived.").is_visible()
    assert page.get_by_text("Reload the page to see what changed.").is_visible()
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast(page: Page, world: Any, scheme: str) -> None:
    """Every text stands out from its ground by 4.5 : 1 at least (WCAG 2.2 AA), by day and by night."""
    page.emulate_media(color_scheme=scheme)
    world.apply()
    world.blocked("1")
    for state in LaunchState:
        world.launch(state.value, state)
    page.goto(f"/?token={world.token}")
    page.locator("#details-l-1 summary").click()
    assert page.evaluate(POOR_CONTRAST) == []


#: The texts whose colour is too near to what lies under them: every ground is painted onto one pixel, in order.
POOR_CONTRAST = """() => {
  const pen = Object.assign(document.createElement("canvas"), {width: 1, height: 1})
    .getContext("2d", {willReadFrequently: true});
  const paint = (colours) => {
    for (const colour of colours) { pen.fillStyle = colour; pen.fillRect(0, 0, 1, 1); }
    return [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const light = (rgb) => rgb
    .map((part) => part / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    .reduce((sum, part, index) => sum + part * [0.2126, 0.7152, 0.0722][index], 0);
  const poor = [];
  for (const element of document.querySelectorAll("body *")) {
    const text = [...element.childNodes].filter((node) => node.nodeType === 3 && node.data.trim());
    if (!text.length || !element.checkVisibility()) continue;
    const grounds = [];
    for (let up = element; up; up = up.parentElement) grounds.unshift(getComputedStyle(up).backgroundColor);
    const ground = paint(grounds);
    const [one, other] = [light(ground), light(paint([...grounds, getComputedStyle(element).color]))];
    const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    if (ratio < 4.5) poor.push(`${text[0].data.trim()}: ${ratio.toFixed(2)}`);
  }
  return poor;
}"""
