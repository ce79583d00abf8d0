"""The pages that people read, and the script that writes parts of them."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from types import ModuleType

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def root() -> Path:
    """The clone."""
    return ROOT


@pytest.fixture(scope="session")
def write_docs() -> ModuleType:
    """infra/write_docs.py as a module."""
    spec = importlib.util.spec_from_file_location("write_docs", ROOT / "infra" / "write_docs.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that takes a ``page`` runs for the README and for every page of docs/."""
    if "page" in metafunc.fixturenames:
        pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
        metafunc.parametrize("page", pages, ids=[page.name for page in pages])
