"""The watched images in force, and which tags pushes told of since each was looked at last."""

from __future__ import annotations

import json
from dataclasses import astuple, dataclass, field
from typing import TYPE_CHECKING

from junbi.core.image import Seen
from junbi.core.plan import ImageSpec
from junbi.errors import Stale
from junbi.ledger.lines import LineState, columns, from_webhook, standing, to_webhook
from junbi.ledger.rows import to_json, to_time

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from junbi.ledger.database import Database


@dataclass(frozen=True, slots=True)
class ImageState(LineState):
    """Where a watched image stands.

    Attributes:
        seen: the tags of a pattern of which the newest in time counts.
    """

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
                webhook=to_webhook(line.webhook),
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
        """Where a line stands. Stale where nothing of that name is watched any more."""
        row = self._database.row("image_line_state", name=name)
        if row is None:
            raise Stale(f"no image {name} is watched any more")
        seen = {tag: Seen(digest, at) for tag, (digest, at) in json.loads(row["seen"]).items()}
        return ImageState(**standing(row), seen=seen)

    def save_state(self, name: str, state: ImageState) -> None:
        """Save where a line stands after a look."""
        seen = to_json({tag: astuple(one) for tag, one in state.seen.items()})
        self._database.run("save_image_line_state", name=name, **columns(state), seen=seen)

    def at(self, host: str, path: str, webhook: tuple[str, ...], *, unsigned: bool) -> list[ImageSpec]:
        """The lines of a repository whose pushes come with those secrets.

        Args:
            host: the registry by its one name; empty where the push does not tell it.
            path: of the repository.
            webhook: the names of the secrets.
            unsigned: whether the secret may stand in the address.
        """
        signed = to_webhook(webhook)
        rows = self._database.rows("image_lines_at", host=host, path=path, webhook=signed, unsigned=int(unsigned))
        return [ImageSpec.model_validate_json(row["spec"]) for row in rows]

    def of(self, host: str, path: str) -> list[ImageSpec]:
        """The lines of a repository, whatever proves its pushes. ``host`` and ``path`` as in ``at``."""
        return [
            ImageSpec.model_validate_json(row["spec"])
            for row in self._database.rows("image_lines_of", host=host, path=path)
        ]

    def webhooks(self) -> list[tuple[tuple[str, ...], bool]]:
        """The names of the secrets of each webhook, and whether these may stand in the address."""
        rows = self._database.rows("image_webhooks")
        return [(from_webhook(row["webhook"]), bool(row["unsigned"])) for row in rows]

    def note(self, line: str, tag: str, now: datetime) -> None:
        """Keep that a push told of a tag, which is empty for one that named a digest alone."""
        self._database.run("note_image_push", line=line, tag=tag, now=to_time(now))

    def pushed(self, line: str) -> list[str]:
        """The tags that pushes told of since the last look."""
        return [row["tag"] for row in self._database.rows("image_pushes", line=line)]

    def forget(self, line: str, until: datetime) -> None:
        """Forget the pushes that were noted until then: the line was looked at after them."""
        self._database.run("drop_image_pushes", line=line, until=to_time(until))
