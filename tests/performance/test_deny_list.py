"""Importing a function loads nothing heavy: cold start is a feature."""

from __future__ import annotations

import json

import pytest
from tests.performance.runtime import FUNCTIONS, python, statement

#: What no function may load at import: cloud SDKs, databases' drivers, YAML, terminals, and our own development parts.
DENIED = (
    "oss2",
    "aliyunsdkcore",
    "alibabacloud_*",
    "Tea",
    "requests",
    "cryptography",
    "psycopg",
    "dulwich",
    "urllib3",
    "sqlalchemy",
    "odps",
    "ruamel",
    "yaml",
    "rich",
    "pygments",
    "typer",
    "numpy",
    "httpx",
    "junbi.emulator",
    "junbi.config",
    "junbi.cli",
)


def loaded(function: str) -> set[str]:
    """The modules that a fresh interpreter has after it imported a function's app."""
    return set(json.loads(python(f"{statement(function)}\nimport json, sys; print(json.dumps(sorted(sys.modules)))")))


@pytest.mark.parametrize("function", FUNCTIONS)
def test_no_function_loads_what_it_does_not_need_at_once(function: str) -> None:
    """The deny-list of modules is empty after the import of a function's app."""
    modules = loaded(function)
    assert "flask" in modules, "the function was not imported at all"
    assert "junbi.runtime.app" in modules
    heavy = {
        name
        for name in modules
        for denied in DENIED
        if name == denied or name.startswith(f"{denied}.") or (denied.endswith("*") and name.startswith(denied[:-1]))
    }
    assert not heavy


def test_the_functions_are_found() -> None:
    """The functions that exist are the ones measured."""
    assert {"oss_upload", "reconcile", "job_change", "http_api"} <= set(FUNCTIONS)
