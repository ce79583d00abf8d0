"""How a PAI API's JSON maps to a Python model: PascalCase outside, snake_case inside, strangers kept."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_pascal


class WireModel(BaseModel):
    """A request or an answer of a PAI API.

    Unknown members are kept (enums are open and the service grows); None means absent and is not sent.
    """

    model_config = ConfigDict(alias_generator=to_pascal, populate_by_name=True, extra="allow", defer_build=True)

    def to_wire(self) -> dict[str, object]:
        """The JSON object as it travels."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)
