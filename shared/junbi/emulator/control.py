"""The control API: tests and people order faults and step the clock through it."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from flask import Flask, request

from junbi.emulator.faults import Fault

if TYPE_CHECKING:
    from junbi.emulator.clock import Clock
    from junbi.emulator.faults import Faults


def create_app(faults: Faults, clock: Clock) -> Flask:
    """``GET|POST|DELETE /faults`` and ``GET|POST /clock``.

    A fault is posted as the members of ``Fault``; a step of the clock as ``{"advance": seconds}``.
    """
    app = Flask("control")

    @app.get("/faults")
    def pending() -> list[dict[str, Any]]:
        return [asdict(fault) for fault in faults.pending()]

    @app.post("/faults")
    def order() -> tuple[dict[str, Any], int]:
        try:
            fault = Fault(**request.get_json(force=True))
        except TypeError as error:
            return {"message": f"That is no fault: {error}. Nothing was ordered."}, 400
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
        clock.advance(float(request.get_json(force=True)["advance"]))
        return now()

    return app
