"""A whole junbi in one process: the real pipeline on a real ledger, against the local cloud on real ports."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import pytest

from junbi.clients.credentials import Credentials
from junbi.core.assumptions import Settling
from junbi.core.plan import Complete, DatasetSpec, Generation, JobTemplate, Output, PlanSpec, Resource, Watch, Workers
from junbi.emulator.cloud import Cloud, Settings
from junbi.emulator.faults import Fault
from junbi.emulator.keys import AccessKey
from junbi.events import oss
from junbi.ledger.ledger import Ledger
from junbi.ledger.postgres import PostgresDatabase
from junbi.ledger.sqlite import SqliteDatabase
from junbi.pipeline import follow, note, work
from junbi.pipeline.apply import apply
from junbi.pipeline.invocation import Invocation
from junbi.pipeline.wiring import Ports

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from junbi.core.facts import Arrival, Launch, LaunchState
    from junbi.ledger.database import Database

ROOT = AccessKey("emulator", "emulator-secret")


def dataset(name: str = "digits", **complete: Any) -> DatasetSpec:
    """A dataset below ``oss://data/<name>/{version}/``, closed by its marker unless told otherwise."""
    return DatasetSpec(
        name=name,
        watch=Watch(bucket="data", root=f"{name}/", pattern=rf"{name}/(?P<version>[^/]+)/", captures=("version",)),
        complete=Complete(**(complete or {"marker": "_SUCCESS"})),
        newest="version",
        mount=f"/mnt/{name}",
    )


def plan(
    name: str = "train", *, on: tuple[str, ...] = ("digits",), datasets: tuple[str, ...] = (), **more: Any
) -> PlanSpec:
    """A plan whose job says which version it trains on."""
    inputs = datasets or on
    values = {
        "image": "registry.example/sklearn:1",
        "resource": Resource(name="cpu", public="ecs.g7.large"),
        "job": JobTemplate(
            type="PyTorchJob", workers=Workers(), command="ls /mnt/digits && echo {digits.version} {launch}"
        ),
        "outputs": (Output(name="model", uri="oss://models/{launch}/", mount="/mnt/out"),),
    } | more
    return PlanSpec(name=name, on=on, datasets=inputs, mounts={one: f"/mnt/{one}" for one in inputs}, **values)


def generation(datasets: list[DatasetSpec], plans: list[PlanSpec]) -> Generation:
    """What junbi.yaml would compile to."""
    return Generation(
        deployment="vision",
        environment="test",
        region="cn-hangzhou",
        workspace="104231",
        datasets={one.name: one for one in datasets},
        plans={one.name: one for one in plans},
    )


class World:
    """The local cloud and junbi on it. One clock for both, which ``advance`` steps."""

    dataset, plan, generation = staticmethod(dataset), staticmethod(plan), staticmethod(generation)

    def __init__(self, directory: Path, database: Database | None = None) -> None:
        self.cloud = Cloud(Settings(directory / "cloud", ROOT))
        self.buckets = self.cloud.buckets
        for bucket in ("data", "models"):
            self.buckets.create_bucket(bucket)
        self.database = database or SqliteDatabase(directory / "ledger.db")
        self.ledger = Ledger(self.database, self.cloud.clock)
        self.ledger.migrate()
        self.records: list[dict[str, Any]] = []
        self.cloud.functions.oss_event = self._collect  # the events wait here until a test delivers them
        self.apply(generation([dataset()], [plan()]))

    def _collect(self, record: dict[str, Any]) -> int:
        self.records.append(record)
        return 1

    def apply(self, wanted: Generation) -> int | None:
        """Put a generation in force."""
        return apply(self.ledger, wanted)

    def ports(self, *, seconds: float = 120.0, **replaced: Any) -> Ports:
        """The ports of one invocation that has so many seconds, some replaced."""
        invocation = Invocation(
            "test", "1", Credentials(ROOT.key_id, ROOT.secret), time.monotonic() + seconds, "cn-hangzhou"
        )
        ports = Ports(invocation, self.ledger, Settling())
        for name, value in replaced.items():
            setattr(ports, name, value)
        return ports

    def upload(
        self, version: str = "v1", files: int = 3, name: str = "digits", marker: str | None = "_SUCCESS", text: str = ""
    ) -> list[dict[str, Any]]:
        """Put a version's files with the ordinary calls of OSS; the event records that OSS raised."""
        start = len(self.records)
        for number in range(files):
            self.put(f"{name}/{version}/part-{number:02}.csv", f"{version} {number} {text}".encode())
        if marker:
            self.put(f"{name}/{version}/{marker}", b"")
        return self.records[start:]

    def put(self, key: str, content: bytes) -> None:
        """Put one object, as a client does."""
        import oss2  # warns when it is imported

        bucket = oss2.Bucket(oss2.Auth(ROOT.key_id, ROOT.secret), self.cloud.oss, "data")
        bucket.put_object(key, content)

    def deliver(self, records: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Hand event records to the door, each as FC does; the door's answers."""
        return [self.deliver_together([record]) for record in records]

    def poked(self, record: dict[str, Any]) -> bool:
        """Hand one event record to the door; whether it would poke ``reconcile``."""
        return note.note_events(self.ledger, oss.parse(json.dumps({"events": [record]}).encode()))[1]

    def deliver_together(self, records: list[dict[str, Any]]) -> dict[str, Any]:
        """Hand event records to the door in one payload; its answer."""
        body = json.dumps({"events": records}).encode()
        return dict(note.note_events(self.ledger, oss.parse(body))[0])

    def delete(self, key: str) -> None:
        """Delete one object, as a client does."""
        import oss2  # warns when it is imported

        oss2.Bucket(oss2.Auth(ROOT.key_id, ROOT.secret), self.cloud.oss, "data").delete_object(key)

    def arrival(self) -> Arrival:
        """The only arrival there is."""
        (found,) = self.ledger.arrivals.newest()
        return found

    def reconcile(self, ports: Ports | None = None) -> dict[str, Any]:
        """One tick of ``reconcile``."""
        return dict(work.tick(ports or self.ports()))

    def job_change(self) -> dict[str, Any]:
        """One tick of ``job_change``."""
        return dict(follow.tick(self.ports()))

    def addresses(self) -> dict[str, str]:
        """Where the services listen, by the name that the environment gives them."""
        pai = dict.fromkeys(("AIWORKSPACE", "DLC", "PAISTUDIO"), self.cloud.pai)
        return {**pai, "OSS": self.cloud.oss}

    def stop(self) -> None:
        """End everything; the pods too, whose jobs nobody follows any more."""
        for job in self.cloud.dlc.jobs.active():
            for pod in job.pods:
                self.cloud.dlc.executor.stop(pod.pod_id)
        self.cloud.stop()

    def advance(self, seconds: float) -> None:
        """Step the time of cloud and ledger."""
        self.cloud.clock.advance(seconds)

    def settle(self, ticks: int = 12, step: float = 120.0) -> None:
        """Tick and step the time until every deadline of the protocol has passed."""
        for _ in range(ticks):
            self.reconcile()
            self.advance(step)
        self.reconcile()

    def until(self, state: LaunchState, patience: float = 30.0) -> Launch:
        """Tick until the newest launch stands in a state."""
        end = time.monotonic() + patience
        while time.monotonic() < end:
            self.reconcile()
            self.job_change()
            found = self.ledger.launches.newest()
            if found and found[0].state is state:
                return found[0]
            self.advance(1)
            time.sleep(0.1)
        raise AssertionError(f"no launch became {state}: {self.ledger.launches.newest()}, {self.ledger.stories()}")

    def fault(self, point: str, **more: Any) -> None:
        """Order a fault."""
        self.cloud.faults.order(Fault(point, **more))

    @property
    def jobs(self) -> list[Any]:
        """Every job that DLC has."""
        return self.cloud.dlc.jobs.all()

    @property
    def launches(self) -> list[Launch]:
        """Every launch, oldest first."""
        return self.ledger.launches.newest()[::-1]

    def ledger_on(self, database: Any) -> Ledger:
        """The same ledger through another engine, such as one that dies."""
        return Ledger(database, self.cloud.clock)

    def datasets(self, name: str = "digits") -> list[Any]:
        """Every dataset that AIWorkSpace has of a name of ours."""
        return [one for one in self.cloud.dlc.workspace.datasets.all() if one.name == f"vision-{name}"]

    def versions(self, dataset_id: str) -> list[Any]:
        """Every version of a dataset that AIWorkSpace has."""
        return self.cloud.dlc.workspace.datasets.versions(dataset_id)

    def jobs_of(self, launch: Launch) -> list[Any]:
        """Every job that DLC has of a launch."""
        return [job for job in self.jobs if job.request["Settings"]["Tags"]["junbi.launch"] == launch.id]

    def codes(self) -> list[str]:
        """The codes of the whole story."""
        return [entry["code"] for entry in self.ledger.stories()]


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """A world of one dataset and one plan."""
    yield from _running(World(tmp_path), monkeypatch)


@pytest.fixture
def postgres_world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, postgres: Any) -> Iterator[World]:
    """The same with its ledger on PostgreSQL."""
    yield from _running(World(tmp_path, PostgresDatabase(postgres.blank())), monkeypatch)


def _running(made: World, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    for service, address in made.addresses().items():
        monkeypatch.setenv(f"JUNBI_ENDPOINT_{service}", address)
    yield made
    made.stop()
