"""Watched code, from a real push to a job that runs the pushed commit."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest
from tests.pipeline.doors import SECRET, opened, until

from junbi.core.facts import InputKind, LaunchState
from junbi.core.plan import CodeSpec, JobTemplate, Workers
from junbi.emulator.git import Webhook
from junbi.events.delivery import Delivery
from junbi.events.git.address import alike, canonical
from junbi.pipeline import git_door, receive

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import Any

    from tests.pipeline.conftest import World
    from tests.pipeline.doors import Answers


class Clone:
    """A working copy whose pushes go to the local Git host."""

    def __init__(self, directory: Path, url: str) -> None:
        self.directory, self.url = directory, url
        directory.mkdir()
        self.git("init", "--quiet", "--initial-branch=main")
        self.git("remote", "add", "origin", url)

    def git(self, *arguments: str) -> str:
        """Run the real git."""
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.directory.parent),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_NAME": "Ada",
            "GIT_AUTHOR_EMAIL": "ada@example.com",
            "GIT_COMMITTER_NAME": "Ada",
            "GIT_COMMITTER_EMAIL": "ada@example.com",
        }
        done = subprocess.run(
            ["git", *arguments], cwd=self.directory, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def commit(self, path: str, content: str, message: str = "change") -> str:
        """Write a file and commit it; the commit."""
        file = self.directory / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content, encoding="utf-8")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", message)
        return self.git("rev-parse", "HEAD")

    def push(self, *what: str) -> None:
        """Push."""
        self.git("push", "--quiet", "origin", *(what or ("HEAD:main",)))


@pytest.fixture
def delivered(world: World, monkeypatch: pytest.MonkeyPatch) -> Iterator[Answers]:
    """What the door answers; the local Git host calls it over a real socket."""
    monkeypatch.setenv("JUNBI_SECRET_HOOK", SECRET)
    with opened(git_door, world) as (url, answers):
        world.cloud.git_host.webhooks.append(Webhook(url, SECRET))
        yield answers


def line(world: World, **more: Any) -> CodeSpec:
    """The branch main of vision/trainer on the local host."""
    values = {
        "repository": f"{world.cloud.git}/vision/trainer.git",
        "branch": "main",
        "webhook": ("HOOK",),
        "mount": "/root/code",
        **more,
    }
    return CodeSpec(name="trainer", address=alike(canonical(values["repository"])), **values)


def declare(world: World, watched: CodeSpec, *, on: tuple[str, ...] = ("digits", "trainer")) -> None:
    """Apply a plan that trains with the code."""
    plan = world.plan(
        on=on,
        datasets=("digits",),
        code="trainer",
        code_mount=watched.mount,
        job=JobTemplate(
            type="PyTorchJob",
            workers=Workers(),
            command="cat /root/code/train.txt; echo {trainer.commit} > /mnt/out/commit",
        ),
    )
    world.apply(world.generation([world.dataset()], [plan]).model_copy(update={"code": {"trainer": watched}}))


@pytest.fixture
def clone(world: World, tmp_path: Path) -> Clone:
    """A clone of vision/trainer with a first commit, pushed."""
    made = Clone(tmp_path / "clone", f"{world.cloud.git}/vision/trainer.git")
    made.commit("train.txt", "one")
    made.push()
    return made


def heads(world: World) -> list[str]:
    """The commits of all revisions of the code, newest first."""
    return [one.digest for one in world.ledger.revisions.newest() if one.kind is InputKind.CODE]


def test_a_push_trains_with_the_pushed_commit(world: World, clone: Clone, delivered: Answers) -> None:
    """A real git push, told by a real webhook: the job checks out exactly that commit and runs it."""
    declare(world, line(world))
    world.deliver(world.upload("v1"))
    world.settle(ticks=3)
    assert not world.launches or world.launches[0].state is not LaunchState.SUCCEEDED
    commit = clone.commit("train.txt", "two")
    clone.push()
    until(lambda: delivered)
    assert (delivered[0].status, delivered[0].body["noted"]) == (200, ["trainer"])
    launch = world.until(LaunchState.SUCCEEDED)
    job = world.cloud.dlc.jobs.get(launch.job_id)
    assert job.request["CodeSource"]["Commit"] == commit
    assert world.cloud.dlc.executor.logs(job.pods[0].pod_id, 10)[0] == "two"
    assert launch.pins["trainer"] == world.ledger.revisions.head("trainer").id  # type: ignore[union-attr]


def test_there_is_one_code_source_however_many_commits(world: World, clone: Clone) -> None:
    """Found or created once, seen by the whole workspace; the commit is pinned in each job."""
    declare(world, line(world))
    world.deliver(world.upload("v1"))
    world.settle(ticks=4)
    for number in range(3):
        clone.commit("train.txt", f"again {number}")
        clone.push()
        world.settle(ticks=4)
    (source,) = world.cloud.dlc.workspace.code_sources.all()
    assert (source.display_name, source.accessibility) == ("vision-trainer", "PUBLIC")
    assert len(heads(world)) == 4
    commits = {job.request["CodeSource"]["Commit"] for job in world.jobs}
    assert commits == set(heads(world))


def test_with_every_push_lost_the_timer_finds_the_commit(world: World, clone: Clone) -> None:
    """A push is a hint: nothing but time is needed to find where the branch is."""
    declare(world, line(world, webhook=()))
    world.settle(ticks=2)
    commit = clone.commit("train.txt", "lost")
    clone.push()
    world.settle(ticks=5)
    assert heads(world)[0] == commit


def test_what_was_there_before_starts_nothing_and_is_trained_with(world: World, clone: Clone) -> None:
    """'initial: ignore': the commit at the first apply is pinned by the next version of the data, and launches none."""
    declare(world, line(world))
    world.settle(ticks=2)
    assert world.launches == []
    world.deliver(world.upload("v1"))
    launch = world.until(LaunchState.SUCCEEDED)
    assert world.ledger.revisions.get(launch.pins["trainer"]).digest == clone.git("rev-parse", "HEAD")


def test_data_that_came_before_the_first_look_waits_for_it(world: World, clone: Clone) -> None:
    """The upload is complete before the repository was ever read: the plan is evaluated once more then."""
    declare(world, line(world, repository="http://127.0.0.1:1/vision/trainer.git"))
    world.deliver(world.upload("v1"))
    world.settle(ticks=2)
    assert world.launches == []
    declare(world, line(world))
    assert world.until(LaunchState.SUCCEEDED).pins.keys() == {"digits", "trainer"}
    assert len(clone.git("rev-parse", "HEAD")) == 40


def test_paths_that_nobody_watches_start_nothing(world: World, clone: Clone, delivered: Answers) -> None:
    """A push of other paths is passed over and says so; what it skipped is in the next commit that counts."""
    declare(world, line(world, paths=("train/**",)))
    world.settle(ticks=2)
    clone.commit("docs/日本語.md", "words")
    clone.push()
    until(lambda: len(delivered) == 1)
    world.settle(ticks=2)
    assert len(heads(world)) == 1
    assert "PathsUntouched" in world.codes()
    commit = clone.commit("train/model.py", "code")
    clone.push()
    until(lambda: len(delivered) == 2)
    world.settle(ticks=2)
    assert heads(world)[0] == commit


def test_a_push_whose_paths_nobody_told_counts(world: World, clone: Clone) -> None:
    """Without a push to tell what lies between two commits, nothing is concluded about paths."""
    declare(world, line(world, paths=("train/**",), webhook=()))
    world.settle(ticks=2)
    commit = clone.commit("docs/a.md", "words")
    clone.push()
    world.settle(ticks=5)
    assert heads(world)[0] == commit


def test_bc_94_annotated_tags_are_peeled_and_the_highest_version_counts(world: World, clone: Clone) -> None:
    """BC-94, BC-95: v1.10.0 is newer than v1.9.0, whichever came last; the job gets a commit, no tag object."""
    declare(world, line(world, branch="", tags=r"v(?P<semver>.+)", webhook=()))
    first = clone.git("rev-parse", "HEAD")
    clone.git("tag", "--annotate", "v1.10.0", "--message", "release")
    clone.commit("train.txt", "fix")
    clone.git("tag", "v1.9.0")
    clone.push("v1.10.0", "v1.9.0")
    world.settle(ticks=5)
    assert heads(world) == [first]
    assert world.ledger.revisions.newest()[0].captures == {"commit": first, "tag": "v1.10.0", "semver": "1.10.0"}


def test_a_branch_with_a_slash_and_an_emoji_in_the_message(world: World, clone: Clone, delivered: Answers) -> None:
    """BC-77: the signature is over bytes; a branch is named in full."""
    declare(world, line(world, branch="feature/数据"))
    commit = clone.commit("train.txt", "three", "better 🚀")
    clone.push("HEAD:refs/heads/feature/数据")
    until(lambda: delivered)
    assert delivered[0].body["noted"] == ["trainer"]
    world.settle(ticks=3)
    assert heads(world) == [commit]


def test_bc_92_a_deleted_branch_is_said_and_checked_out_by_nobody(
    world: World, clone: Clone, delivered: Answers
) -> None:
    """BC-92: there is no commit 0000…; the entry says that its branch is gone, the last commit stays pinned."""
    declare(world, line(world, branch="next"))
    clone.push("HEAD:refs/heads/next")
    world.settle(ticks=3)
    clone.push("--delete", "next")
    until(lambda: len(delivered) == 2)
    world.settle(ticks=3)
    assert len(heads(world)) == 1
    reason = world.ledger.code_lines.state("trainer").reason
    assert reason is not None
    assert reason.code == "CodeRefGone"


def test_a_repository_that_refuses_our_credential_says_so(world: World, clone: Clone, monkeypatch: Any) -> None:
    """The entry names the secret, never its text; with the right one it goes on by itself."""
    world.cloud.git_host.token = "right-token"
    monkeypatch.setenv("JUNBI_SECRET_READ", "wrong-token")
    declare(world, line(world, credentials="READ"))
    world.settle(ticks=2)
    reason = world.ledger.code_lines.state("trainer").reason
    assert reason is not None
    assert (reason.code, "READ" in reason.message, "wrong-token" in reason.message) == (
        "CodeCredentialRefused",
        True,
        False,
    )
    monkeypatch.setenv("JUNBI_SECRET_READ", "right-token")
    world.settle(ticks=5)
    assert len(heads(world)) == 1
    world.deliver(world.upload("v1"))
    assert world.until(LaunchState.SUCCEEDED).job_id
    assert "right-token" not in str(world.ledger.stories()) + str(world.ledger.tries.of("code:trainer"))
    assert clone.directory.exists()


def test_no_token_is_ever_in_the_ledger(world: World, clone: Clone, tmp_path: Path, monkeypatch: Any) -> None:
    """CreateCodeSource is kept as it was sent, so the token is given to the code source afterwards."""
    monkeypatch.setenv("JUNBI_SECRET_READ", "bot:very-secret-token")
    world.cloud.git_host.token = "very-secret-token"
    declare(world, line(world, credentials="READ"), on=("digits",))
    world.deliver(world.upload("v1"))
    world.until(LaunchState.SUCCEEDED)
    (source,) = world.cloud.dlc.workspace.code_sources.all()
    assert (source.code_repo_user_name, source.code_repo_access_token) == ("bot", "very-secret-token")
    for file in tmp_path.glob("ledger.db*"):
        assert b"very-secret-token" not in file.read_bytes()
    assert clone.directory.exists()


def test_a_delivery_that_nobody_vouches_for_is_refused_and_told_why(world: World) -> None:
    """BC-86: 401 with what to do, nothing kept but a counter."""
    declare(world, line(world))
    answer, due = receive.receive(git_door, world.ledger, Delivery({"X-GitHub-Event": "push"}, b"{}", {}))
    assert (answer.status, due, world.ledger.deliveries.newest()) == (401, False, [])
    assert answer.body["fix"]


def test_the_same_delivery_again_changes_nothing(world: World, clone: Clone, delivered: Answers) -> None:
    """BC-2: the second is a duplicate of the first, which it names."""
    import hashlib
    import hmac

    declare(world, line(world))
    world.settle(ticks=2)
    commit = clone.commit("train.txt", "two")
    clone.push()
    until(lambda: delivered)
    body = b'{"ref":"refs/heads/main","before":"%s","after":"%s","commits":[],"repository":{"clone_url":"%s"}}' % (
        b"0" * 40,
        commit.encode(),
        clone.url.encode(),
    )
    headers = {
        "X-Gitea-Event": "push",
        "X-Gitea-Delivery": "7",
        "X-Gitea-Signature": hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest(),
    }
    answers = [receive.receive(git_door, world.ledger, Delivery(headers, body, {}))[0] for _ in range(2)]
    assert "duplicate" not in answers[0].body
    assert "of " in str(answers[1].body["duplicate"])


def test_a_push_that_nobody_watches_is_answered_with_why(world: World, clone: Clone, delivered: Answers) -> None:
    """2xx, so that the sender does not give the webhook up; the answer names what is watched."""
    declare(world, line(world))
    clone.push("HEAD:refs/heads/other")
    until(lambda: delivered)
    (told,) = delivered[0].body["ignored"]
    assert (delivered[0].status, "NotWatched" in told, "main" in told) == (200, True, True)
