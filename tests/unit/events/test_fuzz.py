"""Mutated deliveries: whatever comes, events or MalformedPayload, in a short time, and nothing leaks."""

from __future__ import annotations

import copy
import json
import random
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from junbi.errors import MalformedPayload
from junbi.events import git, oss, registry
from junbi.events.delivery import Delivery
from junbi.events.document import load
from junbi.events.eventbridge import job_hints

if TYPE_CHECKING:
    from collections.abc import Callable

    from junbi.events.parsed import Parsed

FOLDER = Path(__file__).parents[2] / "fixtures" / "events"
NOW = datetime(2026, 11, 30, 10, tzinfo=UTC)
MUTATIONS = 24_000
SECRET = "hunter2hunter2"

READERS: dict[str, Callable[[Delivery], Parsed[Any]]] = {
    "git": lambda delivery: git.parse(delivery, NOW),
    "registry": lambda delivery: registry.parse(delivery, NOW),
    "eventbridge": lambda delivery: oss.parse(delivery.body),
}
SAMPLES = [(kind, json.loads(path.read_bytes())) for kind in READERS for path in sorted((FOLDER / kind).glob("*.json"))]
ODD: list[Any] = [
    None,
    True,
    0,
    -1,
    1.5,
    2**70,
    float("nan"),
    float("inf"),
    "",
    " ",
    "\0",
    "\ud800",
    "x" * 3000,
    "refs/heads/\n",
    "0" * 40,
    "sha256:" + "0" * 64,
    "https://me:" + SECRET + "@host.example/",
    "2026-13-40T99:99:99Z",
    "9999-12-31T23:59:59-23:59",
    [],
    [[]],
    [None],
    {},
    {"": None},
    ["dlc1"] * 50,
]


def answers(read: Callable[[], Parsed[Any]]) -> bool:
    """Read, allowing what holds together or MalformedPayload; tells whether all was read."""
    try:
        parsed = read()
    except MalformedPayload as problem:
        problems = [problem]
    else:
        problems = list(parsed.malformed)
        for event in parsed.events:
            assert event.id
            assert event.at.tzinfo is UTC
            f"{event.subject}{event.name}{event.etag}{event.subject!r}".encode()
        for each in parsed.ignored:
            assert each.message.isprintable()
    for problem in problems:
        assert str(problem).isprintable()
        assert len(str(problem)) < 400
    return not problems


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every member of a document, as its holder and its name or index."""
    found: list[tuple[Any, Any]] = []
    holders = [value]
    while holders:
        holder = holders.pop()
        pairs = holder.items() if isinstance(holder, dict) else enumerate(holder)
        for name, each in pairs:
            found.append((holder, name))
            if isinstance(each, (dict, list)):
                holders.append(each)
    return found


def mutated(body: Any, chance: random.Random) -> bytes:
    """A body with a few members missing, odd, deep or double, or with its bytes cut and changed."""
    changed = copy.deepcopy(body)
    for _ in range(chance.randint(1, 3)):
        spots = places(changed)
        if not spots:
            break
        holder, name = chance.choice(spots)
        kind = chance.randrange(4)
        if kind == 0:
            del holder[name]
        elif kind == 1:
            holder[name] = json.loads("[" * 40 + "]" * 40)
        else:
            holder[name] = copy.deepcopy(chance.choice(ODD))
    raw = json.dumps(changed, ensure_ascii=chance.random() < 0.5).encode(errors="surrogatepass")
    kind = chance.randrange(12)
    if kind == 0:
        raw = raw[: chance.randrange(len(raw) + 1)]
    elif kind == 1 and raw:
        at = chance.randrange(len(raw))
        raw = raw[:at] + bytes([chance.randrange(256)]) + raw[at + 1 :]
    elif kind == 2 and raw.startswith(b"{"):
        raw = b'{"ref": null, "type": 1, "events": {}, ' + raw[1:]
    return raw


@pytest.mark.parametrize("seed", range(4))
def test_mutated_deliveries(seed: int) -> None:
    """Thousands of real deliveries with members missing, null, odd, deep, double or not UTF-8 get an answer each."""
    chance = random.Random(seed)
    refused = 0
    slowest = 0.0
    for _ in range(MUTATIONS // 4):
        kind, document = chance.choice(SAMPLES)
        delivery = Delivery(document["headers"], mutated(document["body"], chance), {})
        started = time.process_time()
        refused += not answers(lambda kind=kind, delivery=delivery: READERS[kind](delivery))  # type: ignore[misc]
        slowest = max(slowest, time.process_time() - started)
    assert refused > MUTATIONS // 40
    assert slowest < 1


HEADERS = ["X-GitHub-Event", "X-Gitlab-Event", "X-Gitee-Event", "Codeup-Event", "X-Gitea-Event", "X-Gogs-Event"]


@settings(max_examples=300)
@given(
    header=st.sampled_from([*HEADERS, "X-Event-Key", "X-Nothing"]),
    name=st.sampled_from(["push", "Push Hook", "repo:push", "repo:refs_changed", "delete", "package"]) | st.text(),
    content=st.sampled_from(["application/json", "application/x-www-form-urlencoded", ""]),
    body=st.binary(max_size=200),
)
def test_any_bytes(header: str, name: str, content: str, body: bytes) -> None:
    """Any bytes under any header."""
    delivery = Delivery({header: name, "Content-Type": content}, body, {})
    answers(lambda: git.parse(delivery, NOW))
    answers(lambda: registry.parse(delivery, NOW))
    try:
        assert isinstance(job_hints(load(body)), frozenset)
    except MalformedPayload:
        return


def test_a_secret_in_a_payload_does_not_leak() -> None:
    """Gitee repeats the secret in the body: neither events nor errors hold it."""
    _, document = next(each for each in SAMPLES if each[1]["headers"].get("X-Gitee-Event") == "Push Hook")
    body = document["body"] | {"password": SECRET, "sign": SECRET}
    for change in ({}, {"ref": None}, {"after": "x"}, {"repository": None, "project": None}):
        delivery = Delivery(document["headers"], json.dumps(body | change).encode(), {})
        try:
            told = repr(git.parse(delivery, NOW))
        except MalformedPayload as problem:
            told = str(problem)
        assert SECRET not in told


def test_a_password_in_an_address_does_not_leak() -> None:
    """An address of a payload is kept without its user and password."""
    kind, document = next(each for each in SAMPLES if each[1]["headers"].get("X-GitHub-Event") == "push")
    home = document["body"]["repository"] | {"clone_url": f"https://me:{SECRET}@github.com/vision/digits.git"}
    delivery = Delivery(document["headers"], json.dumps(document["body"] | {"repository": home}).encode(), {})
    assert SECRET not in repr(READERS[kind](delivery))
