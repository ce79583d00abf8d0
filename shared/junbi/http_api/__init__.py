"""The HTTP API under ``/v1``: what the ledger knows, as JSON, for whoever has a token."""

from __future__ import annotations

from junbi.http_api.routes import routes

__all__ = ["routes"]
