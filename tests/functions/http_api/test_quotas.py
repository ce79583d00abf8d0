"""Quotas as they were read last: GET /v1/quotas, and the console's panel."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from junbi.core.quotas import snapshot
from junbi.ledger.quotas import Reading

if TYPE_CHECKING:
    from flask.testing import FlaskClient

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def test_the_quotas_as_they_were_read_last(world: Any, program: FlaskClient) -> None:
    """To whoever has a token: what they are, what is used, and when that was read."""
    world.apply()
    read = snapshot({"QuotaId": "quota1", "Status": "Ready"}, "Lingjun", NOW)
    world.ledger.quotas.save("cn-hangzhou", Reading("Lingjun", NOW), [read])
    told = program.get("/v1/quotas").get_json()
    (quota,) = told["quotas"]
    assert (quota["id"], quota["kind"], quota["status"], quota["resources"]) == ("quota1", "Lingjun", "Ready", {})
    assert [one["kind"] for one in told["readings"]] == ["Lingjun"]


def quota(name: str, parent: str = "", **more: Any) -> dict[str, Any]:
    """A quota as PaiStudio lists it."""
    return {"QuotaId": name, "QuotaName": name, "ParentQuotaId": parent, "Status": "Ready", **more}


def amounts(used: dict[str, str], has: dict[str, str]) -> dict[str, Any]:
    """Its details, as far as amounts go."""
    return {"QuotaDetails": {"AllocatedQuota": used, "AllocatableQuota": has}}


def fill(world: Any) -> None:
    """Quotas below each other, one that is gone, one that is being scaled, and a kind that cannot be read."""
    world.apply()
    some = amounts({"CPU": "12", "Memory": "60Gi", "GPU": "2"}, {"CPU": "64", "Memory": "240Gi", "GPU": "8"})
    ecs = [
        quota("vision", **some),
        quota("vision-small", "training", **amounts({"GPU": "0"}, {"GPU": "1"})),
        quota("training", "vision", **amounts({"CPU": "8"}, {"CPU": "32", "GPU": "4"})),
        quota("elsewhere", "of-somebody", Status="Scaling"),
    ]
    read = [snapshot(one, "ECS", NOW) for one in ecs]
    lost = replace(snapshot(quota("lost"), "ECS", NOW), gone_at=NOW)
    world.ledger.quotas.save("cn-hangzhou", Reading("ECS", NOW), [*read, lost])
    world.ledger.quotas.save("cn-hangzhou", Reading("Lingjun", None, "403 Forbidden.RAM: ListQuotas"))


def test_the_console_shows_what_is_free_and_what_could_not_be_read(world: Any, person: FlaskClient) -> None:
    """Used, free and all there is of each resource; what is not told is marked; a kind that is unread says why."""
    fill(world)
    shown = rows(person)
    assert "12 of 64 used, 52 free" in shown["quota-vision"]
    assert "60Gi of 240Gi used, 180 GiB free" in shown["quota-vision"]
    assert "? of 4 used" in shown["quota-training"]
    assert "PAI tells no amounts" in shown["quota-elsewhere"]
    assert ("Scaling" in shown["quota-elsewhere"], "Gone" in shown["quota-lost"]) == (True, True)
    assert "403 Forbidden.RAM: ListQuotas" in shown["reading-Lingjun"]
    assert "None was ever read" in shown["reading-Lingjun"]


def test_the_console_shows_quotas_below_those_that_they_are_part_of(world: Any, person: FlaskClient) -> None:
    """A parent, then what is part of it, deeper by one each; one whose parent we may not see stands at the top."""
    fill(world)
    shown = rows(person)
    assert [name for name in shown if name.startswith("quota-")] == [
        "quota-elsewhere",
        "quota-lost",
        "quota-vision",
        "quota-training",
        "quota-vision-small",
    ]
    assert "part of <code><bdi>of-somebody</bdi></code>" in shown["quota-elsewhere"]
    depths = {name: re.findall(r"below-\d", text) for name, text in shown.items()}
    assert (depths["quota-vision"], depths["quota-training"], depths["quota-vision-small"]) == (
        [],
        ["below-1"],
        ["below-2"],
    )


def test_a_console_without_quotas_shows_no_panel_of_them(world: Any, person: FlaskClient) -> None:
    """Whoever uses public resources alone is told of none; what is its own ancestor is shown once."""
    world.apply()
    assert 'id="quotas"' not in person.get("/").text
    round_and_round = [snapshot(quota("a", "b"), "ECS", NOW), snapshot(quota("b", "a"), "ECS", NOW)]
    world.ledger.quotas.save("cn-hangzhou", Reading("ECS", NOW), round_and_round)
    assert sorted(rows(person)) == ["quota-a", "quota-b"]


def rows(person: FlaskClient) -> dict[str, str]:
    """The rows of the panel as HTML, by their ids, in order."""
    panel = person.get("/").text.split('id="quotas"')[1].split("</section>")[0]
    return {re.search(r'id="([^"]*)"', row)[1]: row for row in panel.split("<article")[1:]}  # type: ignore[index]
