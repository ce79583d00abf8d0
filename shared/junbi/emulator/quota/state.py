"""The quotas of the emulated account, kept in Records. Nothing buys machines here: the control API changes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from junbi.emulator.api_error import ApiError, invalid
from junbi.emulator.quota.amounts import read
from junbi.emulator.times import timestamp
from junbi.emulator.workspace.account import ACCOUNT_ID
from junbi.wire.quotas import Quota, QuotaIdName, ResourceAmount

if TYPE_CHECKING:
    from junbi.emulator.clock import Clock
    from junbi.emulator.records import Records

_KIND, _ACCOUNT = "quota", "quota-account"

#: CPUs, memory in GiB and GPUs of a machine of each type that the account begins with.
_MACHINES = {"ecs.gn7i-c16g1.4xlarge": (16, 60, 1), "ml.gu7xf.c96m1600.8-gu108": (96, 1600, 8)}


class Quotas:
    """Reads and changes quotas; each change is durable when it returns.

    Args:
        records: where they are kept. A new account begins with a general quota, one nested in it, and a Lingjun quota.
        clock: for the dates written down.
        workspace: id and name of the workspace that the first ones are attached to.
    """

    def __init__(self, records: Records, clock: Clock, workspace: tuple[str, str] = ("104231", "vision")) -> None:
        self._records, self._clock = records, clock
        with records.transaction():
            if records.add(_ACCOUNT, "seeded", {}):
                for document in _first(*workspace):
                    self.put(document)

    def all(self) -> list[Quota]:
        """Every quota with its children, by id."""
        found = [Quota.from_wire(document) for document in self._records.all(_KIND)]
        for quota in found:
            children = [one for one in found if one.parent_quota_id == quota.quota_id]
            quota.sub_quotas = [QuotaIdName(quota_id=one.quota_id, quota_name=one.quota_name) for one in children]
        return found

    def by_id(self) -> dict[str, Quota]:
        """The same by their ids."""
        return {one.quota_id or "": one for one in self.all()}

    def get(self, quota_id: str) -> Quota:
        """One by its id. ApiError QuotaNotFound where there is none."""
        found = self.by_id().get(quota_id)
        if found is None:
            raise _gone(quota_id)
        return found

    def put(self, changes: dict[str, Any]) -> Quota:
        """Change the members that are named of the quota ``QuotaId``, or make it; null takes a member away.

        ApiError where an amount among them is none: every look at the queue reckons with it.
        """
        key = str(changes["QuotaId"])
        _check_amounts(changes)
        with self._records.transaction():
            now = timestamp(self._clock.now())
            before = self._records.get(_KIND, key) or _new(now)
            after = {**before, "GmtModifiedTime": now, **changes}
            self._records.put(_KIND, key, {name: value for name, value in after.items() if value is not None})
        return self.get(key)

    def delete(self, quota_id: str) -> None:
        """Delete one. ApiError QuotaNotFound where there is none."""
        if not self._records.delete(_KIND, quota_id):
            raise _gone(quota_id)


def _check_amounts(changes: dict[str, Any]) -> None:
    for name, told in (changes.get("QuotaDetails") or {}).items():
        if name.endswith("Quota") and told:
            try:
                read(ResourceAmount.from_wire(told))
            except ValueError as error:
                raise invalid(f"QuotaDetails.{name}: {error}") from error


def _gone(quota_id: str) -> ApiError:
    return ApiError("QuotaNotFound", f"Quota {quota_id} does not exist.", 404)


def _new(now: str) -> dict[str, Any]:
    return {"ResourceType": "ECS", "Status": "Ready", "CreatorId": ACCOUNT_ID, "GmtCreatedTime": now}


def _first(workspace_id: str, workspace_name: str) -> list[dict[str, Any]]:
    general, lingjun = _MACHINES
    attached = {"Workspaces": [{"WorkspaceId": workspace_id, "WorkspaceName": workspace_name}]}
    return [
        {
            **_quota("quotageneral01", "vision-general", "ECS", (general, 4)),
            **attached,
            "ResourceGroupIds": ["rggeneral01"],
        },
        {**_quota("quotateam01", "vision-team", "ECS", (general, 1)), **attached, "ParentQuotaId": "quotageneral01"},
        {
            **_quota("quotalingjun01", "vision-lingjun", "Lingjun", (lingjun, 2)),
            **attached,
            "ResourceGroupIds": ["rglingjun01"],
            "QuotaConfig": {"SupportRDMA": True},
        },
    ]


def _quota(quota_id: str, name: str, kind: str, machines: tuple[str, int]) -> dict[str, Any]:
    machine, count = machines
    has = _amount(machine, count)
    nothing = {**has, "CPU": "0", "Memory": "0Gi", "GPU": "0"}
    used = dict.fromkeys(("SystemReservedQuota", "AllocatedQuota", "RequestedQuota", "UsedQuota"), nothing)
    return {
        "QuotaId": quota_id,
        "QuotaName": name,
        "ResourceType": kind,
        "GPUType": has["GPUType"],
        "Min": {"NodeSpecs": [{"Type": machine, "Count": count}]},
        "AllocateStrategy": "ByNodeSpecs",
        "QueueStrategy": "PaiStrategyIntelligent",
        "QuotaDetails": {"DesiredMinQuota": has, "ActualMinQuota": has, "AllocatableQuota": has, **used},
    }


def _amount(machine: str, count: int) -> dict[str, str]:
    cpus, memory, gpus = _MACHINES[machine]
    kind = "GU108" if machine.startswith("ml.") else "A10"
    return {"CPU": str(cpus * count), "Memory": f"{memory * count}Gi", "GPU": str(gpus * count), "GPUType": kind}
