"""Generations: the compiled junbi.yaml, whole for people and as rows for functions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from pydantic import ValidationError

from junbi.core.plan import DatasetSpec, Generation, PlanSpec
from junbi.errors import LedgerError
from junbi.ledger.rows import from_time, to_json, to_time

if TYPE_CHECKING:
    from datetime import datetime

    from junbi.ledger.database import Database


@dataclass(frozen=True, slots=True)
class Scope:
    """What every call to PAI needs to know of the generation in force."""

    number: int
    deployment: str
    region: str
    workspace: str


@dataclass(frozen=True, slots=True)
class Watched:
    """A watched dataset and the time since which it is watched."""

    dataset: DatasetSpec
    since: datetime


class Generations:
    """Stores generations and answers what a function has to know of the one in force."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def apply(self, generation: Generation, now: datetime) -> int:
        """Store a generation and put it in force; its number. Call it inside a transaction.

        LedgerError where the ledger belongs to another deployment: its tags would mix.
        """
        self.check_deployment(generation)
        self._place_what_is_there()
        row = self._database.row("add_generation", document=generation.model_dump_json(), now=to_time(now))
        number = int(row["number"]) if row else 0
        self._put_scope(number, generation)
        self._put_watches(generation, now)
        self._put_plans(generation)
        return number

    def check_deployment(self, generation: Generation) -> None:
        """LedgerError where the ledger belongs to another deployment."""
        scope = self.scope()
        if scope is not None and scope.deployment != generation.deployment:
            raise LedgerError(
                f"This ledger belongs to the deployment {scope.deployment!r}; {generation.deployment!r} needs one "
                "of its own. Nothing was changed. Set JUNBI_LEDGER, or correct 'deployment' in junbi.yaml."
            )

    def latest(self) -> Generation | None:
        """The generation in force, whole; None before the first apply."""
        row = self._database.row("latest_generation")
        return Generation.model_validate_json(row["document"]) if row else None

    def scope(self) -> Scope | None:
        """Number, deployment, region and workspace in force; None before the first apply."""
        row = self._database.row("setting", name="scope")
        return _scope(row["value"]) if row else None

    def watched(self, dataset: str) -> Watched | None:
        """A watched dataset by its name."""
        row = self._database.row("watch", dataset=dataset)
        return _watched(row) if row else None

    def all_watched(self) -> list[Watched]:
        """Every watched dataset."""
        return [_watched(row) for row in self._database.rows("watches")]

    def watching(self, bucket: str, key: str) -> list[DatasetSpec]:
        """The datasets whose watch may take a key: looked up by the key's folders, so however many there are."""
        parts = key.split("/")[:-1]
        roots = ["/".join(parts[:depth]) + "/" if depth else "" for depth in range(len(parts) + 1)]
        rows = self._database.rows("watches_at", bucket=bucket, roots=to_json(roots))
        return [_dataset(row["spec"]) for row in rows]

    def plan(self, name: str) -> PlanSpec | None:
        """A plan in force by its name; LedgerError where it is stored in a way that this version cannot read."""
        row = self._database.row("plan", name=name)
        try:
            return PlanSpec.model_validate_json(row["spec"]) if row else None
        except ValidationError as unreadable:
            problems = unreadable.error_count()
            raise LedgerError(
                f"Plan {name} is stored in a way that this version of junbi cannot read ({problems} problems in it). "
                "Nothing was changed. Deploy the version that applied it, or apply a change of the plan with this one."
            ) from None

    def plans_naming(self, dataset: str) -> dict[str, str]:
        """The plans that have a dataset among their inputs, by name and as stored: a bad one costs no other."""
        return {row["name"]: row["spec"] for row in self._database.rows("plans_naming", input=dataset)}

    def inputs_beside(self, name: str) -> list[str]:
        """The other inputs of the plans that have this one among theirs."""
        return [row["input"] for row in self._database.rows("inputs_beside", input=name)]

    def _place_what_is_there(self) -> None:
        """What an earlier version stored is where the generation that was in force until now said."""
        scope = self.scope()
        if scope is not None:
            for statement in ("place_tries", "place_registrations"):
                self._database.run(statement, region=scope.region, workspace=scope.workspace)

    def _put_scope(self, number: int, generation: Generation) -> None:
        lines = (str(number), generation.deployment, generation.region, generation.workspace)
        self._database.run("set_setting", name="scope", value="\n".join(lines))

    def _put_watches(self, generation: Generation, now: datetime) -> None:
        self._database.run("drop_watches_but", datasets=to_json(list(generation.datasets)))
        for dataset in generation.datasets.values():
            self._database.run(
                "put_watch",
                dataset=dataset.name,
                bucket=dataset.watch.bucket,
                root=dataset.watch.root,
                spec=dataset.model_dump_json(),
                now=to_time(now),
            )

    def _put_plans(self, generation: Generation) -> None:
        self._database.run("drop_plans_but", plans=to_json(list(generation.plans)))
        self._database.run("drop_plan_inputs")
        for plan in generation.plans.values():
            self._database.run("put_plan", name=plan.name, spec=plan.model_dump_json())
            for name in plan.inputs:
                self._database.run("put_plan_input", input=name, plan=plan.name)


def _scope(text: str) -> Scope:
    number, deployment, region, workspace = text.split("\n")
    return Scope(int(number), deployment, region, workspace)


def _watched(row: dict[str, str]) -> Watched:
    return Watched(_dataset(row["spec"]), from_time(row["since"]))


@lru_cache(maxsize=256)
def _dataset(text: str) -> DatasetSpec:
    """A dataset as it is stored: the same for every event, until the text is another."""
    return DatasetSpec.model_validate_json(text)
