"""PaiStudio's quotas, as its official SDK sees them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from alibabacloud_paistudio20220112 import models as sdk
from alibabacloud_paistudio20220112.client import Client
from alibabacloud_tea_openapi.exceptions import AlibabaCloudException

from junbi.clients.api import Api
from junbi.clients.credentials import Credentials
from junbi.clients.quota import KINDS, QuotaClient
from junbi.emulator.faults import Fault
from junbi.emulator.quota.state import Quotas
from junbi.errors import Refused

if TYPE_CHECKING:
    from collections.abc import Iterable


def listed(pai: Any, **query: Any) -> list[str]:
    """The ids that the SDK lists."""
    body = Client(pai.config()).list_quotas(sdk.ListQuotasRequest(**query)).body
    return sorted(one.quota_id for one in body.quotas)


def ours(pai: Any) -> QuotaClient:
    """Our own client."""
    return QuotaClient(Api(f"http://{pai.host}", Credentials("emulator", "emulator-secret")))


def add(pai: Any, ids: Iterable[str], **members: Any) -> Quotas:
    """Put quotas into the account."""
    quotas = Quotas(pai.records, pai.clock)
    for key in ids:
        quotas.put({"QuotaId": key, "QuotaName": key, **members})
    return quotas


def test_a_plain_list_omits_lingjun(pai: Any) -> None:
    """The kind is ECS where none is named: whoever forgets it never sees the others."""
    assert listed(pai) == ["quotageneral01", "quotateam01"] == listed(pai, resource_type="ECS")
    assert listed(pai, resource_type="Lingjun") == ["quotalingjun01"]
    assert listed(pai, resource_type="ACS") == []


def test_parents_and_children(pai: Any) -> None:
    """An absent parent is any, an empty one asks for the roots, an id for its children."""
    assert listed(pai, parent_quota_id="") == ["quotageneral01"]
    assert listed(pai, parent_quota_id="quotageneral01") == ["quotateam01"]
    assert listed(pai, parent_quota_id="quotateam01") == []


def test_filters(pai: Any) -> None:
    """Workspaces, statuses and ids are comma lists; a name may be a part of one."""
    add(pai, ["quotanew01"], Status="Creating")
    assert listed(pai, workspace_ids="1,104231") == ["quotageneral01", "quotateam01"]
    assert listed(pai, workspace_ids="1") == []
    assert listed(pai, statuses="Creating,Failed") == ["quotanew01"]
    assert listed(pai, quota_ids="quotateam01,quotalingjun01") == ["quotateam01"]
    assert listed(pai, quota_name="general") == ["quotageneral01"]
    with pytest.raises(AlibabaCloudException, match="at most"):
        listed(pai, workspace_ids=",".join(map(str, range(11))))


def test_pages(pai: Any) -> None:
    """Two pages hold each quota once, and both tell the total."""
    client = Client(pai.config())
    bodies = [
        client.list_quotas(
            sdk.ListQuotasRequest(page_number=number, page_size=1, sort_by="QuotaName", order="asc")
        ).body
        for number in (1, 2, 3)
    ]
    assert [one.quota_name for body in bodies for one in body.quotas] == ["vision-general", "vision-team"]
    assert {body.total_count for body in bodies} == {2}


def test_one_quota(pai: Any) -> None:
    """GetQuota tells what it is, its children, and how much is used only where asked; none is an error."""
    client = Client(pai.config())
    quota = client.get_quota("quotageneral01", sdk.GetQuotaRequest(verbose=True)).body
    assert (quota.resource_type, quota.status, quota.gputype) == ("ECS", "Ready", "A10")
    assert [(spec.type, spec.count) for spec in quota.min.node_specs] == [("ecs.gn7i-c16g1.4xlarge", 4)]
    assert [one.quota_name for one in quota.sub_quotas] == ["vision-team"]
    assert (quota.quota_details.allocatable_quota.memory, quota.quota_details.allocated_quota.cpu) == ("240Gi", "0")
    assert client.get_quota("quotageneral01", sdk.GetQuotaRequest()).body.quota_details is None
    with pytest.raises(AlibabaCloudException, match="QuotaNotFound"):
        client.get_quota("quotanone", sdk.GetQuotaRequest())


def test_a_restart_keeps_what_was_changed(pai: Any) -> None:
    """A quota that was deleted does not come back with the next start."""
    add(pai, ["quotanew01"]).delete("quotateam01")
    pai.restart()
    assert listed(pai) == ["quotageneral01", "quotanew01"]


def test_our_client_reads_every_kind_to_its_end(pai: Any) -> None:
    """More than a page of them, each with what is used, under the kind that it was asked for."""
    add(pai, (f"quota{number:03}" for number in range(130)), ResourceType="ACS")
    found = {kind: ours(pai).list_quotas(kind) for kind in KINDS}
    assert {kind: len(rows) for kind, rows in found.items()} == {"ECS": 2, "Lingjun": 1, "ACS": 130}
    assert found["Lingjun"][0].quota_details is not None
    assert ours(pai).get_quota("quotateam01").parent_quota_id == "quotageneral01"
    with pytest.raises(Refused, match="QuotaNotFound"):
        ours(pai).get_quota("quotanone")


def test_half_a_list_is_an_error(pai: Any) -> None:
    """Where the second page cannot be read, nothing is told: what it holds would be taken for deleted."""
    add(pai, (f"quota{number:03}" for number in range(130)))
    pai.faults.order(Fault("paistudio.ListQuotas", status=403, code="Forbidden.RAM"))
    with pytest.raises(Refused, match="RAM"):
        ours(pai).list_quotas("ECS")
