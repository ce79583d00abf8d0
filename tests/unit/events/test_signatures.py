"""Who sent a delivery: kept libraries agree with us on what is signed, and nothing else is believed."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from datetime import UTC, datetime, timedelta
from urllib.parse import quote_plus

import gidgethub
import pytest
from gidgethub import sansio
from hypothesis import given
from hypothesis import strategies as st
from standardwebhooks import Webhook, WebhookVerificationError

from junbi.events import git, registry
from junbi.events.delivery import Delivery
from junbi.events.git import bitbucket, codeup, gitea, gitee, github, gitlab, gogs
from junbi.events.proofs import StandardWebhook
from junbi.events.registry import acr, harbor
from junbi.events.signatures import Refusal, RefusalCode, Verified, fingerprint, replay_key, verify

NOW = datetime(2026, 11, 30, 10, tzinfo=UTC)
OLD, NEW = "the-secret-of-last-year", "the-secret-of-this-year"
BODY = json.dumps({"message": "Tune 🚀 手書き"}, ensure_ascii=False).encode()
WHSEC = "whsec_" + base64.b64encode(b"0123456789abcdef0123456789abcdef").decode()


def hexed(secret: str, body: bytes = BODY, name: str = "sha256") -> str:
    """A hex HMAC."""
    return hmac.new(secret.encode(), body, name).hexdigest()


def signed(secret: str = NEW, body: bytes = BODY, **headers: str) -> Delivery:
    """A delivery as GitHub signs it."""
    return Delivery({"X-Hub-Signature-256": "sha256=" + hexed(secret, body), **headers}, body, {})


def refused(found: Verified | Refusal) -> RefusalCode:
    """Why it was refused; what it says is a sentence and a remedy."""
    assert isinstance(found, Refusal)
    assert found.message.endswith(".")
    assert found.fix.endswith(".")
    return found.code


class TestHmac:
    """A hex HMAC-SHA256 of the body."""

    @pytest.mark.parametrize(
        ("source", "header", "prefix"),
        [
            (github, "X-Hub-Signature-256", "sha256="),
            (gitea, "X-Gitea-Signature", ""),
            (gitea, "X-Forgejo-Signature", ""),
            (gitea, "X-Hub-Signature-256", "sha256="),
            (gogs, "X-Gogs-Signature", ""),
            (bitbucket, "X-Hub-Signature", "sha256="),
        ],
    )
    def test_every_host(self, source: git.Source, header: str, prefix: str) -> None:
        """The right one holds, one of another secret or body does not."""
        good = Delivery({header: prefix + hexed(NEW)}, BODY, {})
        assert isinstance(verify(good, source.PROOFS, [NEW], NOW), Verified)
        assert refused(verify(good, source.PROOFS, [OLD], NOW)) is RefusalCode.WRONG_SECRET
        for index in range(len(BODY)):
            body = BODY[:index] + bytes([BODY[index] ^ 1]) + BODY[index + 1 :]
            changed = Delivery({header: prefix + hexed(NEW)}, body, {})
            assert refused(verify(changed, source.PROOFS, [NEW], NOW)) is RefusalCode.WRONG_SECRET

    @given(body=st.binary(max_size=300), secret=st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
    def test_bc_77_a_kept_library_agrees(self, body: bytes, secret: str) -> None:
        """BC-77: over any bytes and secret, emoji or not, gidgethub accepts and refuses what we do."""
        delivery = signed(secret, body)
        signature = delivery.header("X-Hub-Signature-256")
        sansio.validate_event(body, signature=signature, secret=secret)
        assert isinstance(verify(delivery, github.PROOFS, [secret], NOW), Verified) == bool(
            secret.strip().removeprefix("whsec_")
        )
        with pytest.raises(gidgethub.ValidationFailure):
            sansio.validate_event(body + b"\n", signature=signature, secret=secret)
        other = Delivery(delivery.headers, body + b"\n", {})
        assert not isinstance(verify(other, github.PROOFS, [secret], NOW), Verified)

    def test_bc_85_a_form_is_verified_as_it_came(self) -> None:
        """BC-85: of a form, the signature covers the form."""
        form = b"payload=" + quote_plus(BODY).encode()
        assert isinstance(verify(signed(NEW, form), github.PROOFS, [NEW], NOW), Verified)

    def test_the_prefix_belongs_to_it(self) -> None:
        """A bare signature under GitHub's header was not made by GitHub."""
        bare = Delivery({"X-Hub-Signature-256": hexed(NEW)}, BODY, {})
        assert refused(verify(bare, github.PROOFS, [NEW], NOW)) is RefusalCode.WRONG_SECRET

    def test_sha_1_alone_is_refused(self) -> None:
        """GitHub's old signature can be forged; it says so."""
        legacy = Delivery({"X-Hub-Signature": "sha1=" + hexed(NEW, name="sha1")}, BODY, {})
        assert refused(verify(legacy, github.PROOFS, [NEW], NOW)) is RefusalCode.WEAK_SCHEME
        assert refused(verify(legacy, bitbucket.PROOFS, [NEW], NOW)) is RefusalCode.WEAK_SCHEME
        both = signed(**{"X-Hub-Signature": "sha1=" + "0" * 40})
        assert isinstance(verify(both, github.PROOFS, [NEW], NOW), Verified)

    @pytest.mark.parametrize(
        "value", ["", "sha256=", "sha256", "sha256=" + "g" * 64, "é", "\udcff", "sha256=é", "x" * 9000]
    )
    def test_odd_headers(self, value: str) -> None:
        """Whatever stands in a header, an answer."""
        odd = Delivery({"X-Hub-Signature-256": value}, BODY, {})
        assert refused(verify(odd, github.PROOFS, [NEW], NOW)) in {RefusalCode.NO_PROOF, RefusalCode.WRONG_SECRET}


class TestSecrets:
    """Which secret."""

    def test_bc_82_two_secrets_during_a_rotation(self) -> None:
        """BC-82: both are valid, and the answer tells which one held, without showing it."""
        for index, secret in enumerate([NEW, OLD]):
            found = verify(signed(secret), github.PROOFS, [NEW, OLD], NOW)
            assert isinstance(found, Verified)
            assert (found.secret, found.fingerprint) == (index, fingerprint(secret))

    @pytest.mark.parametrize("empty", [[], [""], ["  "], ["", "\n"], ["whsec_"]])
    def test_an_empty_secret_holds_for_nothing(self, empty: list[str]) -> None:
        """A secret that was forgotten refuses everything, also a delivery that was signed with it."""
        for source in git.SOURCES:
            for secret in ["", *empty]:
                headers = {
                    "X-Hub-Signature-256": "sha256=" + hexed(secret),
                    "X-Hub-Signature": "sha256=" + hexed(secret),
                    "X-Gitea-Signature": hexed(secret),
                    "X-Gogs-Signature": hexed(secret),
                    "X-Gitlab-Token": secret,
                    "X-Gitee-Token": secret,
                    "X-Codeup-Token": secret,
                    "Authorization": secret,
                }
                found = verify(
                    Delivery(headers, BODY, {"secret": secret}), source.PROOFS, empty, NOW, secret_in_url=True
                )
                assert refused(found) is RefusalCode.NO_SECRET

    def test_an_empty_secret_beside_a_real_one(self) -> None:
        """The real one still counts, and its place in the list is told."""
        found = verify(signed(), github.PROOFS, ["", NEW], NOW)
        assert isinstance(found, Verified)
        assert found.secret == 1
        assert refused(verify(signed(""), github.PROOFS, ["", NEW], NOW)) is RefusalCode.WRONG_SECRET

    def test_nothing_secret_is_told(self) -> None:
        """Neither our secrets nor the one that was presented stand in an answer."""
        wrong = Delivery({"X-Gitlab-Token": "presented-secret"}, BODY, {"secret": "another-secret"})
        for found in (
            verify(wrong, gitlab.PROOFS, [NEW], NOW, secret_in_url=True),
            verify(signed(), github.PROOFS, [NEW], NOW),
        ):
            assert not [secret for secret in (NEW, "presented-secret", "another-secret") if secret in repr(found)]

    def test_fingerprints_tell_secrets_apart(self) -> None:
        """Short, and different for different secrets."""
        assert fingerprint(NEW) == fingerprint(NEW) != fingerprint(OLD)
        assert len(fingerprint(NEW)) == 8


class TestTokens:
    """The secret itself."""

    @pytest.mark.parametrize(
        ("source", "header"),
        [(gitlab, "X-Gitlab-Token"), (codeup, "X-Codeup-Token"), (gitee, "X-Gitee-Token"), (harbor, "Authorization")],
    )
    def test_every_source(self, source: git.Source, header: str) -> None:
        """The right one holds, one that only begins like it does not."""
        assert isinstance(verify(Delivery({header: NEW}, BODY, {}), source.PROOFS, [NEW], NOW), Verified)
        for wrong in (NEW[:-1], NEW + "x", NEW.upper(), OLD):
            found = verify(Delivery({header: wrong}, BODY, {}), source.PROOFS, [NEW], NOW)
            assert refused(found) is RefusalCode.WRONG_SECRET
            assert isinstance(found, Refusal)
            assert found.facts == {"secrets": fingerprint(NEW), "presented": fingerprint(wrong)}

    @pytest.mark.parametrize("word", ["Bearer", "Basic", "token"])
    def test_authorization_behind_a_word(self, word: str) -> None:
        """``Bearer secret`` is the secret, and so is the whole where the whole is configured."""
        delivery = Delivery({"Authorization": f"{word} {NEW}"}, BODY, {})
        assert isinstance(verify(delivery, harbor.PROOFS, [NEW], NOW), Verified)
        assert isinstance(verify(delivery, harbor.PROOFS, [f"{word} {NEW}"], NOW), Verified)
        assert refused(verify(delivery, harbor.PROOFS, [OLD], NOW)) is RefusalCode.WRONG_SECRET

    def test_a_secret_that_is_no_ascii(self) -> None:
        """A header's UTF-8 comes through WSGI as Latin-1, and is the same secret."""
        secret = "秘密の鍵"
        for value in (secret, secret.encode().decode("latin-1")):
            found = verify(Delivery({"X-Gitlab-Token": value}, BODY, {}), gitlab.PROOFS, [secret], NOW)
            assert isinstance(found, Verified)


class TestGitee:
    """A signature of a time."""

    SECRET, STAMP = "bBg5lrt03VixkX85CNqYIcecC0SIGASE", "1633679083918"
    SIGN = "Xvh4YPVe6l31XpDRL9J2yeaEXabsckIoUUschpXiVck="
    AT = datetime(2021, 10, 8, 7, 44, 43, tzinfo=UTC)

    @pytest.mark.parametrize("sign", [SIGN, quote_plus(SIGN)])
    def test_a_published_signature(self, sign: str) -> None:
        """A sample from the field holds, encoded for URLs or not."""
        delivery = Delivery({"X-Gitee-Token": sign, "X-Gitee-Timestamp": self.STAMP}, BODY, {})
        found = verify(delivery, gitee.PROOFS, [self.SECRET], self.AT)
        assert isinstance(found, Verified)

    @pytest.mark.parametrize("hours", [-1.01, 1.01, 24 * 365])
    def test_outside_the_hour(self, hours: float) -> None:
        """An hour later the same one is refused, and the answer says that it was right."""
        delivery = Delivery({"X-Gitee-Token": self.SIGN, "X-Gitee-Timestamp": self.STAMP}, BODY, {})
        found = verify(delivery, gitee.PROOFS, [self.SECRET], self.AT + timedelta(hours=hours))
        assert refused(found) is RefusalCode.OUTSIDE_WINDOW

    @pytest.mark.parametrize("stamp", ["", "1633679083919", "soon"])
    def test_another_time(self, stamp: str) -> None:
        """The signature covers the time."""
        delivery = Delivery({"X-Gitee-Token": self.SIGN, "X-Gitee-Timestamp": stamp}, BODY, {})
        assert refused(verify(delivery, gitee.PROOFS, [self.SECRET], self.AT)) is RefusalCode.WRONG_SECRET


class TestStandardWebhooks:
    """Id, time and body."""

    def made(self, at: datetime, body: bytes = BODY, secret: str = WHSEC) -> Delivery:
        """Signed by the kept library."""
        signature = Webhook(secret).sign("msg_1", at, body.decode())
        headers = {
            "webhook-id": "msg_1",
            "webhook-timestamp": str(int(at.timestamp())),
            "webhook-signature": signature,
        }
        return Delivery(headers, body, {})

    def test_what_the_kept_library_signs(self) -> None:
        """Its signature holds, alone, among others, and with a secret without the prefix."""
        delivery = self.made(NOW)
        assert isinstance(verify(delivery, gitlab.PROOFS, [WHSEC], NOW), Verified)
        assert isinstance(verify(delivery, gitlab.PROOFS, [WHSEC.removeprefix("whsec_")], NOW), Verified)
        several = dict(delivery.headers) | {"webhook-signature": "v1,AAAA v2,x " + delivery.header("webhook-signature")}
        assert isinstance(verify(Delivery(several, BODY, {}), gitlab.PROOFS, [OLD, WHSEC], NOW), Verified)

    def test_what_the_kept_library_accepts(self) -> None:
        """Of one body with one byte changed, both say no; of the right one, both say yes."""
        now = datetime.now(UTC)
        delivery = self.made(now)
        Webhook(WHSEC).verify(delivery.body, dict(delivery.headers))
        assert isinstance(verify(delivery, [StandardWebhook()], [WHSEC], now), Verified)
        changed = Delivery(delivery.headers, BODY.replace(b"Tune", b"tune"), {})
        with pytest.raises(WebhookVerificationError):
            Webhook(WHSEC).verify(changed.body, dict(changed.headers))
        assert refused(verify(changed, [StandardWebhook()], [WHSEC], now)) is RefusalCode.WRONG_SECRET

    @pytest.mark.parametrize("seconds", [-301, 301, 86_400])
    def test_outside_five_minutes(self, seconds: int) -> None:
        """A replay later, or one from the future, is refused."""
        found = verify(self.made(NOW), gitlab.PROOFS, [WHSEC], NOW + timedelta(seconds=seconds))
        assert refused(found) is RefusalCode.OUTSIDE_WINDOW
        inside = verify(self.made(NOW), gitlab.PROOFS, [WHSEC], NOW + timedelta(seconds=seconds / abs(seconds) * 299))
        assert isinstance(inside, Verified)

    @pytest.mark.parametrize("name", ["webhook-id", "webhook-timestamp"])
    def test_each_part_is_covered(self, name: str) -> None:
        """Another id or time, or none, is another signature."""
        delivery = self.made(NOW)
        for value in ("", "1796000001"):
            other = Delivery(dict(delivery.headers) | {name: value}, BODY, {})
            assert refused(verify(other, gitlab.PROOFS, [WHSEC], NOW)) is RefusalCode.WRONG_SECRET

    def test_an_id_and_a_time_must_be_there(self) -> None:
        """A signature over an empty id or time is none of this scheme, though it was made with the secret."""
        key = base64.b64decode(WHSEC.removeprefix("whsec_"))
        stamp = str(int(NOW.timestamp()))
        for name, at in (("", stamp), ("msg_1", "")):
            made = hmac.new(key, f"{name}.{at}.".encode() + BODY, hashlib.sha256).digest()
            signature = "v1," + base64.b64encode(made).decode()
            headers = {"webhook-id": name, "webhook-timestamp": at, "webhook-signature": signature}
            found = verify(Delivery(headers, BODY, {}), [StandardWebhook()], [WHSEC], NOW)
            assert refused(found) is RefusalCode.WRONG_SECRET

    def test_a_body_that_is_no_text(self) -> None:
        """The signature covers bytes."""
        body = b"\xff\xfe"
        signature = hmac.new(b"0123456789abcdef0123456789abcdef", b"m.%d." % NOW.timestamp() + body, hashlib.sha256)
        headers = {
            "webhook-id": "m",
            "webhook-timestamp": str(int(NOW.timestamp())),
            "webhook-signature": "v1," + base64.b64encode(signature.digest()).decode(),
        }
        assert isinstance(verify(Delivery(headers, body, {}), gitlab.PROOFS, [WHSEC], NOW), Verified)


class TestUnsignedSources:
    """Sources that prove nothing."""

    def test_bc_89_only_when_opted_in(self) -> None:
        """BC-89: without an opt-in they are refused, whatever they carry; with it, a secret in the URL decides."""
        good = Delivery({}, BODY, {"secret": NEW})
        assert refused(verify(good, acr.PROOFS, [NEW], NOW)) is RefusalCode.UNSIGNED_SOURCE
        assert isinstance(verify(good, acr.PROOFS, [NEW], NOW, secret_in_url=True), Verified)
        wrong = Delivery({}, BODY, {"secret": OLD})
        assert refused(verify(wrong, acr.PROOFS, [NEW], NOW, secret_in_url=True)) is RefusalCode.WRONG_SECRET
        none = verify(Delivery({}, BODY, {}), acr.PROOFS, [NEW], NOW, secret_in_url=True)
        assert refused(none) is RefusalCode.NO_PROOF

    def test_bc_89_a_signed_source_takes_no_secret_in_the_url(self) -> None:
        """BC-89: where nobody opted in, a secret in the URL is no proof."""
        good = Delivery({}, BODY, {"secret": NEW})
        assert refused(verify(good, bitbucket.PROOFS, [NEW], NOW)) is RefusalCode.NO_PROOF
        assert isinstance(verify(good, bitbucket.PROOFS, [NEW], NOW, secret_in_url=True), Verified)

    def test_what_a_registry_can_prove(self) -> None:
        """GitHub signs its packages; of the others nothing is parsed before their ``Authorization`` held."""
        assert registry.proofs(Delivery({"X-GitHub-Event": "package"}, b"", {})) == github.PROOFS
        assert registry.proofs(Delivery({}, b"not even JSON", {})) == harbor.PROOFS


class TestRefusals:
    """What is said to whom nobody vouches for."""

    @pytest.mark.parametrize("source", git.SOURCES, ids=lambda source: source.NAME)
    def test_bc_86_no_proof_at_all(self, source: git.Source) -> None:
        """BC-86: a missing signature is refused with the header that is missing, and is no crash."""
        found = verify(Delivery({}, BODY, {}), source.PROOFS, [NEW], NOW)
        assert refused(found) is RefusalCode.NO_PROOF
        assert isinstance(found, Refusal)
        assert source.PROOFS[0].where in found.message

    def test_the_proof_of_another_source(self) -> None:
        """A GitLab token at GitHub's door is named as what it is."""
        found = verify(Delivery({"X-Gitlab-Token": NEW}, BODY, {}), github.PROOFS, [NEW], NOW)
        assert refused(found) is RefusalCode.OTHER_SCHEME
        assert isinstance(found, Refusal)
        assert "X-Gitlab-Token (GitLab)" in found.message


class TestReplayKeys:
    """What tells copies of a delivery from another."""

    def test_a_redelivery_has_the_key_of_the_first(self) -> None:
        """The sender's id and the body make it."""
        first, again = (signed(**{"X-GitHub-Delivery": "d-1", "X-Other": other}) for other in ("a", "b"))
        assert replay_key(first) == replay_key(again)
        found = verify(first, github.PROOFS, [NEW], NOW)
        assert isinstance(found, Verified)
        assert found.replay == replay_key(first)

    def test_another_id_or_body_is_another_delivery(self) -> None:
        """Pushes back and forth can have one body; one id can be given to any body."""
        keys = {
            replay_key(signed(**{"X-GitHub-Delivery": "d-1"})),
            replay_key(signed(**{"X-GitHub-Delivery": "d-2"})),
            replay_key(signed(body=b"{}", **{"X-GitHub-Delivery": "d-1"})),
            replay_key(signed()),
        }
        assert len(keys) == 4
