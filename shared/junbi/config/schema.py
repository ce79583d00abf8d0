"""The JSON Schema of junbi.yaml, derived from its models."""

from __future__ import annotations

from typing import Any

from pydantic.json_schema import GenerateJsonSchema

from junbi.config.model import Config
from junbi.config.types import NAME_PATTERN


class _Untitled(GenerateJsonSchema):
    """Without a title on every key: editors would show it in place of the key's description."""

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002 - pydantic's signature
        return False

    def nullable_schema(self, schema: Any) -> dict[str, Any]:
        """A key may be left out, but a key without a value is a mistake."""
        return self.generate_inner(schema["schema"])

    def dict_schema(self, schema: Any) -> dict[str, Any]:
        """Keys of another spelling are mistakes, but for ``x-*`` beside names."""
        document = super().dict_schema(schema)
        if patterns := document.get("patternProperties"):
            notes = {"^x-": True} if NAME_PATTERN in patterns else {}
            document |= {"patternProperties": {**patterns, **notes}, "additionalProperties": False}
        return document

    def default_schema(self, schema: Any) -> dict[str, Any]:
        """Defaults that only say 'absent' are left out."""
        document = super().default_schema(schema)
        return {key: value for key, value in document.items() if key != "default" or value is not None}


def schema() -> dict[str, Any]:
    """A schema that refuses unknown keys and lets ``x-*`` keys be. Merges (``<<``) are resolved by editors."""
    document = Config.model_json_schema(schema_generator=_Untitled)
    return {"$schema": GenerateJsonSchema.schema_dialect, **document, "title": "junbi.yaml"}
