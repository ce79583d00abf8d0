"""``POST /v1/arrivals/<key>/close``: who has a token says that an upload is complete."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest
from tests.functions.http_api.conftest import DIGITS

from junbi.core.facts import ArrivalState
from junbi.core.plan import Complete, Generation

if TYPE_CHECKING:
    from flask.testing import FlaskClient

KEY = "digits:vision-data/digits/2026-03/"


def path(key: str = KEY) -> str:
    """Where to send it."""
    return f"/v1/arrivals/{quote(key, safe='')}/close"


@pytest.fixture
def declared(world: Any) -> Any:
    """A ledger with a dataset that a call closes."""
    digits = DIGITS.model_copy(update={"complete": Complete(call=True)})
    scope = {"deployment": "vision", "environment": "prod", "region": "cn-hangzhou", "workspace": "104231"}
    with world.ledger.transaction():
        world.ledger.generations.apply(Generation(**scope, datasets={"digits": digits}, plans={}), world.ledger.now())
    return world


def test_it_is_noted_under_the_owner_of_the_token(declared: Any, program: FlaskClient) -> None:
    """The answer is the upload as it stands; the story names whose token it was; reconcile is asked for a look."""
    declared.arrival("2026-03", ArrivalState.OPEN)
    answer = program.post(path())
    assert answer.status_code == 200
    assert answer.json["state"] == "open"
    assert answer.json["called_at"]
    told = declared.ledger.story_of(f"arrival:{KEY}")
    assert [(one["code"], one["message"].partition(" ")[0]) for one in told] == [("ArrivalCalled", "somebody")]
    assert declared.ledger.worklist.due(declared.ledger.now()) == 1


def test_a_closed_upload_stays_closed_and_is_compared(declared: Any, program: FlaskClient) -> None:
    """Closing what is closed answers the same again; what may have come since is looked for after each call."""
    declared.arrival("2026-03", ArrivalState.CLOSED)
    assert [program.post(path()).json["state"] for _ in range(2)] == ["closed", "closed"]
    assert [one["code"] for one in declared.ledger.stories()] == ["ArrivalCalled"] * 2
    assert declared.ledger.worklist.due(declared.ledger.now()) == 1


@pytest.mark.parametrize(
    ("key", "status", "code"),
    [
        ("digits:other/1/", 404, "NotFound"),
        ("nobody:x/", 404, "NotFound"),
        ("digits:vision-data/digits/a b/", 409, "NotClosedByCall"),
    ],
)
def test_errors_say_what_is_wrong(declared: Any, program: FlaskClient, key: str, status: int, code: str) -> None:
    """What cannot be closed is a problem with its code, and nothing is written."""
    answer = program.post(path(key))
    assert (answer.status_code, answer.json["code"]) == (status, code)
    assert not declared.ledger.arrivals.newest()


def test_another_condition_is_a_conflict(world: Any, program: FlaskClient) -> None:
    """A dataset that its marker closes is not closed by a call, and the answer says so."""
    world.apply()
    answer = program.post(path())
    assert (answer.status_code, answer.json["code"]) == (409, "NotClosedByCall")
    assert "_SUCCESS" in answer.json["detail"]


def test_without_a_token_nothing_is_closed(declared: Any, visitor: FlaskClient) -> None:
    """It is the API: strangers are not let in."""
    assert visitor.post(path()).status_code == 401
    assert not declared.ledger.stories()
