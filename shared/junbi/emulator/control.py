"""The control API: tests and people order faults, step the clock and change quotas through it."""

from __future__ import annotations

import ipaddress
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from flask import Flask, request
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from junbi.emulator.api_error import ApiError
from junbi.emulator.faults import Fault
from junbi.wire.model import strangers
from junbi.wire.quotas import Quota

if TYPE_CHECKING:
    from collections.abc import Callable

    from junbi.emulator.clock import Clock
    from junbi.emulator.faults import Faults
    from junbi.emulator.quota.state import Quotas

T = TypeVar("T")
Answer = tuple[dict[str, str], int]


class Step(BaseModel):
    """A step of the emulated clock, in seconds: forward, a year at most."""

    model_config = ConfigDict(extra="forbid", strict=True)

    advance: Annotated[float, Field(ge=0, le=366 * 86_400)]


class Refusal(Exception):
    """What was asked cannot be done; nothing was."""

    def __init__(self, why: str, status: int = 400) -> None:
        super().__init__(why)
        self.status = status


def create_app(faults: Faults, clock: Clock, quotas: Quotas) -> Flask:
    """``GET|POST|DELETE /faults``, ``GET|POST /clock``, ``GET|POST /quotas`` and ``DELETE /quotas/<id>``.

    A fault is posted as the members of ``Fault``; a step of the clock as ``{"advance": seconds}``; a change of a quota
    as the members of PaiStudio's quota that change, with its ``QuotaId``, or a new one. There is no key, so
    that nothing but a program of this machine may be let in: no page that a browser shows, whatever it is called.
    """
    app = Flask("control", static_folder=None)
    app.before_request(_admit)
    app.register_error_handler(Refusal, _refused)

    @app.get("/faults")
    def pending() -> list[dict[str, Any]]:
        return [asdict(fault) for fault in faults.pending()]

    @app.post("/faults")
    def order() -> tuple[dict[str, Any], int]:
        fault = _read(TypeAdapter(Fault))
        faults.order(fault)
        return asdict(fault), 201

    @app.delete("/faults")
    def clear() -> dict[str, Any]:
        faults.clear()
        return {}

    @app.get("/clock")
    def now() -> dict[str, Any]:
        return {"now": clock.now().isoformat(), "scale": clock.scale}

    @app.post("/clock")
    def advance() -> dict[str, Any]:
        try:
            clock.advance(_read(TypeAdapter(Step)).advance)
        except OverflowError as error:
            raise Refusal("The clock cannot be stepped beyond the year 9999.") from error
        return now()

    _quotas(app, quotas)
    return app


def _quotas(app: Flask, quotas: Quotas) -> None:
    @app.get("/quotas")
    def listed() -> list[dict[str, Any]]:
        return [one.to_wire() for one in quotas.all()]

    @app.post("/quotas")
    def change() -> dict[str, Any]:
        changes = _read(TypeAdapter(dict[str, Any]))
        try:
            read = Quota.from_wire(changes)
        except ValidationError as error:
            raise _wrong(error) from error
        unknown = strangers(read)
        if unknown or not read.quota_id:
            raise Refusal(f"A quota has no {', '.join(unknown)}." if unknown else "QuotaId must name a quota.")
        return _done(lambda: quotas.put(changes).to_wire())

    @app.delete("/quotas/<quota_id>")
    def delete(quota_id: str) -> dict[str, Any]:
        _done(lambda: quotas.delete(quota_id))
        return {}


def _done(change: Callable[[], T]) -> T:
    try:
        return change()
    except ApiError as error:
        raise Refusal(error.message, error.status) from error


def _admit() -> None:
    """Refuse what a web page sent: of another origin, or under a name that its owner made to lead here."""
    if not _is_loopback(request.host):
        raise Refusal(f"The host {request.host!r} is not this machine: use 127.0.0.1 or localhost.", 403)
    origin = request.headers.get("Origin")
    if origin is not None and origin.partition("://")[2] != request.host:
        raise Refusal(f"A page of {origin!r} may not give orders here.", 403)


def _is_loopback(host: str) -> bool:
    name = host.rpartition(":")[0] if host.rpartition(":")[2].isdecimal() else host
    if name.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(name.strip("[]")).is_loopback
    except ValueError:
        return False


def _read(kind: TypeAdapter[T]) -> T:
    """The body, which must be JSON and say so: a page can send other types without asking."""
    if request.mimetype != "application/json":
        raise Refusal("Send JSON, with the header 'Content-Type: application/json'.", 415)
    try:
        return kind.validate_json(request.get_data())
    except ValidationError as error:
        raise _wrong(error) from error


def _wrong(error: ValidationError) -> Refusal:
    wrong = "; ".join(
        f"{'.'.join(map(str, one['loc'])) or 'the body'}: {one['msg']}" for one in error.errors(include_url=False)
    )
    return Refusal(f"That cannot be ordered: {wrong}.")


def _refused(refusal: Refusal) -> Answer:
    return {"message": f"{refusal} Nothing was changed."}, refusal.status
