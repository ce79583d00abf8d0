"""Serves a function over HTTP until the process is told to end."""

from __future__ import annotations

import logging
import os
import signal
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, Self

from waitress.server import create_server

from junbi.errors import JunbiError
from junbi.runtime import contract
from junbi.runtime.load import load

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import FrameType

    from flask import Flask

#: FC holds its connections to an instance open between requests; the official gunicorn sample keeps them 900 s.
KEEP_ALIVE_SECONDS = 900
#: Above the runtime's own limit, so that the runtime answers a large body and not the server in plain text.
SERVER_BODY_LIMIT = 2 * contract.BODY_LIMIT


class SettingInvalid(JunbiError):
    """An environment variable of the runtime says something that cannot be."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Where and how wide to serve.

    ``host`` is ``JUNBI_BIND`` (FC reaches an instance only on all addresses, so that is the default), ``port`` is
    ``FC_SERVER_PORT``, ``threads`` is ``JUNBI_THREADS`` (the function's instanceConcurrency), ``root`` is
    ``JUNBI_CODE_ROOT`` (the folder that holds ``functions/``; the working directory where unset).
    """

    host: str
    port: int
    threads: int
    root: Path

    @classmethod
    def read(cls, environment: Mapping[str, str]) -> Self:
        """The settings of this environment; SettingInvalid where one cannot be."""
        return cls(
            host=environment.get("JUNBI_BIND", "0.0.0.0"),  # noqa: S104 - FC's rule: on 127.0.0.1 it finds no server
            port=_number(environment, "FC_SERVER_PORT", 9000, 65535),
            threads=_number(environment, "JUNBI_THREADS", 10, 200),  # FC's greatest instance concurrency
            root=Path(environment.get("JUNBI_CODE_ROOT") or Path.cwd()),
        )


def main(arguments: list[str]) -> int:
    """``python -m junbi.runtime <function>``: 2 for a wrong call, 1 where it cannot be served, 0 at an orderly end."""
    try:
        (name,) = arguments
    except ValueError:
        return _complain("usage: python -m junbi.runtime <function>", 2)
    try:
        settings = Settings.read(os.environ)
        app = load(name, settings.root)
    except JunbiError as error:
        return _complain(str(error), 2)
    try:
        serve(app, settings)
    except OSError as error:
        why = error.strerror or str(error)
        return _complain(f"cannot serve {name} on {settings.host}:{settings.port}: {why}; set FC_SERVER_PORT", 1)
    return 0


def serve(app: Flask, settings: Settings) -> None:
    """Serve until SIGTERM or SIGINT; requests at work get a few seconds to end. OSError where the port is taken."""
    # The queue's depth is FC's business: it sends no more at once than the function's instanceConcurrency.
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)
    server = create_server(
        app,
        host=settings.host,
        port=settings.port,
        threads=settings.threads,
        channel_timeout=KEEP_ALIVE_SECONDS,
        max_request_body_size=SERVER_BODY_LIMIT,
        ident=None,
        expose_tracebacks=False,
    )
    signal.signal(signal.SIGTERM, _end)
    try:
        server.run()
    finally:
        server.close()


def _end(_signal: int, _frame: FrameType | None) -> NoReturn:
    raise SystemExit(0)  # waitress leaves its loop and lets the threads finish


def _number(environment: Mapping[str, str], name: str, default: int, most: int) -> int:
    text = environment.get(name) or str(default)
    if not text.isascii() or not text.isdigit() or not 0 < int(text) <= most:
        raise SettingInvalid(f"{name}={text!r}: expected a whole number from 1 to {most}")
    return int(text)


def _complain(message: str, code: int) -> int:
    sys.stderr.write(f"junbi.runtime: {message}\n")
    return code
