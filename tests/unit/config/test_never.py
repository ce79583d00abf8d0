"""BC-23: what could never come to pass is a mistake, told at its line, and never a silent rule."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

ON = "    on: [digits]"


@pytest.mark.parametrize(
    ("on", "told"),
    [
        ("on: []", "20:5: plans.train.on: names nothing, so nothing could ever start this plan"),
        ("on: {all: []}", "20:5: plans.train.on: names nothing, so nothing could ever start this plan"),
        ("on: {all: [digit]}", "20:16: plans.train.on.all[0]: 'digit' is no input of this plan"),
        ("on: {all: [digits, labels]}", "20:24: plans.train.on.all[1]: 'labels' is no input of this plan"),
        ("on: {all: [digits], any: [trainer]}", "20:25: plans.train.on.any: unknown key 'any'"),
        ("on: [[digits, trainer]]", "20:10: plans.train.on[0]: expected text, got a list"),
        ("on: [digits]\n    join: [day]", "21:12: plans.train.join[0]: no input's watch has {day}"),
    ],
)
def test_bc_23_a_plan_that_nothing_starts(bend: Callable[..., list[str]], on: str, told: str) -> None:
    """BC-23: a plan whose 'on' or 'join' nothing could satisfy."""
    (problem,) = bend("on: [digits]", on)
    assert problem.startswith(f"junbi.yaml:{told}")


def test_bc_23_a_join_that_one_input_alone_has(judge: Callable[..., list[str]], valid: str) -> None:
    """BC-23: one input alone has nothing to agree with; the plan would wait for ever."""
    text = valid.replace("digits/{version}/\n", "digits/{day}/{version}/\n", 1).replace(ON, f"{ON}\n    join: [day]")
    (problem,) = judge(text)
    assert problem.startswith("junbi.yaml:21:12: plans.train.join[0]: only digits has {day} in its watch")


@pytest.mark.parametrize(
    ("complete", "told"),
    [
        ("{quiet: 10m, max_wait: 5m}", "complete: can never be quiet for so long: max_wait is shorter than quiet"),
        ("{max_wait: 5m}", "complete: needs exactly one of "),
        ("{marker: a, count: 3}", "complete: needs exactly one of "),
        ("{marker: a, verify: content}", "complete: verify belongs to manifest"),
        ("{call: false}", "complete.call: "),
        (f"{{marker: {'a' * 1020}}}", "watch: and 'aaaaaaaaaaaaaaaaaaaa' below it would be a key of more than 1023"),
    ],
)
def test_bc_23_an_upload_that_nothing_closes(bend: Callable[..., list[str]], complete: str, told: str) -> None:
    """BC-23: a closing condition that no upload could meet."""
    (problem,) = bend("{marker: _SUCCESS, max_wait: 6h}", complete)
    assert f" datasets.digits.{told}" in problem


@pytest.mark.parametrize("allow", ["", "()", "^$", "(|)"])
def test_bc_23_names_that_nothing_matches(bend: Callable[..., list[str]], allow: str) -> None:
    """BC-23: an 'allow' under which every version would be refused."""
    (problem,) = bend("    newest: version\n", f"    newest: version\n    allow: '{allow}'\n")
    assert problem.startswith("junbi.yaml:9:12: datasets.digits.allow: takes the empty text alone")


@pytest.mark.parametrize(
    ("policy", "told"),
    [
        ("{retries: {max: 2, on: []}}", "20:32: plans.train.policy.retries.on: names no failure"),
        ("{limits: {total: {after: 1h, then: retry}}}", "20:5: plans.train.policy: 'limits.total' is to try again"),
        (
            "{limits: {running: {after: 2h, then: stop}, total: {after: 1h, then: stop}}}",
            "20:23: plans.train.policy.limits.running: could never be reached: 'total' ends the job after 3600 s",
        ),
        ("{spare: 1h}", "20:14: plans.train.policy.spare: spares runs from being replaced"),
    ],
)
def test_bc_23_policies_that_do_nothing(bend: Callable[..., list[str]], policy: str, told: str) -> None:
    """BC-23: a policy that could never do what it says."""
    (problem,) = bend(ON, f"    policy: {policy}\n{ON}")
    assert problem.startswith(f"junbi.yaml:{told}")


def test_bc_23_no_budget_for_retries(bend: Callable[..., list[str]]) -> None:
    """BC-23: retries are declared, and the budget of all plans lets none happen."""
    policy = f"    policy: {{retries: {{max: 1}}}}\n{ON}"
    (problem,) = bend(f"plans:\n  train:\n{ON}", f"defaults: {{retry_budget: 0}}\nplans:\n  train:\n{policy}")
    assert "plans.train.policy.retries: could never be used: defaults.retry_budget is 0" in problem


@pytest.mark.parametrize(
    "policy",
    [
        "{retries: {max: 1, on: []}, limits: {total: {after: 1h, then: retry}}}",
        "{limits: {running: {after: 2h, then: stop}, total: {after: 1h, then: notify}}}",
        "{limits: {running: 1h, total: {after: 1h, then: stop}}}",
        "{window: {start: '22:00', end: '22:00'}}",
    ],
)
def test_what_can_happen_is_let_be(bend: Callable[..., list[str]], policy: str) -> None:
    """What looks alike and can come to pass is no mistake."""
    assert bend(ON, f"    policy: {policy}\n{ON}") == []


def test_a_default_behind_the_whole_is_let_be(bend: Callable[..., list[str]]) -> None:
    """A limit that the file gives to all plans need not fit each of them."""
    defaults = "defaults: {limits: {running: 2h}}\n"
    policy = f"    policy: {{limits: {{total: {{after: 1h, then: stop}}}}}}\n{ON}"
    assert bend(f"plans:\n  train:\n{ON}", f"{defaults}plans:\n  train:\n{policy}") == []
