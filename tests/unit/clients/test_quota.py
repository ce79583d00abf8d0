"""Quotas are told as a whole, or not at all."""

from __future__ import annotations

from typing import Any

import pytest

from junbi.clients.api import Api
from junbi.clients.credentials import Credentials
from junbi.clients.quota import QuotaClient
from junbi.errors import CallFailed, OutcomeUnknown


def client(server: Any) -> QuotaClient:
    """Our client of a server."""
    return QuotaClient(Api(server.url, Credentials("id", "secret"), deadline=2.0))


def answer(total: int, *ids: str | None, kind: str = "ECS") -> dict[str, Any]:
    """A page of a list."""
    return {"TotalCount": total, "Quotas": [{"QuotaId": key, "ResourceType": kind} for key in ids]}


def test_the_kind_and_the_details_are_always_asked_for(serve: Any, acts: Any) -> None:
    """A list without its kind is one of ECS; quotas without details show nothing of what is used."""
    server = serve(acts.reply(200, answer(1, "q1", kind="lingjun")))
    assert [one.quota_id for one in client(server).list_quotas("Lingjun")] == ["q1"]
    line = server.requests[0].split(b"\r\n")[0]
    assert b"/api/v1/quotas/?" in line
    assert b"ResourceType=Lingjun" in line
    assert b"Verbose=true" in line


def test_a_list_that_ends_early_is_none(serve: Any, acts: Any) -> None:
    """Three are promised and two come: the third is not taken for deleted."""
    server = serve(acts.reply(200, answer(3, "q1", "q2")), acts.reply(200, answer(3)))
    with pytest.raises(OutcomeUnknown):
        client(server).list_quotas("ECS")


def test_a_page_that_fails_fails_the_list(serve: Any, acts: Any) -> None:
    """The first page alone is not told."""
    refusal = acts.reply(403, {"Code": "Forbidden.RAM", "Message": "no"})
    server = serve(acts.reply(200, answer(3, "q1", "q2")), refusal)
    with pytest.raises(CallFailed, match="RAM"):
        client(server).list_quotas("ECS")


def test_a_quota_without_an_id_is_no_quota(serve: Any, acts: Any) -> None:
    """It could not be told from another."""
    with pytest.raises(OutcomeUnknown, match="QuotaId"):
        client(serve(acts.reply(200, answer(1, None)))).list_quotas("ECS")


def test_a_service_that_passes_over_the_kind_tells_no_quota_twice(serve: Any, acts: Any) -> None:
    """Each comes in the list of its own kind; one that says no kind is of the kind that was asked for."""
    both = {"TotalCount": 2, "Quotas": [{"QuotaId": "q1", "ResourceType": "Lingjun"}, {"QuotaId": "q2"}]}
    server = serve(acts.reply(200, both))
    assert [one.quota_id for one in client(server).list_quotas("ACS")] == ["q2"]
