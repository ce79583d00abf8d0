"""The Function Compute custom-runtime shim: ``create_app``, and ``python -m junbi.runtime <function>``."""

from __future__ import annotations

from junbi.runtime.app import create_app

__all__ = ["create_app"]
