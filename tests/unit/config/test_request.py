"""job.request: any field of CreateJob, and no other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.parametrize(
    "request_text",
    [
        "{Priority: 5}",
        "{Settings: {EnableCPUAffinity: true}, JobMaxRunningTimeMinutes: 60}",
        "{UserVpc: {VpcId: vpc-1, ExtendedCIDRs: [10.0.0.0/8]}}",
        "{CustomEnvs: [{Key: a, Value: b}], ThirdpartyLibs: [numpy]}",
    ],
)
def test_taken(bend: Callable[..., list[str]], request_text: str) -> None:
    """Fields of CreateJob that junbi does not set are taken as they are."""
    assert bend("env: {MODE: fast}", f"request: {request_text}") == []


@pytest.mark.parametrize("word", ["priority", "Priorty", "user_vpc"])
def test_near(bend: Callable[..., list[str]], word: str) -> None:
    """A field spelled nearly right, or as Python would, is no field."""
    (problem,) = bend("env: {MODE: fast}", f"request: {{{word}: 1}}")
    assert f"unknown key '{word}'" in problem
