"""The common ground of everything that stands in junbi.yaml."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, model_validator

from junbi.config.types import without_extensions


class Section(BaseModel):
    """A mapping of known keys. Keys that begin with ``x-`` are for the writer alone; any other is a mistake."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        use_attribute_docstrings=True,
        json_schema_extra={"patternProperties": {"^x-": True}},
    )

    @model_validator(mode="before")
    @classmethod
    def _ignore_extensions(cls, data: Any) -> Any:
        return without_extensions(data)
