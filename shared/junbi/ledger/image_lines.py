"""The watched images in force, and which tags pushes told of since each was looked at last."""

from __future__ import annotations

import json
from dataclasses import astuple, dataclass, field
from typing import TYPE_CHECKING

from junbi.core.image import Seen
from junbi.core.plan import ImageSpec
from junbi.errors import LedgerError
from junbi.ledger.rows import from_reason, from_time, to_json, to_reason, to_time

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from junbi.core.model import Reason
    from junbi.ledger.database import Database

_SEPARATOR = ","


@dataclass(frozen=True, slots=True)
class ImageState:
    """Where a watched image stands.

    Attributes:
        since: since when an image of this name is watched.
        head: the digest that was looked at last; empty before the first look, and where what is watched changed.
        looked_at: when its registry was read last; None before that, and where what is watched changed.
        reason: why there is nothing to train with, if there is none.
        seen: the tags of a pattern of which the newest in time counts.
    """

    since: datetime
    head: str = ""
    looked_at: datetime | None = None
    reason: Reason | None = None
    seen: Mapping[str, Seen] = field(default_factory=dict)


class ImageLines:
    """Stores what images are watched, and pushes as the hints they are."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, lines: Mapping[str, ImageSpec], now: datetime) -> None:
        """Put the images of a generation in force, and no others. Call it inside a transaction."""
        self._database.run("drop_image_lines_but", names=to_json(list(lines)))
        self._database.run("drop_image_pushes_but", names=to_json(list(lines)))
        for line in lines.values():
            self._database.run(
                "put_image_line",
                name=line.name,
                host=line.host,
                path=line.path,
                webhook=_SEPARATOR.join(line.webhook),
                unsigned=int(line.unsigned),
                spec=line.model_dump_json(),
                now=to_time(now),
            )

    def get(self, name: str) -> ImageSpec | None:
        """A line by its name; None where nothing of that name is watched."""
        row = self._database.row("image_line", name=name)
        return ImageSpec.model_validate_json(row["spec"]) if row else None

    def all(self) -> list[ImageSpec]:
        """Every line, by name."""
        return [ImageSpec.model_validate_json(row["spec"]) for row in self._database.rows("image_lines")]

    def state(self, name: str) -> ImageState:
        """Where a line stands. LedgerError where nothing of that name is watched."""
        row = self._database.row("image_line_state", name=name)
        if row is None:
            raise LedgerError(f"the ledger watches no image {name}")
        seen = {tag: Seen(digest, at) for tag, (digest, at) in json.loads(row["seen"]).items()}
        looked_at = from_time(row["looked_at"]) if row["looked_at"] else None
        return ImageState(from_time(row["since"]), row["head"], looked_at, from_reason(row["reason"]), seen)

    def save_state(self, name: str, state: ImageState) -> None:
        """Save where a line stands after a look."""
        self._database.run(
            "save_image_line_state",
            name=name,
            head=state.head,
            looked_at=to_time(state.looked_at) if state.looked_at else "",
            reason=to_reason(state.reason),
            seen=to_json({tag: astuple(one) for tag, one in state.seen.items()}),
        )

    def at(self, host: str, path: str, webhook: tuple[str, ...], *, unsigned: bool) -> list[ImageSpec]:
        """The lines of a repository whose pushes come with those secrets.

        Args:
            host: the registry by its one name; empty where the push does not tell it.
            path: of the repository.
            webhook: the names of the secrets.
            unsigned: whether the secret may stand in the address.
        """
        signed = _SEPARATOR.join(webhook)
        rows = self._database.rows("image_lines_at", host=host, path=path, webhook=signed, unsigned=int(unsigned))
        return [ImageSpec.model_validate_json(row["spec"]) for row in rows]

    def webhooks(self) -> list[tuple[tuple[str, ...], bool]]:
        """The names of the secrets of each webhook, and whether these may stand in the address."""
        rows = self._database.rows("image_webhooks")
        return [(tuple(row["webhook"].split(_SEPARATOR)), bool(row["unsigned"])) for row in rows]

    def note(self, line: str, tag: str, now: datetime) -> None:
        """Keep that a push told of a tag, which is empty for one that named a digest alone."""
        self._database.run("note_image_push", line=line, tag=tag, now=to_time(now))

    def pushed(self, line: str) -> list[str]:
        """The tags that pushes told of since the last look."""
        return [row["tag"] for row in self._database.rows("image_pushes", line=line)]

    def forget(self, line: str, until: datetime) -> None:
        """Forget the pushes that were noted until then: the line was looked at after them."""
        self._database.run("drop_image_pushes", line=line, until=to_time(until))
