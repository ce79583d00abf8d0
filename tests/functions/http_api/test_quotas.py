"""GET /v1/quotas."""

from __future__ import annotations

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
