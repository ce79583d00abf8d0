"""Generations of junbi.yaml, and what a function can look up of the one in force."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from junbi.core.places import pattern_of, split
from junbi.core.plan import Complete, DatasetSpec, Generation, JobTemplate, PlanSpec, Resource, Watch, Workers
from junbi.errors import LedgerError
from junbi.ledger.generations import Scope, Watched

if TYPE_CHECKING:
    from junbi.ledger.ledger import Ledger

NOW = datetime(2026, 3, 1, tzinfo=UTC)
HOUR = timedelta(hours=1)


def dataset(name: str, uri: str) -> DatasetSpec:
    """A dataset that watches an address."""
    bucket, path = split(uri)
    root, pattern, captures = pattern_of(path)
    watch = Watch(bucket=bucket, root=root, pattern=pattern, captures=captures)
    return DatasetSpec(name=name, watch=watch, complete=Complete(marker="_SUCCESS"), mount=f"/mnt/{name}")


def plan(name: str, *datasets: str, command: str = "train") -> PlanSpec:
    """A plan that trains on datasets."""
    return PlanSpec(
        name=name,
        on=datasets[:1],
        datasets=datasets,
        mounts={dataset: f"/mnt/{dataset}" for dataset in datasets},
        image="torch",
        resource=Resource(name="cpu", public="ecs.c6.large"),
        job=JobTemplate(type="TFJob", workers=Workers(), command=command),
    )


def generation(
    datasets: list[DatasetSpec], plans: list[PlanSpec] | None = None, deployment: str = "vision"
) -> Generation:
    """junbi.yaml, compiled."""
    return Generation(
        deployment=deployment,
        environment="prod",
        region="cn-hangzhou",
        workspace="104231",
        datasets={one.name: one for one in datasets},
        plans={one.name: one for one in plans or []},
    )


DIGITS = dataset("digits", "oss://vision/digits/{version}/")
LABELS = dataset("labels", "oss://vision/labels/{day}/")


def apply(ledger: Ledger, declared: Generation, now: datetime = NOW) -> int:
    """Put it in force."""
    with ledger.transaction():
        return ledger.generations.apply(declared, now)


def names(ledger: Ledger, bucket: str, key: str) -> list[str]:
    """The datasets that may take a key."""
    return sorted(spec.name for spec in ledger.generations.watching(bucket, key))


class TestInForce:
    """What is read back."""

    def test_before_the_first_apply_there_is_nothing(self, ledger: Ledger) -> None:
        """Every question has an empty answer, none an error."""
        generations = ledger.generations
        assert (generations.latest(), generations.scope(), generations.all_watched()) == (None, None, [])
        assert (generations.watched("digits"), generations.plan("train")) == (None, None)
        assert (generations.plans_naming("digits"), names(ledger, "vision", "digits/v1/a")) == ({}, [])

    def test_what_was_applied_is_in_force(self, ledger: Ledger) -> None:
        """Whole for people, and in rows by what a function has in its hand."""
        declared = generation([DIGITS, LABELS], [plan("train", "digits", "labels"), plan("judge", "labels")])
        assert apply(ledger, declared) == 1
        generations = ledger.generations
        assert generations.latest() == declared
        assert generations.scope() == Scope(1, "vision", "cn-hangzhou", "104231")
        assert generations.watched("digits") == Watched(DIGITS, NOW)
        assert generations.all_watched() == [Watched(DIGITS, NOW), Watched(LABELS, NOW)]
        assert generations.plan("train") == declared.plans["train"]
        assert list(generations.plans_naming("labels")) == ["judge", "train"]
        assert list(generations.plans_naming("digits")) == ["train"]

    def test_applying_again_makes_the_next_number(self, ledger: Ledger) -> None:
        """Generations are numbered one after the other; the newest is in force."""
        assert [apply(ledger, generation([DIGITS])) for _ in range(3)] == [1, 2, 3]
        scope = ledger.generations.scope()
        assert scope is not None
        assert scope.number == 3

    def test_what_is_no_longer_declared_is_gone(self, ledger: Ledger) -> None:
        """Plans, inputs and watches that were removed are found no more; what was changed is as it is now."""
        apply(ledger, generation([DIGITS, LABELS], [plan("train", "digits", "labels"), plan("judge", "labels")]))
        apply(ledger, generation([DIGITS], [plan("train", "digits", command="train better")]))
        generations = ledger.generations
        assert (generations.watched("labels"), generations.plan("judge")) == (None, None)
        assert (names(ledger, "vision", "labels/d/x"), generations.plans_naming("labels")) == ([], {})
        changed = generations.plan("train")
        assert changed is not None
        assert changed.job.command == "train better"

    def test_everything_may_be_removed(self, ledger: Ledger) -> None:
        """An empty file is a generation too."""
        apply(ledger, generation([DIGITS], [plan("train", "digits")]))
        apply(ledger, generation([]))
        assert ledger.generations.all_watched() == []
        assert ledger.generations.plans_naming("digits") == {}

    def test_an_apply_that_fails_changes_nothing(self, ledger: Ledger) -> None:
        """The generation before stays in force, whole."""
        before = generation([DIGITS], [plan("train", "digits")])
        apply(ledger, before)

        def fail() -> None:
            with ledger.transaction():
                ledger.generations.apply(generation([LABELS]), NOW)
                raise RuntimeError

        with pytest.raises(RuntimeError):
            fail()
        assert ledger.generations.latest() == before
        assert names(ledger, "vision", "digits/v1/a") == ["digits"]


class TestSince:
    """Since when a place is watched: what is older was there before and is left alone."""

    def since(self, ledger: Ledger, name: str = "digits") -> datetime:
        """As stored."""
        watched = ledger.generations.watched(name)
        assert watched is not None
        return watched.since

    def test_it_is_kept_while_the_place_is_the_same(self, ledger: Ledger) -> None:
        """A new closing condition, mount or order makes no old upload new, and no new one old."""
        apply(ledger, generation([DIGITS]))
        update = {"complete": Complete(count=5), "mount": "/mnt/x", "newest": "semver"}
        apply(ledger, generation([DIGITS.model_copy(update=update)]), NOW + HOUR)
        watched = ledger.generations.watched("digits")
        assert watched is not None
        assert (watched.since, watched.dataset.mount) == (NOW, "/mnt/x")

    @pytest.mark.parametrize("uri", ["oss://other/digits/{version}/", "oss://vision/digits2/{version}/"])
    def test_it_begins_anew_with_another_place(self, ledger: Ledger, uri: str) -> None:
        """What lies in another bucket or under another root was there before it was watched."""
        apply(ledger, generation([DIGITS]))
        apply(ledger, generation([dataset("digits", uri)]), NOW + HOUR)
        assert self.since(ledger) == NOW + HOUR

    def test_it_begins_anew_after_a_removal(self, ledger: Ledger) -> None:
        """While it was not declared it was not watched."""
        for number, datasets in enumerate(([DIGITS, LABELS], [LABELS], [DIGITS, LABELS])):
            apply(ledger, generation(datasets), NOW + number * HOUR)
        assert (self.since(ledger), self.since(ledger, "labels")) == (NOW + 2 * HOUR, NOW)


class TestWatching:
    """Who may take an object, looked up by the folders of its key."""

    @pytest.mark.parametrize(
        ("key", "found"),
        [
            ("digits/v1/a.csv", ["digits", "top"]),
            ("digits/v1/deep/er/a.csv", ["digits", "top"]),
            ("digits/v1/", ["digits", "top"]),
            ("deep/est/place/v1/a", ["deep", "top"]),
            ("deep/est/v1/a", ["top"]),
            ("Digits/v1/a", ["top"]),
            ("digitsx/v1/a", ["top"]),
            ("a.csv", ["top"]),
            ("/digits/v1/a", ["top"]),
            ("日本 語+%20/v1/a", ["odd", "top"]),
            ("flat/a", ["flat", "top"]),
        ],
    )
    def test_it_is_found_by_its_root(self, ledger: Ledger, key: str, found: list[str]) -> None:
        """Every watch whose root is a folder above the key, in this bucket, however deep; no other."""
        apply(
            ledger,
            generation(
                [
                    DIGITS,
                    dataset("deep", "oss://vision/deep/est/place/{version}/"),
                    dataset("odd", "oss://vision/日本 語+%20/{version}/"),
                    dataset("flat", "oss://vision/flat/"),
                    dataset("top", "oss://vision/{version}/"),
                    dataset("elsewhere", "oss://other/digits/{version}/"),
                ]
            ),
        )
        assert names(ledger, "vision", key) == found

    def test_among_many_watches_only_those_above_the_key_are_read(self, ledger: Ledger) -> None:
        """With 500 watches, an event still reads the one it concerns."""
        apply(ledger, generation([dataset(f"d{n}", f"oss://vision/data/set{n}/{{version}}/") for n in range(500)]))
        assert names(ledger, "vision", "data/set77/v1/a.csv") == ["d77"]
        assert names(ledger, "vision", "data/set500/v1/a.csv") == []


class TestDeployments:
    """One ledger belongs to one deployment."""

    def test_another_deployment_is_refused(self, ledger: Ledger) -> None:
        """Its tags would mix with ours: the error names both and says what to do; nothing was changed."""
        apply(ledger, generation([DIGITS]))
        with pytest.raises(LedgerError, match=r"'vision'.*'audio'.*Nothing was changed"):
            apply(ledger, generation([LABELS], deployment="audio"))
        assert [one.dataset for one in ledger.generations.all_watched()] == [DIGITS]
        assert apply(ledger, generation([LABELS])) == 2
