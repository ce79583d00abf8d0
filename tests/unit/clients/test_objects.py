"""OSS over real sockets: what its answers become, and how its failures are told apart."""

from __future__ import annotations

import logging
import socket
import time
import traceback
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import pytest

from junbi.clients.credentials import Credentials
from junbi.clients.objects import ObjectStore
from junbi.errors import CallFailed, NotDone, OutcomeUnknown, Refused

if TYPE_CHECKING:
    from collections.abc import Callable

#: Seconds that a loaded machine may take on top of a short deadline; what is held off here would take far longer.
PATIENCE = 4.0
KEYS = Credentials("key-id", "s3cret-value", "t0ken-value")


def store(url: str, deadline: float = 10.0) -> ObjectStore:
    """The client under test."""
    return ObjectStore(url, "cn-hangzhou", KEYS, deadline=deadline)


def error(code: str, message: str = "m") -> bytes:
    """An error body of OSS."""
    return f"<Error><Code>{code}</Code><Message>{message}</Message><RequestId>R</RequestId></Error>".encode()


def listing(*keys: str, token: str = "", prefixes: tuple[str, ...] = ()) -> bytes:
    """A listing, keys percent-encoded by the caller."""
    contents = "".join(
        f"<Contents><Key>{key}</Key><LastModified>2026-11-30T10:22:32.000Z</LastModified><ETag>&quot;E&quot;</ETag>"
        f"<Type>Normal</Type><Size>5</Size><StorageClass>Standard</StorageClass></Contents>"
        for key in keys
    )
    folded = "".join(f"<CommonPrefixes><Prefix>{prefix}</Prefix></CommonPrefixes>" for prefix in prefixes)
    more = f"<NextContinuationToken>{token}</NextContinuationToken>" if token else ""
    truncated = str(bool(token)).lower()
    return (
        f"<ListBucketResult><EncodingType>url</EncodingType><IsTruncated>{truncated}</IsTruncated>{more}"
        f"{contents}{folded}</ListBucketResult>"
    ).encode()


def query(request: bytes) -> dict[str, list[str]]:
    """The decoded query of a recorded request."""
    return parse_qs(urlsplit(request.split(b" ")[1].decode()).query)


class TestListing:
    """Pages of a listing."""

    def test_an_object_is_read_whole(self, serve: Callable[..., Any], acts: Any) -> None:
        """Keys come as OSS uses them, times in UTC, tags without quotes."""
        server = serve(acts.reply(200, listing("%E6%97%A5%E6%9C%AC/a%20%2B%25.txt")))
        page = store(server.url).list_page("bucket-a", "日本/")
        (item,) = page.objects
        assert (item.key, item.size, item.etag) == ("日本/a +%.txt", 5, "E")
        assert item.last_modified == datetime(2026, 11, 30, 10, 22, 32, tzinfo=UTC)
        assert (page.prefixes, page.next) == ((), None)
        assert query(server.requests[0])["prefix"] == ["日本/"]

    def test_a_page_goes_on_behind_its_last_key(self, serve: Callable[..., Any], acts: Any) -> None:
        """Without a delimiter the cursor is a key, so that it can be stored and outlives any token."""
        server = serve(acts.reply(200, listing("a", "b", token="T")), acts.reply(200, listing("c")))
        first = store(server.url).list_page("bucket-a", "", limit=2)
        assert first.next == "b"
        store(server.url).list_page("bucket-a", "", first.next, limit=2)
        sent = query(server.requests[1])
        assert (sent["start-after"], sent["max-keys"]) == (["b"], ["2"])
        assert "continuation-token" not in sent

    def test_folded_pages_go_on_with_the_services_token(self, serve: Callable[..., Any], acts: Any) -> None:
        """With a delimiter the last entry may be a prefix, which is no key to begin behind."""
        server = serve(acts.reply(200, listing(token="T+/=", prefixes=("a/",))), acts.reply(200, listing()))
        first = store(server.url).list_page("bucket-a", "", delimiter="/")
        assert first.prefixes == ("a/",)
        store(server.url).list_page("bucket-a", "", first.next, delimiter="/")
        sent = query(server.requests[1])
        assert sent["continuation-token"] == ["T+/="]
        assert "start-after" not in sent

    def test_it_is_signed_with_v4_and_the_token(self, serve: Callable[..., Any], acts: Any) -> None:
        """The newer signature, with the region and the short-lived key's token."""
        server = serve(acts.reply(200, listing()))
        store(server.url).list_page("bucket-a", "")
        head = server.requests[0].lower()
        assert b"authorization: oss4-hmac-sha256 credential=key-id/" in head
        assert b"/cn-hangzhou/oss/aliyun_v4_request" in head
        assert b"x-oss-security-token: t0ken-value" in head


class TestHead:
    """One object."""

    def test_absence_is_no_error(self, serve: Callable[..., Any], acts: Any) -> None:
        """An object that is not there is None."""
        assert store(serve(acts.reply(404)).url).head("bucket-a", "k") is None

    def test_a_missing_bucket_is(self, serve: Callable[..., Any], acts: Any) -> None:
        """A bucket that is not there is a refusal, also where OSS tells it in a header only."""
        told = "PEVycm9yPjxDb2RlPk5vU3VjaEJ1Y2tldDwvQ29kZT48L0Vycm9yPg=="
        server = serve(acts.reply(404, b"", x_oss_err=told))
        with pytest.raises(Refused, match="NoSuchBucket"):
            store(server.url).head("bucket-a", "k")


class TestFailures:
    """OSS's failures are the same three errors."""

    @pytest.mark.parametrize(
        ("status", "code", "kind"),
        [
            (403, "AccessDenied", Refused),
            (404, "NoSuchBucket", Refused),
            (503, "QpsLimitExceeded", NotDone),
            (403, "SecurityTokenExpired", NotDone),
            (403, "RequestTimeTooSkewed", NotDone),
            (500, "InternalError", OutcomeUnknown),
        ],
    )
    def test_answers(
        self, serve: Callable[..., Any], acts: Any, status: int, code: str, kind: type[CallFailed]
    ) -> None:
        """An answer is judged by its code; a put is sent once."""
        server = serve(acts.reply(status, error(code, "no &amp; no"), x_oss_request_id="R-1"))
        with pytest.raises(kind) as caught:
            store(server.url).put("bucket-a", "k", b"data")
        assert type(caught.value) is kind
        assert (caught.value.code, caught.value.message, caught.value.request_id) == (code, "no & no", "R-1")
        assert len(server.requests) == 1

    @pytest.mark.parametrize("act", ["reset", "hang_up"])
    def test_a_broken_connection_leaves_a_put_unknown(self, serve: Callable[..., Any], acts: Any, act: str) -> None:
        """The object may be there; it was sent once."""
        server = serve(getattr(acts, act))
        with pytest.raises(OutcomeUnknown, match="connection_lost"):
            store(server.url).put("bucket-a", "k", b"data")
        assert len(server.requests) == 1

    def test_silence_is_unknown(self, serve: Callable[..., Any], acts: Any) -> None:
        """No answer in time."""
        with pytest.raises(OutcomeUnknown, match="timeout"):
            store(serve(acts.silence).url, deadline=1.0).put("bucket-a", "k", b"data")

    def test_a_closed_port_is_not_done(self) -> None:
        """Nobody listens, so nothing was written."""
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
        with pytest.raises(NotDone, match="unreachable"):
            store(f"http://127.0.0.1:{port}").put("bucket-a", "k", b"data")

    @pytest.mark.parametrize("body", [b"<html>", b"<ListBucketResult></ListBucketResult>"])
    def test_an_unreadable_listing_is_no_empty_one(self, serve: Callable[..., Any], acts: Any, body: bytes) -> None:
        """A listing that cannot be read is told, and never taken for one without objects."""
        with pytest.raises(OutcomeUnknown, match="unreadable_answer"):
            store(serve(acts.reply(200, body)).url, deadline=1.0).list_page("bucket-a", "")

    def test_half_a_listing_is_no_listing(self, serve: Callable[..., Any], acts: Any) -> None:
        """A body that ends early is read again."""
        server = serve(acts.half, acts.reply(200, listing("a")))
        assert len(store(server.url).list_page("bucket-a", "").objects) == 1
        assert len(server.requests) == 2

    def test_a_name_that_no_bucket_has_is_refused(self) -> None:
        """Nothing is sent for it."""
        with pytest.raises(Refused, match="ClientError"):
            store("http://127.0.0.1:1").list_page("No Bucket", "")

    def test_reads_are_repeated_within_the_deadline(self, serve: Callable[..., Any], acts: Any) -> None:
        """A listing that was throttled is asked for again; one that never works ends in time."""
        throttled = acts.reply(503, error("QpsLimitExceeded"))
        server = serve(throttled, acts.reply(200, listing("a")))
        assert len(store(server.url).list_page("bucket-a", "").objects) == 1
        began = time.monotonic()
        with pytest.raises(OutcomeUnknown):
            store(serve(acts.silence).url, deadline=1.6).list_page("bucket-a", "")
        assert time.monotonic() - began < PATIENCE


class TestSecrets:
    """Nothing secret is shown, and nobody in between is asked."""

    def test_no_secret_in_repr_errors_or_logs(
        self, serve: Callable[..., Any], acts: Any, caplog: pytest.LogCaptureFixture
    ) -> None:
        """OSS echoes the canonical request, token included, where a signature is wrong; oss2 logs it at INFO."""
        caplog.set_level(logging.DEBUG)
        echo = error("SignatureDoesNotMatch", "x-oss-security-token:t0ken-value s3cret-value")
        client = store(serve(acts.reply(403, echo)).url)
        with pytest.raises(Refused) as caught:
            client.put("bucket-a", "k", b"data")
        text = "".join(traceback.format_exception(caught.value)) + repr(client) + caplog.text
        assert "s3cret" not in text
        assert "t0ken" not in text

    def test_proxies_of_the_environment_are_ignored(
        self, serve: Callable[..., Any], acts: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A proxy variable left in the environment sees no signed request."""
        proxy, server = serve(acts.reply(200)), serve(acts.reply(200, listing()))
        monkeypatch.setenv("http_proxy", proxy.url)
        monkeypatch.setenv("no_proxy", "")
        store(server.url).list_page("bucket-a", "")
        assert proxy.requests == []
