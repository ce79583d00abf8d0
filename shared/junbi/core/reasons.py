"""The stable codes of every reason junbi gives, in the order of precedence in which they lead."""

from __future__ import annotations

from enum import StrEnum


class Code(StrEnum):
    """Why a job is not running, or why an event did nothing. A code never changes its meaning."""

    PLAN_REMOVED = "PlanRemoved"
    PLAN_CHANGED = "PlanChanged"
    WORKSPACE_NOT_FOUND = "WorkspaceNotFound"
    PUBLIC_RESOURCE_UNKNOWN = "PublicResourceUnknown"
    CAPTURE_REFUSED = "CaptureRefused"
    MOUNT_COLLISION = "MountCollision"
    FEEDBACK_LOOP = "FeedbackLoop"
    REQUEST_TOO_LARGE = "RequestTooLarge"
    NO_DATASET_VERSION = "NoDatasetVersion"
    DATASET_OPEN = "DatasetOpen"
    MARKER_STALE = "MarkerStale"
    DATASET_INCOMPLETE = "DatasetIncomplete"
    DATASET_MISMATCH = "DatasetMismatch"
    MANIFEST_UNREADABLE = "ManifestUnreadable"
    DATASET_SHORT = "DatasetShort"
    DATASET_LATE = "DatasetLate"
    UNVERIFIED = "Unverified"
    DATASET_CHANGED = "DatasetChanged"
    ALREADY_LAUNCHED = "AlreadyLaunched"
    OLDER_VERSION = "OlderVersion"
    BEFORE_DEPLOYMENT = "BeforeDeployment"
    NOT_WATCHED = "NotWatched"
    NO_OBJECT_YET = "NoObjectYet"
    PLATFORM_REFUSED = "PlatformRefused"
    SUBMIT_UNKNOWN = "SubmitUnknown"
    CALL_FAILED = "CallFailed"
    JOB_ENDED = "JobEnded"
    JOB_GONE = "JobGone"
