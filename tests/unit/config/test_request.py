"""job.request: any field of CreateJob, and no other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

HERE = "plans.train.job.request"


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


@pytest.mark.parametrize(
    ("request_text", "problem"),
    [
        ("{JobType: TFJob}", f"29:17: {HERE}.JobType: is set by junbi: write job.type"),
        ("{DisplayName: x}", f"29:17: {HERE}.DisplayName: is set by junbi: it names the plan and the launch"),
        ("{WorkspaceId: '1'}", f"29:17: {HERE}.WorkspaceId: is set by junbi: write environments"),
        ("{Settings: {Tags: {a: b}}}", f"29:28: {HERE}.Settings.Tags: is set by junbi: write tags"),
        ("{Priority: high}", f"29:27: {HERE}.Priority: expected a whole number, got the text 'high'"),
        (
            "{UserVpc: {VpcId: 1}}",
            f'29:34: {HERE}.UserVpc.VpcId: expected text, got the number 1: write it in quotes, "1"',
        ),
        (
            "{ThirdpartyLibs: numpy}",
            f"29:33: {HERE}.ThirdpartyLibs: expected a list, such as [a, b], got the text 'numpy'",
        ),
        ("{Settings: []}", f"29:17: {HERE}.Settings: expected a mapping of keys and values, got a list"),
        ("{Priority: }", f"29:17: {HERE}.Priority: has no value: write one, or delete the key"),
        (
            "{CustomEnvs: [{key: a}]}",
            f"29:31: {HERE}.CustomEnvs[0].key: unknown key 'key' (did you mean 'Key'?); known here: Key, Value, Visible",
        ),
        (
            "{UserVpc: {VpcID: a}}",
            f"29:27: {HERE}.UserVpc.VpcID: unknown key 'VpcID' (did you mean 'VpcId'?); "
            "known here: DefaultRoute, ExtendedCIDRs, SecurityGroupId, SwitchId, VpcId",
        ),
    ],
)
def test_refused(bend: Callable[..., list[str]], request_text: str, problem: str) -> None:
    """What CreateJob does not have, what is of another kind and what junbi sets itself is refused with its place."""
    assert bend("env: {MODE: fast}", f"request: {request_text}") == [f"junbi.yaml:{problem}"]


@pytest.mark.parametrize("word", ["priority", "Priorty", "user_vpc"])
def test_near(bend: Callable[..., list[str]], word: str) -> None:
    """A field spelled nearly right, or as Python would, is no field."""
    (problem,) = bend("env: {MODE: fast}", f"request: {{{word}: 1}}")
    assert f"unknown key '{word}'" in problem
