"""``junbi quotas``: what the last reading says."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from junbi.core.plan import Generation
from junbi.core.quotas import snapshot
from junbi.ledger.ledger import open_ledger
from junbi.ledger.quotas import Reading
from junbi.pipeline.apply import apply

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from pathlib import Path

    from junbi.ledger.ledger import Ledger

    Junbi = Callable[..., subprocess.CompletedProcess[str]]

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
QUOTA = snapshot(
    {
        "QuotaId": "quota1",
        "QuotaName": "a10",
        "ParentQuotaId": "quota0",
        "Status": "Ready",
        "QuotaDetails": {"AllocatableQuota": {"CPU": "16", "GPU": "2"}, "AllocatedQuota": {"CPU": "4"}},
    },
    "ECS",
    NOW,
)


def ledger(folder: Path) -> Ledger:
    """The ledger that the command reads, with a region in force."""
    made = open_ledger(f"sqlite:///{folder / '.junbi/ledger.db'}")
    empty = Generation(
        deployment="vision", environment="test", region="cn-hangzhou", workspace="104231", datasets={}, plans={}
    )
    apply(made, empty)
    return made


def test_a_quota_its_use_and_when_that_was_read(junbi: Junbi, tmp_path: Path) -> None:
    """In a line for people; amounts that PAI did not tell are marked, not guessed."""
    ledger(tmp_path).quotas.save("cn-hangzhou", Reading("ECS", NOW), [QUOTA])
    done = junbi("quotas")
    heads, line = done.stdout.splitlines()
    assert (done.returncode, done.stderr) == (0, "")
    assert heads.split() == ["QUOTA", "NAME", "KIND", "STATUS", "PARENT", "USED", "OURS", "READ", "(UTC)"]
    assert line.split()[:5] == ["quota1", "a10", "ECS", "Ready", "quota0"]
    assert "4 of 16 CPU, ? of 2 GPU" in line
    assert "0 in it, 0 waiting" in line
    assert line.endswith("  2026-11-30 12:00:00")


def test_the_same_for_programs(junbi: Junbi, tmp_path: Path) -> None:
    """Everything that is declared, too."""
    ledger(tmp_path).quotas.save("cn-hangzhou", Reading("ECS", NOW), [QUOTA])
    told = json.loads(junbi("quotas", "--json").stdout)
    (quota,) = told["quotas"]
    assert quota["resources"] == {
        "CPU": {"used": "4", "allocatable": "16", "free": "12"},
        "GPU": {"used": None, "allocatable": "2", "free": None},
    }
    assert (quota["declared"]["QuotaName"], quota["gone_at"]) == ("a10", None)
    assert told["readings"] == [{"kind": "ECS", "read_at": "2026-11-30T12:00:00.000000Z", "problem": None}]


def test_one_that_is_gone_and_a_kind_that_cannot_be_read(junbi: Junbi, tmp_path: Path) -> None:
    """Both are said, with since when."""
    made = ledger(tmp_path)
    lost = replace(QUOTA, gone_at=NOW + timedelta(hours=1))
    made.quotas.save("cn-hangzhou", Reading("ECS", NOW), [lost])
    made.quotas.save("cn-hangzhou", Reading("ACS", None, "403 Forbidden.RAM"))
    text = junbi("quotas").stdout
    assert "gone since 2026-11-30 13:00:00" in text
    assert "ACS quotas could not be read: 403 Forbidden.RAM" in text
    assert "none was ever read" in text


def test_before_the_first_reading_and_where_there_are_none(junbi: Junbi, tmp_path: Path) -> None:
    """Not read yet and not there are two answers."""
    made = ledger(tmp_path)
    assert "were not read yet" in junbi("quotas").stdout
    made.quotas.save("cn-hangzhou", Reading("ECS", NOW), [])
    assert junbi("quotas").stdout == "PAI shows no quota in cn-hangzhou.\n"
