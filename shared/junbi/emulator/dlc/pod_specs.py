"""What the pods of a job get: command, environment and mounts, as DLC gives them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from junbi.emulator.dlc.pods import Mount, PodSpec

if TYPE_CHECKING:
    from junbi.emulator.dlc.job import DataMount, Job, Pod

#: Minutes that a job may run where it does not say. Source: documentation (30 days).
DEFAULT_MINUTES = 30 * 24 * 60

_OSS = re.compile(r"oss://([^./]+)\.[^/]+/(.*)", re.DOTALL)


class Unmountable(Exception):
    """A mount that the local DLC cannot make; its text is for the user."""


def pod_spec(job: Job, pod: Pod, scale: float) -> PodSpec:
    """One pod of a job.

    Args:
        job: whose pod it is.
        pod: which.
        scale: emulated seconds in a real one; the time limit is emulated, pods run in real time.

    Raises:
        Unmountable: a mount is no OSS address.
    """
    asked = job.asked
    command = asked.job_specs[pod.spec].user_command or asked.user_command
    return PodSpec(
        pod_id=pod.pod_id,
        command=command,
        env=_environment(job, pod),
        mounts=tuple(_mount(mount) for mount in job.mounts),
        max_seconds=max_seconds(job) / scale,
        code=tuple(job.code),
    )


def max_seconds(job: Job) -> float:
    """Emulated seconds that a job may run."""
    return 60.0 * (job.asked.job_max_running_time_minutes or DEFAULT_MINUTES)


def _environment(job: Job, pod: Pod) -> dict[str, str]:
    """Names of the distributed set. Source: PyTorch; that DLC gives DLC_JOB_ID is observed in public code."""
    asked = job.asked
    custom = {env.key: env.value or "" for env in asked.custom_envs or () if env.key}
    given = {**(asked.envs or {}), **custom, "DLC_JOB_ID": job.job_id}
    if asked.job_type != "PyTorchJob":
        return given
    return {
        **given,
        "RANK": str(pod.rank),
        "WORLD_SIZE": str(len(job.pods)),
        "MASTER_ADDR": "127.0.0.1",  # every pod is a process of this machine
        "MASTER_PORT": str(job.port),
    }


def _mount(mount: DataMount) -> Mount:
    found = _OSS.fullmatch(mount.uri)
    if not found:
        raise Unmountable(f"{mount.uri} cannot be mounted at {mount.path}: the local DLC mounts OSS only.")
    bucket, prefix = found.groups()
    if prefix and not prefix.endswith("/"):
        raise Unmountable(f"{mount.uri} cannot be mounted at {mount.path}: it names a file, not a folder.")
    return Mount(mount.path, bucket, prefix, mount.read_only)
