"""What junbi.yaml may say: one class for each section, one field for each key."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import Discriminator, Field, Tag, model_validator

from junbi.config.code import Code
from junbi.config.images import AnyImage
from junbi.config.policies import Limits, On, Policy
from junbi.config.resources import AnyResource, Workers
from junbi.config.section import Section
from junbi.config.types import (
    Bytes,
    DatasetId,
    Duration,
    Expression,
    Key,
    Marker,
    Mount,
    Name,
    Named,
    Region,
    SecretName,
    SomeNamed,
    Text,
    TimeOfDay,
    Value,
    Version,
    Workspace,
    Zone,
    refuse,
)

#: Source: DLC SDK 1.11.6, CreateJob; PAI compares letter case.
JobType = Literal[
    "TFJob",
    "PyTorchJob",
    "MPIJob",
    "XGBoostJob",
    "OneFlowJob",
    "ElasticBatchJob",
    "SlurmJob",
    "RayJob",
    "DataJuicerJob",
]


_DAY = 86_400.0
#: What may close an upload.
CONDITIONS = ("marker", "manifest", "call", "count", "quiet")
_CONDITIONS = f"{', '.join(CONDITIONS[:-1])} and {CONDITIONS[-1]}"


class Environment(Section):
    """A workspace of PAI to run in."""

    workspace: Workspace
    """The workspace's number, in quotes. It is always explicit: PAI itself would fall back to a default."""
    region: Region
    """The region of the workspace and of everything in it."""


class Defaults(Section):
    """What every plan has unless it says otherwise."""

    tags: dict[Text, str] = {}
    """Tags of every job."""
    limits: Limits = Limits()
    """Limits of plans that set none of their own for that phase."""
    retry_budget: Annotated[int, Field(ge=0)] = 60
    """New attempts of all plans together in any hour."""


class Complete(Section):
    """When an upload is complete: exactly one of ``marker``, ``manifest``, ``count``, ``call`` and ``quiet``."""

    marker: Marker | None = None
    """An object that is written last, such as _SUCCESS."""
    manifest: Marker | None = None
    """An object that is written last and names the others: {"files": [{"key", "size", "md5"}…]}, or md5sum lines."""
    verify: Literal["listing", "content"] | None = None
    """With manifest: what proves its checksums; content reads the members where the listing cannot."""
    call: Literal[True] | None = None
    """true: when somebody says so, with junbi close or POST /v1/arrivals/KEY/close."""
    quiet: Duration | None = None
    """So long after the newest object."""
    count: Annotated[int, Field(ge=1)] | None = None
    """So many objects."""
    max_wait: Duration | None = None
    """The longest time from the first object. Then ``quiet`` closes, and the others are reported as incomplete."""

    @model_validator(mode="after")
    def _exactly_one(self) -> Self:
        given = [name for name in CONDITIONS if getattr(self, name) is not None]
        if len(given) != 1:
            raise refuse(f"needs exactly one of {_CONDITIONS}, got {' and '.join(given) or 'none'}")
        if self.verify is not None and self.manifest is None:
            raise refuse("verify belongs to manifest: nothing else names checksums")
        if self.quiet and self.max_wait and self.max_wait < self.quiet:
            raise refuse("can never be quiet for so long: max_wait is shorter than quiet")
        return self


class Expect(Section):
    """What is expected of a dataset; short deliveries are not trained on, late ones are told."""

    daily: TimeOfDay | None = None
    """The time of day, in timezone, at which a new version is due."""
    grace: Duration | None = None
    """How much later than that it may be complete."""
    min_files: Annotated[int, Field(ge=1)] | None = None
    """The least files of a version."""
    min_size: Bytes | None = None
    """The least size of a version."""

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if self.grace is not None and self.daily is None:
            raise refuse("grace belongs to daily: without it nothing is ever late")
        if self.grace is not None and self.grace >= _DAY:
            raise refuse("grace must be shorter than a day, or the deadlines would overtake each other")
        if not any((self.daily, self.min_files, self.min_size)):
            raise refuse("expects nothing: give daily, min_files or min_size")
        return self


class Dataset(Section):
    """A folder in OSS in which each version is a folder of its own, or which is uploaded to again and again."""

    watch: str
    """Where versions arrive: oss://bucket/path/{version}/. Without a placeholder each closing is a version."""
    complete: Complete
    """When a version is complete."""
    newest: Literal["time", "version", "semver"] = "time"
    """Which version counts as the newest: the last that was completed, or the greatest name, or semantic version."""
    expect: Expect | None = None
    """When new versions are due, and the least they hold."""
    initial: Literal["ignore", "adopt"] | None = None
    """What becomes of versions that were there before the first apply; the file's own initial unless it is said."""
    backfill: Literal["register", "launch"] = "register"
    """Whether a version that arrives later than a newer one is only registered, or starts plans as well."""
    mount: Mount
    """Where jobs find it."""
    allow: Expression | None = None
    """A regular expression for the names that placeholders may take, in place of [A-Za-z0-9._-]{1,128}."""


class ExistingDataset(Section):
    """A dataset that PAI has already, by its id. It is mounted and never changes, so it starts no plan."""

    id: DatasetId
    """PAI's id of the dataset."""
    version: Version
    """PAI's name of the version that is mounted. It is always explicit, so that all jobs see the same."""
    mount: Mount
    """Where jobs find it, read only."""


#: The two kinds of datasets are told apart by these, which stand in the places of errors as well.
WATCHED, EXISTING = "(watched)", "(existing)"


def _kind(value: Any) -> str:
    by_id = isinstance(value, ExistingDataset) or (isinstance(value, dict) and "id" in value)
    return EXISTING if by_id else WATCHED


#: A dataset that is watched, or one that exists already.
AnyDataset = Annotated[
    Annotated[Dataset, Tag(WATCHED)] | Annotated[ExistingDataset, Tag(EXISTING)], Discriminator(_kind)
]


class Job(Section):
    """The job as PAI gets it."""

    type: JobType
    """PAI's job type."""
    workers: Workers = Workers()
    """The pods."""
    command: Text
    """The shell command of every pod. {params.x}, {dataset.version}, {launch} and {attempt} are filled in, quoted."""
    env: dict[Key, str] = {}
    """Environment variables; the same placeholders are filled in."""
    request: dict[str, Any] = {}
    """Any other field of CreateJob, spelled as PAI spells it, that junbi does not set itself."""


class Output(Section):
    """A folder in OSS that the job writes to."""

    uri: str
    """Where: oss://bucket/path/{launch}/, or {launch}/{attempt}/ where attempts are to write apart."""
    mount: Mount
    """Where the job finds it."""


class Plan(Section):
    """One training job."""

    on: On
    """The inputs whose new versions start it: any of a list; or, with ``{all: [a, b]}``, both once both are new."""
    join: list[Key] = []
    """Placeholders of watches in which the versions it trains on must agree."""
    settle: Duration | None = None
    """So long after a first new version it waits for others, and makes one launch of them."""
    datasets: list[Name]
    """The datasets it mounts."""
    code: Name | None = None
    """One of code, checked out at the commit that the launch is pinned to."""
    image: Name
    """One of images."""
    resource: Name
    """One of resources."""
    params: dict[Key, Value] = {}
    """Its parameters: part of what makes two launches the same."""
    job: Job
    """The job."""
    outputs: Named[Output] = {}
    """What it writes to."""
    tags: dict[Text, str] = {}
    """Tags of its jobs."""
    policy: Policy = Policy()
    """When, how often and how long its jobs may run."""


class Config(Section):
    """junbi.yaml."""

    deployment: Name
    """The name of this deployment, unique in its ledger; every job is tagged with it."""
    environments: SomeNamed[Environment]
    """Workspaces by name; --env chooses once there are two."""
    manifests: str | None = None
    """Where the members of each version are written down: oss://bucket/path/, under no watch. Without it, nowhere."""
    initial: Literal["ignore", "adopt"] = "ignore"
    """What becomes of versions that were there before the first apply: nothing, or the newest of them is launched."""
    timezone: Zone = "UTC"
    """Of the times of day in this file."""
    defaults: Defaults = Defaults()
    """What every plan has."""
    secrets: dict[Key, SecretName | Annotated[list[SecretName], Field(min_length=1)]] = {}
    """Names of secrets, never secrets: GIT_HOOK is what the variable JUNBI_SECRET_GIT_HOOK holds. A list: any."""
    datasets: Named[AnyDataset] = {}
    """Watched folders, and datasets that exist already."""
    code: Named[Code] = {}
    """Watched lines of Git repositories."""
    images: Named[AnyImage] = {}
    """Container images: fixed ones, and ones whose pushes are watched."""
    resources: Named[AnyResource] = {}
    """What jobs run on."""
    plans: Named[Plan] = {}
    """Training jobs."""
