"""One operation of an emulated API: how it is answered, and what our knowledge of it rests on."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pydantic import ValidationError

from junbi.emulator.api_error import ApiError, invalid

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from junbi.emulator.keys import AccessKey
    from junbi.wire.model import WireModel
    from junbi.wire.operations import Operation

State = TypeVar("State")
Model = TypeVar("Model", bound="WireModel")


class Evidence(StrEnum):
    """What an emulated operation rests on, the best first."""

    RECORDED = "wire-recorded"  #: the official SDK's request was recorded byte for byte
    METADATA = "metadata"  #: the SDK's models and the published OpenAPI metadata
    DOCS = "docs"  #: prose of the vendor
    ASSUMED = "assumed"  #: our own conclusion


@dataclass(frozen=True)
class Call:
    """A signed request to one operation.

    Attributes:
        segments: the variable parts of the path, decoded.
        body: the JSON object sent, empty where there was none.
        user_id: of whoever signed.
        now: emulated time.
    """

    segments: Mapping[str, str]
    query: Mapping[str, str]
    body: Mapping[str, Any]
    key: AccessKey
    user_id: str
    now: datetime

    def body_as(self, model: type[Model]) -> Model:
        """The body read as a model; ApiError where a member is missing or has another type."""
        return _read(model, self.body)

    def query_as(self, model: type[Model]) -> Model:
        """The query read as a model; ApiError where a parameter is missing or has another type."""
        return _read(model, self.query)


@dataclass(frozen=True)
class Route(Generic[State]):
    """How one operation is answered.

    Attributes:
        evidence: what the shapes rest on.
        answer: carries the call out; the gateway adds ``RequestId``.
        note: what is assumed beyond that, in a sentence for ``docs/emulator.md``.
    """

    operation: Operation
    evidence: Evidence
    answer: Callable[[State, Call], WireModel]
    note: str = ""


def _read(model: type[Model], document: Mapping[str, Any]) -> Model:
    """Source of ``Missing<Name>``: third-party notes (``MissingPageNumber``)."""
    try:
        return model.from_wire(dict(document))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        if first["type"] == "missing":
            raise ApiError(f"Missing{first['loc'][-1]}", f"{place} is mandatory for this action.", 400) from error
        raise invalid(f"The specified parameter {place} is not valid: {first['msg']}.") from error
