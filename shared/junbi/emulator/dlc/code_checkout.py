"""Checks a job's code out of its repository before the pod starts, at one commit, with the machine's own git."""

from __future__ import annotations

import base64
import os
import shutil
import subprocess
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from pathlib import Path

#: Seconds for each step; a repository that takes longer is taken for unreachable.
TIMEOUT = 120.0
#: What git says where trying again is no use: of a credential, of a repository, of a commit.
_FINAL = (
    "authentication failed",
    "could not read username",
    "error: 403",
    "not found",
    "not our ref",
    "unable to read tree",
)


class Uncheckable(Exception):
    """The code cannot be checked out, and trying again would not help; the text is for the user."""


@dataclass(frozen=True)
class Code:
    """What to check out, and where: ``commit`` wins over ``branch``; neither stands for the default branch."""

    repository: str
    path: str
    branch: str = ""
    commit: str = ""
    user: str = ""
    token: str = field(default="", repr=False)

    @property
    def ref(self) -> str:
        """What is asked of the repository."""
        return self.commit or self.branch or "HEAD"


def checkout(code: Code, directory: Path) -> str:
    """Check out into a directory, which is emptied first; the commit that it is at.

    Raises:
        Uncheckable: for ever.
        OSError, subprocess.SubprocessError: this time.
    """
    if shutil.which("git") is None:
        raise Uncheckable("git is not installed on this machine, and the local DLC checks code out with it")
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    _git(code, directory, "init", "--quiet")
    try:
        _git(code, directory, "fetch", "--quiet", "--no-tags", "--depth", "1", code.repository, code.ref)
        found = "FETCH_HEAD"
    except Uncheckable:
        if not code.commit:
            raise
        # Some hosts hand out a commit only with the branch or tag that leads to it.
        everything = ("+refs/heads/*:refs/remotes/origin/*", "+refs/tags/*:refs/tags/*")
        _git(code, directory, "fetch", "--quiet", code.repository, *everything)
        found = code.commit
    _git(code, directory, "checkout", "--quiet", "--detach", found)
    return _git(code, directory, "rev-parse", "HEAD")


def _git(code: Code, directory: Path, *arguments: str) -> str:
    """Run git without anything of this machine's: no configuration, no prompt, no hook, http alone."""
    done = subprocess.run(  # noqa: S603 - git, with arguments of ours; what a stranger chose stands behind no dash
        ["git", "-C", str(directory), *arguments],  # noqa: S607 - whichever git the machine has
        capture_output=True,
        text=True,
        errors="replace",
        env=_environment(code, directory),
        timeout=TIMEOUT,
        check=False,
    )
    if done.returncode == 0:
        return done.stdout.strip()
    said = " ".join(done.stderr.split())
    told = f"{code.repository} at {code.ref}: {said}"
    if any(word in said.lower() for word in _FINAL) or arguments[0] == "checkout":
        raise Uncheckable(told)
    raise OSError(told)


def _environment(code: Code, directory: Path) -> dict[str, str]:
    settings = {"core.hooksPath": os.devnull, "safe.directory": str(directory), "advice.detachedHead": "false"}
    if code.token:
        pair = base64.b64encode(f"{code.user or 'oauth2'}:{code.token}".encode()).decode()
        origin = "{0.scheme}://{0.netloc}/".format(urlsplit(code.repository))
        settings[f"http.{origin}.extraHeader"] = f"Authorization: Basic {pair}"
    environment = {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(directory),
        "LANG": "C.UTF-8",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_ALLOW_PROTOCOL": "http:https",
        "GIT_CONFIG_COUNT": str(len(settings)),
    }
    for index, (name, value) in enumerate(settings.items()):
        environment |= {f"GIT_CONFIG_KEY_{index}": name, f"GIT_CONFIG_VALUE_{index}": value}
    return environment
