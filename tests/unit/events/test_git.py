"""Pushes to Git repositories: every host's deliveries become the same kind of event, or say why they are none."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from junbi.core.model import CommitRef, Event, EventKind
from junbi.errors import MalformedPayload
from junbi.events import git
from junbi.events.delivery import Delivery
from junbi.events.parsed import IgnoredCode, Parsed

SAMPLES = Path(__file__).parents[2] / "fixtures" / "events" / "git"
NOW = datetime(2026, 11, 30, 10, tzinfo=UTC)
A = "1f0c6d5b2a4e48b79c3d1e5f60718293a4b5c6d7"
B = "7b9e2c41d05f4a3688ce917d2bfa0364e5d8c1f2"
C = "c4d1a8e9370b4f56a2e7d9c80b61f3e52a7d4c90"
PATHS = frozenset({"configs/手書き.yaml", "train.py", "old/a b.py"})


def sample(name: str) -> dict[str, Any]:
    """A delivery of ours, in the real shape."""
    document: dict[str, Any] = json.loads((SAMPLES / f"{name}.json").read_text(encoding="utf-8"))
    return document


def delivery(name: str, **changes: Any) -> Delivery:
    """A sample as it comes over the wire, with other members of its body."""
    document = sample(name)
    body = document["body"] | changes if changes else document["body"]
    return Delivery(document["headers"], json.dumps(body, ensure_ascii=False).encode(), {})


def parse(name: str, **changes: Any) -> Parsed[CommitRef]:
    """A sample, read."""
    return git.parse(delivery(name, **changes), NOW)


def only(name: str, **changes: Any) -> Event[CommitRef]:
    """The one event of a sample."""
    parsed = parse(name, **changes)
    assert (parsed.malformed, parsed.ignored) == ((), ())
    (event,) = parsed.events
    return event


HTTPS = {
    "github": "github.com/vision/digits",
    "gitlab": "gitlab.example.cn/vision/models/digits",
    "gitee": "gitee.com/vision/digits",
    "codeup": "codeup.aliyun.com/vision/digits",
    "gitea": "git.example.cn:3000/vision/digits",
    "forgejo": "git.example.cn:3000/vision/digits",
    "gogs": "gogs.example.cn/vision/digits",
    "bitbucket": "bitbucket.org/vision/digits",
}


class TestEveryHost:
    """What all have in common."""

    @pytest.mark.parametrize("host", HTTPS)
    def test_a_push(self, host: str) -> None:
        """A push to a branch names the repository, the full ref, the commit it is at and the one it was at."""
        event = only(f"{host}-push")
        subject = event.subject
        assert event.kind is EventKind.REF_MOVED
        assert (subject.repository, subject.ref) == (HTTPS[host], "refs/heads/main")
        assert (subject.before, subject.commit) == (A, B)

    @pytest.mark.parametrize("path", sorted(SAMPLES.glob("*.json")), ids=lambda path: path.stem)
    def test_the_right_host_is_recognised(self, path: Path) -> None:
        """Hosts that send the headers of others as well are told apart."""
        found = git.source(delivery(path.stem))
        assert found is not None
        assert path.stem.partition("-")[0].replace("forgejo", "gitea") == found.NAME

    @pytest.mark.parametrize("path", sorted(SAMPLES.glob("*.json")), ids=lambda path: path.stem)
    def test_a_redelivery_has_the_ids_of_the_first(self, path: Path) -> None:
        """The same delivery again is the same events; another delivery's are different."""
        first, again = parse(path.stem), git.parse(delivery(path.stem), datetime(2027, 1, 1, tzinfo=UTC))
        assert [event.id for event in first.events] == [event.id for event in again.events]
        assert len({event.id for event in first.events}) == len(first.events)
        other = parse(path.stem, novel=1)
        assert not {event.id for event in other.events} & {event.id for event in first.events}

    def test_nobody_we_know(self) -> None:
        """A delivery without a known header is refused, and the error says what is missing."""
        with pytest.raises(MalformedPayload, match="a header of a Git host"):
            git.parse(Delivery({"Content-Type": "application/json"}, b"{}", {}), NOW)

    @pytest.mark.parametrize(
        ("name", "gone"),
        [
            ("github-push-deleted", "refs/heads/old"),
            ("github-push-tag-deleted", "refs/tags/v1.2.0"),
            ("github-push-sha256-deleted", "refs/heads/main"),
            ("gitlab-push-deleted", "refs/heads/old"),
            ("gitlab-tag-deleted", "refs/tags/v2"),
            ("gitee-push-deleted", "refs/heads/old"),
            ("gitee-tag-deleted", "refs/tags/v3"),
            ("codeup-push-deleted", "refs/heads/old"),
            ("gitea-push-tag-deleted", "refs/tags/v5"),
            ("gitea-delete", "refs/heads/feature/old"),
            ("gogs-delete", "refs/heads/old"),
        ],
    )
    def test_bc_92_a_deleted_ref(self, name: str, gone: str) -> None:
        """BC-92: a deletion says that the ref is gone, and never names a commit of zeros."""
        event = only(name)
        assert (event.kind, event.subject.ref, event.subject.commit) == (EventKind.REF_REMOVED, gone, "")

    @pytest.mark.parametrize(
        "name",
        ["github-push-annotated-tag", "gitlab-tag", "gitee-tag", "gitea-push-tag", "codeup-tag", "gogs-create-tag"],
    )
    def test_bc_94_a_tag_is_peeled(self, name: str) -> None:
        """BC-94: of an annotated tag the commit counts, not the tag's own object, and not ``before``."""
        event = only(name)
        assert (event.kind, event.subject.commit, event.subject.before) == (EventKind.REF_MOVED, B, "")

    @pytest.mark.parametrize(
        ("name", "ref"),
        [
            ("github-push-tag", "refs/tags/v1.2.0"),
            ("gitlab-tag", "refs/tags/v2"),
            ("gitee-tag", "refs/tags/v3"),
            ("codeup-tag", "refs/tags/v4"),
            ("gitea-push-tag", "refs/tags/v5"),
            ("gogs-create-tag", "refs/tags/v6"),
            ("github-push-slash", "refs/heads/feature/增强/🚀"),
            ("gitlab-push-new-branch", "refs/heads/feature/x"),
        ],
    )
    def test_bc_95_refs_are_full(self, name: str, ref: str) -> None:
        """BC-95: tags and branches are told apart by the full ref; a slash, CJK or emoji in a name is kept."""
        assert only(name).subject.ref == ref

    @pytest.mark.parametrize(
        ("name", "code"),
        [
            ("github-ping-organization", IgnoredCode.PING),
            ("github-create", IgnoredCode.TOLD_TWICE),
            ("github-delete", IgnoredCode.TOLD_TWICE),
            ("github-issues", IgnoredCode.NOT_A_PUSH),
            ("github-renamed", IgnoredCode.RENAMED),
            ("gitlab-merge-request", IgnoredCode.NOT_A_PUSH),
            ("gitlab-system-update", IgnoredCode.TOLD_TWICE),
            ("gitee-note", IgnoredCode.NOT_A_PUSH),
            ("codeup-note", IgnoredCode.NOT_A_PUSH),
            ("gitea-create", IgnoredCode.TOLD_TWICE),
            ("gitea-release", IgnoredCode.NOT_A_PUSH),
            ("gitea-push-test", IgnoredCode.NO_CHANGE),
            ("gogs-create-branch", IgnoredCode.TOLD_TWICE),
            ("gogs-issues", IgnoredCode.NOT_A_PUSH),
            ("bitbucket-issue", IgnoredCode.NOT_A_PUSH),
            ("bitbucket_server-ping", IgnoredCode.PING),
        ],
    )
    def test_bc_91_what_is_no_push_is_told_with_its_reason(self, name: str, code: IgnoredCode) -> None:
        """BC-91: nothing is dropped without a word: each part that is no event has a name, a code and a sentence."""
        parsed = parse(name)
        assert (parsed.events, parsed.malformed) == ((), ())
        (ignored,) = parsed.ignored
        assert ignored.code is code
        assert ignored.name
        assert ignored.message.endswith(".")

    def test_a_renamed_repository_is_told_by_its_new_address(self) -> None:
        """Whoever watches the old address reads which one to write."""
        assert "github.com/vision/digits now" in parse("github-renamed").ignored[0].message

    @pytest.mark.parametrize("host", ["github", "gitlab", "gitee", "codeup", "gitea", "gogs"])
    @pytest.mark.parametrize(
        ("change", "path"),
        [
            ({"ref": None}, "ref"),
            ({"ref": "main"}, "ref"),
            ({"ref": "refs/heads/a\nb"}, "ref"),
            ({"ref": "refs/heads/" + "x" * 5000}, "ref"),
            ({"after": "HEAD"}, "after"),
            ({"after": 7}, "after"),
            ({"before": "abc"}, "before"),
        ],
    )
    def test_bc_74_a_push_says_where_it_is_wrong(self, host: str, change: dict[str, Any], path: str) -> None:
        """BC-74: a missing or odd member is named with what was expected and what came, on one short line."""
        with pytest.raises(MalformedPayload) as caught:
            parse(f"{host}-push", **change)
        assert caught.value.path == path
        assert len(str(caught.value)) < 250
        assert str(caught.value).isprintable()

    @pytest.mark.parametrize("host", ["github", "gitlab", "gitee", "codeup", "gitea", "gogs"])
    def test_a_push_that_names_no_repository(self, host: str) -> None:
        """Without an address there is nothing to watch."""
        with pytest.raises(MalformedPayload):
            parse(f"{host}-push", repository={}, project={})


class TestPaths:
    """What a push changed, where the payload tells all of it."""

    @pytest.mark.parametrize("name", ["github-push", "github-push-slash", "gitlab-push", "gitee-push", "gitea-push"])
    def test_all_commits_are_listed(self, name: str) -> None:
        """Added, changed and removed paths of every commit, as they are, with blanks and CJK."""
        assert only(name).subject.paths == PATHS

    @pytest.mark.parametrize(
        "name",
        [
            "github-push-new-branch",
            "github-push-forced",
            "github-push-empty",
            "github-push-tag",
            "gitlab-push-truncated",
            "gitlab-push-new-branch",
            "gitlab-system-push",
            "gitee-push-truncated",
            "gitee-push-forced",
            "gitee-push-new-branch",
            "codeup-push",
            "gitea-push-truncated",
            "gogs-push",
            "bitbucket-push",
            "bitbucket-push-truncated",
        ],
    )
    def test_what_is_not_told_is_not_guessed(self, name: str) -> None:
        """Forced, cut short, new, empty or without paths: everything may have changed."""
        parsed = parse(name)
        assert parsed.events
        assert [event.subject.paths for event in parsed.events] == [None]

    def test_a_push_of_2048_commits(self) -> None:
        """GitHub lists at most 2,048 commits: with that many, more may be missing; with fewer none is."""
        one = sample("github-push")["body"]["commits"][1]
        many = [one | {"id": f"{index:040x}"} for index in range(1, 2048)] + [one]
        assert only("github-push", commits=many).subject.paths is None
        assert only("github-push", commits=many[1:]).subject.paths == {"train.py", "old/a b.py"}

    def test_a_commit_of_very_many_files(self) -> None:
        """A host may cut the list of one commit short."""
        commits = sample("github-push")["body"]["commits"]
        commits[0]["added"] = [f"data/{index}" for index in range(300)]
        assert only("github-push", commits=commits).subject.paths is None

    def test_a_list_that_does_not_end_at_the_commit(self) -> None:
        """Commits that do not lead to where the ref is tell nothing about it."""
        assert only("github-push", after=A[::-1]).subject.paths is None
        assert only("gitlab-push", after=A[::-1], checkout_sha=A[::-1]).subject.paths is None

    def test_a_tag_that_moved(self) -> None:
        """A tag that is put elsewhere need not follow the commit it was at."""
        assert only("gitlab-push", ref="refs/tags/latest").subject.paths is None
        assert only("github-push", ref="refs/tags/latest").subject.paths is None

    def test_a_push_without_the_word_forced(self) -> None:
        """Whether a push was forced must be said."""
        assert only("github-push", forced=None).subject.paths is None


class TestGitHub:
    """Its own ways."""

    def test_the_time_is_the_push(self) -> None:
        """A commit's time is whatever its author claims; ``pushed_at`` is GitHub's, and never lies ahead."""
        home = sample("github-push")["body"]["repository"]
        assert only("github-push").at == datetime(2026, 11, 30, 0, 53, 20, tzinfo=UTC)
        for odd in (None, 9e18, "soon", 1.9e9):
            assert only("github-push", repository=home | {"pushed_at": odd}).at == NOW

    def test_other_addresses(self) -> None:
        """HTTPS, SSH and Git name one repository; all spell the same."""
        assert only("github-push").subject.others == ()
        home = sample("github-push")["body"]["repository"] | {"ssh_url": "git@ssh.github.com:vision/digits.git"}
        assert only("github-push", repository=home).subject.others == ("ssh.github.com/vision/digits",)

    def test_sha_256(self) -> None:
        """Ids of 64 digits are commits too."""
        assert len(only("github-push-sha256").subject.commit) == 64

    @pytest.mark.parametrize("zeros", [1, 7, 40, 64])
    def test_zeros_of_any_number(self, zeros: int) -> None:
        """Zeros are no commit, whatever their number."""
        assert only("github-push", after="0" * zeros).kind is EventKind.REF_REMOVED

    def test_a_form(self) -> None:
        """``payload=`` of a form is the same push."""
        from urllib.parse import quote_plus

        document = sample("github-push")
        body = b"payload=" + quote_plus(json.dumps(document["body"])).encode()
        headers = document["headers"] | {"Content-Type": "application/x-www-form-urlencoded"}
        (event,) = git.parse(Delivery(headers, body, {}), NOW).events
        assert event.subject == only("github-push").subject


class TestSeveralRefs:
    """Bitbucket tells all refs of a push at once."""

    def test_bitbucket_cloud(self) -> None:
        """A moved branch, a new one, a new tag and two deletions are five events."""
        events = parse("bitbucket-push-several").events
        assert [(event.subject.ref, event.subject.commit, event.subject.before) for event in events] == [
            ("refs/heads/main", B, A),
            ("refs/heads/feature/x", C, ""),
            ("refs/tags/v7", B, ""),
            ("refs/heads/old", "", A),
            ("refs/tags/v6", "", A),
        ]

    def test_bitbucket_server(self) -> None:
        """Its addresses for SSH and HTTPS have different paths, and both are kept."""
        events = parse("bitbucket_server-push").events
        assert [(event.subject.ref, event.subject.commit) for event in events] == [
            ("refs/heads/main", B),
            ("refs/heads/old", ""),
            ("refs/tags/v8", B),
        ]
        assert events[0].subject.repository == "bitbucket.example.cn:7999/vis/digits"
        assert events[0].subject.others == ("bitbucket.example.cn/scm/vis/digits",)
        assert events[0].at == datetime(2026, 11, 30, 1, 0, 5, tzinfo=UTC)

    def test_one_odd_change_costs_the_others_nothing(self) -> None:
        """A change that cannot be read is told with its place."""
        body = sample("bitbucket-push-several")["body"]
        body["push"]["changes"][1]["new"]["type"] = "galaxy"
        body["push"]["changes"][2] = None
        parsed = parse("bitbucket-push-several", push=body["push"])
        assert len(parsed.events) == 3
        assert [problem.path for problem in parsed.malformed] == ["push.changes[1].new.type", "push.changes[2]"]


class TestSystemHooks:
    """One hook for many repositories."""

    def test_gitlab_system_push(self) -> None:
        """A system hook's push is a push."""
        event = only("gitlab-system-push")
        assert (event.subject.ref, event.subject.commit) == ("refs/heads/main", B)

    def test_each_delivery_names_its_own_repository(self) -> None:
        """An organisation's hook sends pushes of many repositories; each names its own."""
        home = sample("github-push")["body"]["repository"]
        other = {name: value.replace("digits", "words") for name, value in home.items() if isinstance(value, str)}
        assert only("github-push", repository=other).subject.repository == "github.com/vision/words"
