"""Whether DLC accepts a CreateJob: every rule the service is known to check before it gives out a job id.

Source: SDK prose and OpenAPI metadata for the rules. The code ``InvalidParameter`` and the wordings are assumed.
"""

from __future__ import annotations

import json
import posixpath
import re
from typing import TYPE_CHECKING

from junbi.emulator.api_error import ApiError, invalid, not_found
from junbi.emulator.dlc.code_checkout import Code
from junbi.emulator.dlc.instances import INSTANCES
from junbi.emulator.dlc.job import DataMount

if TYPE_CHECKING:
    from collections.abc import Callable

    from junbi.emulator.workspace.code_sources import CodeSources
    from junbi.emulator.workspace.datasets import Datasets
    from junbi.wire.dlc import CreateJobRequest, DataSource, JobSpec

#: Source: SDK 1.11.6; ``ElasticBatch`` is the older metadata's spelling.
JOB_TYPES = frozenset(
    {
        "TFJob",
        "PyTorchJob",
        "MPIJob",
        "XGBoostJob",
        "OneFlowJob",
        "ElasticBatchJob",
        "ElasticBatch",
        "SlurmJob",
        "RayJob",
        "DataJuicerJob",
    }
)

#: Source: SDK prose (256). The metadata says 1024.
_DISPLAY_NAME = re.compile(r"[A-Za-z0-9_.-]{1,256}")
_DIRECT_URI = re.compile(r"(oss|nas|bmcpfs)://[^/]+\.[^/]+/.*", re.DOTALL)


def check_request(request: CreateJobRequest) -> None:
    """ApiError where the request contradicts itself or names something unknown."""
    if not _DISPLAY_NAME.fullmatch(request.display_name):
        raise invalid("DisplayName must be 1 to 256 letters, digits, '_', '.' or '-'.")
    if request.job_type not in JOB_TYPES:
        raise invalid(f"JobType {request.job_type!r} is not one of {', '.join(sorted(JOB_TYPES))}.")
    if not request.user_command.strip():
        raise invalid("UserCommand must not be empty.")
    if not request.job_specs:
        raise ApiError("MissingJobSpecs", "JobSpecs is mandatory for this action.", 400)
    for index, spec in enumerate(request.job_specs):
        _check_spec(f"JobSpecs[{index}]", spec, request.resource_id)
    _check_figures(request)


def _check_figures(request: CreateJobRequest) -> None:
    if request.priority is not None and not 1 <= request.priority <= 9:  # noqa: PLR2004 - the documented bounds
        raise invalid("Priority must be from 1 to 9.")
    if request.job_max_running_time_minutes is not None and request.job_max_running_time_minutes < 1:
        raise invalid("JobMaxRunningTimeMinutes must be at least 1.")
    if request.user_vpc and request.user_vpc.switch_id and not request.user_vpc.extended_cidrs:
        raise invalid("UserVpc.ExtendedCIDRs is required where SwitchId is given.")


def _check_spec(place: str, spec: JobSpec, resource_id: str | None) -> None:
    if not spec.type or not spec.image:
        raise invalid(f"{place} needs Type and Image.")
    if spec.pod_count is not None and spec.pod_count < 1:
        raise invalid(f"{place}.PodCount must be at least 1.")
    asked = spec.resource_config and any(spec.resource_config.to_wire().values())
    if spec.ecs_spec and asked:
        raise invalid(f"{place} has both EcsSpec and ResourceConfig; they exclude each other.")
    if spec.ecs_spec and resource_id:
        raise invalid(f"{place}.EcsSpec is for public resources; with ResourceId use ResourceConfig.")
    if resource_id and not asked:
        raise invalid(f"{place} needs ResourceConfig, as ResourceId names a quota.")
    if not resource_id and not spec.ecs_spec:
        raise invalid(f"{place} needs EcsSpec, as no ResourceId names a quota.")
    if spec.ecs_spec and spec.ecs_spec not in INSTANCES:
        raise invalid(f"{place}.EcsSpec {spec.ecs_spec!r} is not an instance type of this region.")


def resolve_mounts(request: CreateJobRequest, workspace_id: str, datasets: Datasets) -> list[DataMount]:
    """What DataSources mean; ApiError where one names no dataset of the workspace or has no place to mount."""
    return [
        _resolve(f"DataSources[{index}]", source, workspace_id, datasets)
        for index, source in enumerate(request.data_sources or ())
    ]


def resolve_code(
    request: CreateJobRequest, workspace_id: str, code_sources: CodeSources, mirror: Callable[[str], str]
) -> list[Code]:
    """What CodeSource means, at most one; ApiError where it names none of the workspace.

    ``mirror`` says where a repository is cloned from.

    What the job says of branch, commit and place wins over the code source. Source: SDK prose.
    """
    asked = request.code_source
    if asked is None or not asked.code_source_id:
        return []
    found = code_sources.get(asked.code_source_id)
    if found.workspace_id != workspace_id:
        raise not_found(f"Code source {asked.code_source_id} in workspace {workspace_id}")
    repository = found.code_repo or ""
    path = asked.mount_path or found.mount_path or "/root/code"
    if found.clone_type == 0:
        path = posixpath.join(path, posixpath.basename(repository.rstrip("/")).removesuffix(".git"))
    _check_path("CodeSource", path)
    named = asked.branch is not None or asked.commit is not None
    return [
        Code(
            repository=mirror(repository),
            path=path,
            branch=(asked.branch if named else found.code_branch) or "",
            commit=(asked.commit if named else found.code_commit) or "",
            user=found.code_repo_user_name or "",
            token=found.code_repo_access_token or "",
        )
    ]


def _resolve(place: str, source: DataSource, workspace_id: str, datasets: Datasets) -> DataMount:
    if bool(source.data_source_id) == bool(source.uri):
        raise invalid(f"{place} needs exactly one of DataSourceId and Uri.")
    if source.mount_access not in {None, "", "RO", "RW"}:
        raise invalid(f"{place}.MountAccess must be RO or RW.")
    uri, options = source.uri or "", source.options
    if source.data_source_id:
        dataset = datasets.get(source.data_source_id)
        if dataset.workspace_id != workspace_id:
            raise not_found(f"Dataset {source.data_source_id} in workspace {workspace_id}")
        # Which version an absent one means is not documented; we take v1, as the dataset's own Uri is v1's.
        version = datasets.version(source.data_source_id, source.data_source_version or "v1")
        uri, options = version.uri or "", version.options
    elif not _DIRECT_URI.fullmatch(uri):
        raise invalid(f"{place}.Uri {uri!r} is not a storage address that can be mounted directly.")
    path = source.mount_path or _default_path(options)
    _check_path(place, path)
    return DataMount(source.data_source_id or "", uri, path, source.mount_access == "RO")


def _check_path(place: str, path: str) -> None:
    if posixpath.normpath(path or "/").strip("/") == "" or not path.startswith("/") or ".." in path.split("/"):
        raise invalid(f"{place} needs a MountPath below '/': {path!r} is none.")


def _default_path(options: str | None) -> str:
    try:
        parsed = json.loads(options or "{}")
    except (ValueError, RecursionError):
        return ""
    found = parsed.get("mountPath") if isinstance(parsed, dict) else None
    return found if isinstance(found, str) else ""
