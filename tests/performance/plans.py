"""What one upload costs from its first event to the launch it starts, however many plans and waiting launches are."""

from __future__ import annotations

import json
import tempfile
import time
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.performance import pai
from tests.performance.ledgers import MARKER, dataset, digits, ledger_in, record
from tests.performance.members import Members
from tests.performance.result import Result

from junbi.core.facts import LaunchState
from junbi.core.plan import JobTemplate, PlanSpec, Resource, Workers
from junbi.core.policy import Policy
from junbi.events import oss
from junbi.pipeline import work
from junbi.pipeline.note import note_events

if TYPE_CHECKING:
    from collections.abc import Iterator

    from junbi.ledger.ledger import Ledger

FEW, MANY = 10, 10_000
ROUNDS = 40
BUDGET = 1.25


def plan(name: str, on: str, **policy: Any) -> PlanSpec:
    """A plan that one dataset starts."""
    return PlanSpec(
        name=name,
        on=(on,),
        datasets=(on,),
        mounts={on: f"/mnt/{on}"},
        image="registry.example/sklearn:1",
        resource=Resource(name="cpu", public=pai.INSTANCE_TYPE),
        job=JobTemplate(type="PyTorchJob", workers=Workers(), command="python train.py"),
        policy=Policy(**policy),
    )


def house(directory: Path, plans: int = 1, **policy: Any) -> Ledger:
    """A ledger where ``train`` is started by ``digits``, and so many plans in all, the others by ten other datasets."""
    others = tuple(dataset(f"other-{number}") for number in range(10))
    more = [plan(f"plan-{number}", others[number % 10].name) for number in range(plans - 1)]
    return ledger_in(directory, digits(plan("train", "digits", **policy), *more, others=others))


def let_wait(ledger: Ledger, launches: int) -> None:
    """Have so many more launches of ``train`` wait, made of the newest one, each with its look due tomorrow."""
    newest, now = ledger.launches.newest()[0], ledger.now()
    with ledger.transaction():
        for number in range(launches):
            one = replace(newest, id=f"l-{number}", identity=f"i-{number}", trigger=f"t-{number}", job_id="", row=0)
            created_at = now + timedelta(milliseconds=number - launches)
            ledger.launches.add(replace(one, state=LaunchState.WAITING, created_at=created_at))
            ledger.worklist.ask("launch", one.id, now + timedelta(days=1))


def upload(ledger: Ledger, version: str) -> float:
    """Two objects and the marker come, and all is done that is due; CPU seconds until its launch is decided."""
    yes, objects = pai.Yes(), Members(2)
    keys = [f"digits/{version}/{name}" for name in ("part-0000000.csv", "part-0000001.csv", MARKER)]
    bodies = [json.dumps({"events": [record(key)]}).encode() for key in keys]
    start = time.process_time()
    for body in bodies:
        note_events(ledger, oss.parse(body))
    work.tick(pai.ports(ledger, workspace=yes, dlc=yes, objects=objects))
    spent = time.process_time() - start
    newest = ledger.launches.newest(1)[0]
    if ledger.revisions.get(newest.pins["digits"]).label != version or not newest.checks:
        raise AssertionError(f"{version} came to no launch that was looked at: {newest}")
    return spent


def beside(few: Ledger, many: Ledger) -> tuple[float, float]:
    """The least that an upload took with each, taken in turns."""
    taken = [(upload(few, f"v{number}"), upload(many, f"v{number}")) for number in range(ROUNDS)]
    return min(one for one, _ in taken), min(one for _, one in taken)


def measure() -> Iterator[Result]:
    """Plans, then launches that wait."""
    with tempfile.TemporaryDirectory() as folder:
        yield _result("plans", house(Path(folder, "few"), FEW), house(Path(folder, "many"), MANY))
    for overlap in ("allow", "queue"):
        with tempfile.TemporaryDirectory() as folder:
            few, many = (house(Path(folder, name), overlap=overlap) for name in ("few", "many"))
            for ledger, launches in ((few, FEW), (many, MANY)):
                upload(ledger, "first")
                let_wait(ledger, launches)
            yield _result(f"waiting launches of its plan ({overlap})", few, many)


def _result(of_what: str, few: Ledger, many: Ledger) -> Result:
    one, other = beside(few, many)
    how = (
        f"{other * 1e3:.1f} ms beside {one * 1e3:.1f} ms of CPU from the first event to the decided launch, "
        f"the least of {ROUNDS} uploads, SQLite, null PAI"
    )
    return Result(f"an upload with {MANY:,} {of_what}, beside {FEW}", other / one, BUDGET, how)
