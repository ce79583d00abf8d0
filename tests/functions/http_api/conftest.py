"""The function as FC calls it, over a real SQLite ledger that each test fills as it needs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.fixtures.declared import DIGITS

from junbi.core.facts import Arrival, ArrivalState, CreateState, Launch, LaunchState, Revision
from junbi.core.model import Check, Reason, State
from junbi.core.plan import Generation, JobTemplate, PlanSpec, Resource, Workers
from junbi.pipeline import wiring
from junbi.runtime.load import load

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask
    from flask.testing import FlaskClient

    from junbi.ledger.ledger import Ledger

ROOT = Path(__file__).parents[3]
TOKEN = "t0ken-of-somebody"
FC = {"x-fc-control-path": "/http-invoke", "x-fc-request-id": "1-67a96b43-15d49184-5cdbe1911c57"}

PLAN = PlanSpec(
    name="train-digits",
    on=("digits",),
    datasets=("digits",),
    mounts={"digits": "/mnt/digits"},
    image="registry.example.com/sklearn:1.5",
    resource=Resource(name="cpu", public="ecs.g7.large"),
    job=JobTemplate(type="PyTorchJob", workers=Workers(), command="python train.py"),
)
BLOCKED = Reason(
    "PublicResourceUnknown",
    "DLC has no public instance type ecs.g7.lrge in this region.",
    fix="Correct resources.cpu.public, perhaps to ecs.g7.large.",
    wakes="the next apply, or a look every few minutes",
)


@dataclass
class World:
    """Fills a ledger the way the pipelines do."""

    ledger: Ledger
    token: str = TOKEN

    def apply(self) -> None:
        """Put a configuration in force."""
        declared = Generation(
            deployment="vision",
            environment="prod",
            region="cn-hangzhou",
            workspace="104231",
            datasets={"digits": DIGITS},
            plans={PLAN.name: PLAN},
        )
        with self.ledger.transaction():
            self.ledger.generations.apply(declared, self.ledger.now())

    def revision(self, label: str, *, registered: bool = True) -> Revision:
        """A dataset version, with its registration."""
        now = self.ledger.now()
        revision = Revision(
            id=f"rev-{label}",
            dataset="digits",
            label=label,
            bucket="vision-data",
            prefix=f"digits/{label}/",
            captures={"version": label},
            digest="9f" * 32,
            members=1797,
            size=1_468_006,
            newest_at=now,
            created_at=now,
        )
        if not self.ledger.revisions.add(revision):
            return self.ledger.revisions.get(revision.id)
        self.ledger.revisions.put_head(revision)
        if registered:
            pending = self.ledger.revisions.registration(revision.id)
            done = replace(pending, state=CreateState.DONE, dataset_id="d-k1x2y3z4", version_name="v7")
            self.ledger.revisions.save_registration(done)
        return revision

    def launch(self, key: str, state: LaunchState = LaunchState.WAITING, label: str = "2026-03", **more: Any) -> str:
        """A launch, its story begun and its next look due; its id."""
        revision = self.revision(label)
        now = self.ledger.now()
        launch = Launch(
            id=f"l-{key}",
            plan=more.pop("plan", PLAN.name),
            identity=key,
            rerun=0,
            trigger=key,
            pins={"digits": revision.id},
            params={"C": 1.0},
            spec=PLAN,
            generation=1,
            state=state,
            created_at=now - more.pop("age", timedelta()),
            updated_at=now,
            **more,
        )
        with self.ledger.transaction():
            assert self.ledger.launches.add(launch)
            self.ledger.tell(f"launch:{launch.id}", "Launched", f"digits {label} arrived.", now)
            if state is LaunchState.WAITING:
                self.ledger.worklist.ask("launch", launch.id, now + timedelta(minutes=3))
        return launch.id

    def many(self, number: int) -> None:
        """That many launches ``l-0``, ``l-1``…, each a second younger than the one before."""
        first = self.ledger.launches.get(self.launch("0", age=timedelta(seconds=number)))
        assert first
        with self.ledger.transaction():
            for key in range(1, number):
                younger = first.created_at + timedelta(seconds=key)
                self.ledger.launches.add(replace(first, id=f"l-{key}", identity=str(key), created_at=younger))

    def blocked(self, key: str, reason: Reason = BLOCKED, **more: Any) -> str:
        """A launch that somebody has to do something about."""
        checks = (Check("workspace", State.READY), Check("resource", State.BLOCKED, reason))
        return self.launch(key, reason=reason, checks=checks, **more)

    def arrival(self, folder: str, state: ArrivalState, reason: Reason | None = None) -> None:
        """An upload under way."""
        now = self.ledger.now()
        prefix = f"digits/{folder}/"
        captures = {"version": folder}
        arrival = Arrival(
            f"digits:vision-data/{prefix}", "digits", "vision-data", prefix, captures, state, now, now, reason=reason
        )
        with self.ledger.transaction():
            self.ledger.arrivals.save(arrival)
            if state is ArrivalState.OPEN:
                self.ledger.worklist.ask("arrival", arrival.key, now + timedelta(seconds=20))


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """An empty ledger that the function under test opens, with one token issued."""
    monkeypatch.setenv("JUNBI_LEDGER", f"sqlite:///{tmp_path}/ledger.db")
    wiring.ledger.cache_clear()
    ledger = wiring.ledger()
    ledger.issue_token(TOKEN, "somebody", ledger.now())
    yield World(ledger)
    wiring.ledger.cache_clear()


@pytest.fixture
def app(world: World) -> Flask:  # noqa: ARG001 - the ledger must be there first
    """The function's application."""
    return load("http_api", ROOT)


@pytest.fixture
def visitor(app: Flask) -> FlaskClient:
    """Somebody without a token, through FC's HTTP trigger."""
    client = app.test_client()
    for name, value in FC.items():
        client.environ_base[f"HTTP_{name.upper().replace('-', '_')}"] = value
    return client


@pytest.fixture
def program(visitor: FlaskClient) -> FlaskClient:
    """A program that shows its token."""
    visitor.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {TOKEN}"
    return visitor


@pytest.fixture
def person(visitor: FlaskClient) -> FlaskClient:
    """Somebody who signed in to the console."""
    assert visitor.post("/login", data={"token": TOKEN}, headers={"Origin": "http://localhost"}).status_code == 303
    return visitor
