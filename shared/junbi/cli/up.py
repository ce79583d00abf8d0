"""``junbi up``: everything on this machine: the local cloud, the functions on it, and junbi.yaml in force."""

from __future__ import annotations

import json
import os
import secrets
import shlex
import sqlite3
from contextlib import suppress
from datetime import timedelta
from itertools import chain
from typing import TYPE_CHECKING

import click

from junbi.cli.emulator import emulator_key, endpoints, wait_for_end
from junbi.cli.options import cloud_options, config_option, environment_option
from junbi.errors import ConfigInvalid, JunbiError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from junbi.core.plan import CodeSpec, Generation, ImageSpec
    from junbi.emulator.cloud import Cloud
    from junbi.ledger.ledger import Ledger

#: Real seconds for which the local cloud takes a signed request, instead of PAI's 15 minutes: so long does junbi
#: wait, after everything was killed in the middle of a submission, before it knows that the job was not created.
SIGNATURE_VALIDITY = 15

#: Real seconds between two looks at junbi.yaml.
CONFIG_EVERY = 1.0


@click.command("up")
@config_option
@environment_option
@cloud_options(port=9000, data=".junbi")
def command(config: Path, environment: str | None, port: int, data: Path, time_scale: float) -> int:
    """Run everything on this machine until Ctrl-C, and keep junbi.yaml in force while it changes.

    Prints one line of JSON with all addresses and a token once everything is ready.
    """
    from junbi.cli.local_functions import code_root  # Flask and the services
    from junbi.config import load_generation
    from junbi.emulator.cloud import Cloud, CloudUnavailable, Settings

    seen = _seen(config)  # before it is read: a change while everything starts is one to put in force
    loaded = load_generation(config, environment)
    root = code_root()
    if root is None:
        click.echo("junbi: there is no functions/ folder here. Run 'junbi up' in a clone of junbi.", err=True)
        return 3
    generation, end = loaded.generation, wait_for_end()
    validity = timedelta(seconds=SIGNATURE_VALIDITY)
    settings = Settings(
        data.absolute(), emulator_key(), port, time_scale, generation.region, generation.workspace, validity
    )
    try:
        cloud = Cloud(settings)
    except CloudUnavailable as error:
        click.echo(f"junbi: {error}", err=True)
        return 3
    try:
        house = House(cloud, root)
        house.put_in_force(generation)
        click.echo(json.dumps(house.addresses()))
        in_force = seen
        while not end.wait(CONFIG_EVERY):
            seen = _seen(config)
            if seen != in_force and house.reload(config, environment):
                in_force = seen
        house.say_goodbye()
    except (OSError, sqlite3.Error) as error:
        click.echo(f"junbi: {data} could not be written: {error}. What was there is kept; start again.", err=True)
        return 3
    finally:
        cloud.stop()
    return 0


class House:
    """The ledger and the functions on a running local cloud."""

    def __init__(self, cloud: Cloud, root: Path) -> None:
        self._cloud, self._root, self._said = cloud, root, ""
        data = cloud.settings.data
        now, wall = cloud.clock.now().timestamp(), cloud.clock.wall().timestamp()
        self._environment = {
            "JUNBI_LEDGER": f"sqlite:///{data / 'ledger.db'}",
            "JUNBI_CLOCK": f"{wall!r},{now!r},{cloud.settings.scale!r}",
            "JUNBI_LOCAL": "1",  # all instances are on this machine, so a file is a ledger for them
            "JUNBI_CODE_ROOT": str(root),
            "JUNBI_SIGNATURE_VALIDITY": str(SIGNATURE_VALIDITY * cloud.settings.scale),
            "JUNBI_ENDPOINT_AIWORKSPACE": cloud.pai,
            "JUNBI_ENDPOINT_DLC": cloud.pai,
            "JUNBI_ENDPOINT_PAISTUDIO": cloud.pai,
            "JUNBI_ENDPOINT_OSS": cloud.oss,
            "JUNBI_ENDPOINT_FC": cloud.gateway,
            "JUNBI_ENDPOINT_GIT": cloud.git,
            "JUNBI_ENDPOINT_REGISTRY": cloud.registry,
        }
        self.ledger = self._open_ledger()
        self._token = _token(data / "token")
        self.ledger.issue_token(self._token, "junbi up", self.ledger.now())
        self._write_env(data / "env")

    def _write_env(self, path: Path) -> None:
        """What a shell needs so that junbi's commands and the official SDKs speak to this cloud."""
        key = self._cloud.settings.key
        exported = {
            **self._environment,
            "ALIBABA_CLOUD_ACCESS_KEY_ID": key.key_id,
            "ALIBABA_CLOUD_ACCESS_KEY_SECRET": key.secret,
        }
        lines = "".join(f"{name}={shlex.quote(value)}\n" for name, value in exported.items())
        _write_private(path, f"# For a shell: set -a; . {path}; set +a\n{lines}")

    def _open_ledger(self) -> Ledger:
        from junbi.ledger.ledger import open_ledger  # after the cloud's directory is ours

        os.environ["JUNBI_CLOCK"] = self._environment["JUNBI_CLOCK"]
        ledger = open_ledger(self._environment["JUNBI_LEDGER"])
        # The functions of an earlier run died with it, so nobody holds these leases any more.
        ledger.worklist.release_all()
        return ledger

    def put_in_force(self, generation: Generation) -> int | None:
        """Apply a generation, make the buckets that it names, deploy the functions with its triggers."""
        from junbi.cli.local_functions import specs  # Flask and the services
        from junbi.pipeline.apply import apply

        self._connect(generation)
        for bucket in _buckets(generation):
            self._cloud.buckets.create_bucket(bucket)
        number = apply(self.ledger, generation)
        self._cloud.functions.deploy(specs(self._root, self._environment, generation, self._cloud.settings.scale))
        return number

    def _connect(self, generation: Generation) -> None:
        """Let the local Git host and registry tell of pushes, proved with the secrets that are named."""
        from junbi.emulator import git, registry

        code, images = list(generation.code.values()), list(generation.images.values())
        signed = self._webhook_secrets(code, "git_push")
        self._cloud.git_host.webhooks[:] = [git.Webhook(address, one) for address, one in signed]
        shown = self._webhook_secrets(images, "image_push")
        self._cloud.registry_host.webhooks[:] = [registry.Webhook(address, f"Bearer {one}") for address, one in shown]

    def _webhook_secrets(self, lines: Sequence[CodeSpec | ImageSpec], function: str) -> list[tuple[str, str]]:
        """The address of a door, with each secret that pushes to it are proved with; one that is not set is made up."""
        webhooks = {line.webhook for line in lines if line.webhook}
        named = {*chain.from_iterable(webhooks), *(line.credentials for line in lines)} - {""}
        for name in sorted(named):
            variable = f"JUNBI_SECRET_{name}"
            if variable in os.environ:
                self._environment[variable] = os.environ[variable]
            elif any(name in webhook for webhook in webhooks):
                self._environment.setdefault(variable, secrets.token_urlsafe(24))
        firsts = {self._environment[f"JUNBI_SECRET_{webhook[0]}"] for webhook in webhooks}
        return [(f"{self._cloud.gateway}/{function}", one) for one in sorted(firsts)]

    def reload(self, config: Path, environment: str | None) -> bool:
        """Apply a changed file; a file with a mistake changes nothing, and the mistakes are named.

        Whether that was all there is to do: False where it could not be stored, and is to be tried again.
        """
        from junbi.config import load_generation  # the YAML reader

        try:
            number = self.put_in_force(load_generation(config, environment).generation)
        except ConfigInvalid as invalid:
            self._say(f"{invalid}\njunbi: {config} was not applied; what was in force stays.")
        except (JunbiError, OSError, sqlite3.Error) as error:
            self._say(f"junbi: {config} could not be put in force; it is tried every second. {error}", once=True)
            return False
        else:
            self._say(f"junbi: {config} is generation {number}." if number else "junbi: nothing changed.")
        return True

    def _say(self, text: str, *, once: bool = False) -> None:
        """Tell the user on stderr; ``once``: not again what was said last."""
        if not (once and text == self._said):
            click.echo(text, err=True)
        self._said = text

    def addresses(self) -> dict[str, str]:
        """Where everything listens, and the token for the API and the console."""
        cloud = endpoints(self._cloud)
        console = f"{self._cloud.gateway}/?token={self._token}"
        return {"api": f"{self._cloud.gateway}/v1", "console": console, **cloud, "token": self._token}

    def say_goodbye(self) -> None:
        """Name the jobs that go on without us."""
        running = [job.job_id for job in self._cloud.dlc.jobs.active()]
        if running:
            click.echo(
                f"junbi: {', '.join(running)} goes on; 'junbi up' with the same --data follows it again.", err=True
            )


def _buckets(generation: Generation) -> set[str]:
    watched = {dataset.watch.bucket for dataset in generation.datasets.values()}
    written = {
        output.uri.removeprefix("oss://").split("/")[0] for plan in generation.plans.values() for output in plan.outputs
    }
    return watched | written


def _token(path: Path) -> str:
    """The token of this directory, made at its first use and readable by its owner only."""
    if path.exists():
        return path.read_text("utf-8").strip()
    token = secrets.token_urlsafe(24)
    _write_private(path, token)
    return token


def _write_private(path: Path, text: str) -> None:
    """Whole or not at all, and for the owner's eyes only."""
    draft = path.with_suffix(".draft")
    draft.unlink(missing_ok=True)
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text)
    draft.replace(path)


def _seen(config: Path) -> dict[str, int]:
    """The time of the last change of the file, or of every file in the folder."""
    files = sorted(config.rglob("*")) if config.is_dir() else [config]
    seen: dict[str, int] = {}
    for file in files:
        with suppress(OSError):  # an editor puts a new file in its place while we look: the next look sees it
            seen[str(file)] = file.stat().st_mtime_ns
    return seen
