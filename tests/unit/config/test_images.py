"""Watched ``images`` of junbi.yaml."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from junbi.core.plan import Generation

FILE = """\
deployment: vision
environments: {prod: {workspace: "1", region: cn-hangzhou}}
secrets: {hook: [HOOK_B, HOOK_A], pull: PULL}
datasets:
  digits: {watch: "oss://vision/digits/{version}/", complete: {marker: _SUCCESS}, mount: /mnt/digits}
images:
  torch:
    repository: registry-vpc.cn-hangzhou.aliyuncs.com/vision/torch
    tags: "v{semver}"
    webhook: hook
    credentials: pull
    register: true
    rdma: true
  plain: {uri: registry.example.com/vision/torch:1}
resources: {small: {public: ecs.g7.large}}
plans:
  train:
    on: [digits, torch]
    datasets: [digits]
    image: torch
    resource: small
    job: {type: PyTorchJob, command: "python train.py --image {torch.digest} --tag {torch.semver}"}
"""


def test_a_watched_image_is_compiled(compiled: Callable[..., Generation]) -> None:
    """With the one name of its registry, as jobs pull it, and the variables that hold its secrets."""
    line = compiled().images["torch"]
    assert (line.repository, line.host, line.path) == (
        "registry-vpc.cn-hangzhou.aliyuncs.com/vision/torch",
        "registry.cn-hangzhou.aliyuncs.com",
        "vision/torch",
    )
    assert (line.tag, line.tags, line.newest) == ("", "v(?P<semver>.+)", "semver")
    assert (line.webhook, line.credentials, line.unsigned) == (("HOOK_B", "HOOK_A"), "PULL", False)
    assert (line.registers, line.rdma, line.initial) == (True, True, "ignore")


def test_a_plan_trains_with_it(compiled: Callable[..., Generation]) -> None:
    """It is one of the inputs that a launch pins, and may start the plan; its address waits for the digest."""
    plan = compiled().plans["train"]
    assert (plan.image, plan.image_line) == ("registry-vpc.cn-hangzhou.aliyuncs.com/vision/torch", "torch")
    assert (plan.inputs, plan.on) == (("digits", "torch"), ("digits", "torch"))


def test_a_fixed_image_is_no_input(compiled: Callable[..., Generation]) -> None:
    """Files that were right before go on as they did."""
    plan = compiled(
        "on: [digits, torch]\n    datasets: [digits]\n    image: torch\n    resource: small\n"
        '    job: {type: PyTorchJob, command: "python train.py --image {torch.digest} --tag {torch.semver}"}',
        "on: [digits]\n    datasets: [digits]\n    image: plain\n    resource: small\n"
        '    job: {type: PyTorchJob, command: "python train.py"}',
    ).plans["train"]
    assert (plan.image, plan.image_line, plan.inputs) == ("registry.example.com/vision/torch:1", "", ("digits",))


def test_one_tag(compiled: Callable[..., Generation]) -> None:
    """``tag: latest`` follows one tag, whose digest changes."""
    with_tag = FILE.replace(" --tag {torch.semver}", "").replace('tags: "v{semver}"', "tag: latest")
    line = compiled(FILE, with_tag).images["torch"]
    assert (line.tag, line.tags) == ("latest", "")


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('tags: "v{semver}"', 'tags: "v{semver}"\n    tag: latest', "exactly one of tag and tags"),
        ('    tags: "v{semver}"\n', "", "exactly one of tag and tags"),
        ('tags: "v{semver}"', "tags: latest", "exactly one placeholder"),
        ('tags: "v{semver}"', 'tag: "a b"', "expected a tag such as latest"),
        ('tags: "v{semver}"', "tag: latest\n    newest: time", "allow and newest belong to tags"),
        ("webhook: hook", "webhook: hok", "no secret 'hok'"),
        ("credentials: pull", "credentials: pul", "no secret 'pul' (did you mean 'pull'?)"),
        ("    webhook: hook\n", "    unsigned: true\n", "unsigned needs webhook"),
        ("    register: true\n", "    framework: PyTorch\n", "need register: true"),
        ("registry-vpc.cn", "https://registry-vpc.cn", "without https:// and tag"),
        ("/vision/torch\n    tags", "/vision/torch:1\n    tags", "without https:// and tag"),
        ("registry-vpc.cn-hangzhou.aliyuncs.com/vision", "vision", "expected host and repository"),
        ("    register: true", "    registr: true", "registr"),
        ("datasets:\n  digits:", "datasets:\n  torch:", "a dataset is called 'torch' too"),
        ("on: [digits, torch]", "on: [digits, plain]", "'plain' is no input of this plan"),
        ("{torch.semver}", "{torch.version}", "names nothing"),
        ("image: torch\n", "image: torhc\n", "no image 'torhc' (did you mean 'torch'?)"),
    ],
)
def test_mistakes_are_named(
    bent: Callable[[str, str], str], judge: Callable[..., list[str]], old: str, new: str, told: str
) -> None:
    """Each with its place, none silently."""
    found = judge(bent(old, new))
    assert any(told in one for one in found), found
    assert all(":" in one for one in found)
