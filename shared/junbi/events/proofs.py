"""The kinds of proof that a delivery can carry, one class each."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import Enum
from typing import TYPE_CHECKING, Protocol
from urllib.parse import quote_plus, unquote

if TYPE_CHECKING:
    from junbi.events.delivery import Delivery


class Answer(Enum):
    """What a proof says."""

    HOLDS = "holds"
    STALE = "stale"  #: it was made with the secret, too long ago or in the future
    NO = "no"


class Proof(Protocol):
    """A kind of proof.

    Attributes:
        name: for people and records.
        where: the header or parameter that carries it.
    """

    @property
    def name(self) -> str: ...  # noqa: D102 - the class says it
    @property
    def where(self) -> str: ...  # noqa: D102 - the class says it

    def carried(self, delivery: Delivery) -> bool:
        """Whether the delivery carries one of this kind."""
        ...

    def check(self, delivery: Delivery, secret: bytes, now: datetime) -> Answer:
        """Whether it carries one that was made with this secret, which is not empty."""
        ...

    def token(self, delivery: Delivery) -> str:
        """The secret that it carries in clear, only ever to be shown as a fingerprint; empty for signatures."""
        ...


@dataclass(frozen=True, slots=True)
class Hmac:
    """A hex HMAC-SHA256 of the body, after a prefix such as ``sha256=``."""

    where: str
    prefix: str = ""
    name: str = "hmac-sha256"

    def carried(self, delivery: Delivery) -> bool:
        """Whether the header is there, and none of SHA-1: GitHub's has the name of Bitbucket's SHA-256."""
        value = delivery.header(self.where)
        return bool(value) and not value.startswith("sha1=")

    def check(self, delivery: Delivery, secret: bytes, now: datetime) -> Answer:  # noqa: ARG002 - it has no time
        """Compare with our own, over the bytes that were sent."""
        value = delivery.header(self.where)
        if not value.startswith(self.prefix):
            return Answer.NO
        given = value.removeprefix(self.prefix).lower()
        return _answer(given, hmac.new(secret, delivery.body, hashlib.sha256).hexdigest())

    def token(self, delivery: Delivery) -> str:  # noqa: ARG002 - a signature shows nothing
        """A signature holds no secret."""
        return ""


@dataclass(frozen=True, slots=True)
class Token:
    """The secret itself, in a header. It covers nothing of the body."""

    where: str
    name: str = "token"

    def carried(self, delivery: Delivery) -> bool:
        """Whether the header is there."""
        return bool(self.token(delivery))

    def check(self, delivery: Delivery, secret: bytes, now: datetime) -> Answer:  # noqa: ARG002 - it has no time
        """Compare."""
        return _answer(self.token(delivery), secret)

    def token(self, delivery: Delivery) -> str:
        """The header."""
        return delivery.header(self.where)


@dataclass(frozen=True, slots=True)
class Authorization:
    """A fixed ``Authorization`` header: the secret, alone or behind one word such as ``Bearer``."""

    name: str = "authorization"
    where: str = "Authorization"

    def carried(self, delivery: Delivery) -> bool:
        """Whether the header is there."""
        return bool(delivery.header(self.where))

    def check(self, delivery: Delivery, secret: bytes, now: datetime) -> Answer:  # noqa: ARG002 - it has no time
        """Compare the whole, and what follows the first word."""
        whole = _answer(delivery.header(self.where), secret)
        return whole if whole is Answer.HOLDS else _answer(self.token(delivery), secret)

    def token(self, delivery: Delivery) -> str:
        """The header without its first word, if it has two."""
        value = delivery.header(self.where)
        return value.partition(" ")[2].strip() or value


@dataclass(frozen=True, slots=True)
class QuerySecret:
    """The secret in the URL, for sources that can prove nothing else. Whoever sees the URL can send anything."""

    parameter: str = "secret"
    name: str = "secret in the URL"

    @property
    def where(self) -> str:
        """As people write it."""
        return f"?{self.parameter}=…"

    def carried(self, delivery: Delivery) -> bool:
        """Whether the parameter is there."""
        return bool(self.token(delivery))

    def check(self, delivery: Delivery, secret: bytes, now: datetime) -> Answer:  # noqa: ARG002 - it has no time
        """Compare."""
        return _answer(self.token(delivery), secret)

    def token(self, delivery: Delivery) -> str:
        """The parameter."""
        return delivery.query.get(self.parameter, "")


@dataclass(frozen=True, slots=True)
class Gitee:
    """Gitee's token: the secret itself, or a signature of a time with it, which does not cover the body either.

    The documentation encodes the signature for URLs, deliveries in the field do not; both are right.
    Source: Gitee's webhook documentation, and samples.
    """

    name: str = "gitee token"
    where: str = "X-Gitee-Token"
    window: timedelta = timedelta(hours=1)

    def carried(self, delivery: Delivery) -> bool:
        """Whether the header is there."""
        return bool(delivery.header(self.where))

    def check(self, delivery: Delivery, secret: bytes, now: datetime) -> Answer:
        """Compare with the secret, then with its signature of the time."""
        given, stamp = delivery.header(self.where), delivery.header("X-Gitee-Timestamp")
        if _answer(given, secret) is Answer.HOLDS:
            return Answer.HOLDS
        made = hmac.new(secret, stamp.encode(errors="replace") + b"\n" + secret, hashlib.sha256).digest()
        sign = base64.b64encode(made).decode()
        if not stamp or Answer.HOLDS not in {_answer(given, each) for each in (sign, quote_plus(sign))}:
            return Answer.NO
        return _timely(stamp, 1000, now, self.window)

    def token(self, delivery: Delivery) -> str:
        """What it carries may be the secret, and may be a signature of it."""
        return unquote(delivery.header(self.where))


@dataclass(frozen=True, slots=True)
class StandardWebhook:
    """A signature after the Standard Webhooks specification, over id, time and body."""

    name: str = "standard webhook"
    where: str = "webhook-signature"
    window: timedelta = timedelta(minutes=5)

    def carried(self, delivery: Delivery) -> bool:
        """Whether the header is there."""
        return bool(delivery.header(self.where))

    def check(self, delivery: Delivery, secret: bytes, now: datetime) -> Answer:
        """Compare each of the signatures, of which there may be several, with our own."""
        key = _key(secret)
        if not key or not self.carried(delivery):
            return Answer.NO
        name, stamp = delivery.header("webhook-id"), delivery.header("webhook-timestamp")
        signed = f"{name}.{stamp}.".encode(errors="replace") + delivery.body
        ours = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
        given = delivery.header(self.where).split()
        if not (name and stamp) or Answer.HOLDS not in [_answer(each, ours) for each in given]:
            return Answer.NO
        return _timely(stamp, 1, now, self.window)

    def token(self, delivery: Delivery) -> str:  # noqa: ARG002 - a signature shows nothing
        """A signature holds no secret."""
        return ""


def _key(secret: bytes) -> bytes:
    """The key of a secret ``whsec_<base64>``, of which the prefix may be left out."""
    text = secret.removeprefix(b"whsec_").strip()
    try:
        return base64.b64decode(text + b"=" * (-len(text) % 4), validate=True)
    except (binascii.Error, ValueError):
        return b""  # no key of this scheme: it may be the token of another


def _timely(stamp: str, per_second: int, now: datetime, window: timedelta) -> Answer:
    try:
        at = datetime.fromtimestamp(int(stamp) / per_second, UTC)
    except (ValueError, OverflowError, OSError):
        return Answer.STALE  # no time is far from now
    return Answer.HOLDS if abs(now - at) <= window else Answer.STALE


def _answer(given: str, ours: str | bytes) -> Answer:
    """Compare in a time that does not tell where they differ; WSGI hands over UTF-8 as if it were Latin-1."""
    right = ours.encode() if isinstance(ours, str) else ours
    plain = hmac.compare_digest(given.encode(errors="surrogatepass"), right)
    behind_wsgi = hmac.compare_digest(given.encode("latin-1", errors="replace"), right)
    return Answer.HOLDS if plain or behind_wsgi else Answer.NO
