"""What PAI's error codes say, by exact lists: that a thing does not exist, or that the caller lacks a right."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Codes of GetJob that say that this job does not exist. ``NotFound`` alone is what the API answers; the others are
#: assumed. Not among them: InvalidAction.NotFound (a wrong endpoint) and InvalidAccessKeyId.NotFound.
JOB_GONE = frozenset({"NotFound", "JobNotFound", "JobNotExist", "InvalidJobId.NotFound"})

#: What StopJob says of a job that has ended. Assumed: nothing documents it.
JOB_OVER = frozenset({"BadRequest"})

#: The same as JOB_GONE for a dataset. Assumed, as for jobs.
DATASET_GONE = frozenset({"NotFound", "DatasetNotFound", "DatasetNotExist", "InvalidDatasetId.NotFound"})

#: The same for a version of a dataset.
VERSION_GONE = frozenset(
    {"NotFound", "DatasetVersionNotFound", "DatasetVersionNotExist", "InvalidVersionName.NotFound"}
)

#: The same as JOB_GONE for a workspace. Assumed, as for jobs.
WORKSPACE_GONE = frozenset({"NotFound", "WorkspaceNotFound", "WorkspaceNotExist", "InvalidWorkspaceId.NotFound"})

#: The same as JOB_GONE for an image of the workspace. Assumed, as for jobs.
IMAGE_GONE = frozenset({"NotFound", "ImageNotFound", "ImageNotExist", "InvalidImageId.NotFound"})

#: What ``clients.registry`` says of a tag or a repository that is not there.
NO_SUCH_IMAGE = frozenset({"ImageNotFound"})

#: What ``clients.git`` and ``clients.registry`` say of a repository that does not take our credential, or wants
#: one, or wants it shown to somebody whom nobody trusts with it.
CREDENTIAL_REFUSED = frozenset({"CredentialRefused", "RealmNotTrusted"})

#: Words of the codes that say that the caller lacks a right. Source: RAM's documentation.
_FORBIDDEN = ("Forbidden", "NoPermission", "AccessDenied")

#: The right that each create needs. Assumed: named as the rights to read are.
RIGHTS: Mapping[str, str] = {
    "CreateJob": "paidlc:CreateJob",
    "AddImage": "paiimage:AddImage",
    "CreateCodeSource": "paicodesource:CreateCodeSource",
    "CreateDataset": "paidataset:CreateDataset",
    "CreateDatasetVersion": "paidataset:CreateDatasetVersion",
}


def lacks_right(code: str) -> bool:
    """Whether a refusal means that the caller lacks a right: it says nothing of what was asked for."""
    return any(word in code for word in _FORBIDDEN)
