"""A delivery as it comes over the wire: raw bytes, headers in any case, JSON only on demand and within limits."""

from __future__ import annotations

import base64
import json
import time
from typing import Any
from urllib.parse import quote_plus

import pytest

from junbi.errors import MalformedPayload
from junbi.events.delivery import Delivery
from junbi.events.document import DEEPEST, LARGEST_BODY

FORM = {"content-type": "application/x-www-form-urlencoded; charset=utf-8"}


def test_headers_in_any_case() -> None:
    """Gateways write headers as they like."""
    delivery = Delivery({"x-github-EVENT": " push "}, b"", {})
    assert delivery.header("X-GitHub-Event") == "push"
    assert delivery.header("X-None") == ""


def test_the_body_stays_as_it_came() -> None:
    """Reading the JSON does not touch the bytes that a signature covers."""
    body = b'{ "a" : "\xf0\x9f\x9a\x80" }\r\n'
    delivery = Delivery({}, body, {})
    assert delivery.document().value == {"a": "🚀"}
    assert delivery.body == body


def test_bc_85_a_form() -> None:
    """BC-85: a form's ``payload`` is read, emoji, ``+`` and ``%`` included."""
    text = json.dumps({"message": "a+b 100% 🚀"}, ensure_ascii=False)
    delivery = Delivery(FORM, b"payload=" + quote_plus(text).encode(), {})
    assert delivery.is_form
    assert delivery.document().value == {"message": "a+b 100% 🚀"}
    assert Delivery({}, delivery.body, {}).document().value == {"message": "a+b 100% 🚀"}


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"pay=1",
        b"payload={}&payload={}",
        b"payload=%FF",
        b"payload=\xff",
        b"&" * 100_000,
        b"payload=%7B",
        b"payload=",
    ],
)
def test_bc_85_a_form_that_cannot_be_read(body: bytes) -> None:
    """BC-85: a form without one payload is refused with the reason."""
    with pytest.raises(MalformedPayload):
        Delivery(FORM, body, {}).document()


def packed(**changes: Any) -> bytes:
    """A request as Function Compute packs it for its built-in runtimes."""
    event = {
        "version": "v1",
        "rawPath": "/git",
        "headers": {"X-Github-Event": "push", "Odd": 7},
        "queryParameters": {"secret": "s"},
        "body": '{"message": "🚀"}',
        "isBase64Encoded": False,
        "requestContext": {"http": {"method": "POST"}},
    }
    return json.dumps(event | changes).encode()


def test_bc_80_a_packed_request() -> None:
    """BC-80: body and base64 body of a packed request are the bytes that the sender signed."""
    raw = '{"message": "🚀"}'.encode()
    plain = Delivery.from_event(packed())
    encoded = Delivery.from_event(packed(body=base64.b64encode(raw).decode(), isBase64Encoded=True))
    for delivery in (plain, encoded):
        assert delivery.body == raw
        assert delivery.header("x-github-event") == "push"
        assert delivery.query == {"secret": "s"}


@pytest.mark.parametrize(
    "changes", [{"body": "%%%", "isBase64Encoded": True}, {"body": 7}, {"headers": []}, {"queryParameters": "x"}]
)
def test_bc_80_a_packed_request_that_cannot_be_read(changes: dict[str, Any]) -> None:
    """BC-80: what is no base64 though it says so is refused, and not verified as if it were text."""
    with pytest.raises(MalformedPayload):
        Delivery.from_event(packed(**changes))


def test_a_packed_request_without_body_and_query() -> None:
    """A GET has neither."""
    delivery = Delivery.from_event(packed(body=None, queryParameters=None))
    assert (delivery.body, delivery.query) == (b"", {})


@pytest.mark.parametrize(
    "body",
    [b"", b"\xff\xfe", b"{", b'{"a":1,}', b"[" * 200_000, b'{"a":' * 100_000, b"1" * 10_000, b"{}" * 3],
    ids=range(8),
)
def test_bc_74_what_is_no_json(body: bytes) -> None:
    """BC-74: what cannot be read is refused on one short line."""
    with pytest.raises(MalformedPayload) as caught:
        Delivery({}, body, {}).document()
    assert len(str(caught.value)) < 250
    assert str(caught.value).isprintable()


def test_levels() -> None:
    """As deep as real payloads go and far beyond, but not without end."""
    for levels, fits in ((DEEPEST, True), (DEEPEST + 1, False), (900, False)):
        body = b"[" * levels + b"]" * levels
        if fits:
            assert Delivery({}, body, {}).document().value
        else:
            with pytest.raises(MalformedPayload, match="levels"):
                Delivery({}, body, {}).document()


def test_a_huge_body_costs_nothing() -> None:
    """More than any source sends is refused unread, as JSON and as a form."""
    body = b" " * (LARGEST_BODY + 1)
    started = time.monotonic()
    for headers in ({}, FORM):
        with pytest.raises(MalformedPayload, match="at most"):
            Delivery(headers, body, {}).document()
    assert time.monotonic() - started < 1


def test_equal_bodies_have_equal_digests() -> None:
    """A digest tells bodies apart."""
    assert Delivery({}, b"a", {}).digest == Delivery({"x": "y"}, b"a", {}).digest
    assert Delivery({}, b"a", {}).digest != Delivery({}, b"b", {}).digest
