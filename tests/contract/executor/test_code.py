"""Code that is checked out into a pod, from Git's own server."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest
from tests.contract.git.conftest import GitServer, Repository, git, repository, server

from junbi.emulator.dlc.code_checkout import Code
from junbi.emulator.dlc.pods import PodSpec, PodState

if TYPE_CHECKING:
    from tests.contract.executor.conftest import Lab

__all__ = ["repository", "server"]
POD = "job-worker-0"


def run(lab: Lab, code: Code, command: str = "cat /root/code/train.py; git -C /root/code rev-parse HEAD") -> PodState:
    """Run a command in a pod with code at ``/root/code``, and wait for its end."""
    lab.executor.prepare_and_start(PodSpec(POD, command, {}, (), 60.0, (code,)))
    return lab.ended(POD)


def trainer(server: GitServer, **more: Any) -> Code:
    """The repository ``vision/trainer.git``."""
    return Code(f"{server.url}/vision/trainer.git", "/root/code", **more)


def test_a_commit_that_a_branch_has_left_behind_is_checked_out(lab: Lab, server: Any, repository: Repository) -> None:
    """The very commit that was asked for, whatever the branch is at by now; the events name it."""
    first = git(repository.clone, "rev-parse", "HEAD")
    repository.commit("two")
    state = run(lab, trainer(server, commit=first, branch="main"))
    assert (state.status, lab.log()) == ("Succeeded", f"one{first}")
    assert first in lab.told()


@pytest.mark.parametrize("newest", [True, False], ids=["version 2", "version 0"])
def test_a_host_that_hands_out_only_what_branches_lead_to(
    lab: Lab,
    server: Any,
    repository: Repository,
    newest: bool,  # noqa: FBT001 - both cases
) -> None:
    """Where the commit alone is refused, the branches are fetched; a part of a commit's name does too."""
    server.newest = newest
    first = git(repository.clone, "rev-parse", "HEAD")
    repository.commit("two")
    assert run(lab, trainer(server, commit=first[:12])).status == "Succeeded"
    assert lab.log() == f"one{first}"


@pytest.mark.parametrize(("branch", "text"), [("", "two"), ("main", "two"), ("feature/數據", "one"), ("v1", "one")])
def test_branches_and_tags(lab: Lab, server: Any, repository: Repository, branch: str, text: str) -> None:
    """Any branch or tag, whatever its name; the default branch where none is named."""
    repository.push("HEAD:refs/heads/feature/數據", "HEAD:refs/tags/v1")
    git(repository.bare, "symbolic-ref", "HEAD", "refs/heads/main")
    repository.commit("two")
    assert run(lab, trainer(server, branch=branch), "cat /root/code/train.py").status == "Succeeded"
    assert lab.log() == text


def test_a_private_repository_wants_its_token(lab: Lab, server: Any) -> None:
    """The token reads it, and is nowhere where the job, its events or its log can show it."""
    server.token = "hunter2"
    command = "cat /root/code/train.py; grep -r hunter2 /root/code; env | grep hunter2; cat /root/code/.git/config"
    run(lab, trainer(server, branch="main", token="hunter2"), command)
    assert lab.log().startswith("one[core]")
    assert "hunter2" not in lab.log() + lab.told()


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"token": "hunter3"}, "refuses this token"),
        ({}, "wants a token"),
        ({"token": "hunter2", "branch": "none"}, "couldn't find remote ref"),
        ({"token": "hunter2", "commit": "ab" * 20}, "ab" * 20),
        ({"token": "hunter2", "commit": "--upload-pack=x"}, "is no commit"),
        ({"token": "hunter2", "branch": "--upload-pack=x"}, "--upload-pack=x"),
    ],
)
def test_what_can_never_be_checked_out_ends_the_pod(lab: Lab, server: Any, more: Any, words: str) -> None:
    """Before its command ever ran, and with the reason; no token is in it."""
    server.token = "hunter2"
    state = run(lab, trainer(server, **more))
    assert (state.status, state.started, state.exit_code) == ("Failed", None, None)
    assert words in state.message
    assert "the code could not be checked out" in state.message
    assert "hunter" not in state.message + lab.told()


def test_the_token_goes_to_no_other_host(lab: Lab, server: Any) -> None:
    """Wherever the repository's host sends us; on the same host a renamed repository is followed."""
    server.token = "hunter2"
    other = GitServer(server.root)
    try:
        server.moved["/vision/old.git"] = f"{other.url}/vision/trainer.git"
        run(lab, Code(f"{server.url}/vision/old.git", "/root/code", branch="main", token="hunter2"))
        assert other.asked
        assert [shown for _, shown in other.asked if shown] == []
    finally:
        other.server.stop()


def test_a_renamed_repository_is_followed(lab: Lab, server: Any) -> None:
    """With its token."""
    server.token, server.moved["/vision/old.git"] = "hunter2", "/vision/trainer.git"
    run(lab, Code(f"{server.url}/vision/old.git", "/root/code", branch="main", token="hunter2"))
    assert lab.log().startswith("one")


def test_a_repository_that_is_not_there_ends_the_pod(lab: Lab, server: Any) -> None:
    """It says so."""
    state = run(lab, Code(f"{server.url}/vision/none.git", "/root/code"))
    assert (state.status, state.started) == ("Failed", None)
    assert "not found" in state.message


@pytest.mark.parametrize("kind", ["file://{}", "{}", "ext::sh -c 'touch {}/ran'"])
def test_only_http_is_spoken(lab: Lab, repository: Repository, kind: str) -> None:
    """No file of this machine is read as a repository, and no command is run as one."""
    state = run(lab, Code(kind.format(repository.bare), "/root/code"))
    assert (state.status, "not allowed" in state.message) == ("Failed", True)
    assert not (repository.bare / "ran").exists()


def test_a_host_that_is_away_is_waited_for(lab: Lab, server: Any) -> None:
    """The pod stays pending and says why; when the host is back, it runs."""
    code, port = trainer(server, branch="main"), server.server.port
    server.server.stop()
    lab.executor.prepare_and_start(PodSpec(POD, "cat /root/code/train.py", {}, (), 60.0, (code,)))
    lab.until(lambda: lab.executor.state(POD).message, "a reason")
    state = lab.executor.state(POD)
    assert (state.status, f"127.0.0.1:{port}" in state.message) == ("Pending", True)
    again = GitServer(server.root, port=port)
    try:
        assert lab.ended(POD).status == "Succeeded"
    finally:
        again.server.stop()


def test_nothing_of_the_repository_runs_by_being_checked_out(lab: Lab, server: Any, repository: Repository) -> None:
    """Neither hooks nor filters nor submodules; what was there before is gone."""
    marks = repository.clone.parent / "marks"
    marks.mkdir()
    (repository.clone / ".gitattributes").write_text("*.py filter=evil\n")
    (repository.clone / ".gitmodules").write_text(f'[submodule "m"]\npath = m\nurl = file://{repository.bare}\n')
    git(
        repository.clone,
        "update-index",
        "--add",
        "--cacheinfo",
        f"160000,{git(repository.clone, 'rev-parse', 'HEAD')},m",
    )
    repository.commit("two")
    assert run(lab, trainer(server, branch="main"), "ls -A /root/code/m /root/code; ls -A /root/code/.git/hooks").status
    time.sleep(0.1)
    assert list(marks.iterdir()) == []
    assert "train.py" in lab.log()
