"""Deliveries that nobody vouches for: however many, they cost the ledger nothing and keep no genuine one waiting."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.fixtures.declared import SECRET, TRAINER, push

from junbi.core.model import Reason
from junbi.events.delivery import Delivery
from junbi.events.signatures import fingerprint
from junbi.ledger.deliveries import RING, RefusedDelivery
from junbi.pipeline import git_door, receive
from junbi.pipeline.refused import Tally, tally

if TYPE_CHECKING:
    from tests.pipeline.conftest import World


def delivery(number: int, secret: str = SECRET) -> Delivery:
    """A push of GitHub's, signed."""
    return Delivery(*push(number, secret)[::-1], {})


@pytest.fixture
def watched(world: World, monkeypatch: pytest.MonkeyPatch) -> World:
    """A world that watches code."""
    monkeypatch.setenv("JUNBI_SECRET_HOOK", SECRET)
    world.apply(world.generation([world.dataset()], []).model_copy(update={"code": {"trainer": TRAINER}}))
    return world


def rows(world: World) -> int:
    """How many rows the ledger holds, of anything."""
    names = ("delivery", "refused_delivery", "refused_count", "push", "story", "quarantine", "work")
    connection = world.database._connection()  # type: ignore[attr-defined]  # the engine's own: no statement counts rows
    return sum(connection.execute(f"SELECT COUNT(*) AS n FROM {name}").fetchone()["n"] for name in names)


def test_forged_deliveries_grow_nothing_and_a_genuine_one_is_noted(watched: World) -> None:
    """Three thousand forged deliveries are a counter and at most a ring of fifty; the genuine one between is noted."""
    for number in range(60):
        receive.receive(git_door, watched.ledger, delivery(number, "wrong"))
    before = rows(watched)
    answers = [receive.receive(git_door, watched.ledger, delivery(number, "wrong"))[0].status for number in range(3000)]
    genuine, _ = receive.receive(git_door, watched.ledger, delivery(1))
    assert set(answers) == {401}
    assert (genuine.status, genuine.body["noted"]) == (200, ["trainer"])
    assert rows(watched) - before <= RING + 3
    assert watched.ledger.quarantined() == []


def test_what_was_counted_is_written_and_none_is_lost(watched: World) -> None:
    """Refusals within a second are one write; the next write holds all of them."""
    tally = Tally()
    told = receive.receive(git_door, watched.ledger, delivery(1, "wrong"))[0].body
    last = RefusedDelivery(watched.ledger.now(), "git_push", Reason(str(told["code"]), ""), "f")
    before = sum(row["times"] for row in watched.ledger.deliveries.refused_counts())
    for _ in range(500):
        tally.add(watched.ledger, "git_push", last.reason.code, watched.ledger.now(), lambda: last)
    first = sum(row["times"] for row in watched.ledger.deliveries.refused_counts()) - before
    tally._written_at.clear()
    tally.add(watched.ledger, "git_push", last.reason.code, watched.ledger.now(), lambda: last)
    assert first < 500
    assert sum(row["times"] for row in watched.ledger.deliveries.refused_counts()) - before == 501


def test_a_flood_for_one_reason_hides_no_other(watched: World) -> None:
    """Strangers scan without a proof all the time: why the one genuine sender is refused can be read all the same."""
    tally().__init__()  # type: ignore[misc]  # nothing was written just now
    for _ in range(100):
        receive.receive(git_door, watched.ledger, Delivery({"X-GitHub-Event": "push"}, b"{}", {}))
    receive.receive(git_door, watched.ledger, delivery(1, "wrong"))
    for _ in range(100):
        receive.receive(git_door, watched.ledger, Delivery({"X-GitHub-Event": "push"}, b"{}", {}))
    assert {one.reason.code for one in watched.ledger.deliveries.refused()} == {"NoProof", "WrongSecret"}


@pytest.mark.parametrize("at", [0, 10, 40])
def test_one_changed_byte_is_refused(watched: World, at: int) -> None:
    """The signature covers every byte of the body."""
    good = delivery(3)
    body = bytearray(good.body)
    body[at] ^= 1
    answer, _ = receive.receive(git_door, watched.ledger, Delivery(good.headers, bytes(body), {}))
    assert answer.status == 401


def test_bc_82_both_secrets_hold_while_they_rotate(watched: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """BC-82: the old and the new secret are valid at once, and the answer tells them apart by fingerprint."""
    monkeypatch.setenv("JUNBI_SECRET_NEXT", "the next secret")
    line = TRAINER.model_copy(update={"webhook": ("NEXT", "HOOK")})
    watched.apply(watched.generation([watched.dataset()], []).model_copy(update={"code": {"trainer": line}}))
    answers = [
        receive.receive(git_door, watched.ledger, delivery(*one))[0] for one in ((5, SECRET), (6, "the next secret"))
    ]
    assert [answer.body["noted"] for answer in answers] == [["trainer"], ["trainer"]]
    assert answers[0].body["signed with"] != answers[1].body["signed with"]


def test_bc_83_a_sender_that_was_forgotten_in_a_rotation_is_told_apart(
    watched: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """BC-83: the old secret is still set and no entry names it: it opens nothing, and its fingerprint is told."""
    monkeypatch.setenv("JUNBI_SECRET_OLD", "the old secret")
    tally().__init__()  # type: ignore[misc]  # nothing was written just now
    answer, _ = receive.receive(git_door, watched.ledger, delivery(5, "the old secret"))
    assert (answer.status, answer.body["code"]) == (401, "WrongSecret")
    newest = watched.ledger.deliveries.refused()[0].reason
    assert (newest.code, newest.facts["made_with"]) == ("RetiredSecret", fingerprint("the old secret"))
    assert "the old secret" not in str(newest)


def test_bc_88_a_secret_that_is_not_set_is_said_where_it_is_needed(
    watched: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """BC-88: nothing is verified with an empty secret, the refusal says so, and everything else can still be read."""
    monkeypatch.delenv("JUNBI_SECRET_HOOK")
    answer, _ = receive.receive(git_door, watched.ledger, delivery(7, ""))
    assert (answer.status, answer.body["code"]) == (401, "NoSecret")
    assert watched.ledger.code_lines.all() == [TRAINER]


def test_bc_79_a_refused_delivery_is_diagnosed_for_our_own_people(watched: World) -> None:
    """BC-79: the sender hears that nothing was proved; we are shown that something on the way wrote the body anew."""
    good = delivery(9)
    rewritten = json.dumps(json.loads(good.body), separators=(",", ":")).encode()
    tally().__init__()  # type: ignore[misc]  # nothing was written just now
    answer, _ = receive.receive(git_door, watched.ledger, Delivery(good.headers, rewritten, {}))
    assert (answer.status, answer.body["code"]) == (401, "WrongSecret")
    newest = watched.ledger.deliveries.refused()[0].reason
    assert newest.code == "BodyChanged"
    assert SECRET not in str(newest)


def test_bc_88_the_variable_that_is_missing_is_named(watched: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """BC-88: whoever runs the functions reads which variable holds nothing."""
    monkeypatch.delenv("JUNBI_SECRET_HOOK")
    tally().__init__()  # type: ignore[misc]
    receive.receive(git_door, watched.ledger, delivery(7, ""))
    assert watched.ledger.deliveries.refused()[0].reason.facts["not set"] == "JUNBI_SECRET_HOOK"
