"""What the simulation found, each as a short story of its own that must never end that way again."""

from __future__ import annotations

from datetime import timedelta
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from tests.simulation import webhooks
from tests.simulation.house import House
from tests.simulation.people import MARKER, dataset, plan
from tests.simulation.profile import Profile
from tests.simulation.pushes import CODE, IMAGE, TORCH, code, image, trained_with
from tests.simulation.simulation import ledger_file
from tests.simulation.world import World

from junbi.core.facts import CreateState, LaunchState
from junbi.core.model import Event, EventKind, ObjectRef
from junbi.errors import OutcomeUnknown
from junbi.events.parsed import Parsed
from junbi.pipeline import call, image_door, note, receive, work
from junbi.pipeline.apply import apply

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from junbi.pipeline.wiring import Ports


class Stage(World):
    """A world without faults in which a test says what happens, and when. What it calls itself pauses for nobody."""

    def open(self) -> None:
        """One dataset and one plan, applied half a minute ago."""
        self.profile = Profile()
        self.people.datasets = {"digits": dataset("digits", "version", marker=MARKER)}
        self.people.plans = {"train": plan("train", ("digits",), ("digits",))}
        apply(self.ledger, self.people.generation())
        self.time.pass_(30.0)

    def watch(self, line: str, ports: Ports | None = None, **more: Any) -> None:
        """The plan trains with watched code or a watched image too, which was looked at; and with an upload."""
        self.people.pushes.code = {CODE: code(**more)} if line == CODE else {}
        self.people.pushes.images = {TORCH: image(**more)} if line == TORCH else {}
        self.people.plans = {"train": trained_with(self.people.plans["train"], (line,), ("digits", line))}
        apply(self.ledger, self.people.generation())
        work.tick(ports or self.ports())
        self.upload()

    def trained_with(self, line: str) -> list[str]:
        """The last figure of each commit or digest that a launch was made for, in that order."""
        pins = [one.pins[line] for one in reversed(self.ledger.launches.newest())]
        return [self.ledger.revisions.get(one).digest[-1] for one in pins]

    def put(self, name: str) -> None:
        """One object of v1, and its event."""
        self.oss.put(f"digits/v1/{name}", name)
        self._tell(name, f"digits/v1/{name}")

    def upload(self, version: str = "v1") -> None:
        """A whole upload, and the event of its marker."""
        for name, content in (("part-0", version), (MARKER, "")):
            self.oss.put(f"digits/{version}/{name}", content)
        self._tell(version, f"digits/{version}/{MARKER}")

    def _tell(self, name: str, key: str) -> None:
        subject = ObjectRef("data", key)
        event = Event(name, EventKind.OBJECT_CREATED, "ObjectCreated:PutObject", subject, self.time.now)
        note.note_events(self.ledger, Parsed((event,)))

    def ports(self, **replaced: Any) -> Ports:
        """The ports of one tick, some replaced."""
        ports = House().ports(self, self.instances[0])
        vars(ports).update(replaced)
        return ports

    def settle(self) -> None:
        """Tick until nothing is open any more."""
        for _ in range(30):
            self.time.pass_(61.0)
            work.tick(self.ports())


@pytest.fixture
def stage() -> Iterator[Stage]:
    """An open stage."""
    with ledger_file() as path:
        made = Stage(0, path, House(), None)
        made.open()
        yield made
        made.database.close()


@pytest.fixture
def secret(monkeypatch: pytest.MonkeyPatch) -> None:
    """The doors know what deliveries are proved with."""
    monkeypatch.setenv(f"JUNBI_SECRET_{webhooks.SECRET_NAME}", webhooks.SECRET)


class Held:
    """A port whose creates are held up in the network: nobody hears of them until the test lets them arrive."""

    def __init__(self, port: Any, *operations: str) -> None:
        self._port, self._operations = port, operations
        self.requests: list[tuple[Callable[..., str], tuple[Any, ...]]] = []

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._port, name)
        return self._hold(found) if name in self._operations else found

    def _hold(self, create: Callable[..., str]) -> Callable[..., str]:
        def held(*request: Any) -> str:
            self.requests.append((create, request))
            raise OutcomeUnknown("create", "timeout", "held up")

        return held

    def arrive(self) -> None:
        """The first request arrives."""
        create, request = self.requests[0]
        create(*request)


class Interrupted:
    """A port whose caller is paused behind one read, while the test does something."""

    def __init__(self, port: Any, operation: str, meanwhile: Callable[[], None]) -> None:
        self._port, self._operation, self._meanwhile = port, operation, meanwhile

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._port, name)
        if name != self._operation:
            return found

        def interrupted(*args: Any, **kwargs: Any) -> Any:
            answer = found(*args, **kwargs)
            self._meanwhile()
            return answer

        return interrupted


def test_absence_is_judged_by_when_the_listing_was_made(stage: Stage) -> None:
    """A worker lists no job, is paused while a late copy makes one, and wakes after settling: that job stays alone."""
    stage.upload()
    held = Held(stage.dlc, "create_job")
    work.tick(stage.ports(dlc=held))
    stage.time.pass_(700.0)

    def meanwhile() -> None:
        stage.time.pass_(150.0)
        held.arrive()
        stage.time.pass_(400.0)

    work.tick(stage.ports(dlc=Interrupted(stage.dlc, "find_jobs", meanwhile)))
    stage.settle()
    assert [job.launch for job in stage.dlc.jobs] == [one.id for one in stage.ledger.launches.newest()]


def test_a_try_is_as_old_as_its_signature(stage: Stage) -> None:
    """A worker is paused before it signs: settling counts from the signature, which is valid for so much longer."""
    stage.upload()
    work.tick(stage.ports())
    stage.upload("v2")
    held = Held(stage.dlc, "create_job")
    paused = stage.ports(dlc=held)
    clock = paused.own_clock

    def slow() -> Any:
        stage.time.pass_(200.0)
        return clock()

    paused.own_clock = slow
    work.tick(paused)
    stage.time.pass_(1030.0 - 200.0)
    work.tick(stage.ports())
    stage.time.pass_(40.0)
    held.arrive()
    stage.settle()
    assert len(stage.dlc.jobs) == 2


def test_a_registration_that_was_begun_is_ended_before_an_older_one(stage: Stage) -> None:
    """The ledger's clock steps back, so the second upload looks older: the dataset is still made once."""
    stage.upload("v2")
    held = Held(stage.workspace, "create_dataset")
    work.tick(stage.ports(workspace=held))
    stage.time.pass_(1.0)
    stage.ledger_clock.offset -= timedelta(seconds=10)
    stage.upload("v1")
    for _ in range(3):
        stage.time.pass_(6.0)
        work.tick(stage.ports())
    held.arrive()
    stage.settle()
    assert len(stage.workspace.datasets) == 1
    states = [stage.ledger.revisions.registration(one.id).state for one in stage.ledger.revisions.newest()]
    assert states == [CreateState.DONE, CreateState.DONE]


def test_a_dataset_that_was_made_meanwhile_is_used(stage: Stage) -> None:
    """A worker found no dataset and is paused; an upload that looks older makes it: it gets a second version."""
    stage.upload("v2")

    def meanwhile() -> None:
        if stage.workspace.datasets:
            return
        stage.ledger_clock.offset -= timedelta(seconds=10)
        stage.upload("v1")
        work.tick(stage.ports())

    work.tick(stage.ports(workspace=Interrupted(stage.workspace, "find_dataset", meanwhile)))
    stage.settle()
    (made,) = stage.workspace.datasets
    assert len(made.versions) == 2


def test_a_plan_that_is_removed_while_its_launch_is_checked_is_not_submitted(stage: Stage) -> None:
    """'junbi apply' removes the plan between the checks and the submission: the launch waits and says PlanRemoved."""
    stage.upload()

    def meanwhile() -> None:
        (revision,) = stage.ledger.revisions.newest()
        if stage.ledger.revisions.registration(revision.id).state is not CreateState.DONE:
            return  # that look is not the one that submits
        if not stage.people.plans:
            return  # it is removed once
        stage.people.plans = {}
        apply(stage.ledger, stage.people.generation())

    work.tick(stage.ports(dlc=Interrupted(stage.dlc, "list_instance_types", meanwhile)))
    stage.settle()
    (launch,) = stage.ledger.launches.newest()
    assert launch.state is LaunchState.WAITING
    assert launch.reason is not None
    assert launch.reason.code == "PlanRemoved"
    assert not stage.dlc.jobs


@pytest.mark.parametrize("told", [True, False])
def test_a_call_that_comes_while_an_earlier_one_is_acted_upon_is_heard(stage: Stage, told: bool) -> None:  # noqa: FBT001
    """A file came after the first call, whether its event did or not; the second call, during a listing, is for it."""
    stage.people.datasets = {"digits": dataset("digits", "version", call=True)}
    apply(stage.ledger, stage.people.generation())
    stage.time.pass_(30.0)
    stage.put("part-0")
    call.close(stage.ledger, "oss://data/digits/v1/", "Ada")
    calls = ["second"]

    def meanwhile() -> None:
        if calls:
            calls.clear()
            stage.time.pass_(5.0)
            stage.put("part-1") if told else stage.oss.put("digits/v1/part-1", "part-1")
            stage.time.pass_(5.0)
            call.close(stage.ledger, "oss://data/digits/v1/", "Ada")

    work.tick(stage.ports(objects=Interrupted(stage.oss, "list_page", meanwhile)))
    stage.settle()
    assert [one.members for one in stage.ledger.revisions.newest()] == [2]
    assert len(stage.dlc.jobs) == 1


@pytest.mark.parametrize("line", [CODE, TORCH])
def test_what_was_read_first_does_not_replace_what_was_read_since(stage: Stage, line: str) -> None:
    """A worker reads where a line is and is paused past its lease; another reads what is there by then: that counts,
    and nothing is launched for the older.
    """
    history, name, kind = {
        CODE: (stage.git.history, "refs/heads/main", f"{0:039}"),
        TORCH: (stage.registry.history, "latest", f"sha256:{0:063}"),
    }[line]
    history.move(name, kind + "1")
    stage.watch(line)
    stage.settle()
    history.move(name, kind + "2")

    def meanwhile() -> None:
        if history.now[name] == kind + "2":
            stage.time.pass_(400.0)
            history.move(name, kind + "3")
            work.tick(stage.ports())

    refs = Interrupted(stage.git, "refs", meanwhile).refs
    paused = stage.ports(refs=refs, registry=lambda line: Interrupted(stage.registry.source(line), "digest", meanwhile))
    stage.time.pass_(301.0)
    work.tick(paused)
    stage.settle()
    assert stage.trained_with(line) == ["1", "3"]


@pytest.mark.usefixtures("secret")
def test_a_push_that_is_told_late_makes_no_old_tag_the_newest(stage: Stage) -> None:
    """Two tags are found by a look; the push of the older is told minutes later: the newest stays what it was."""
    stage.registry.history.move("v1.0", f"sha256:{0:063}1")
    stage.watch(TORCH, tags=r"v(?P<semver>[0-9.]+)", newest="time")
    told = []
    for number in (2, 3):
        digest = f"sha256:{0:063}{number}"
        stage.registry.history.move(f"v1.{number}", digest)
        told.append(webhooks.pushed(number, IMAGE, f"v1.{number}", digest))
    stage.settle()
    answer, _ = receive.receive(image_door, stage.ledger, told[0])
    assert answer.body["noted"] == [TORCH]
    stage.settle()
    assert stage.trained_with(TORCH) == ["1", "3"]


@pytest.mark.usefixtures("secret")
def test_a_push_that_is_told_after_a_change_of_its_entry_is_no_news(stage: Stage) -> None:
    """What is declared anew is looked at anew: a push of an old tag that is told after that changes nothing either."""
    for number in (1, 2):
        stage.registry.history.move(f"v1.{number}", f"sha256:{0:063}{number}")
    stage.watch(TORCH, tags=r"v(?P<semver>[0-9.]+)", newest="time")
    answer, _ = receive.receive(image_door, stage.ledger, webhooks.pushed(1, IMAGE, "v1.1", f"sha256:{0:063}1"))
    assert answer.body["noted"] == [TORCH]
    stage.settle()
    assert stage.trained_with(TORCH) == ["2"]


def test_a_tag_that_names_nothing_keeps_no_other_from_being_found(stage: Stage) -> None:
    """A registry may list what is not there: the tag that is new beside it is trained with."""
    stage.registry.history.move("v1.2", f"sha256:{0:063}2")
    stage.watch(TORCH, tags=r"v(?P<semver>[0-9.]+)", newest="time")
    stage.registry.history.move("v1.3", f"sha256:{0:063}3")

    def registry(line: Any) -> Any:
        source = stage.registry.source(line)
        return SimpleNamespace(digest=source.digest, tags=lambda: [*source.tags(), "v1.1"])

    for _ in range(20):
        stage.time.pass_(61.0)
        work.tick(stage.ports(registry=registry))
    assert stage.trained_with(TORCH) == ["2", "3"]


@pytest.mark.parametrize("line", [CODE, TORCH])
def test_what_was_not_wanted_for_a_minute_is_not_made_twice(stage: Stage, line: str) -> None:
    """A create is held up; the entry is removed, or wants no registration, and is put back: what was sent is waited
    for, and not sent again.
    """
    stage.git.history.move("refs/heads/main", f"{0:039}1")
    stage.registry.history.move("latest", f"sha256:{0:063}1")
    held = Held(*((stage.code_sources, "create") if line == CODE else (stage.images, "add")))
    ports = stage.ports(code_sources_in=lambda _: held) if line == CODE else stage.ports(images_in=lambda _: held)
    stage.watch(line, ports, **({} if line == CODE else {"registers": True}))
    assert held.requests
    for away in (True, False):
        stage.people.pushes.away = away
        apply(stage.ledger, stage.people.generation())
        stage.time.pass_(61.0)
        work.tick(stage.ports())
    held.arrive()
    stage.settle()
    assert len(stage.code_sources.all) + len(stage.images.all) == 1
    assert stage.trained_with(line) == ["1"]
    assert len(stage.dlc.jobs) == 1
