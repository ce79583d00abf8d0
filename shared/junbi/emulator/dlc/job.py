"""One job of the emulated DLC: what was asked, where it stands, what happened; a document in Records."""

from __future__ import annotations

import secrets
import string
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Any

from junbi.emulator.dlc.code_checkout import Code
from junbi.wire.dlc import CreateJobRequest

#: From these statuses nothing follows. Source: SDK.
TERMINAL = frozenset({"Succeeded", "Failed", "Stopped"})

_ALPHABET = string.ascii_lowercase + string.digits


@dataclass(frozen=True)
class Pod:
    """One pod of a job; ``spec`` is the index of its JobSpec."""

    pod_id: str
    pod_uid: str
    type: str
    spec: int
    rank: int


@dataclass(frozen=True)
class DataMount:
    """One entry of DataSources, resolved when the job was created."""

    data_source_id: str
    uri: str
    path: str
    read_only: bool


@dataclass
class Job:
    """A job.

    Attributes:
        request: as accepted, with ``WorkspaceId`` filled in.
        history: statuses with since when, why; times are emulated, UTC, ISO 8601.
        events: pairs of time and text.
        pod_times: per pod id, what the executor last told: status, started, finished.
        port: where the rank 0 pod listens, as ``MASTER_PORT``.
        code: what CodeSource means, resolved when the job was created.
        resource_type, resource_name: of the quota it was submitted to, as they were then.
    """

    job_id: str
    user_id: str
    created: str
    request: dict[str, Any]
    mounts: list[DataMount]
    pods: list[Pod]
    port: int
    history: list[dict[str, str]] = field(default_factory=list)
    events: list[list[str]] = field(default_factory=list)
    pod_times: dict[str, dict[str, str]] = field(default_factory=dict)
    code: list[Code] = field(default_factory=list)
    resource_type: str = "ECS"
    resource_name: str = ""

    @property
    def status(self) -> str:
        """The present status."""
        return self.history[-1]["Status"]

    @property
    def since(self) -> datetime:
        """When the present status began."""
        return datetime.fromisoformat(self.history[-1]["StartTime"])

    @property
    def terminal(self) -> bool:
        """Whether nothing follows."""
        return self.status in TERMINAL

    @property
    def priority(self) -> int:
        """1 to 9, the higher the sooner."""
        return int(self.request.get("Priority") or 1)

    @property
    def asked(self) -> CreateJobRequest:
        """The request as a model."""
        return CreateJobRequest.from_wire(self.request)

    def began(self, status: str) -> datetime | None:
        """When the job first came to a status."""
        found = (entry["StartTime"] for entry in self.history if entry["Status"] == status)
        first = next(found, None)
        return datetime.fromisoformat(first) if first else None

    def move(self, status: str, now: datetime, code: str = "", message: str = "") -> None:
        """Come to a status."""
        moment = now.astimezone(UTC).isoformat()
        if self.history:
            self.history[-1]["EndTime"] = moment
        self.history.append({"Status": status, "StartTime": moment, "ReasonCode": code, "ReasonMessage": message})
        self.tell(now, f"Job {self.job_id} is {status}{f': {message}' if message else ''}")

    def tell(self, now: datetime, text: str) -> None:
        """Add a line to the events."""
        self.events.append([now.astimezone(UTC).isoformat(), text])

    def document(self) -> dict[str, Any]:
        """As it is kept."""
        return asdict(self)

    @classmethod
    def of(cls, document: dict[str, Any]) -> Job:
        """As it was kept."""
        mounts = [DataMount(**mount) for mount in document["mounts"]]
        pods = [Pod(**pod) for pod in document["pods"]]
        code = [Code(**one) for one in document.get("code", ())]
        return cls(**{**document, "mounts": mounts, "pods": pods, "code": code})


def new_job(request: CreateJobRequest, mounts: list[DataMount], code: list[Code], user_id: str, now: datetime) -> Job:
    """A job that was just accepted."""
    job_id = "dlc" + "".join(secrets.choice(_ALPHABET) for _ in range(16))
    job = Job(
        job_id=job_id,
        user_id=user_id,
        created=now.astimezone(UTC).isoformat(),
        request=request.to_wire(),
        mounts=mounts,
        pods=_pods(job_id, request),
        port=20_000 + secrets.randbelow(10_000),
        code=code,
    )
    job.move("Creating", now)
    return job


def _pods(job_id: str, request: CreateJobRequest) -> list[Pod]:
    """Rank 0 is the master where there is one, else the first worker (documented: it is promoted)."""
    order = sorted(enumerate(request.job_specs), key=lambda item: item[1].type not in {"Master", "Chief"})
    placed = [(index, spec.type or "Worker", number) for index, spec in order for number in range(spec.pod_count or 1)]
    return [
        Pod(f"{job_id}-{kind.lower()}-{number}", secrets.token_hex(16), kind, index, rank)
        for rank, (index, kind, number) in enumerate(placed)
    ]
