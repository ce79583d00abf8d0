"""Keys and values that cannot be: each with its place and what would be right."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from junbi.config.model import Complete

if TYPE_CHECKING:
    from collections.abc import Callable

PLAN_KEYS = "datasets, image, job, on, outputs, params, resource, tags"


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        # A value of another kind is never made to fit.
        (
            '"104231"',
            "104231",
            '3:22: environments.local.workspace: expected text, got the number 104231: write it in quotes, "104231"',
        ),
        (
            "{MODE: fast}",
            "{MODE: 0o17}",
            '29:19: plans.train.job.env.MODE: expected text, got the number 0o17: write it in quotes, "0o17"',
        ),
        (
            "{MODE: fast}",
            "{MODE: true}",
            '29:19: plans.train.job.env.MODE: expected text, got the truth value true: write it in quotes, "true"',
        ),
        ("deployment: vision", "deployment: [vision]", "1:1: deployment: expected text, got a list"),
        (
            "{count: 1}",
            '{count: "1"}',
            "27:24: plans.train.job.workers.count: expected a whole number, got the text '1'",
        ),
        ("{count: 1}", "{count: 1.5}", "27:24: plans.train.job.workers.count: expected a whole number, got 1.5"),
        ("{count: 1}", "{count: true}", "27:24: plans.train.job.workers.count: expected a whole number, got true"),
        ("{count: 1}", "3", "27:16: plans.train.job.workers: expected a mapping of keys and values, got 3"),
        ("on: [digits]", "on: digits", "20:9: plans.train.on: expected a list, such as [a, b], got the text 'digits'"),
        ("{C: 1.0}", "[C]", "24:5: plans.train.params: expected a mapping of keys and values, got a list"),
        ("{C: 1.0}", "{C: [1]}", "24:14: plans.train.params.C: expected a text, a number, true or false"),
        ("resource: cpu", "resource:", "23:5: plans.train.resource: has no value: write one, or delete the key"),
        (
            "[digits, trainer]",
            "[digits, ~]",
            "21:24: plans.train.datasets[1]: has no value: write one, or delete the key",
        ),
        # Unknown and missing keys.
        (
            "  cpu: {public: ecs.g7.large}",
            "  cpu: {pubic: ecs.g7.large, public: ecs.g7.large}",
            "17:9: resources.cpu.pubic: unknown key 'pubic' (did you mean 'public'?); known here: public",
        ),
        (
            "    on: [digits]",
            "    policy: {}\n    on: [digits]",
            f"20:5: plans.train.policy: unknown key 'policy'; known here: {PLAN_KEYS}",
        ),
        (
            "newest: version",
            "x-mine: 1\n    Newest: version",
            "9:5: datasets.digits.Newest: unknown key 'Newest' (did you mean 'newest'?); "
            "known here: allow, complete, mount, newest, watch",
        ),
        ("    image: sklearn\n", "", "19:3: plans.train.image: is missing"),
        ("deployment: vision\n", "", "1:1: deployment: is missing"),
        # Words, ranges, spellings.
        (
            "newest: version",
            "newest: latest",
            "8:13: datasets.digits.newest: 'latest' is not known; known here: semver, time, version",
        ),
        (
            "PyTorchJob",
            "PytorchJob",
            "26:13: plans.train.job.type: 'PytorchJob' is not known (did you mean 'PyTorchJob'?); known here: DataJuicerJob, "
            "ElasticBatchJob, MPIJob, OneFlowJob, PyTorchJob, RayJob, SlurmJob, TFJob, XGBoostJob",
        ),
        ("{count: 1}", "{count: 0}", "27:24: plans.train.job.workers.count: should be greater than or equal to 1"),
        (
            "{count: 1}",
            "{shared_memory: 14 GB}",
            "27:32: plans.train.job.workers.shared_memory: expected a size such as 512Mi or 14Gi, got '14 GB'",
        ),
        (
            "  local:",
            "  Local_1:",
            "3:3: environments.Local_1: a name holds a-z, 0-9 and hyphens, starts with no hyphen and has at most 63: 'Local_1'",
        ),
        (
            "deployment: vision",
            f"deployment: {'v' * 64}",
            f"1:13: deployment: a name holds a-z, 0-9 and hyphens, starts with no hyphen and has at most 63: '{'v' * 64}'",
        ),
        (
            "{MODE: fast}",
            "{MODE-1: fast}",
            "29:13: plans.train.job.env.MODE-1: expected a name of letters, digits and underscores, got 'MODE-1'",
        ),
        (
            "mount: /mnt/digits",
            "mount: /mnt/../digits",
            "9:12: datasets.digits.mount: expected an absolute path such as /mnt/data, without a slash at its end, "
            "got '/mnt/../digits'",
        ),
        (
            "ecs.g7.large",
            "quota1",
            "17:17: resources.cpu.public: expected an instance type such as ecs.g7.large, got 'quota1'",
        ),
        (
            "uri: registry.cn-hangzhou.aliyuncs.com/vision/sklearn:1.5",
            "uri: https://registry.cn-hangzhou.aliyuncs.com/a",
            "15:18: images.sklearn.uri: expected a registry address such as registry.cn-hangzhou.aliyuncs.com/team/"
            "image:1.0, without https://, got 'https://registry.cn-hangzhou.aliyuncs.com/a'",
        ),
        (
            "command: python /mnt/trainer/train.py --v {digits.version} --C {params.C}",
            "command: ' '",
            "28:16: plans.train.job.command: expected some text, got ' '",
        ),
        (
            "    newest: version",
            "    newest: version\n    allow: '['",
            "9:12: datasets.digits.allow: is no regular expression: unterminated character set at position 0",
        ),
        (
            "marker: _SUCCESS",
            "marker: /a/",
            "7:24: datasets.digits.complete.marker: expected an object's name below the version's folder, such as "
            "_SUCCESS, got '/a/'",
        ),
        # Durations.
        (
            "quiet: 10m",
            "quiet: 10",
            "12:23: datasets.trainer.complete.quiet: expected a duration such as 10m, 6h or 1h30m, got 10",
        ),
        (
            "quiet: 10m",
            "quiet: 10 min",
            "12:23: datasets.trainer.complete.quiet: expected a duration such as 10m, 6h or 1h30m, got '10 min'",
        ),
        (
            "quiet: 10m",
            "quiet: 30m1h",
            "12:23: datasets.trainer.complete.quiet: expected a duration such as 10m, 6h or 1h30m, got '30m1h'",
        ),
        (
            "quiet: 10m",
            "quiet: 0m",
            "12:23: datasets.trainer.complete.quiet: expected a duration from 1s to 366d, got '0m'",
        ),
        # When an upload is complete.
        (
            "{quiet: 10m}",
            "{max_wait: 1h}",
            "12:5: datasets.trainer.complete: needs exactly one of marker, quiet and count, got none",
        ),
        (
            "{quiet: 10m}",
            "{quiet: 10m, count: 3}",
            "12:5: datasets.trainer.complete: needs exactly one of marker, quiet and count, got quiet and count",
        ),
        (
            "{quiet: 10m}",
            "{quiet: 10m, max_wait: 5m}",
            "12:5: datasets.trainer.complete: can never be quiet for so long: max_wait is shorter than quiet",
        ),
        ("{quiet: 10m}", "{count: 0}", "12:23: datasets.trainer.complete.count: should be greater than or equal to 1"),
    ],
)
def test_problem(bend: Callable[..., list[str]], old: str, new: str, problem: str) -> None:
    """A mistake gives exactly one line that says where it is and what would be right."""
    assert bend(old, new) == [f"junbi.yaml:{problem}"]


def test_all_at_once(judge: Callable[..., list[str]], valid: str) -> None:
    """Every mistake is told in one go, in the order of the file."""
    bent = valid.replace('"104231"', "1").replace("image: sklearn", "imge: sklearn").replace("count: 1", "count: x")
    paths = [problem.split(": ")[1] for problem in judge(bent)]
    assert paths == [
        "environments.local.workspace",
        "plans.train.image",
        "plans.train.imge",
        "plans.train.job.workers.count",
    ]


def test_no_environment(judge: Callable[..., list[str]]) -> None:
    """A file without any environment is told so, whether the key is missing or empty."""
    assert judge("deployment: v") == ["junbi.yaml:1:1: environments: is missing"]
    assert judge("deployment: v\nenvironments: {}") == [
        "junbi.yaml:2:1: environments: is empty: at least one is needed"
    ]


def test_extensions_and_anchors(judge: Callable[..., list[str]], valid: str) -> None:
    """Keys that begin with x- are ignored in every section and beside every name; anchors and merges work anywhere."""
    text = valid.replace("  digits:\n", "  x-base: &base {newest: semver, x-y: ~}\n  digits:\n    x-note: [~]\n", 1)
    text = text.replace("  trainer:\n", "  trainer:\n    <<: *base\n") + "x-more: {anything: [1, ~]}\n"
    assert judge(text) == []


def test_problem_in_an_alias(judge: Callable[..., list[str]], valid: str) -> None:
    """A mistake that came by an alias is placed where it is written."""
    text = "x-job: &e {MODE: 1}\n" + valid.replace("env: {MODE: fast}", "env: *e")
    problem = 'plans.train.job.env.MODE: expected text, got the number 1: write it in quotes, "1"'
    assert judge(text) == [f"junbi.yaml:1:18: {problem}"]


@pytest.mark.parametrize(
    ("text", "seconds"), [("10m", 600), ("6h", 21600), ("1h30m", 5400), ("2d", 172800), ("1d2h3m4s", 93784), ("1s", 1)]
)
def test_duration(text: str, seconds: float) -> None:
    """Durations are days, hours, minutes and seconds, in that order."""
    assert Complete.model_validate({"quiet": text}).quiet == seconds
