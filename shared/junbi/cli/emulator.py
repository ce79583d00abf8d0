"""``junbi emulator``: the local cloud alone, for other programs' tests."""

from __future__ import annotations

import json
import os
import signal
import threading
from typing import TYPE_CHECKING

import click

from junbi.cli.options import cloud_options

if TYPE_CHECKING:
    from pathlib import Path

    from junbi.emulator.cloud import Cloud
    from junbi.emulator.keys import AccessKey


def emulator_key() -> AccessKey:
    """The local cloud's one long-lived key: JUNBI_EMULATOR_KEY_ID and JUNBI_EMULATOR_KEY_SECRET, or the defaults."""
    from junbi.emulator.keys import AccessKey  # only where a local cloud starts

    return AccessKey(
        os.environ.get("JUNBI_EMULATOR_KEY_ID") or "emulator",
        os.environ.get("JUNBI_EMULATOR_KEY_SECRET") or "emulator-secret",
    )


def endpoints(cloud: Cloud) -> dict[str, str]:
    """Where the cloud's services listen."""
    return {
        "pai": cloud.pai,
        "oss": cloud.oss,
        "functions": cloud.gateway,
        "control": cloud.control,
        "git": cloud.git,
        "registry": cloud.registry,
    }


def wait_for_end() -> threading.Event:
    """An event that Ctrl-C and SIGTERM set."""
    end = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: end.set())
    return end


@click.command("emulator")
@cloud_options(port=9100, data=".junbi/cloud")
@click.option("--region", default="cn-hangzhou", show_default=True)
@click.option("--workspace", default="104231", show_default=True)
def command(port: int, data: Path, time_scale: float, region: str, workspace: str) -> int:
    """Run the local OSS, PAI and Function Compute until Ctrl-C, and print where they listen."""
    from junbi.emulator.cloud import Cloud, CloudUnavailable, Settings  # Flask and the services

    settings = Settings(data.absolute(), emulator_key(), port, time_scale, region, workspace)
    end = wait_for_end()
    try:
        cloud = Cloud(settings)
    except CloudUnavailable as error:
        click.echo(f"junbi: {error}", err=True)
        return 3
    click.echo(json.dumps(endpoints(cloud)))
    end.wait()
    cloud.stop()
    return 0
