"""Which revisions go together, and which launches take whose place."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import permutations
from typing import TYPE_CHECKING

import pytest

from junbi.core import acts, joining, launching
from junbi.core.facts import Freeze, Launch, LaunchState, Revision
from junbi.core.model import Reason
from junbi.core.plan import Complete, DatasetSpec, JobTemplate, PlanSpec, Resource, Watch, Workers
from junbi.core.policy import Policy

if TYPE_CHECKING:
    from collections.abc import Iterable

NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)
PLAN = PlanSpec(
    name="train",
    on=("images", "labels"),
    datasets=("images", "labels", "corpus"),
    mounts={},
    image="torch",
    resource=Resource(name="cpu", public="ecs.c6.large"),
    params={"lr": 0.5, "deep": True, "name": "x", "n": 3},
    job=JobTemplate(type="TFJob", workers=Workers(), command="train"),
    join=("day",),
)


def dataset(name: str, *captures: str) -> DatasetSpec:
    """A watched dataset with these placeholders."""
    watch = Watch(bucket="b", root=f"{name}/", pattern="", captures=captures)
    return DatasetSpec(name=name, watch=watch, complete=Complete(count=1), newest="version", mount=f"/mnt/{name}")


DATASETS = {one.name: one for one in (dataset("images", "day", "version"), dataset("labels", "day"), dataset("corpus"))}


def revision(name: str, label: str, **captures: str) -> Revision:
    """A revision with what its placeholders took."""
    return Revision(f"{name}-{label}", name, label, "b", f"{name}/{label}/", captures, "d", 1, 1, NOW, NOW)


CORPUS = revision("corpus", "v1")
MON1, MON2 = revision("images", "mon/1", day="mon", version="1"), revision("images", "mon/2", day="mon", version="2")
TUE1 = revision("images", "tue/1", day="tue", version="1")
LABELS_MON, LABELS_TUE = revision("labels", "mon", day="mon"), revision("labels", "tue", day="tue")


def chosen(new: Revision, *there: Revision) -> dict[str, str | None]:
    """What a launch for a new revision would train on, by the labels."""
    known = [*there, new]
    by_name = {name: [one for one in known if one.dataset == name] for name in DATASETS}
    heads = {name: max(found, key=lambda one: one.label, default=None) for name, found in by_name.items()}
    picked = joining.choose(PLAN, new, heads, DATASETS, lambda name: by_name[name])
    return {name: one.label if one else None for name, one in picked.items()}


def test_inputs_that_share_the_capture_must_agree() -> None:
    """The newest of the same day, however new another day's is; an input without days is taken as it is."""
    assert chosen(LABELS_MON, MON1, MON2, TUE1, CORPUS) == {"images": "mon/2", "labels": "mon", "corpus": "v1"}
    assert chosen(MON2, TUE1, LABELS_MON, LABELS_TUE, CORPUS)["labels"] == "mon"


def test_what_has_no_partner_says_which_is_missing() -> None:
    """The reason names the input and the day."""
    picked = joining.choose(
        PLAN, TUE1, {"images": TUE1, "labels": LABELS_MON, "corpus": CORPUS}, DATASETS,
        lambda name: [LABELS_MON] if name == "labels" else [TUE1],
    )  # fmt: skip
    reason = joining.no_match(PLAN, TUE1, picked)
    assert reason
    assert (reason.code, "labels of day tue" in reason.message) == ("WaitingForMatch", True)


def test_an_input_without_the_capture_goes_with_the_newest() -> None:
    """A new corpus has no day: the newest of the joined inputs says which."""
    assert chosen(CORPUS, MON2, TUE1, LABELS_MON, LABELS_TUE) == {"images": "tue/1", "labels": "tue", "corpus": "v1"}


@pytest.mark.parametrize("order", list(permutations([MON1, TUE1, LABELS_MON, LABELS_TUE])))
def test_bc_17_pairs_are_made_once_in_any_order(order: Iterable[Revision]) -> None:
    """BC-17: however they come, each day makes exactly one pair, and nothing is ever launched with half of it."""
    pairs: list[tuple[str, str]] = []
    there: list[Revision] = [CORPUS]
    for one in order:
        picked = chosen(one, *there)
        there.append(one)
        if picked["images"] and picked["labels"]:
            pairs.append((picked["images"], picked["labels"]))
    assert sorted(pairs) == [("mon/1", "mon"), ("tue/1", "tue")]


def launch(name: str, **more: object) -> Launch:
    """A waiting launch."""
    made = launching.made(PLAN, {"images": name, "labels": "l"}, {}, 1, NOW)
    return replace(made, id=name, **more)  # type: ignore[arg-type]


def newest(one: Launch) -> Launch:
    """The same, of a plan with 'waiting: newest'."""
    return replace(one, spec=PLAN.model_copy(update={"policy": Policy(waiting="newest")}))


def test_a_newer_launch_takes_the_place_of_waiting_ones() -> None:
    """Each says by which; those that people asked for stay, and so does everything with 'every'."""
    old, asked, new = newest(launch("l-old")), newest(launch("l-asked", made_by="bob")), newest(launch("l-new"))
    (gone,) = launching.superseded(new, [old, asked, new])
    assert (gone.id, gone.state) == ("l-old", LaunchState.SUPERSEDED)
    assert gone.reason
    assert (gone.reason.facts["by"], "junbi rerun l-old" in gone.reason.fix) == ("l-new", True)
    assert launching.superseded(replace(new, made_by="bob"), [old]) == []
    assert launching.superseded(launch("l-new"), [old]) == []


def test_already_tells_what_changed_since() -> None:
    """The same identity with another plan or another pinned input is no new launch, and says so."""
    first = launch("l-1")
    other = replace(first, pins={**first.pins, "labels": "l2"}, spec=PLAN.model_copy(update={"image": "torch:2"}))
    said = launching.launched_already(first, other).message
    assert "the plan and the version of labels changed" in said
    assert "changed" not in launching.launched_already(first, first).message
    assert "changed" not in launching.launched_already(first, newest(first)).message


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [("lr", "1", 1.0), ("lr", "1e-3", 0.001), ("deep", "false", False), ("name", "007", "007"), ("n", "4", 4)],
)
def test_a_parameter_keeps_its_kind(name: str, text: str, value: object) -> None:
    """As the plan declares it, so that one value has one identity."""
    found = launching.parameter(PLAN.params[name], text)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(("name", "text"), [("lr", "fast"), ("lr", "inf"), ("deep", "1"), ("n", "1.5"), ("n", "")])
def test_a_parameter_of_another_kind_is_refused(name: str, text: str) -> None:
    """With a message for people, before anything is launched."""
    with pytest.raises(ValueError, match=r"^Expected (a finite number|a whole number|true or false), got '"):
        launching.parameter(PLAN.params[name], text)


@pytest.mark.parametrize("meanwhile", ["every", "newest", "skip"])
def test_a_thaw_leaves_alone_what_it_did_not_hold(meanwhile: acts.Meanwhile) -> None:
    """What waited before the freeze, what people asked for, and further attempts go on in any case."""
    freeze = Freeze("train", "alice", NOW)
    kept = [
        launch("before", created_at=NOW - timedelta(seconds=1)),
        launch("asked", made_by="bob"),
        launch("attempt", attempt=2),
    ]
    came = [launch("one"), launch("two")]
    gone = [one.id for one in acts.thaw(freeze, [*kept, *came], meanwhile, NOW)]
    assert gone == {"every": [], "newest": ["one"], "skip": ["one", "two"]}[meanwhile]


@pytest.mark.parametrize("state", LaunchState)
def test_cancel_from_every_state(state: LaunchState) -> None:
    """Without a job it is cancelled at once; with one there is a wish; after its end there is nothing to do."""
    after = acts.cancel(launch("l-1", state=state), "alice", NOW)
    if isinstance(after, Reason):
        assert after.code == "HasEnded"
    else:
        assert (after.state is LaunchState.CANCELLED) != (after.stop is not None)
        assert after.state in {state, LaunchState.CANCELLED}
