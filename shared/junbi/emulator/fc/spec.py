"""What is deployed: functions, and the triggers that call them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class OssTrigger:
    """Objects of a bucket call the function.

    Attributes:
        bucket: the bucket's name.
        events: names as the trigger's configuration spells them, ``oss:ObjectCreated:*`` for a whole class.
        prefix, suffix: of the key; plain text, no wildcards.
    """

    bucket: str
    events: tuple[str, ...] = ("oss:ObjectCreated:*",)
    prefix: str = ""
    suffix: str = ""


@dataclass(frozen=True, slots=True)
class TimerTrigger:
    """Time calls the function.

    Attributes:
        name: the trigger's name, which the function is told.
        every: seconds between two calls, or ``@every 4m``, or a cron expression of six fields (seconds first, UTC).
        payload: text that the function is told.
    """

    name: str
    every: float | str
    payload: str = ""


@dataclass(frozen=True, slots=True)
class HttpTrigger:
    """Anyone who reaches the URL calls the function.

    Attributes:
        methods: those that are let through.
        auth_type: ``anonymous`` only: Git and image services cannot sign FC's requests.
    """

    methods: tuple[str, ...] = ("GET", "POST")
    auth_type: str = "anonymous"

    def __post_init__(self) -> None:
        """Refuse what is not emulated."""
        if self.auth_type != "anonymous":
            raise ValueError(f"auth_type {self.auth_type!r}: the local Function Compute has anonymous triggers only")


Trigger = OssTrigger | TimerTrigger | HttpTrigger


@dataclass(frozen=True, slots=True)
class FunctionSpec:
    """A function of the custom runtime.

    Attributes:
        name: its name, and the name of the role whose credentials it is handed.
        command: starts an instance, which must serve HTTP on ``FC_SERVER_PORT``.
        environment: its own variables; beside them it gets only FC's and the PATH.
        working_directory: where the command runs; FC's ``/code``.
        timeout: seconds that one call may take (real time).
        instance_concurrency: calls that one instance serves at once.
        max_instances: more calls than these can serve are throttled.
        initializer: whether ``/initialize`` is called before an instance's first request.
        pre_stop: whether ``/pre-stop`` is called before an instance ends.
        triggers: what calls it, beside the API.
    """

    name: str
    command: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    working_directory: Path = field(default_factory=Path.cwd)
    timeout: float = 60
    instance_concurrency: int = 10
    max_instances: int = 2
    initializer: bool = False
    pre_stop: bool = True
    triggers: tuple[Trigger, ...] = ()

    def runs_like(self, other: FunctionSpec) -> bool:
        """Whether instances of the other may go on serving this one: all but the triggers is equal."""
        return replace(self, triggers=()) == replace(other, triggers=())

    @property
    def capacity(self) -> int:
        """How many calls can be at work at once."""
        return self.instance_concurrency * self.max_instances

    @property
    def http(self) -> HttpTrigger | None:
        """Its HTTP trigger; FC allows one."""
        return next((trigger for trigger in self.triggers if isinstance(trigger, HttpTrigger)), None)
