"""Checks ``job.request`` against CreateJob: only fields that it has, of the right kind, that junbi does not set."""

from __future__ import annotations

from types import UnionType
from typing import TYPE_CHECKING, Any, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError

from junbi.config.explain import explain, unknown_key
from junbi.wire.dlc import CreateJobRequest

if TYPE_CHECKING:
    from junbi.config.findings import Findings
    from junbi.config.tree import Path

#: What junbi sets, and where junbi.yaml says it instead.
_OURS = {
    "DisplayName": "it names the plan and the launch",
    "JobType": "write job.type",
    "JobSpecs": "write image, resource and job.workers",
    "UserCommand": "write job.command",
    "Envs": "write job.env",
    "DataSources": "write datasets and outputs",
    "WorkspaceId": "write environments",
    "ResourceId": "write resource",
    "Settings.Tags": "write tags",
}


def check_request(request: dict[str, Any], path: Path, findings: Findings) -> None:
    """Notes every field of the request that cannot be."""
    _names(request, CreateJobRequest, path, (), findings)
    try:
        CreateJobRequest.model_validate(request, strict=True, by_alias=True, by_name=False)
    except ValidationError as invalid:
        errors = [
            error for error in invalid.errors(include_url=False) if len(error["loc"]) > 1 or error["type"] != "missing"
        ]
        explain(errors, CreateJobRequest, path, findings)


def _names(value: Any, kind: Any, path: Path, within: tuple[str, ...], findings: Findings) -> None:
    """Wire models keep strangers, so unknown names are looked for here."""
    if isinstance(value, list):
        for index, item in enumerate(value):
            _names(item, kind, (*path, index), within, findings)
    elif isinstance(value, dict) and kind is not None:
        fields = {field.alias or name: field.annotation for name, field in kind.model_fields.items()}
        for key, item in value.items():
            here = (*within, key)
            if (instead := _OURS.get(".".join(here))) is not None:
                findings.error((*path, key), f"is set by junbi: {instead}", key=True)
            elif key not in fields:
                findings.error((*path, key), unknown_key(key, set(fields)), key=True)
            else:
                _names(item, _model_in(fields[key]), (*path, key), here, findings)


def _model_in(annotation: Any) -> type[BaseModel] | None:
    """The model in ``X``, ``X | None`` or ``list[X] | None``; None where there is none."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    if get_origin(annotation) in {Union, UnionType, list}:
        return next((model for part in get_args(annotation) if (model := _model_in(part))), None)
    return None
