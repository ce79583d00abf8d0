"""What a run will do, drawn from its seed before it begins: what is uploaded, and who is killed, paused or cut off."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Literal

#: ``ambush``: every worker is killed between a create's effect and its answer; ``fault``: a call of the cloud fails.
Kind = Literal["kill", "pause", "kill_clients", "pause_clients", "cut", "restart", "crash", "fault", "ambush"]

#: The creates, which nobody may do twice, about as often as a run makes them.
CREATES = (*["dlc.CreateJob"] * 4, *["aiworkspace.CreateDatasetVersion"] * 2, "aiworkspace.CreateDataset")

#: What may happen to a create: when, how, and for how many seconds.
MISHAPS = (
    ("after", "close", 0.0),
    ("after", "hang", 1.0),
    ("after", "error", 0.0),
    ("after", "delay", 1.0),
    ("before", "close", 0.0),
    ("before", "error", 0.0),
    ("before", "delay", 1.0),
)


@dataclass(frozen=True, slots=True)
class Profile:
    """How large a run is. Times in seconds.

    Attributes:
        seconds: how long the chaos lasts.
        patience: how long the quiet after it may be waited for.
        copies: how often each event is delivered, each time to another client.
        every: the mean time between two strikes of a kind.
    """

    workers: int
    clients: int
    client_processes: int
    seconds: float
    patience: float
    datasets: int
    versions: int
    files: int
    copies: int
    every: dict[Kind, float]


@dataclass(frozen=True, slots=True)
class Upload:
    """One version, uploaded file by file with its marker last. Where nobody is ``told``, all its events are lost."""

    at: float
    dataset: str
    version: str
    files: int
    told: bool


@dataclass(frozen=True, slots=True)
class Strike:
    """Something that happens at a moment to the n-th of its kind; a pause lasts so many seconds."""

    at: float
    kind: Kind
    target: int = 0
    seconds: float = 0.0
    create: str = ""
    mishap: tuple[str, str, float] = MISHAPS[0]


@dataclass(frozen=True, slots=True)
class Plan:
    """A whole run."""

    seed: int
    profile: Profile
    uploads: list[Upload] = field(default_factory=list)
    strikes: list[Strike] = field(default_factory=list)

    def deliveries(self, event: str) -> list[tuple[float, int]]:
        """When an event is delivered, in seconds after it was raised, and to which process: at least once at once."""
        luck = random.Random(f"{self.seed}:{event}")
        late = [luck.choice((0.0, luck.uniform(0, 1), luck.uniform(0, 8))) for _ in range(self.profile.copies - 1)]
        return [(delay, luck.randrange(self.profile.client_processes)) for delay in (0.0, *late)]


def draw(seed: int, profile: Profile) -> Plan:
    """The plan of a seed."""
    luck = random.Random(seed)
    uploads = [
        Upload(
            at=luck.uniform(0, profile.seconds * 0.8),
            dataset=f"set{number}",
            version=f"v{version}",
            files=luck.randint(1, profile.files),
            told=luck.random() > 0.15,
        )
        for number in range(profile.datasets)
        for version in range(profile.versions)
    ]
    strikes = [strike for kind, every in profile.every.items() for strike in _strikes(luck, kind, every, profile)]
    return Plan(seed, profile, sorted(uploads, key=lambda one: one.at), sorted(strikes, key=lambda one: one.at))


def _strikes(luck: random.Random, kind: Kind, every: float, profile: Profile) -> list[Strike]:
    """Strikes of one kind, one at least."""
    found: list[Strike] = []
    at = luck.uniform(0, every)
    while at < profile.seconds or not found:
        number = profile.client_processes if kind.endswith("clients") else profile.workers
        found.append(
            Strike(
                at=min(at, profile.seconds),
                kind=kind,
                target=luck.randrange(number),
                seconds=luck.uniform(2, 6),
                create=luck.choice(CREATES),
                mishap=luck.choice(MISHAPS),
            )
        )
        at += luck.uniform(0.2, 1.8) * every
    return found


#: Part of ``make test``.
SHORT = Profile(
    workers=4,
    clients=32,
    client_processes=2,
    seconds=14,
    patience=150,
    datasets=3,
    versions=4,
    files=3,
    copies=6,
    every={
        "kill": 1.0,
        "pause": 2.5,
        "kill_clients": 5.0,
        "pause_clients": 6.0,
        "cut": 1.5,
        "restart": 9.0,
        "crash": 9.0,
        "fault": 1.0,
        "ambush": 4.0,
    },
)

#: ``make chaos``.
FULL = Profile(
    workers=8,
    clients=128,
    client_processes=4,
    seconds=180,
    patience=240,
    datasets=6,
    versions=16,
    files=6,
    copies=12,
    every={
        "kill": 0.7,
        "pause": 1.5,
        "kill_clients": 6.0,
        "pause_clients": 8.0,
        "cut": 1.0,
        "restart": 20.0,
        "crash": 20.0,
        "fault": 1.5,
        "ambush": 5.0,
    },
)
