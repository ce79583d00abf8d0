"""From a valid file to a generation, and what only shows when its names are put together."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from junbi.config import load_generation
from junbi.config.compile import compile_generation
from junbi.config.model import Config
from junbi.config.watches import bytes_of
from junbi.errors import ConfigInvalid

if TYPE_CHECKING:
    from collections.abc import Callable

#: What a plan has that says nothing of policies: one run at a time, and nothing else.
POLICY = {
    "overlap": "queue",
    "spare": None,
    "waiting": "every",
    "retries": {"max": 0, "on": ("preempted", "infrastructure"), "backoff": 60.0},
    "limits": dict.fromkeys(("queued", "preparing", "running", "total")),
    "per_hour": None,
    "window": None,
    "approve": False,
    "mode": "live",
    "priority": None,
    "retry_budget": 60,
}
WATCH = "oss://vision-data/digits/{version}/"
OUTPUT = "oss://vision-models/digits/{launch}/"
WORKERS = {"count": 1, "cpu": 0, "memory": "", "shared_memory": "", "gpu": 0, "gpu_type": ""}
COMPLETE = {
    **dict.fromkeys(("marker", "manifest", "count", "quiet", "max_wait")),
    "call": False,
    "verify": "listing",
}


def test_generation(judge: Callable[..., list[str]], valid: str) -> None:
    """Every name is resolved to what it stands for."""
    text = valid.replace("datasets:\n", "defaults: {tags: {team: a, stage: x}}\ndatasets:\n", 1)
    text = text.replace("    outputs:", "    tags: {stage: y}\n    outputs:").replace(
        "version\n", "version\n    allow: '.+'\n"
    )
    assert judge(text) == []
    generation = load_generation(Path("junbi.yaml")).generation
    assert generation.model_dump() == {
        "deployment": "vision",
        "environment": "local",
        "region": "cn-hangzhou",
        "workspace": "104231",
        "datasets": {
            "digits": {
                "name": "digits",
                "watch": {
                    "bucket": "vision-data",
                    "root": "digits/",
                    "pattern": "digits/(?P<version>[^/]+)/",
                    "captures": ("version",),
                    "allow": ".+",
                },
                "complete": COMPLETE | {"marker": "_SUCCESS", "max_wait": 21600.0},
                "newest": "version",
                "mount": "/mnt/digits",
                "expect": None,
                "initial": "ignore",
                "backfill": "register",
                "manifests": None,
            },
            "trainer": {
                "name": "trainer",
                "watch": {
                    "bucket": "vision-code",
                    "root": "trainer/",
                    "pattern": "trainer/(?P<version>[^/]+)/",
                    "captures": ("version",),
                    "allow": "[A-Za-z0-9._-]{1,128}",
                },
                "complete": COMPLETE | {"quiet": 600.0},
                "newest": "time",
                "mount": "/mnt/trainer",
                "expect": None,
                "initial": "ignore",
                "backfill": "register",
                "manifests": None,
            },
        },
        "plans": {
            "train": {
                "name": "train",
                "on": ("digits",),
                "datasets": ("digits", "trainer"),
                "mounts": {"digits": "/mnt/digits", "trainer": "/mnt/trainer"},
                "image": "registry.cn-hangzhou.aliyuncs.com/vision/sklearn:1.5",
                "resource": {"name": "cpu", "public": "ecs.g7.large", "quota": "", "kind": "general"},
                "params": {"C": 1.0},
                "job": {
                    "type": "PyTorchJob",
                    "workers": WORKERS,
                    "command": "python /mnt/trainer/train.py --v {digits.version} --C {params.C}",
                    "env": {"MODE": "fast"},
                    "request": {},
                },
                "outputs": ({"name": "model", "uri": OUTPUT, "mount": "/mnt/out"},),
                "tags": {"team": "a", "stage": "y"},
                "together": False,
                "join": (),
                "settle": None,
                "policy": POLICY,
                "code": "",
                "code_mount": "",
                "image_line": "",
                "existing": (),
                "queue": {"waits": False, "max_queued": 1, "aging": 3600.0, "fallback": ()},
            }
        },
        "code": {},
        "images": {},
        "existing": {},
    }


def test_generation_survives_the_ledger(judge: Callable[..., list[str]], valid: str) -> None:
    """A generation read back from its JSON is the same."""
    judge(valid)
    generation = load_generation(Path("junbi.yaml")).generation
    assert type(generation).model_validate_json(generation.model_dump_json()) == generation


def test_bc_68_encoded_watch(bend: Callable[..., list[str]]) -> None:
    """BC-68: a watch with %XX is taken as plain text, and the writer is warned that it is."""
    assert bend(WATCH, "oss://vision-data/a%20b/{version}/") == [
        (
            "warning: junbi.yaml:6:12: datasets.digits.watch: holds a %-escape: keys are written as plain text, "
            "so this matches the characters themselves"
        )
    ]


def test_output_without_launch(bend: Callable[..., list[str]]) -> None:
    """An output that all launches share is a warning, as OSS mounts cannot overwrite."""
    assert bend(OUTPUT, "oss://vision-models/digits/") == [
        (
            "warning: junbi.yaml:31:20: plans.train.outputs.model.uri: without {launch} every launch writes to the "
            "same folder, and OSS mounts cannot overwrite"
        )
    ]


class TestLoops:
    """BC-128: outputs that make arrivals."""

    SECOND = """
  judge:
    on: [trainer]
    datasets: [trainer]
    image: sklearn
    resource: cpu
    job: {type: PyTorchJob, command: "true"}
"""

    def test_arrival_elsewhere(self, bend: Callable[..., list[str]]) -> None:
        """An output under another dataset's watch is a warning: it may be meant."""
        assert bend(OUTPUT, "oss://vision-code/trainer/{launch}/") == [
            (
                "warning: junbi.yaml:31:20: plans.train.outputs.model.uri: lies under the watch of trainer: "
                "every job makes an arrival there"
            )
        ]

    def test_chain(self, judge: Callable[..., list[str]], valid: str) -> None:
        """A plan may start another."""
        text = valid.replace(OUTPUT, "oss://vision-code/trainer/{launch}/") + self.SECOND
        assert len(judge(text)) == 1
        assert judge(text)[0].startswith("warning: ")

    def test_circle(self, judge: Callable[..., list[str]], valid: str) -> None:
        """Plans that start each other are an error at each output that takes part."""
        second = self.SECOND + '    outputs: {report: {uri: "oss://vision-data/digits/{launch}/", mount: /mnt/r}}\n'
        first, last = judge(valid.replace(OUTPUT, "oss://vision-code/trainer/{launch}/") + second)
        loop = "FeedbackLoop: it starts plan"
        assert first == (
            f"junbi.yaml:31:20: plans.train.outputs.model.uri: {loop} judge, which leads back to plan train"
        )
        assert last == (
            f"junbi.yaml:39:29: plans.judge.outputs.report.uri: {loop} train, which leads back to plan judge"
        )


class TestEnvironment:
    """Which environment a generation is for."""

    TWO = '  local: {workspace: "1", region: cn-beijing}\n  prod: {workspace: "2", region: cn-hangzhou}\n'

    def two(self, valid: str) -> str:
        """The valid file with two environments."""
        return valid.replace('  local: {workspace: "104231", region: cn-hangzhou}\n', self.TWO)

    def test_must_be_chosen(self, judge: Callable[..., list[str]], valid: str) -> None:
        """Where there are two, none is taken by itself."""
        assert judge(self.two(valid)) == [
            "junbi.yaml:2:1: environments: there are 2: choose one with --env (local, prod)"
        ]

    def test_chosen(self, judge: Callable[..., list[str]], valid: str) -> None:
        """The chosen one gives workspace and region."""
        assert judge(self.two(valid), "prod") == []
        generation = load_generation(Path("junbi.yaml"), "prod").generation
        assert (generation.environment, generation.workspace, generation.region) == ("prod", "2", "cn-hangzhou")

    def test_unknown(self, judge: Callable[..., list[str]], valid: str) -> None:
        """A name that is not there is an error with those that are."""
        assert judge(valid, "lokal") == [
            "junbi.yaml:2:1: environments: no environment 'lokal' (did you mean 'local'?); there are: local"
        ]


def test_name_in_pai() -> None:
    """A dataset whose name in PAI would be too long is refused; without a file there is no line."""
    config = {
        "deployment": "v" * 63,
        "environments": {"e": {"workspace": "1", "region": "cn-x"}},
        "datasets": {"d" * 63: {"watch": WATCH, "complete": {"count": 1}, "mount": "/m"}},
    }
    generation = compile_generation(Config.model_validate(config))
    (dataset,) = generation.datasets
    assert len(f"{generation.deployment}-{dataset}") == 127


def test_every_problem_at_once(judge: Callable[..., list[str]], valid: str) -> None:
    """Mistakes of all kinds, in all plans and datasets, are told in one go."""
    text = valid.replace(WATCH, WATCH[:-1]).replace("image: sklearn", "image: x").replace("{params.C}", "{params.D}")
    paths = [problem.split(": ")[1] for problem in judge(text)]
    assert paths == ["datasets.digits.watch", "plans.train.image", "plans.train.job.command"]


def test_compile_without_a_file() -> None:
    """Problems of a configuration that came from no file have a path and no line."""
    config = Config.model_validate({"deployment": "v", "environments": {"e": {"workspace": "1", "region": "cn-x"}}})
    with pytest.raises(ConfigInvalid) as caught:
        compile_generation(config, "f")
    assert str(caught.value) == "environments: no environment 'f'; there are: e"


def test_expectations(bend: Callable[..., list[str]]) -> None:
    """Sizes become bytes, and the time of day is that of the file's zone."""
    expect = "expect: {daily: 03:00, grace: 1h, min_files: 2, min_size: 2Gi}\n    newest: version\n"
    assert bend("newest: version\n", expect) == []
    found = load_generation(Path("junbi.yaml")).generation.datasets["digits"].expect
    assert found is not None
    assert found.model_dump() == {
        "daily": "03:00",
        "grace": 3600.0,
        "timezone": "UTC",
        "min_files": 2,
        "min_size": 2 << 30,
    }


@pytest.mark.parametrize(
    ("size", "expected"), [("500", 500), ("3K", 3000), ("3KB", 3000), ("3Ki", 3072), ("1TiB", 1 << 40)]
)
def test_sizes(size: str, expected: int) -> None:
    """Units of 1,000 and of 1,024."""
    assert bytes_of(size) == expected


def test_policies(judge: Callable[..., list[str]], valid: str) -> None:
    """Defaults fill what a plan leaves open, phase by phase, and a window is read by the file's time zone."""
    text = valid.replace(
        "datasets:\n",
        "timezone: Asia/Shanghai\ndefaults: {limits: {preparing: 30m, running: 12h}, retry_budget: 5}\ndatasets:\n",
        1,
    ).replace(
        "    on: [digits]\n",
        "    on: {all: [digits, trainer]}\n    join: [version]\n    settle: 10m\n    policy:\n"
        "      overlap: replace\n      spare: 2h\n      retries: {max: 2, on: [timeout]}\n"
        "      limits: {running: {after: 1h, then: retry}}\n"
        '      window: {start: "22:00", end: "06:00", days: [fri]}\n',
        1,
    )
    assert judge(text) == []
    spec = load_generation(Path("junbi.yaml")).generation.plans["train"]
    assert (spec.on, spec.together, spec.join, spec.settle) == (("digits", "trainer"), True, ("version",), 600.0)
    assert spec.policy.model_dump() == POLICY | {
        "overlap": "replace",
        "spare": 7200.0,
        "retries": {"max": 2, "on": ("timeout",), "backoff": 60.0},
        "limits": {
            "queued": None,
            "preparing": {"after": 1800.0, "then": "notify"},
            "running": {"after": 3600.0, "then": "retry"},
            "total": None,
        },
        "window": {"start": "22:00", "end": "06:00", "days": ("fri",), "timezone": "Asia/Shanghai"},
        "retry_budget": 5,
    }
