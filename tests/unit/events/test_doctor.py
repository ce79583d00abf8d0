"""The doctor of webhooks: a refused delivery is told apart by what else its proof would hold for."""

from __future__ import annotations

import base64
import hmac
import json
from datetime import UTC, datetime
from urllib.parse import quote_plus

import pytest

from junbi.events.delivery import Delivery
from junbi.events.doctor import LARGEST_TRIED, diagnose
from junbi.events.git import github, gitlab
from junbi.events.signatures import Refusal, RefusalCode, Verified, fingerprint

NOW = datetime(2026, 11, 30, 10, tzinfo=UTC)
NEW, OLD = "the-secret-of-this-year", "the-secret-of-last-year"
DOCUMENT = {"ref": "refs/heads/main", "n": [1, 2.5, None], "message": "Tune 🚀\n"}
COMPACT = json.dumps(DOCUMENT, ensure_ascii=False, separators=(",", ":")).encode()
FORM = b"payload=" + quote_plus(COMPACT).encode()


def delivered(sent: bytes, came: bytes, secret: str = NEW, content: str = "application/json") -> Delivery:
    """A delivery that was signed over other bytes than came."""
    signature = "sha256=" + hmac.new(secret.encode(), sent, "sha256").hexdigest()
    return Delivery({"X-Hub-Signature-256": signature, "Content-Type": content}, came, {})


def told(delivery: Delivery, **of: list[str]) -> Refusal:
    """What the doctor says, which holds nothing secret."""
    found = diagnose(delivery, github.PROOFS, [NEW], NOW, retired=of.get("retired", []))
    assert isinstance(found, Refusal)
    assert not [secret for secret in (NEW, OLD) if secret in repr(found)]
    return found


@pytest.mark.parametrize(
    ("sent", "came", "word"),
    [
        (COMPACT, json.dumps(DOCUMENT).encode(), "written anew"),
        (COMPACT, json.dumps(DOCUMENT, indent=2).encode(), "written anew"),
        (json.dumps(DOCUMENT, indent=2, ensure_ascii=False).encode(), COMPACT, "written anew"),
        (json.dumps(DOCUMENT).encode(), COMPACT, "written anew"),
        (COMPACT, COMPACT + b"\n", "added"),
        (COMPACT + b"\n", COMPACT, "taken away"),
        (b'{\n "a": 1\n}', b'{\r\n "a": 1\r\n}', "CRLF"),
        (b'{\r\n "a": 1\r\n}', b'{\n "a": 1\n}', "CRLF"),
        (COMPACT, base64.b64encode(COMPACT), "base64"),
        (FORM, COMPACT, "form"),
    ],
    ids=range(10),
)
def test_bc_79_the_body_was_changed(sent: bytes, came: bytes, word: str) -> None:
    """BC-79: where a gateway rewrote the body, the answer is that the body was changed, how, and not the secret."""
    found = told(delivered(sent, came))
    assert found.code is RefusalCode.BODY_CHANGED
    assert word in found.message
    assert found.facts["made_with"] == fingerprint(NEW)


def test_bc_79_another_content_is_no_change_of_form() -> None:
    """BC-79: a body that says something else was made by somebody without the secret, as far as anybody can tell."""
    found = told(delivered(COMPACT, COMPACT.replace(b"main", b"evil")))
    assert found.code is RefusalCode.WRONG_SECRET
    assert found.facts["bytes"] == str(len(COMPACT))


def test_bc_83_a_sender_that_was_forgotten_in_a_rotation() -> None:
    """BC-83: a secret that was valid once is named by its fingerprint, beside those that are valid now."""
    found = told(delivered(COMPACT, COMPACT, secret=OLD), retired=[OLD])
    assert found.code is RefusalCode.RETIRED_SECRET
    assert found.facts == {"secrets": fingerprint(NEW), "made_with": fingerprint(OLD)}


def test_bc_83_a_wrong_token_is_shown_by_its_fingerprint() -> None:
    """BC-83: what was presented can be compared with what is configured."""
    delivery = Delivery({"X-Gitlab-Token": OLD}, COMPACT, {})
    found = diagnose(delivery, gitlab.PROOFS, [NEW], NOW)
    assert isinstance(found, Refusal)
    assert (found.facts["secrets"], found.facts["presented"]) == (fingerprint(NEW), fingerprint(OLD))
    found = diagnose(delivery, gitlab.PROOFS, [NEW], NOW, retired=[OLD])
    assert isinstance(found, Refusal)
    assert found.code is RefusalCode.RETIRED_SECRET


def test_bc_85_a_form_with_a_wrong_secret() -> None:
    """BC-85: that the body is a form is said, for it is what gateways like to rewrite."""
    found = told(delivered(b"x", FORM, content="application/x-www-form-urlencoded"))
    assert found.code is RefusalCode.WRONG_SECRET
    assert "form" in found.message


def test_bc_86_a_missing_header() -> None:
    """BC-86: nothing is guessed where there is no proof."""
    assert told(Delivery({}, COMPACT, {})).code is RefusalCode.NO_PROOF


def test_a_right_delivery() -> None:
    """A right one is right."""
    assert isinstance(diagnose(delivered(COMPACT, COMPACT), github.PROOFS, [NEW], NOW), Verified)


@pytest.mark.parametrize(
    "came", [b"", b"\xff", b"[" * 5000, b'{"a": "\\ud800"}', b"payload=%FF", b"1e999"], ids=range(6)
)
def test_whatever_came(came: bytes) -> None:
    """Odd bodies get an answer."""
    assert told(delivered(COMPACT, came)).code is RefusalCode.WRONG_SECRET


def test_a_flood_of_large_forgeries_costs_little() -> None:
    """Nothing is rewritten for bodies beyond a limit, not even where that would find the reason."""
    small, large = (b'{"a":"' + b"x" * size + b'"}' for size in (10, LARGEST_TRIED))
    assert told(delivered(small, small + b"\n")).code is RefusalCode.BODY_CHANGED
    assert told(delivered(large, large + b"\n")).code is RefusalCode.WRONG_SECRET
