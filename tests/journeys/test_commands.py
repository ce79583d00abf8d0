"""The command line beside a running house, in a shell that loaded its ``env`` file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.journeys.conftest import House


def test_commands_beside_a_house(house: House) -> None:
    """Each command tells what the API tells, as text for people and as JSON for programs."""
    house.write_config(more=" && echo hello from the job")
    house.up()
    assert "No launches yet" in house.run("launches").stdout
    assert "Nothing has arrived" in house.run("inputs").stdout
    house.upload("v1")
    house.until_ended()
    launch = house.get("launches")["launches"][0]
    job = launch["job"]["id"]

    listed = house.run("launches").stdout
    assert all(text in listed for text in (launch["id"], "count", "digits v1", "succeeded", job))
    assert json.loads(house.run("launches", "--json").stdout)["launches"][0]["id"] == launch["id"]
    one = house.run("launches", launch["id"]).stdout
    assert f"was submitted as job {job}" in one
    assert "Ready" in one
    told = json.loads(house.run("launches", launch["id"], "--json").stdout)
    assert told["story"][0]["code"] == "LaunchCreated"

    inputs = house.run("inputs").stdout
    assert "oss://in-data/digits/v1/" in inputs
    assert json.loads(house.run("inputs", "--json").stdout)["revisions"][0]["label"] == "v1"
    for name in (launch["id"], job):
        assert house.run("logs", name).stdout.splitlines()[-1] == "hello from the job"


def test_diff_and_apply_beside_a_house(house: House) -> None:
    """'diff' shows what a file would change and exits with 0; 'apply' puts it in force; once more changes nothing."""
    house.up()
    other = house.directory / "other.yaml"
    other.write_text(house.config.read_text().replace("count: 1", "count: 2"))
    assert house.run("diff", "--config", str(house.config)).stdout == "Nothing would change.\n"
    shown = house.run("diff", "--config", str(other))
    assert shown.returncode == 0
    assert "count" in shown.stdout
    assert json.loads(house.run("diff", "--config", str(other), "--json").stdout)["changes"]
    applied = house.run("apply", "--config", str(other)).stdout
    assert applied == f"Generation 2 is in force in sqlite:///{house.data / 'ledger.db'}.\n"
    assert (
        house.run("apply", "--config", str(other)).stdout
        == "Nothing changed; what waits or was refused is tried again.\n"
    )
    house.upload("v1")
    house.until_ended()
    assert house.get("launches")["launches"][0]["generation"] == 2


@pytest.mark.parametrize("arguments", [("launches", "l-nope"), ("logs", "l-nope"), ("logs", "dlcnope")])
def test_unknown_ids(house: House, arguments: tuple[str, ...]) -> None:
    """An id that nobody knows is answered with that, exit code 1 and what to do, and no traceback."""
    house.up()
    answer = house.run(*arguments)
    assert (answer.returncode, answer.stdout) == (1, "")
    assert arguments[1] in answer.stderr
    assert "'junbi launches' lists" in answer.stderr
    assert "Traceback" not in answer.stderr


def test_commands_without_a_house(house: House) -> None:
    """With the house down the ledger is still read; what needs PAI says that it could not find out."""
    house.up()
    house.upload("v1")
    house.until_ended()
    job = house.get("launches")["launches"][0]["job"]["id"]
    house.end()
    assert job in house.run("launches").stdout
    answer = house.run("logs", job)
    assert answer.returncode == 3
    assert "Traceback" not in answer.stderr
    assert "127.0.0.1" in answer.stderr
