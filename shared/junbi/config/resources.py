"""The sections of junbi.yaml about what jobs run on, and how they wait for their turn in a quota."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Annotated, Any, Literal, Self

from pydantic import Discriminator, Field, Tag, model_validator

from junbi.config.section import Section
from junbi.config.types import Duration, Instance, Memory, Name, QuotaId, Text, refuse


class PublicResource(Section):
    """A public instance type: paid by use, nothing to prepare."""

    public: Instance
    """A public instance type."""


class QuotaResource(Section):
    """A resource quota of PAI, attached to the workspace beforehand."""

    quota: QuotaId
    """PAI's id of the quota."""
    kind: Literal["general", "lingjun"] = "general"
    """Of general computing resources, or of Lingjun resources."""


#: The two kinds of resources are told apart by these, which stand in the places of errors as well.
PUBLIC, QUOTA = "(public)", "(quota)"


def _kind(value: Any) -> str:
    if isinstance(value, dict):
        meant = {key for given in value for key in get_close_matches(str(given), ("public", "quota"), 1)}
        return QUOTA if "quota" in meant else PUBLIC  # a misspelt key as well: what is told then names the right one
    return QUOTA if isinstance(value, QuotaResource) else PUBLIC


#: What jobs run on.
AnyResource = Annotated[
    Annotated[PublicResource, Tag(PUBLIC)] | Annotated[QuotaResource, Tag(QUOTA)], Discriminator(_kind)
]


class Workers(Section):
    """The pods of a job. What each asks for is said where it runs in a quota; an instance type says it itself."""

    count: Annotated[int, Field(ge=1, le=1000)] = 1
    """How many."""
    cpu: Annotated[int, Field(ge=1)] | None = None
    """CPUs of each."""
    memory: Memory | None = None
    """Memory of each, such as 28Gi."""
    shared_memory: Memory | None = None
    """Of that, what processes may share, such as 14Gi."""
    gpu: Annotated[int, Field(ge=1)] | None = None
    """GPUs of each."""
    gpu_type: Text | None = None
    """PAI's name for the type of these."""


class Submit(Section):
    """Handed to PAI in our order, at once, as far as PAI's own queue holds few of ours."""

    max_queued: Annotated[int, Field(ge=1)] = 1
    """So many jobs of this deployment may wait in PAI's queue of the quota."""


class Wait(Section):
    """Held back until there is room: for quotas that only this deployment uses."""

    aging: Duration = 3600.0
    """So long may smaller launches pass one that does not fit yet. Then only those do that fit beside it."""


class Fallback(Section):
    """What a plan runs on instead where it waited for its quota for too long."""

    resource: Name
    """One of resources."""
    after: Duration
    """How long it waited."""
    workers: Workers | None = None
    """The pods there, where they are others."""


class Queue(Section):
    """How launches wait for their turn in a quota: ``submit`` or ``wait``."""

    submit: Submit | None = None
    """Handed to PAI's queue as soon as few of ours are in it. This is what happens unless ``wait`` is said."""
    wait: Wait | None = None
    """Held here until there is room."""
    fallback: list[Fallback] = []
    """Other resources, in the order in which they are turned to."""

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if self.submit is not None and self.wait is not None:
            raise refuse("takes submit or wait, not both")
        return self
