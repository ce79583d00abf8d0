"""Secrets by their names: junbi.yaml and the ledger hold the names, the environment what they stand for."""

from __future__ import annotations

import os


def secret(name: str) -> str:
    """What ``JUNBI_SECRET_<name>`` holds; empty where it is not set, or no name was given."""
    return os.environ.get(f"JUNBI_SECRET_{name}", "").strip() if name else ""
