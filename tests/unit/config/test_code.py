"""``secrets`` and ``code`` of junbi.yaml."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from junbi.core.plan import Generation

FILE = """\
deployment: vision
environments: {prod: {workspace: "1", region: cn-hangzhou}}
secrets: {git_hook: [GIT_HOOK_B, GIT_HOOK_A], git_read: GIT_READ}
datasets:
  digits: {watch: "oss://vision/digits/{version}/", complete: {marker: _SUCCESS}, mount: /mnt/digits}
code:
  trainer:
    repository: https://Git.example.com:443/vision/trainer.git
    branch: main
    paths: ["train/**"]
    webhook: git_hook
    credentials: git_read
images: {torch: {uri: registry.example.com/vision/torch:1}}
resources: {small: {public: ecs.g7.large}}
plans:
  train:
    on: [digits, trainer]
    datasets: [digits]
    code: trainer
    image: torch
    resource: small
    job: {type: PyTorchJob, command: "python train.py --commit {trainer.commit}"}
"""


def test_a_line_of_code_is_compiled(compiled: Callable[..., Generation]) -> None:
    """With the address by which pushes name it, and the variables that hold its secrets."""
    line = compiled().code["trainer"]
    assert (line.address, line.branch, line.tags) == ("git.example.com/vision/trainer", "main", "")
    assert (line.webhook, line.credentials) == (("GIT_HOOK_B", "GIT_HOOK_A"), "GIT_READ")
    assert (line.paths, line.mount, line.initial) == (("train/**",), "/root/code", "ignore")


def test_a_plan_trains_with_it(compiled: Callable[..., Generation]) -> None:
    """It is one of the inputs that a launch pins, and may start the plan."""
    plan = compiled().plans["train"]
    assert (plan.code, plan.code_mount) == ("trainer", "/root/code")
    assert plan.inputs == ("digits", "trainer")
    assert plan.on == ("digits", "trainer")


def test_tags_have_a_placeholder(compiled: Callable[..., Generation]) -> None:
    """``v{semver}`` is compiled to an expression that takes the version."""
    line = compiled("branch: main", 'tags: "v{semver}"')
    assert line.code["trainer"].tags == "v(?P<semver>.+)"


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("branch: main", "branch: main\n    tags: 'v{semver}'", "exactly one of branch and tags"),
        ("    branch: main\n", "", "exactly one of branch and tags"),
        ("branch: main", "tags: v1", "exactly one placeholder"),
        ("branch: main", "tags: '{a}-{b}'", "exactly one placeholder"),
        ("webhook: git_hook", "webhook: git_hok", "no secret 'git_hok' (did you mean 'git_hook'?)"),
        ("credentials: git_read", "credentials: reader", "no secret 'reader'"),
        ("https://Git", "https://me:token@Git", "holds a user or a password"),
        ("https://Git", "ssh://Git", "expected an address such as https://"),
        ("GIT_READ}", "ghp_abc123}", "JUNBI_SECRET_GIT_HOOK holds the secret"),
        ("  trainer:\n", "  digits:\n", "a dataset is called 'digits' too"),
        ("code: trainer", "code: trainr", "no code 'trainr' (did you mean 'trainer'?)"),
        ("{trainer.commit}", "{trainer.comit}", "names nothing"),
        ("train/**", "/train/**", "paths are written from the repository's root"),
        ("    code: trainer\n", "", "'trainer' is no input of this plan"),
        ("branch: main", "branch: main\n    mount: /mnt/digits", "MountCollision"),
    ],
)
def test_mistakes_are_named(
    bent: Callable[[str, str], str], judge: Callable[..., list[str]], old: str, new: str, told: str
) -> None:
    """Each with its place, none silently."""
    found = judge(bent(old, new))
    assert any(told in one for one in found), found
    assert all(":" in one for one in found)
