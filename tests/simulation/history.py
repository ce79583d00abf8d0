"""What the branches and tags of a host name, and what they named before."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from tests.simulation.world import World


class History:
    """Names that move by and by. What one names is a commit or a digest; empty once it was deleted."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._moves: dict[str, list[tuple[datetime, str]]] = {}

    def move(self, name: str, value: str) -> None:
        """From now on a name stands for something else, or with an empty value for nothing."""
        self._moves.setdefault(name, []).append((self._world.time.now, value))

    @property
    def now(self) -> dict[str, str]:
        """What there is."""
        return {name: moves[-1][1] for name, moves in self._moves.items() if moves[-1][1]}

    def past(self, name: str) -> list[str]:
        """All that a name ever stood for, in that order."""
        return [value for _, value in self._moves.get(name, ()) if value]

    def named(self, name: str, value: str, since: datetime) -> bool:
        """Whether a name stood for something at any time since."""
        moves = self._moves.get(name, [])
        ends = [*(begun for begun, _ in moves[1:]), self._world.time.now]
        return any(one == value and end >= since for (_, one), end in zip(moves, ends, strict=True))
