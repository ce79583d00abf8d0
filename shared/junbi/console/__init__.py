"""The console: one page that answers why a job is not running.

It needs a domain of its own: on FC's default domain every answer is turned into a download (FC documentation:
``content-disposition: attachment`` on ``*.fcapp.run``).
"""

from __future__ import annotations

from junbi.console.routes import routes

__all__ = ["routes"]
