"""The console for people and the API for programs: what the ledger knows, to whoever has a token."""

from flask import Flask

from junbi import console, http_api
from junbi.runtime import create_app


def routes(app: Flask) -> None:
    """Both behind one HTTP trigger."""
    http_api.routes(app)
    console.routes(app)


app = create_app("http_api", routes=routes)
