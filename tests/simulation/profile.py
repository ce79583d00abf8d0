"""Which faults a seed deals out, and how often: each seed has some kinds and not others."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from random import Random

#: How a create may go other than well.
CREATE_FAULTS = (
    "unopened",  # no connection: not a byte left
    "throttled",  # 429 or a throttling code, before anything was done
    "refused",  # 4xx: a clear no
    "credentials",  # expired: not done
    "lost",  # the request never arrives, and nobody says so
    "late",  # the request arrives minutes after its caller gave up
    "error_before",  # 5xx, and nothing was done
    "error_after",  # 5xx, and it was done
    "answer_lost",  # it was done, and the answer never arrives
    "copied",  # it was done and answered, and a copy of the request arrives later
    "copied_lost",  # it was done, the answer never arrives, and a copy of the request arrives later
)


@dataclass
class Profile:
    """Chances of each fault at each occasion; 0 where the seed does without it.

    Attributes:
        kill: of an invocation, at each pause.
        pause: of a process, for seconds to minutes, at each pause.
        stall: of a process for longer than anything takes to settle, just before it sends a create.
        unavailable: of the ledger, before a statement.
        unsure: of the ledger's answer being lost after a commit.
        read: of any read to fail.
        create: of a create to go as one of ``creates``.
        drop, repeat, delay: of an event.
        lag: of something new to be missing in listings for up to a minute.
        jump: of clocks to jump, at each step.
        slow: of a call to take seconds.
        meddle: of somebody to change a prefix just while it is listed.
        hurry: of time to leap on although somebody could run.
    """

    kill: float = 0.0
    pause: float = 0.0
    stall: float = 0.0
    unavailable: float = 0.0
    unsure: float = 0.0
    read: float = 0.0
    create: float = 0.0
    drop: float = 0.0
    repeat: float = 0.0
    delay: float = 0.0
    lag: float = 0.0
    jump: float = 0.0
    slow: float = 0.0
    meddle: float = 0.0
    hurry: float = 0.0
    creates: tuple[str, ...] = ()


#: The chances that a seed may draw for each kind of fault.
_CHANCES = {
    "kill": (0.002, 0.01, 0.03),
    "pause": (0.003, 0.01, 0.03),
    "unavailable": (0.002, 0.01),
    "unsure": (0.002, 0.01),
    "read": (0.02, 0.1, 0.3),
    "create": (0.2, 0.5, 0.9),
    "drop": (0.1, 0.5, 1.0),
    "repeat": (0.2, 0.6),
    "delay": (0.2, 0.7),
    "lag": (0.3, 1.0),
    "jump": (0.01,),
    "slow": (0.05, 0.3),
    "meddle": (0.05, 0.3),
    "hurry": (0.01, 0.05),
}


#: The faults that make it hard to tell whether a create was carried out.
_SETTLING = ("lost", "late", "answer_lost", "copied_lost", "error_after")

#: Faults that belong together are dealt out together: each seed has one of these in mind.
THEMES = ("any", "settling", "listing", "pausing")


def draw(rng: Random, themes: tuple[str, ...] = THEMES) -> Profile:
    """A seed's own mix."""
    theme = rng.choice(themes)
    chosen: dict[str, float] = {}
    for name, chances in _CHANCES.items():
        if rng.random() < (0.5 if theme == "any" else 0.15):
            chosen[name] = rng.choice(chances)
    kinds = tuple(kind for kind in CREATE_FAULTS if rng.random() < 0.4)
    if theme == "settling":
        kinds = _SETTLING
        chosen |= {"create": rng.choice((0.5, 0.9)), "lag": rng.choice((0.5, 1.0))}
        chosen |= {"pause": 0.02} if rng.random() < 0.5 else {}
    elif theme == "listing":
        chosen |= {
            "meddle": rng.choice((0.2, 0.6)),
            "slow": rng.choice((0.1, 0.5)),
            "drop": rng.choice((0.0, 0.3, 0.7)),
        }
    elif theme == "pausing":
        chosen |= {"pause": rng.choice((0.02, 0.06)), "kill": rng.choice((0.0, 0.01)), "stall": rng.choice((0.0, 0.2))}
    if not kinds:
        chosen.pop("create", None)
    return Profile(**chosen, creates=kinds)


def shown(profile: Profile) -> str:
    """A profile in one line."""
    values = ((one.name, getattr(profile, one.name)) for one in fields(profile))
    return " ".join(f"{name}={value}" for name, value in values if value)
