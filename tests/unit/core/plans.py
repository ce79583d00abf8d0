"""The plan that tests of decisions are made about."""

from __future__ import annotations

from typing import Any

from junbi.core.plan import JobTemplate, PlanSpec, Resource, Workers


def plan(**more: Any) -> PlanSpec:
    """A plan that trains with digits and labels, and starts with new digits."""
    values = {"datasets": ("digits", "labels"), "mounts": {"digits": "/mnt/digits", "labels": "/mnt/labels"}} | more
    return PlanSpec(
        name="train",
        on=("digits",),
        image="torch",
        resource=Resource(name="cpu", public="ecs.c6.large"),
        job=JobTemplate(type="TFJob", workers=Workers(), command="train"),
        **values,
    )
