"""What importing the clients costs."""

from __future__ import annotations

import subprocess
import sys

CODE = """
import sys
import junbi.clients.api, junbi.clients.dlc, junbi.clients.endpoints, junbi.clients.functions
import junbi.clients.objects, junbi.clients.workspace
print([name for name in ("oss2", "requests", "httpx", "httpcore", "stamina", "ssl", "flask") if name in sys.modules])
"""


class TestImports:
    """A function that makes no call pays for none."""

    def test_nothing_heavy_is_loaded(self) -> None:
        """Importing every client loads no HTTP library, no TLS and no cloud SDK."""
        run = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
        assert run.stdout.strip() == "[]"
