"""Finds a function's application in ``functions/<name>/app.py``."""

from __future__ import annotations

import importlib.util
import re
import sys
from typing import TYPE_CHECKING

from flask import Flask

from junbi.errors import JunbiError

if TYPE_CHECKING:
    from pathlib import Path

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")


class UnknownFunction(JunbiError):
    """There is no such function under the code root."""


def load(name: str, root: Path) -> Flask:
    """The application that ``<root>/functions/<name>/app.py`` calls ``app``.

    Raises:
        UnknownFunction: no such file, or nothing in it that could be served. What the file itself raises is passed on.
    """
    path = root / "functions" / name / "app.py"
    if not _NAME.fullmatch(name) or not path.is_file():
        known = ", ".join(sorted(found.parent.name for found in root.glob("functions/*/app.py"))) or "none"
        raise UnknownFunction(f"no function {name!r} under {root / 'functions'}; there are: {known}")
    # By file, not by import: `functions` is a folder of deployment units, not a package.
    spec = importlib.util.spec_from_file_location(f"junbi_function_{name}", path)
    if spec is None or spec.loader is None:
        raise UnknownFunction(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    app = getattr(module, "app", None)
    if not isinstance(app, Flask):
        raise UnknownFunction(f"{path} has no `app`; it must say: app = create_app({name!r}, …)")
    return app
