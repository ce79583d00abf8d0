"""How a PAI API's JSON maps to a Python model: PascalCase outside, snake_case inside, strangers kept."""

from __future__ import annotations

from typing import Self

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_pascal


class WireModel(BaseModel):
    """A request or an answer of a PAI API.

    Unknown members are kept (enums are open and the service grows); None means absent and is not sent.
    """

    model_config = ConfigDict(alias_generator=to_pascal, populate_by_name=True, extra="allow", defer_build=True)

    @classmethod
    def from_wire(cls, document: object) -> Self:
        """Read a JSON object or a query. Only the wire's own spelling counts: ``display_name`` is a stranger."""
        return cls.model_validate(document, by_alias=True, by_name=False)

    def to_wire(self) -> dict[str, object]:
        """The JSON object as it travels."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)

    def to_query(self) -> dict[str, str]:
        """The members as query parameters; booleans are written ``true`` and ``false``."""
        return {name: _query_value(value) for name, value in self.to_wire().items()}


def known_fields(model: type[WireModel]) -> frozenset[str]:
    """The names, as they travel, of the members that the API defines for this model."""
    return frozenset(field.alias or name for name, field in model.model_fields.items())


def strangers(value: object, path: str = "") -> list[str]:
    """Where a parsed model carries members that the API does not define, such as ``JobSpecs[0].Imagee``."""
    if isinstance(value, list):
        return [found for index, item in enumerate(value) for found in strangers(item, f"{path}[{index}]")]
    if not isinstance(value, WireModel):
        return []
    prefix = f"{path}." if path else ""
    here = [f"{prefix}{name}" for name in value.model_extra or ()]
    fields = ((field.alias or name, getattr(value, name)) for name, field in type(value).model_fields.items())
    return here + [found for name, member in fields for found in strangers(member, f"{prefix}{name}")]


def _query_value(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
