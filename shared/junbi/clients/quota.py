"""PaiStudio: the resource quotas of an account."""

from __future__ import annotations

from typing import TYPE_CHECKING

from junbi.clients.api import required
from junbi.clients.paging import SIZE, every_row
from junbi.errors import OutcomeUnknown
from junbi.wire import operations
from junbi.wire import quotas as wire

if TYPE_CHECKING:
    from collections.abc import Sequence

    from junbi.clients.api import Api

#: Every kind of quota there is. Each must be asked for: a list without a kind is a list of ECS quotas.
KINDS = ("ECS", "Lingjun", "ACS")


class QuotaClient:
    """Raises the errors of ``Api.call``."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def list_quotas(self, kind: str) -> list[wire.Quota]:
        """Every quota of one of ``KINDS``, with its details: one that is absent was not there.

        OutcomeUnknown where the list could not be read to its end, or not twice alike where it has several pages.
        """
        total = 0

        def fetch(number: int) -> tuple[Sequence[wire.Quota], int]:
            nonlocal total
            query = wire.ListQuotasRequest(resource_type=kind, verbose=True, page_number=number, page_size=SIZE)
            answer = self._api.call(operations.LIST_QUOTAS, wire.ListQuotasResponse, query=query)
            total = answer.total_count
            return answer.quotas, total

        found = every_row("ListQuotas", fetch, key=lambda one: one.quota_id)
        if len(found) < total:
            told = f"{len(found)} of {total} {kind} quotas were listed"
            raise OutcomeUnknown("ListQuotas", "half_a_list", told)
        for one in found:
            required(operations.LIST_QUOTAS, "QuotaId", one.quota_id)
        # A service that passes over ResourceType tells the others too: they come in their own list.
        return [one for one in found if (one.resource_type or kind).lower() == kind.lower()]

    def get_quota(self, quota_id: str) -> wire.Quota:
        """One quota by its id, with its details."""
        segments, query = {"QuotaId": quota_id}, wire.GetQuotaRequest(verbose=True)
        return self._api.call(operations.GET_QUOTA, wire.GetQuotaResponse, segments=segments, query=query)
