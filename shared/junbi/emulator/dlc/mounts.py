"""An OSS prefix as a directory: which file an object's key becomes, and filling the directory before a pod starts."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, BinaryIO, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from junbi.emulator.dlc.pods import Mount

_LONGEST_NAME = 255  #: bytes of one part of a path, on every file system in use here
_NAMED = 10  #: so many skipped keys are named in the pod's events; the others are counted

Signature = tuple[int, int]  #: size and modification time (ns): what tells a changed file


class StoredObject(Protocol):
    """An object as a listing shows it."""

    @property
    def key(self) -> str:
        """The plain key."""

    @property
    def etag(self) -> str:
        """The MD5 of what was put in one piece; something else for other objects."""


class Buckets(Protocol):
    """What the pods need of the local OSS."""

    def list(self, bucket: str, prefix: str) -> Iterable[StoredObject]:
        """The objects whose key starts with the prefix, in key order."""

    def open(self, bucket: str, key: str) -> BinaryIO:
        """An object's content."""

    def put(self, bucket: str, key: str, stream: BinaryIO) -> object:
        """Store an object, whole or not at all."""


class Interrupted(Exception):
    """The emulator is closing; what was begun is done anew by the next one."""


def directory_prefix(mount: Mount) -> str:
    """The prefix whose objects the mount shows: empty, or ending in a slash."""
    prefix = mount.prefix
    return prefix if not prefix or prefix.endswith("/") else f"{prefix}/"


def refusal(name: str) -> str:
    """Why a key, without its prefix, cannot be a file's path; empty if it can.

    A trailing slash is a folder's placeholder and is allowed.
    """
    parts = name.removesuffix("/").split("/")
    if "\0" in name:
        return "it holds a NUL character"
    if "" in parts:
        return "it holds an empty path part"
    if not {".", ".."}.isdisjoint(parts):
        return "it would leave the mounted directory"
    if any(len(os.fsencode(part)) > _LONGEST_NAME for part in parts):
        return "a path part is too long for a file name"
    return ""


@dataclass
class Filled:
    """What a mounted directory held at the start: signatures by relative path, and the keys that could not be shown."""

    files: dict[str, Signature] = field(default_factory=dict)
    skipped: list[str] = field(default_factory=list)

    def told(self) -> list[str]:
        """The skipped keys as sentences for the pod's events."""
        more = len(self.skipped) - _NAMED
        return self.skipped[:_NAMED] + ([f"and {more} more keys were skipped"] if more > 0 else [])


def fill(buckets: Buckets, mount: Mount, directory: Path, closing: Callable[[], bool]) -> Filled:
    """Copy every object of the mount into the directory, which is emptied first: an earlier try may have been killed.

    Raises:
        Interrupted: ``closing`` said so between two objects.
    """
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    filled, prefix = Filled(), directory_prefix(mount)
    for stored in buckets.list(mount.bucket, prefix):
        if closing():
            raise Interrupted
        name = stored.key[len(prefix) :]
        if not name:
            continue  # the placeholder of the mounted folder itself
        reason = refusal(name) or _place(buckets, mount.bucket, stored.key, directory, name)
        if reason:
            filled.skipped.append(f"key {stored.key!r} is not visible under {mount.path}: {reason}")
        elif not name.endswith("/"):
            filled.files[name] = signature(directory / name)
    return filled


def signature(path: Path) -> Signature:
    """What changes when a file's content does."""
    status = path.lstat()
    return status.st_size, status.st_mtime_ns


def _place(buckets: Buckets, bucket: str, key: str, directory: Path, name: str) -> str:
    """Write one object's file, or make its folder; gives the reason if another object is in the way."""
    path = directory / name
    try:
        (path if name.endswith("/") else path.parent).mkdir(parents=True, exist_ok=True)
        if not name.endswith("/"):
            with buckets.open(bucket, key) as source, path.open("xb") as target:
                shutil.copyfileobj(source, target, 1 << 20)
    except (FileExistsError, IsADirectoryError, NotADirectoryError):
        return "another key makes a file or a folder of the same name"
    return ""
