"""AIWorkSpace's code sources as the pipeline sees them: names need not be unique, and listings lag."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.simulation.network import answered

from junbi.wire import code_sources as wire

if TYPE_CHECKING:
    from datetime import datetime

    from tests.simulation.network import Network
    from tests.simulation.world import World

    from junbi.clients.signing import Stamp


@dataclass
class KnownCodeSource:
    """A code source, from when on listings show it, and whether a person deleted it."""

    id: str
    says: wire.CodeSourceFields
    visible_at: datetime
    deleted: bool = False


class CodeSources:
    """The code sources of one workspace, and the port's methods over them."""

    def __init__(self, world: World, network: Network) -> None:
        self._world, self._network = world, network
        self.all: list[KnownCodeSource] = []

    @property
    def there(self) -> list[KnownCodeSource]:
        """Those that nobody deleted."""
        return [one for one in self.all if not one.deleted]

    def find(self, workspace: str, name: str) -> wire.CodeSource | None:
        """See ``junbi.clients.code_sources.CodeSourcesClient``."""
        del workspace

        def look() -> wire.CodeSource | None:
            now = self._world.time.now
            shown = (one for one in self.there if one.says.display_name == name and one.visible_at <= now)
            return next(map(_told, shown), None)

        return self._network.read("ListCodeSources", look)

    def get(self, code_source_id: str) -> wire.CodeSource:
        """See ``junbi.clients.code_sources.CodeSourcesClient``."""
        return self._network.read("GetCodeSource", lambda: _told(self._known("GetCodeSource", code_source_id)))

    def create(self, request: wire.CodeSourceFields, stamp: Stamp) -> str:
        """See ``junbi.clients.code_sources.CodeSourcesClient``."""

        def effect() -> str:
            made = KnownCodeSource(f"code-{len(self.all) + 1}", request, self._network.visible_at())
            self.all.append(made)
            return made.id

        return self._network.create("CreateCodeSource", stamp, effect)

    def update(self, code_source_id: str, request: wire.CodeSourceFields) -> None:
        """See ``junbi.clients.code_sources.CodeSourcesClient``."""
        self._change("UpdateCodeSource", code_source_id, request.model_dump(exclude_none=True))

    def publish(self, code_source_id: str) -> None:
        """See ``junbi.clients.code_sources.CodeSourcesClient``."""
        self._change("PublishCodeSource", code_source_id, {"accessibility": "PUBLIC"})

    def _change(self, operation: str, code_source_id: str, changes: dict[str, object]) -> None:
        def change() -> None:
            known = self._known(operation, code_source_id)
            known.says = known.says.model_copy(update=changes)

        self._network.read(operation, change)

    def _known(self, operation: str, code_source_id: str) -> KnownCodeSource:
        found = next((one for one in self.there if one.id == code_source_id), None)
        if found is None:
            raise answered(operation, 404, "NotFound")
        return found


def _told(known: KnownCodeSource) -> wire.CodeSource:
    return wire.CodeSource(code_source_id=known.id, **known.says.model_dump())
