"""Puts the page together: what the views say, in the order in which a person needs it."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from junbi.console import assets, words
from junbi.core.facts import ArrivalState, LaunchState
from junbi.core.lifecycle import ACTIVE, FINAL
from junbi.pipeline import delivery_views, input_views, launch_views, line_views, quota_views, views

if TYPE_CHECKING:
    from collections.abc import Iterable

    from jinja2 import Environment

    from junbi.ledger.ledger import Ledger
    from junbi.pipeline.views import View

_TEMPLATES = Path(__file__).parent / "templates"

#: Closed uploads are dataset versions and shown as such.
UNDER_WAY = tuple(state for state in ArrivalState if state is not ArrivalState.CLOSED)


class Group(NamedTuple):
    """Launches that are shown together."""

    name: str
    title: str
    states: tuple[LaunchState, ...]


GROUPS = (
    Group("held", "Not running", tuple(state for state in LaunchState if state not in ACTIVE | FINAL)),
    Group("active", "Under way", tuple(state for state in LaunchState if state in ACTIVE)),
    Group("ended", "Ended", tuple(state for state in LaunchState if state in FINAL)),
)


def console(ledger: Ledger) -> str:
    """The page as HTML."""
    launches = [(group, launch_views.launches(ledger, group.states, detailed=True)) for group in GROUPS]
    arrivals = input_views.arrivals(ledger, UNDER_WAY)
    for _, found in launches:
        found["launches"].sort(key=lambda view: words.of_launch(view).tone != "stop")
    arrivals["arrivals"].sort(key=lambda view: words.of_arrival(view["state"]).tone == "rest")
    return render(
        "console.html",
        now=ledger.now(),
        scope=views.generation(ledger),
        watched=input_views.watched(ledger),
        plans=views.plans(ledger)["plans"],
        answer=answer([found for _, found in launches], arrivals),
        tally=tally(view for _, found in launches for view in found["launches"]),
        groups=launches,
        total=sum(found["total"] for _, found in launches),
        arrivals=arrivals,
        revisions=input_views.revisions(ledger),
        quarantine=views.quarantine(ledger),
        code=line_views.code(ledger),
        images=line_views.images(ledger),
        quotas=quota_views.quotas(ledger),
        deliveries=delivery_views.deliveries(ledger),
    )


def answer(groups: list[View], uploads: View) -> str:
    """The whole page in one sentence, from the launches of each of GROUPS and the uploads under way."""
    held, active, ended = groups
    stopped = sum(words.of_launch(view).tone == "stop" for view in held["launches"])
    if stopped:
        least = "At least " if held["total"] > len(held["launches"]) else ""
        return f"{least}{_number(stopped, 'launch needs', 'launches need')} you.".capitalize()
    refused = sum(words.of_arrival(view["state"]).tone == "stop" for view in uploads["arrivals"])
    if refused:
        return f"{_number(refused, 'upload needs', 'uploads need')} you.".capitalize()
    if held["total"]:
        return f"{_number(held['total'], 'launch waits', 'launches wait')}, and nothing for you to do.".capitalize()
    if active["total"]:
        return f"{_number(active['total'], 'job is', 'jobs are')} under way.".capitalize()
    return "Nothing is waiting." if ended["total"] else "No launch yet."


def tally(found: Iterable[View]) -> list[tuple[words.Word, int]]:
    """How many launches stand in each state, those first that somebody has to act on."""
    counted = Counter(words.of_launch(view) for view in found)
    return sorted(counted.items(), key=lambda entry: (words.TONES.index(entry[0].tone), entry[0].word))


def nested(quotas: Iterable[View]) -> list[tuple[int, View]]:
    """Quotas with how deep each lies below others, parents first; one whose parent is not there is at the top."""
    found = {one["id"]: one for one in quotas}
    children: dict[str, list[View]] = {}
    for one in found.values():
        children.setdefault(one["parent"] if one["parent"] in found else "", []).append(one)
    placed: dict[str, tuple[int, View]] = {}

    def place(parent: str, depth: int) -> None:
        for one in children.get(parent, ()):
            placed[one["id"]] = depth, one
            place(one["id"], depth + 1)

    place("", 0)
    # What is its own ancestor, by a mistake of PAI's, is below nothing.
    return [*placed.values(), *((0, one) for key, one in found.items() if key not in placed)]


def render(template: str, **values: Any) -> str:
    """A template of the console as HTML, every value escaped."""
    return _environment().get_template(template).render(values)


def _number(number: int, one: str, many: str) -> str:
    return f"one {one}" if number == 1 else f"{number:,} {many}"


@cache
def _environment() -> Environment:
    """Made when the first page is asked for: a function that only answers the API never loads it."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=words.visible,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(asset=assets.address, nested=nested, words=words)
    return environment
