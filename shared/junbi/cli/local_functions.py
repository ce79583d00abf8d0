"""How ``junbi up`` deploys the functions on the local Function Compute: the same code, triggers from the generation."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import junbi
from junbi.emulator.fc import FunctionSpec, HttpTrigger, OssTrigger, TimerTrigger

if TYPE_CHECKING:
    from collections.abc import Mapping

    from junbi.core.plan import Generation

#: Real seconds between two ticks: on a laptop a tick costs nothing, and nobody wants to wait.
RECONCILE_EVERY = 5.0
JOB_CHANGE_EVERY = 2.0
QUOTA_CHANGE_EVERY = 5.0

#: What an object event must be for ``oss_upload`` to be called. Parts of a multipart upload call it too, as on the
#: real service, where the wildcard cannot be narrowed in the same trigger.
EVENTS = ("oss:ObjectCreated:*", "oss:ObjectRemoved:*")


def code_root() -> Path | None:
    """The folder that has ``functions/``: where we stand, or the clone this junbi runs from; None where neither has."""
    for root in (Path.cwd(), Path(junbi.__file__).resolve().parents[2]):
        if (root / "functions" / "reconcile" / "app.py").exists():
            return root
    return None


def specs(root: Path, environment: Mapping[str, str], generation: Generation, scale: float) -> list[FunctionSpec]:
    """Every function with its triggers."""

    def function(name: str, *triggers: OssTrigger | TimerTrigger | HttpTrigger, timeout: float = 60) -> FunctionSpec:
        command = (sys.executable, "-m", "junbi.runtime", name)
        return FunctionSpec(name, command, environment, root, timeout=timeout, triggers=triggers)

    return [
        function("oss_upload", *_oss_triggers(generation)),
        function("reconcile", TimerTrigger("tick", every=RECONCILE_EVERY * scale), timeout=120),
        function("job_change", TimerTrigger("tick", every=JOB_CHANGE_EVERY * scale)),
        function("quota_change", TimerTrigger("tick", every=QUOTA_CHANGE_EVERY * scale)),
        function("http_api", HttpTrigger()),
        function("git_push", HttpTrigger(methods=("POST",))),
        function("image_push", HttpTrigger(methods=("POST",))),
    ]


def _oss_triggers(generation: Generation) -> list[OssTrigger]:
    """One trigger for each watched place; watches below the same root share one, as OSS refuses overlaps."""
    roots = sorted({(dataset.watch.bucket, dataset.watch.root) for dataset in generation.datasets.values()})
    outermost: list[tuple[str, str]] = []
    for bucket, root in roots:
        if not any(bucket == other and root.startswith(prefix) for other, prefix in outermost):
            outermost.append((bucket, root))
    return [OssTrigger(bucket, EVENTS, prefix=root) for bucket, root in outermost]
