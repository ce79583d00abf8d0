"""``junbi logs``: what a job printed."""

from __future__ import annotations

import os
import time

import click

from junbi.core.refusals import JOB_GONE
from junbi.errors import JunbiError, Refused


class NoJob(JunbiError):
    """There is no job to read."""


@click.command("logs")
@click.argument("name", metavar="LAUNCH|JOB")
@click.option(
    "--tail",
    default=2000,
    show_default=True,
    type=click.IntRange(1, 100_000),
    help="Lines of each pod, counted from the end.",
)
def command(name: str, tail: int) -> int:
    """Print what the pods of a launch's job wrote, or those of a job by PAI's id."""
    from junbi.clients.credentials import Credentials  # only for commands that call PAI
    from junbi.pipeline.invocation import Invocation
    from junbi.pipeline.wiring import Ports

    names = ("ALIBABA_CLOUD_ACCESS_KEY_ID", "ALIBABA_CLOUD_ACCESS_KEY_SECRET", "ALIBABA_CLOUD_SECURITY_TOKEN")
    key_id, secret, token = (os.environ.get(one, "") for one in names)
    if not key_id:
        raise NoJob(f"{names[0]} and {names[1]} are not set. For 'junbi up': set -a; . .junbi/env; set +a")
    ports = Ports(Invocation("cli", "", Credentials(key_id, secret, token), time.monotonic() + 60, ""))
    launch = ports.ledger.launches.get(name)
    job_id = launch.job_id if launch else name
    if not job_id:
        said = f" It is {launch.state}: {launch.reason.message if launch.reason else ''}" if launch else ""
        raise NoJob(f"Launch {name} has no job yet.{said}")
    try:
        pods = ports.dlc.get_job(job_id).pods or []
    except Refused as error:
        if error.code not in JOB_GONE:
            raise
        who = f"PAI knows no job {job_id} any more" if launch else f"Neither the ledger nor PAI knows {name}"
        raise NoJob(f"{who}. 'junbi launches' lists launches and their jobs.") from error
    for pod in pods:
        for line in ports.dlc.pod_logs(job_id, pod.pod_id or "", limit=tail)[-tail:]:
            click.echo(line if len(pods) == 1 else f"{pod.pod_id}: {line}")
    return 0
