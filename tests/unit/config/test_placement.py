"""What a plan runs on: pods that go with their resource, and lines that somebody could stand in."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from junbi.config import load_generation

if TYPE_CHECKING:
    from collections.abc import Callable

PODS = "workers: {count: 2, cpu: 8, memory: 28Gi, shared_memory: 14Gi, gpu: 1, gpu_type: A10}"


@pytest.fixture
def quota(valid: str) -> str:
    """A valid file whose plan runs in a quota."""
    resources = "cpu: {quota: quota1a2b3c}\n  burst: {public: ecs.g7.large}\n  lingjun: {quota: quotalj, kind: lingjun}"
    text = valid.replace("cpu: {public: ecs.g7.large}", resources)
    return text.replace("workers: {count: 1}", PODS)


def test_a_plan_in_a_quota(judge: Callable[..., list[str]], quota: str) -> None:
    """The quota, what each pod asks for, and how launches wait, with their fallbacks, are all compiled."""
    fallback = "[{resource: burst, after: 2h, workers: {count: 1}}, {resource: lingjun, after: 3h}]"
    assert judge(quota + f"    policy: {{quota: {{wait: {{aging: 2h}}, fallback: {fallback}}}}}\n") == []
    plan = load_generation(Path("junbi.yaml")).generation.plans["train"]
    assert (plan.resource.quota, plan.resource.kind, plan.resource.public) == ("quota1a2b3c", "general", "")
    pods = plan.job.workers
    assert (pods.count, pods.cpu, pods.memory, pods.shared_memory, pods.gpu, pods.gpu_type) == (
        2,
        8,
        "28Gi",
        "14Gi",
        1,
        "A10",
    )
    assert (plan.queue.waits, plan.queue.aging) == (True, 7200.0)
    first, second = plan.queue.fallback
    assert (first.resource.public, first.after, first.workers.count, first.workers.cpu) == (
        "ecs.g7.large",
        7200.0,
        1,
        0,
    )
    assert (second.resource.quota, second.workers) == ("quotalj", pods)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (PODS, "workers: {count: 1}", "SpecConflict: The resource cpu is a quota, which has to be told"),
        (PODS, "workers: {cpu: 8}", "Give workers memory, such as"),
        (PODS, "workers: {cpu: 8, memory: 8Gi, shared_memory: 9Gi}", "The shared memory, 9Gi, is a part of the memory"),
        (PODS, "workers: {cpu: 8, memory: 8GB}", "expected an amount of memory such as 28Gi, got '8GB'"),
        ("resource: cpu", "resource: burst", "SpecConflict: The instance type ecs.g7.large says what each pod has"),
        ("type: PyTorchJob", "type: XGBoostJob", ""),
        ("{quota: quota1a2b3c}", "{quota: quota1a2b3c, kind: gpu}", "'gpu' is not known; known here: "),
        ("{quota: quota1a2b3c}", "{quota: quota1a2b3c, public: ecs.g7.large}", "unknown key 'public'"),
        ("{quota: quota1a2b3c}", "{qouta: quota1a2b3c}", "unknown key 'qouta' (did you mean 'quota'?)"),
        ("{quota: quota1a2b3c}", "{quota: a b}", "expected a quota's id such as quota1a2b3c, got 'a b'"),
    ],
)
def test_pods_that_do_not_go_with_their_resource(
    judge: Callable[..., list[str]], quota: str, old: str, new: str, told: str
) -> None:
    """PAI would refuse them, so lint does; one that may be as it is has no problem."""
    problems = judge(quota.replace(old, new))
    assert any(told in problem for problem in problems) if told else problems == []


def test_a_job_type_that_lingjun_does_not_take(judge: Callable[..., list[str]], quota: str) -> None:
    """It is told at the pods that were to run there."""
    (problem,) = judge(quota.replace("resource: cpu", "resource: lingjun").replace("PyTorchJob", "XGBoostJob"))
    assert "LingjunJobType: Lingjun resources take no XGBoostJob." in problem


@pytest.mark.parametrize(
    ("policy", "told"),
    [
        ("{submit: {}, wait: {}}", "takes submit or wait, not both"),
        (
            "{fallback: [{resource: burts, after: 1h}]}",
            "fallback[0].resource: no resource 'burts' (did you mean 'burst'?)",
        ),
        (
            "{fallback: [{resource: burst, after: 1h}]}",
            "SpecConflict: The instance type ecs.g7.large says what each pod has",
        ),
        (
            "{fallback: [{resource: lingjun, after: 2h}, {resource: burst, after: 1h, workers: {}}]}",
            "fallback[1].after: is not later than the fallback before it",
        ),
    ],
)
def test_lines_that_nobody_could_stand_in(judge: Callable[..., list[str]], quota: str, policy: str, told: str) -> None:
    """A fallback that is none, or that would never come into use."""
    (problem,) = judge(quota + f"    policy: {{quota: {policy}}}\n")
    assert told in problem


def test_a_line_for_what_is_no_quota(judge: Callable[..., list[str]], valid: str) -> None:
    """Public resources are not waited for."""
    (problem,) = judge(valid + "    policy: {quota: {wait: {}}}\n")
    assert "could never be used: cpu is no quota but a public instance type" in problem
