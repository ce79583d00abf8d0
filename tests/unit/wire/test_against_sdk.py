"""Our wire models know every member that the official SDKs know, by the same name."""

from __future__ import annotations

import inspect
from typing import Any

import pytest
from alibabacloud_aiworkspace20210204 import models as workspace_sdk
from alibabacloud_pai_dlc20201203 import models as dlc_sdk
from alibabacloud_paistudio20220112 import models as studio_sdk

from junbi.wire import aiworkspace, dlc, quotas
from junbi.wire.model import WireModel, known_fields, strangers

_PLAIN = {"str": "text", "int": 1, "float": 1.5, "bool": True, "Any": "any", "dict": {"k": "v"}}

_PAIRS: list[tuple[type[WireModel], Any]] = [
    (aiworkspace.CreateDatasetRequest, workspace_sdk.CreateDatasetRequest),
    (aiworkspace.CreateDatasetResponse, workspace_sdk.CreateDatasetResponseBody),
    (aiworkspace.GetDatasetResponse, workspace_sdk.GetDatasetResponseBody),
    (aiworkspace.ListDatasetsRequest, workspace_sdk.ListDatasetsRequest),
    (aiworkspace.ListDatasetsResponse, workspace_sdk.ListDatasetsResponseBody),
    (aiworkspace.UpdateDatasetRequest, workspace_sdk.UpdateDatasetRequest),
    (aiworkspace.RequestIdResponse, workspace_sdk.UpdateDatasetResponseBody),
    (aiworkspace.CreateDatasetVersionRequest, workspace_sdk.CreateDatasetVersionRequest),
    (aiworkspace.CreateDatasetVersionResponse, workspace_sdk.CreateDatasetVersionResponseBody),
    (aiworkspace.ListDatasetVersionsRequest, workspace_sdk.ListDatasetVersionsRequest),
    (aiworkspace.ListDatasetVersionsResponse, workspace_sdk.ListDatasetVersionsResponseBody),
    (aiworkspace.GetDatasetVersionResponse, workspace_sdk.GetDatasetVersionResponseBody),
    (aiworkspace.GetWorkspaceRequest, workspace_sdk.GetWorkspaceRequest),
    (aiworkspace.GetWorkspaceResponse, workspace_sdk.GetWorkspaceResponseBody),
    (aiworkspace.ListWorkspacesRequest, workspace_sdk.ListWorkspacesRequest),
    (aiworkspace.ListWorkspacesResponse, workspace_sdk.ListWorkspacesResponseBody),
    (dlc.CreateJobRequest, dlc_sdk.CreateJobRequest),
    (dlc.JobIdResponse, dlc_sdk.CreateJobResponseBody),
    (dlc.GetJobRequest, dlc_sdk.GetJobRequest),
    (dlc.GetJobResponse, dlc_sdk.GetJobResponseBody),
    (dlc.ListJobsRequest, dlc_sdk.ListJobsShrinkRequest),
    (dlc.ListJobsResponse, dlc_sdk.ListJobsResponseBody),
    (dlc.UpdateJobRequest, dlc_sdk.UpdateJobRequest),
    (dlc.GetJobEventsRequest, dlc_sdk.GetJobEventsRequest),
    (dlc.GetJobEventsResponse, dlc_sdk.GetJobEventsResponseBody),
    (dlc.GetPodEventsRequest, dlc_sdk.GetPodEventsRequest),
    (dlc.GetPodEventsResponse, dlc_sdk.GetPodEventsResponseBody),
    (dlc.GetPodLogsRequest, dlc_sdk.GetPodLogsRequest),
    (dlc.GetPodLogsResponse, dlc_sdk.GetPodLogsResponseBody),
    (dlc.ListEcsSpecsRequest, dlc_sdk.ListEcsSpecsRequest),
    (dlc.ListEcsSpecsResponse, dlc_sdk.ListEcsSpecsResponseBody),
    (quotas.GetQuotaRequest, studio_sdk.GetQuotaRequest),
    (quotas.GetQuotaResponse, studio_sdk.GetQuotaResponseBody),
    (quotas.ListQuotasRequest, studio_sdk.ListQuotasRequest),
    (quotas.ListQuotasResponse, studio_sdk.ListQuotasResponseBody),
]


def _models(theirs: Any) -> Any:
    """The models of the SDK that one of them is of."""
    return next(one for one in (dlc_sdk, studio_sdk, workspace_sdk) if theirs.__module__.startswith(one.__name__))


def _full(annotation: str, models: Any, depth: int) -> Any:
    """A value of an SDK annotation with every member set, models within models included."""
    annotation = annotation.replace("main_models.", "").strip()
    if annotation.startswith("List["):
        inner = annotation[5:-1]
        return [] if depth == 0 and hasattr(models, inner) else [_full(inner, models, depth)]
    if annotation.startswith("Dict["):
        return {"k": _full(annotation[5:-1].partition(",")[2], models, depth)}
    if annotation in _PLAIN:
        return _PLAIN[annotation]
    cls = getattr(models, annotation)
    parameters = list(inspect.signature(cls.__init__).parameters.values())[1:]
    return cls(**{p.name: _full(p.annotation, models, depth - 1) for p in parameters})


@pytest.mark.parametrize(("ours", "theirs"), _PAIRS, ids=lambda pair: pair.__name__)
def test_every_member_of_the_sdk_is_known_and_survives(ours: type[WireModel], theirs: Any) -> None:
    """A document with every member that the SDK can write is read without a stranger and written back the same."""
    document = _full(theirs.__name__, _models(theirs), depth=8).to_map()
    read = ours.from_wire(document)
    assert strangers(read) == []
    assert read.to_wire() == document


@pytest.mark.parametrize(("ours", "theirs"), _PAIRS, ids=lambda pair: pair.__name__)
def test_we_invent_no_member(ours: type[WireModel], theirs: Any) -> None:
    """Our models define nothing at their top level that the SDK does not."""
    assert known_fields(ours) <= set(_full(theirs.__name__, _models(theirs), depth=8).to_map())
