"""What junbi.yaml compiles to: plans and datasets with every name resolved, as the functions read them.

Stored as JSON in the ledger, so a stored row must be readable by the next version: fields are added with a
default and never change their meaning.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from junbi.core.policy import Policy

Scalar = str | int | float | bool


class Spec(BaseModel):
    """A frozen value that is stored in the ledger."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Watch(Spec):
    """A prefix whose objects are a dataset's members.

    ``oss://vision-data/digits/{version}/`` becomes bucket ``vision-data``, root ``digits/`` (the part before the
    first placeholder, cut after its last slash) and a regular expression whose match, from the start of a key, is the
    version's own prefix; ``core.places.located`` finds it. Each placeholder is a named group that takes one path
    part, or a piece of one, as it comes: whether its text is acceptable is decided later, so that a strange name can
    be shown.
    """

    bucket: str
    root: str
    pattern: str
    captures: tuple[str, ...] = ()
    allow: str = r"[A-Za-z0-9._-]{1,128}"


class Complete(Spec):
    """When an arrival is complete: exactly one of ``marker``, ``manifest``, ``count``, ``call`` or ``quiet``.

    Times in seconds. ``verify: content`` reads the members whose checksums a listing cannot prove.
    """

    marker: str | None = None
    manifest: str | None = None
    count: int | None = None
    call: bool = False
    quiet: float | None = None
    max_wait: float | None = None
    verify: Literal["listing", "content"] = "listing"

    @property
    def sign(self) -> str | None:
        """The object that speaks for the others and is no member itself: the marker, or the manifest."""
        return self.marker or self.manifest


class Expect(Spec):
    """What is expected of a dataset: a delivery daily at ``HH:MM`` and no later than ``grace`` seconds after it, and
    the least files and bytes of each.
    """

    daily: str | None = None
    grace: float = 0.0
    timezone: str = "UTC"
    min_files: int | None = None
    min_size: int | None = None


class DatasetSpec(Spec):
    """A watched dataset."""

    name: str
    watch: Watch
    complete: Complete
    newest: Literal["time", "version", "semver"] = "time"
    mount: str
    expect: Expect | None = None
    initial: Literal["ignore", "adopt"] = "ignore"
    backfill: Literal["register", "launch"] = "register"
    manifests: str | None = None


class ExistingDataset(Spec):
    """A dataset that the workspace has already, made by somebody else: one version of it is mounted, read only.

    Attributes:
        id, version: PAI's, such as ``d-k1x2y3z4`` and ``v7``; both are always sent, so that no default decides.
    """

    name: str
    id: str
    version: str
    mount: str


class CodeSpec(Spec):
    """A watched line of a Git repository: one branch, or the tags of a pattern.

    Attributes:
        repository: its https address, as jobs clone it.
        address: the same as pushes name it, ``host/path`` of ``core.model.CommitRef`` in small letters.
        branch: empty where tags are watched.
        tags: a regular expression with a named group for each placeholder; empty where a branch is watched.
        paths: globs; where given, commits that touch nothing under them are passed over.
        webhook: the secrets, by name, one of which signs its pushes; none where only polling tells of them.
        credentials: the secret, by name, that reads the repository; empty for a public one.
        mount: where jobs find it.
    """

    name: str
    repository: str
    address: str
    branch: str = ""
    tags: str = ""
    allow: str = r"[A-Za-z0-9._-]{1,128}"
    paths: tuple[str, ...] = ()
    webhook: tuple[str, ...] = ()
    credentials: str = ""
    initial: Literal["ignore", "adopt"] = "ignore"
    mount: str


class ImageSpec(Spec):
    """A watched image: one tag, or the tags of a pattern.

    Attributes:
        repository: ``host/path`` as jobs pull it.
        host: the registry by its one name, see ``core.image.registry``.
        path: such as ``vision/torch``.
        tag: empty where the tags of a pattern are watched.
        tags: a regular expression with a named group for each placeholder; empty where one tag is watched.
        newest: which tag of a pattern counts: the greatest version, or the one that was pushed last.
        webhook: the secrets, by name, one of which its registry shows; none where only polling tells of pushes.
        unsigned: whether the secret may stand in the address that the registry calls.
        credentials: the secret ``user:password``, by name, that reads the repository; empty for a public one.
        realms: further hosts that may give out tokens for it.
        registers: whether its digests are registered in the workspace.
        chip, framework: labels that are registered with it; empty for none.
        rdma: whether it carries what RDMA needs.
    """

    name: str
    repository: str
    host: str
    path: str
    tag: str = ""
    tags: str = ""
    newest: Literal["semver", "time"] = "semver"
    allow: str = r"[A-Za-z0-9._-]{1,128}"
    webhook: tuple[str, ...] = ()
    unsigned: bool = False
    credentials: str = ""
    realms: tuple[str, ...] = ()
    initial: Literal["ignore", "adopt"] = "ignore"
    registers: bool = False
    chip: str = ""
    framework: str = ""
    rdma: bool = False


class Output(Spec):
    """A place the job writes to, mounted directly; ``{launch}`` in ``uri`` is the launch's id."""

    name: str
    uri: str
    mount: str


class Workers(Spec):
    """The pods of a job.

    Attributes:
        count: how many.
        cpu, memory, gpu, gpu_type: what each asks of a quota, memory as PAI writes it; zero and empty where an
            instance type says it.
        shared_memory: what the processes of each may share.
    """

    count: int = 1
    cpu: int = 0
    memory: str = ""
    shared_memory: str = ""
    gpu: int = 0
    gpu_type: str = ""


class JobTemplate(Spec):
    """The job as declared, placeholders not yet filled."""

    type: str
    workers: Workers
    command: str
    env: dict[str, str] = {}
    request: dict[str, Any] = {}


class Resource(Spec):
    """Where the job runs: on a public instance type, or in a quota by its id."""

    name: str
    public: str = ""
    quota: str = ""
    kind: Literal["general", "lingjun"] = "general"


class Fallback(Spec):
    """What a plan runs on instead after ``after`` seconds in the line for its quota."""

    resource: Resource
    after: float
    workers: Workers


class Queue(Spec):
    """How the launches of a plan wait for their turn in a quota.

    Attributes:
        waits: whether they are held here until there is room; else PAI's own queue gets them.
        max_queued: so many of ours may stand in PAI's queue of the quota.
        aging: seconds in which smaller launches may pass one that does not fit yet.
    """

    waits: bool = False
    max_queued: int = 1
    aging: float = 3600.0
    fallback: tuple[Fallback, ...] = ()


class PlanSpec(Spec):
    """One training job as declared, every name resolved.

    Attributes:
        on: the inputs that start it: any of them, or with ``together`` all of them new since it was launched last.
        join: captures in which the pinned revisions must agree.
        settle: seconds in which what arrives is merged into one launch.
        code: the watched code it trains with, found at ``code_mount``; empty for none.
        image: a registry address; of a watched image without tag or digest, which the pinned revision has.
        image_line: the watched image it trains with; empty for none.
        existing: the datasets beside ``datasets`` that are nobody's arrival; they start nothing.
    """

    name: str
    on: tuple[str, ...]
    datasets: tuple[str, ...]
    mounts: dict[str, str]
    image: str
    resource: Resource
    params: dict[str, Scalar] = {}
    job: JobTemplate
    outputs: tuple[Output, ...] = ()
    tags: dict[str, str] = {}
    together: bool = False
    join: tuple[str, ...] = ()
    settle: float | None = None
    policy: Policy = Policy()
    code: str = ""
    code_mount: str = ""
    image_line: str = ""
    existing: tuple[ExistingDataset, ...] = ()
    queue: Queue = Queue()

    @property
    def inputs(self) -> tuple[str, ...]:
        """Every input that a launch pins a revision of."""
        return (*self.datasets, *filter(None, (self.code, self.image_line)))


class Generation(Spec):
    """junbi.yaml, compiled: what ``junbi apply`` stores and the functions read.

    ``region`` and ``workspace`` are those of the environment that was chosen.
    """

    deployment: str
    environment: str
    region: str
    workspace: str
    datasets: dict[str, DatasetSpec]
    plans: dict[str, PlanSpec]
    code: dict[str, CodeSpec] = {}
    images: dict[str, ImageSpec] = {}
    existing: dict[str, ExistingDataset] = {}
