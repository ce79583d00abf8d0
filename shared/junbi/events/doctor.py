"""Why a delivery was refused: what else its proof would hold for. The slow look, for those who send rarely."""

from __future__ import annotations

import base64
import dataclasses
import json
from typing import TYPE_CHECKING
from urllib.parse import quote_plus

from junbi.errors import MalformedPayload
from junbi.events.signatures import Refusal, RefusalCode, Verified, fingerprint, verify

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from junbi.events.delivery import Delivery
    from junbi.events.proofs import Proof

#: Bytes of a body beyond which no variants of it are tried: that many cost about 20 ms, and anybody can send them.
LARGEST_TRIED = 64 << 10


def diagnose(
    delivery: Delivery,
    proofs: Sequence[Proof],
    secrets: Sequence[str],
    now: datetime,
    *,
    retired: Sequence[str] = (),
    secret_in_url: bool = False,
) -> Verified | Refusal:
    """Check a delivery, and say as exactly as can be found out what is wrong with a refused one.

    Args:
        delivery: as it came.
        proofs: those of its source.
        secrets: all that are valid.
        now: by the ledger's clock.
        retired: other secrets of ours: those that were given up in a rotation, or are meant for another sender.
        secret_in_url: see ``verify``.
    """
    first = verify(delivery, proofs, secrets, now, secret_in_url=secret_in_url)
    if not isinstance(first, Refusal) or first.code is not RefusalCode.WRONG_SECRET:
        return first
    old = verify(delivery, proofs, retired, now, secret_in_url=secret_in_url)
    if isinstance(old, Verified):
        return _retired(first, old)
    for told, body in _variants(delivery):
        other = dataclasses.replace(delivery, body=body)
        found = verify(other, proofs, [*secrets, *retired], now, secret_in_url=secret_in_url)
        if isinstance(found, Verified):
            return _changed(first, told, found)
    return _wrong(first, delivery)


def _variants(delivery: Delivery) -> Iterator[tuple[str, bytes]]:
    """The same content in the bytes that the sender may have signed."""
    body = delivery.body
    if len(body) > LARGEST_TRIED:
        return
    yield "a line end at the end of the body was added", body.rstrip(b"\r\n")
    yield "the line end at the end of the body was taken away", body + b"\n"
    yield "its line ends were changed from LF to CRLF", body.replace(b"\r\n", b"\n")
    yield "its line ends were changed from CRLF to LF", body.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
    yield "it was packed as base64", _unpacked(body)
    try:
        document = delivery.document().value
        text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
        yield "a JSON body was made of the form that was sent", b"payload=" + quote_plus(text).encode()
        yield "a JSON body was made of the form that was sent", b"payload=" + quote_plus(body).encode()
        for escaped in (False, True):
            for separators, indent in (((",", ":"), None), ((", ", ": "), None), ((",", ": "), 2), ((",", ": "), 4)):
                again = json.dumps(document, ensure_ascii=escaped, separators=separators, indent=indent)
                yield "its JSON was parsed and written anew", again.encode(errors="surrogatepass")
    except (MalformedPayload, ValueError):
        return  # no JSON: nobody can have written it anew


def _unpacked(body: bytes) -> bytes:
    try:
        return base64.b64decode(body, validate=True)
    except ValueError:
        return b""


def _retired(first: Refusal, old: Verified) -> Refusal:
    return Refusal(
        RefusalCode.RETIRED_SECRET,
        f"The {old.scheme} was made with a secret of ours that is not valid here, or no longer ({old.fingerprint}).",
        "Set the present secret at the sender; while senders are changed, keep both in the configuration.",
        {**first.facts, "made_with": old.fingerprint},
    )


def _changed(first: Refusal, told: str, found: Verified) -> Refusal:
    return Refusal(
        RefusalCode.BODY_CHANGED,
        f"The secret is right and the body was changed on its way: {told}.",
        "Let the gateway or proxy in front pass the body on as it came, byte for byte.",
        {**first.facts, "made_with": found.fingerprint},
    )


def _wrong(first: Refusal, delivery: Delivery) -> Refusal:
    facts = {**first.facts, "body": fingerprint(delivery.body), "bytes": str(len(delivery.body))}
    if delivery.is_form:
        return Refusal(
            first.code,
            f"{first.message} The body is a form, which we read too, if nothing on the way rewrote it.",
            f"{first.fix} If they are equal, choose the content type application/json at the sender.",
            facts,
        )
    return dataclasses.replace(first, facts=facts)
