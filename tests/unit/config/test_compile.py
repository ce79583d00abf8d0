"""From a valid file to a generation, and what only shows when its names are put together."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from junbi.config import load_generation
from junbi.config.compile import compile_generation
from junbi.config.model import Config
from junbi.errors import ConfigInvalid

if TYPE_CHECKING:
    from collections.abc import Callable

WATCH = "oss://vision-data/digits/{version}/"
OUTPUT = "oss://vision-models/digits/{launch}/"


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
                "complete": {"marker": "_SUCCESS", "count": None, "quiet": None, "max_wait": 21600.0},
                "newest": "version",
                "mount": "/mnt/digits",
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
                "complete": {"marker": None, "count": None, "quiet": 600.0, "max_wait": None},
                "newest": "time",
                "mount": "/mnt/trainer",
            },
        },
        "plans": {
            "train": {
                "name": "train",
                "on": ("digits",),
                "datasets": ("digits", "trainer"),
                "mounts": {"digits": "/mnt/digits", "trainer": "/mnt/trainer"},
                "image": "registry.cn-hangzhou.aliyuncs.com/vision/sklearn:1.5",
                "resource": {"name": "cpu", "public": "ecs.g7.large"},
                "params": {"C": 1.0},
                "job": {
                    "type": "PyTorchJob",
                    "workers": {"count": 1, "shared_memory": None},
                    "command": "python /mnt/trainer/train.py --v {digits.version} --C {params.C}",
                    "env": {"MODE": "fast"},
                    "request": {},
                },
                "outputs": ({"name": "model", "uri": OUTPUT, "mount": "/mnt/out"},),
                "tags": {"team": "a", "stage": "y"},
            }
        },
    }


def test_generation_survives_the_ledger(judge: Callable[..., list[str]], valid: str) -> None:
    """A generation read back from its JSON is the same."""
    judge(valid)
    generation = load_generation(Path("junbi.yaml")).generation
    assert type(generation).model_validate_json(generation.model_dump_json()) == generation


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        # Dangling names.
        ("image: sklearn", "image: sklern", "22:12: plans.train.image: no image 'sklern' (did you mean 'sklearn'?); there are: sklearn"),
        ("resource: cpu", "resource: gpu-a10", "23:15: plans.train.resource: no resource 'gpu-a10'; there are: cpu"),
        (
            "[digits, trainer]",
            "[digits, trainr]",
            "21:24: plans.train.datasets[1]: no dataset 'trainr' (did you mean 'trainer'?); there are: digits, trainer",
        ),
        ("[digits, trainer]", "[digits, digits]", "21:24: plans.train.datasets[1]: 'digits' stands in the list twice"),
        # What can never start.
        ("on: [digits]", "on: []", "20:5: plans.train.on: names nothing, so nothing could ever start this plan"),
        (
            "on: [digits]\n    datasets: [digits, trainer]",
            "on: [trainer]\n    datasets: [digits]",
            "20:10: plans.train.on[0]: 'trainer' is no input of this plan: only what it names under datasets can start it (digits)",
        ),
        (
            "on: [digits]",
            "on: [digit]",
            "20:10: plans.train.on[0]: 'digit' is no input of this plan (did you mean 'digits'?): only what it names under "
            "datasets can start it (digits, trainer)",
        ),
        # Watches.
        (WATCH, "s3://vision-data/a/{version}/", "6:12: datasets.digits.watch: expected an address such as oss://bucket/path/, got 's3://vision-data/a/{version}/'"),
        (WATCH, "oss://vision-data", "6:12: datasets.digits.watch: expected an address such as oss://bucket/path/, got 'oss://vision-data'"),
        (WATCH, "oss://Vision/{version}/", "6:12: datasets.digits.watch: 'Vision' is no bucket name (3 to 63 of a-z, 0-9 and hyphens)"),
        (WATCH, WATCH[:-1], f"6:12: datasets.digits.watch: must end in a slash, so that it names a folder and not the start of a name: {WATCH}"),
        (WATCH, "oss://vision-data//{version}/", "6:12: datasets.digits.watch: has an empty part between two slashes, which OSS would take as a name: 'oss://vision-data//{version}/'"),
        (WATCH, "oss://vision-data/digits/", f"6:12: datasets.digits.watch: a watch without a placeholder is not supported yet: name the version's folder, {WATCH}"),
        (WATCH, "oss://vision-data/{day}/", "6:12: datasets.digits.watch: needs {version}, which names the version; it has day"),
        (WATCH, "oss://vision-data/{version}/{version}/", "6:12: datasets.digits.watch: {version} stands in it twice"),
        (WATCH, "oss://vision-data/{site}{version}/", "6:12: datasets.digits.watch: nothing parts {version} from the placeholder before it"),
        (WATCH, "oss://vision-data/*/{version}/", "6:12: datasets.digits.watch: * and ? stand for themselves here: write {name} for a part that varies"),
        (WATCH, "oss://vision-data/{a b}/{version}/", "6:12: datasets.digits.watch: a placeholder is written {name}, and other braces are not supported"),
        (WATCH, "oss://vision-data/{{x}}/{version}/", "6:12: datasets.digits.watch: a placeholder is written {name}, and other braces are not supported"),
        (WATCH, "oss://vision-data/{Site}/{version}/", "6:12: datasets.digits.watch: {Site} is no placeholder's name (a-z, 0-9 and _)"),
        (WATCH, "oss://vision-data/{a.b}/{version}/", "6:12: datasets.digits.watch: {a.b} is no placeholder's name (a-z, 0-9 and _)"),
        (
            "oss://vision-code/trainer/{version}/",
            "oss://vision-data/{any}/{version}/",
            f"11:12: datasets.trainer.watch: one object can lie under this and under datasets.digits.watch ({WATCH}): give each dataset a folder of its own",
        ),
        # Mounts and outputs.
        (
            "mount: /mnt/out",
            "mount: /mnt/digits/out",
            "30:5: plans.train.outputs: MountCollision: output model at /mnt/digits/out lies inside dataset digits at /mnt/digits. "
            "Give each its own folder, such as /mnt/data and /mnt/out.",
        ),
        (
            OUTPUT,
            "oss://vision-data/{launch}/",
            "31:20: plans.train.outputs.model.uri: FeedbackLoop: output model (oss://vision-data/{launch}/) lies under dataset "
            "digits, which starts plan train: each job would start the next. Write outputs to a prefix that no dataset of this "
            "plan watches, or to another bucket.",
        ),
        (OUTPUT, "oss://vision-models/x", "31:20: plans.train.outputs.model.uri: must end in a slash, so that it names a folder and not the start of a name: oss://vision-models/x/"),
        # Names that are junbi's.
        ("    job:", "    tags: {junbi.launch: x}\n    job:", "25:12: plans.train.tags.'junbi.launch': tags that begin with junbi. are junbi's own"),
        ("datasets:\n", "defaults: {tags: {junbi.x: y}}\ndatasets:\n", "4:19: defaults.tags.'junbi.x': tags that begin with junbi. are junbi's own"),
        ("{MODE: fast}", "{JUNBI_LAUNCH: x}", "29:13: plans.train.job.env.JUNBI_LAUNCH: variables that begin with JUNBI_ are junbi's own"),
    ],
)  # fmt: skip
def test_problem(bend: Callable[..., list[str]], old: str, new: str, problem: str) -> None:
    """A mistake gives exactly one line that says where it is and what would be right."""
    assert bend(old, new) == [f"junbi.yaml:{problem}"]


def test_bc_68_encoded_watch(bend: Callable[..., list[str]]) -> None:
    """BC-68: a watch with %XX is taken as plain text, and the writer is warned that it is."""
    assert bend(WATCH, "oss://vision-data/a%20b/{version}/") == [
        "warning: junbi.yaml:6:12: datasets.digits.watch: holds a %-escape: keys are written as plain text, "
        "so this matches the characters themselves"
    ]


def test_output_without_launch(bend: Callable[..., list[str]]) -> None:
    """An output that all launches share is a warning, as OSS mounts cannot overwrite."""
    assert bend(OUTPUT, "oss://vision-models/digits/") == [
        "warning: junbi.yaml:31:20: plans.train.outputs.model.uri: without {launch} every launch writes to the same "
        "folder, and OSS mounts cannot overwrite"
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
            "warning: junbi.yaml:31:20: plans.train.outputs.model.uri: lies under the watch of trainer: every job makes "
            "an arrival there"
        ]

    def test_chain(self, judge: Callable[..., list[str]], valid: str) -> None:
        """A plan may start another."""
        text = valid.replace(OUTPUT, "oss://vision-code/trainer/{launch}/") + self.SECOND
        assert len(judge(text)) == 1
        assert judge(text)[0].startswith("warning: ")

    def test_circle(self, judge: Callable[..., list[str]], valid: str) -> None:
        """Plans that start each other are an error at each output that takes part."""
        second = self.SECOND + '    outputs: {report: {uri: "oss://vision-data/digits/{launch}/", mount: /mnt/r}}\n'
        assert judge(valid.replace(OUTPUT, "oss://vision-code/trainer/{launch}/") + second) == [
            "junbi.yaml:31:20: plans.train.outputs.model.uri: FeedbackLoop: it starts plan judge, which leads back to plan train",
            "junbi.yaml:39:29: plans.judge.outputs.report.uri: FeedbackLoop: it starts plan train, which leads back to plan judge",
        ]


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
