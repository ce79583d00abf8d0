"""Checks a job's code out of its repository before the pod starts, at one commit, with the machine's own git."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from pathlib import Path

#: Seconds for each step; a repository that takes longer is taken for unreachable.
TIMEOUT = 120.0
#: What git says where a credential is missing or refused.
_REFUSED = ("authentication failed", "could not read username", "error: 401", "error: 403")
#: What git says where trying again is no use.
_FINAL = (
    *_REFUSED,
    "not found",
    "couldn't find remote ref",
    "not allowed",
    "not valid: is this a git repository",
)
#: Git asks it of one origin alone. A header of ours would follow a redirect to any other.
_HELPER = (
    """!f() { test "$1" = get && printf 'username=%s\\npassword=%s\\n' "$JUNBI_GIT_USER" "$JUNBI_GIT_TOKEN"; }; f"""
)
_COMMIT = re.compile(r"[0-9a-f]{7,64}")


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
    if code.commit and not _COMMIT.fullmatch(code.commit):
        raise Uncheckable(f"{code.commit!r} is no commit of {code.repository}")
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    _git(code, directory, "init", "--quiet")
    try:
        _git(code, directory, "fetch", "--quiet", "--no-tags", "--depth", "1", "--", code.repository, code.ref)
        found = "FETCH_HEAD"
    except (Uncheckable, OSError):
        if not code.commit:
            raise
        # Some hosts hand out a commit only with the branch or tag that leads to it, and none by a part of its name.
        everything = ("+refs/heads/*:refs/remotes/origin/*", "+refs/tags/*:refs/tags/*")
        _git(code, directory, "fetch", "--quiet", "--", code.repository, *everything)
        found = f"{code.commit}^{{commit}}"
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
    told = f"{code.repository} at {code.ref}: {_hint(code, said)}{said}"
    if any(word in said.lower() for word in _FINAL) or arguments[0] == "checkout":
        raise Uncheckable(told)
    raise OSError(told)


def _hint(code: Code, said: str) -> str:
    if not any(word in said.lower() for word in _REFUSED):
        return ""
    return "the repository refuses this token: " if code.token else "the repository wants a token: "


def _environment(code: Code, directory: Path) -> dict[str, str]:
    settings = {"core.hooksPath": os.devnull, "safe.directory": str(directory), "advice.detachedHead": "false"}
    if code.token:
        origin = "{0.scheme}://{0.netloc}".format(urlsplit(code.repository))
        settings[f"credential.{origin}.helper"] = _HELPER
    environment = {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(directory),
        "LANG": "C.UTF-8",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_ALLOW_PROTOCOL": "http:https",
        "GIT_CONFIG_COUNT": str(len(settings)),
        "JUNBI_GIT_USER": code.user or "oauth2",
        "JUNBI_GIT_TOKEN": code.token,
    }
    for index, (name, value) in enumerate(settings.items()):
        environment |= {f"GIT_CONFIG_KEY_{index}": name, f"GIT_CONFIG_VALUE_{index}": value}
    return environment
