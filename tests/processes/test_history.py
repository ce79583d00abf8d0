"""The checker believes a history in which everything happened once, and names what is wrong in any other."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from tests.processes.history import History, Uploaded, problems

if TYPE_CHECKING:
    from collections.abc import Callable

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def moment(minutes: float) -> str:
    """So many minutes from the end, as the ledger writes it."""
    return (NOW + timedelta(minutes=minutes)).isoformat()


def sound() -> History:
    """One upload, registered, launched, submitted and ended; its launch is looked after for doubles."""
    registered = {"revision": "rev-1", "state": "done", "dataset_id": "d-1", "version_name": "v1"}
    launch: dict[str, Any] = {"id": "l-1", "plan": "train", "attempt": 1, "job_id": "dlc1", "reason": None}
    tables: dict[str, list[dict[str, Any]]] = {
        "arrival": [{"key": "digits:data/digits/v1/", "state": "closed", "reason": None}],
        "revision": [{"id": "rev-1", "dataset": "digits", "label": "v1", "members": 3, "size": 30, "digest": "abc"}],
        "registration": [registered],
        "head": [{"dataset": "digits", "revision": "rev-1"}],
        "launch": [launch | {"pins": json.dumps({"digits": "rev-1"}), "state": "succeeded"}],
        "try": [
            {"owner": "revision:rev-1", "operation": "CreateDataset", "outcome": "done"},
            {"owner": "launch:l-1", "operation": "CreateJob", "outcome": "unknown"},
            {"owner": "launch:l-1", "operation": "CreateJob", "outcome": "done"},
        ],
        "work": [{"kind": "audit", "id": "l-1", "due_at": moment(5), "failures": 0, "problem": ""}],
        "story": [
            {"subject": "revision:rev-1", "code": "DatasetRegistered"},
            {"subject": "launch:l-1", "code": "LaunchCreated"},
            {"subject": "launch:l-1", "code": "JobSubmitted"},
        ],
    }
    return History(
        now=NOW,
        uploads=[Uploaded("digits", "v1", 3, 30)],
        plans={"train": ["digits"]},
        jobs=[{"id": "dlc1", "launch": "l-1", "attempt": 1, "status": "Succeeded"}],
        datasets=[{"id": "d-1", "name": "vision-digits"}],
        versions=[{"dataset": "d-1", "name": "v1", "source": "abc"}],
        tables=tables,
    )


def again(rows: list[dict[str, Any]], **changed: Any) -> None:
    """The first row once more, changed."""
    rows.append(rows[0] | changed)


#: What is done to a sound history, and a word of what the checker then says.
WRONGS: dict[str, tuple[Callable[[History], object], str]] = {
    "a second job of an attempt": (lambda h: again(h.jobs, id="dlc2"), "2 jobs of one"),
    "a second dataset of a name": (lambda h: again(h.datasets, id="d-2"), "2 datasets of one"),
    "a second version of a content": (lambda h: again(h.versions, name="v2"), "2 versions of one"),
    "two creates that were answered yes": (lambda h: again(h.tables["try"]), "2 successful creates of one"),
    "a registration told twice": (lambda h: again(h.tables["story"]), "2 stories of one"),
    "a submission told twice": (lambda h: h.tables["story"].append(h.tables["story"][2]), "submitted 2 times"),
    "a double that was found": (lambda h: again(h.tables["story"], code="DuplicateJobFound"), "more jobs than one"),
    "a job of no launch": (lambda h: again(h.jobs, id="dlc2", launch="l-2"), "the ledger does not know"),
    "a job that nobody follows": (lambda h: h.tables["launch"][0].update(job_id="dlc2"), "followed by nobody"),
    "a job without a try": (lambda h: h.tables["try"].clear(), "what it never stored"),
    "an upload that was lost": (lambda h: h.uploads.append(Uploaded("digits", "v2", 3, 30)), "was lost"),
    "an upload in part": (lambda h: h.tables["revision"][0].update(members=2), "nothing that was uploaded"),
    "an upload taken twice": (lambda h: again(h.tables["revision"], id="rev-2"), "2 revisions of one"),
    "a revision not registered": (lambda h: h.tables["registration"][0].update(state="unknown"), "not registered"),
    "a registration of something else": (lambda h: h.versions[0].update(source="xyz"), "not what PAI has"),
    "a launch that was never made": (lambda h: h.tables["launch"].clear(), "launched 0 times"),
    "a launch made twice": (lambda h: again(h.tables["launch"], id="l-2"), "launched 2 times"),
    "a launch without a job": (lambda h: h.jobs.clear(), "has no job"),
    "a pair that was never launched": (lambda h: h.plans.update(both=["digits"]), "both was never launched for"),
    "a launch that does not say why": (lambda h: h.tables["launch"][0].update(state="failed"), "does not say why"),
    "a launch that stands elsewhere": (
        lambda h: h.tables["launch"][0].update(state="running", reason="{}"),
        "its job is Succeeded",
    ),
    "work that nobody does": (lambda h: h.tables["work"][0].update(due_at=moment(-5)), "nobody looked"),
    "a look that fails": (lambda h: h.tables["work"][0].update(failures=2), "failed 2 times"),
    "an upload left open": (lambda h: h.tables["arrival"][0].update(state="closing"), "is closing"),
    "a delivery that was lost": (lambda h: setattr(h, "unanswered", 1), "never answered"),
    "a worker that complained": (lambda h: h.complaints.append("it broke"), "it broke"),
}


def test_a_sound_history_is_believed() -> None:
    """Tries whose answers were lost, and work for later, are nothing wrong."""
    assert problems(sound()) == []


def test_work_that_was_due_just_now_is_nothing_wrong() -> None:
    """Workers need a moment; a row counts as forgotten only when it waited for longer than a lease."""
    history = sound()
    history.tables["work"][0]["due_at"] = moment(-1)
    assert problems(history) == []


def test_a_second_attempt_is_no_double() -> None:
    """An attempt that follows a failed one has a job of its own, and the launch follows that."""
    history = sound()
    again(history.jobs, id="dlc2", attempt=2)
    history.jobs[0]["status"] = "Failed"
    history.tables["launch"][0].update(attempt=2, job_id="dlc2")
    history.tables["story"].append(history.tables["story"][2])
    history.tables["try"].append({"owner": "launch:l-1:2", "operation": "CreateJob", "outcome": "done"})
    assert problems(history) == []


@pytest.mark.parametrize("name", WRONGS)
def test_what_is_wrong_is_named(name: str) -> None:
    """A history with one thing wrong is rejected, and the reason says what it is."""
    history = sound()
    spoil, said = WRONGS[name]
    spoil(history)
    assert said in "\n".join(problems(history))
