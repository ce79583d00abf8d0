"""Code that is watched: which commit of a repository a plan would train with, and whether a push concerns it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from wcmatch import glob

from junbi.core.model import Reason
from junbi.core.reasons import Code
from junbi.core.tags import captures, highest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from junbi.core.model import CommitRef
    from junbi.core.plan import CodeSpec

_HEADS, _TAGS = "refs/heads/", "refs/tags/"
#: ``*`` stays within one folder, ``**`` crosses them, ``{a,b}`` and ``!not`` mean what they say; case counts.
_GLOB = glob.GLOBSTAR | glob.BRACE | glob.NEGATE | glob.NEGATEALL | glob.DOTGLOB | glob.CASE | glob.FORCEUNIX


@dataclass(frozen=True, slots=True)
class Found:
    """The commit that a watched line is at.

    Attributes:
        ref: in full.
        label: the branch or tag, for people and for ``newest``.
        captures: ``commit``, ``branch`` or ``tag``, and what the placeholders of ``tags`` took.
    """

    commit: str
    ref: str
    label: str
    captures: Mapping[str, str]


def watches(spec: CodeSpec, ref: str) -> bool:
    """Whether a branch or tag is (one of) the watched."""
    if spec.branch:
        return ref == _HEADS + spec.branch
    return ref.startswith(_TAGS) and _tag(spec, ref.removeprefix(_TAGS)) is not None


def found(spec: CodeSpec, refs: Mapping[str, str]) -> Found | Reason:
    """The commit a line is at, of all refs that the repository has; or why there is none.

    Args:
        spec: the line.
        refs: full names and the commits they are at, annotated tags peeled.
    """
    if spec.branch:
        commit = refs.get(_HEADS + spec.branch)
        if commit is None:
            return _gone(spec, f"no branch {spec.branch}")
        taken = {"commit": commit, "branch": spec.branch}
        return Found(commit, _HEADS + spec.branch, f"{spec.branch} {commit[:12]}", taken)
    tags = {ref.removeprefix(_TAGS): commit for ref, commit in refs.items() if watches(spec, ref)}
    if not tags:
        return _gone(spec, "no tag of that pattern")
    tag = highest(tags)
    taken = {"commit": tags[tag], "tag": tag, **(_tag(spec, tag) or {})}
    return Found(tags[tag], _TAGS + tag, tag, taken)


def concerns(spec: CodeSpec, paths: Iterable[str] | None) -> bool:
    """Whether a change of these paths is one of the watched; where they are not known it is taken for one."""
    if not spec.paths or paths is None:
        return True
    return any(glob.globmatch(path, list(spec.paths), flags=_GLOB) for path in paths)


def changed(before: str, pushes: Iterable[CommitRef], now: str) -> frozenset[str] | None:
    """What lies between two commits, as the pushes tell it; None where they do not reach from one to the other.

    A push is a hint: one that was lost, forced or cut short leaves a gap, and nothing is concluded across a gap.
    """
    steps = {push.before: push for push in pushes if push.paths is not None}
    paths: set[str] = set()
    at = before
    while at != now:
        step = steps.pop(at, None)
        if step is None or step.paths is None:
            return None
        paths |= step.paths
        at = step.commit
    return frozenset(paths)


def _tag(spec: CodeSpec, tag: str) -> dict[str, str] | None:
    return captures(spec.tags, spec.allow, tag)


def _gone(spec: CodeSpec, what: str) -> Reason:
    return Reason(
        Code.CODE_REF_GONE,
        f"{spec.repository} has {what}, which {spec.name} watches.",
        fix="Push it, or correct the entry under 'code' in junbi.yaml.",
        wakes="the next push, or the next look at the repository",
    )
