"""A plan that cannot be launched yet says for which input it waits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from junbi.pipeline import views

if TYPE_CHECKING:
    from flask.testing import FlaskClient


def test_a_plan_names_the_input_it_waits_for(person: FlaskClient, world: Any) -> None:
    """As long as an input has no version, the plan is shown with the input that is missing."""
    world.apply()
    page = person.get("/").text
    assert "Plans that wait for an input" in page
    assert views.plans(world.ledger)["plans"][0]["waits_for"] == ["digits"]


def test_a_plan_that_has_everything_is_not_shown(person: FlaskClient, world: Any) -> None:
    """Once every input has a version, nothing is said to be waiting for one."""
    world.apply()
    world.ledger.revisions.put_head(world.revision("v1"))
    assert "Plans that wait for an input" not in person.get("/").text
    assert views.plans(world.ledger)["plans"][0]["inputs"] == {"digits": "v1"}
