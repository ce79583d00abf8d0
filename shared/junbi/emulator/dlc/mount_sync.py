"""Puts what a pod writes into a mounted directory back into OSS.

Assumed, from the guide's rule that an OSS mount cannot append to or overwrite a file: an object that exists, from
before or put by this pod a moment ago, is never replaced; the change is told in the pod's events and kept in the pod's
directory. A file counts as written once nobody holds it open for writing and two looks saw it unchanged. Deleting a
file deletes no object. To check on a real account: append to, overwrite and delete a file on an OSS mount.
"""

from __future__ import annotations

import errno
import functools
import hashlib
import os
import stat
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING

from junbi.emulator.dlc.mounts import directory_prefix
from junbi.emulator.oss.errors import OssError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from io import BufferedReader

    from junbi.emulator.dlc.mounts import Buckets, Signature
    from junbi.emulator.dlc.pods import Mount

_LONGEST_KEY = 1023  #: bytes. Source: OSS documentation
#: What becomes of a file that cannot be opened, by the kind of failure; empty if it was removed since we looked.
_UNOPENABLE = {
    errno.ENOENT: "",
    **dict.fromkeys((errno.EACCES, errno.EPERM), "it may not be read"),
    **dict.fromkeys((errno.ELOOP, errno.ENOTDIR, errno.ENXIO), "it is no regular file"),
}
_md5 = functools.partial(hashlib.md5, usedforsecurity=False)


class MountSync:
    """One writable mount of a running pod.

    Args:
        known: the signatures of the files that stand in OSS as they are, from the filling.
        tell: writes a line into the pod's events.
    """

    def __init__(
        self, buckets: Buckets, mount: Mount, directory: Path, known: dict[str, Signature], tell: Callable[[str], None]
    ) -> None:
        self._buckets, self._mount, self.directory, self._tell = buckets, mount, directory, tell
        self._settled = dict(known)
        self._seen: dict[str, Signature] = {}
        self.kept: set[str] = set()  #: relative paths of what could not be put back

    def put_back(self, busy: set[tuple[int, int]] | None) -> None:
        """Put new files into OSS.

        Args:
            busy: device and inode of the files still open for writing; None when the pod has ended, so that
                every file is as finished as it will ever be.
        """
        changed = {name: (status.st_size, status.st_mtime_ns) for name, status in self._files(busy)}
        changed = {name: found for name, found in changed.items() if self._settled.get(name) != found}
        ready = [name for name, found in changed.items() if busy is None or self._seen.get(name) == found]
        self._seen = changed
        if not ready:
            return
        prefix = directory_prefix(self._mount)
        etags = self._etags(prefix)
        for name in sorted(ready):
            reason = _unusable(prefix, name) or self._put(prefix + name, name, etags)
            if reason:
                self._keep(name, reason)
            self._settled[name] = changed[name]

    def _etags(self, prefix: str) -> dict[str, str]:
        try:
            return {stored.key: stored.etag for stored in self._buckets.list(self._mount.bucket, prefix)}
        except OssError as error:
            if error.code != "NoSuchBucket":
                raise
            return {}  # each put will be refused, and told file by file

    def _put(self, key: str, name: str, etags: dict[str, str]) -> str:
        """Put one file, unless the object exists; one with this very content is our own from before a crash.

        Returns:
            Why it cannot be put, however often it is tried; empty if it stands in OSS, or is gone.
        """
        try:
            with _opened(self.directory, name) as stream:
                if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                    return "it is no regular file"
                if key not in etags:
                    self._buckets.put(self._mount.bucket, key, stream)
                elif etags[key].strip('"').lower() != hashlib.file_digest(stream, _md5).hexdigest():
                    return f"{key!r} exists, and an OSS mount can neither append to it nor overwrite it"
        except OSError as error:
            if error.errno not in _UNOPENABLE:
                raise
            return _UNOPENABLE[error.errno]
        except OssError as error:
            if error.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
                raise
            return f"{error.code}: {error.message}"
        return ""

    def _keep(self, name: str, reason: str) -> None:
        if name not in self.kept:
            self.kept.add(name)
            self._tell(f"{self._mount.path}/{name} was not written to OSS: {reason}. It is kept in {self.directory}")

    def _files(self, busy: set[tuple[int, int]] | None) -> Iterator[tuple[str, os.stat_result]]:
        for path in self._paths():
            try:
                status = path.lstat()
            except FileNotFoundError:
                continue  # a temporary file of the command
            name = path.relative_to(self.directory).as_posix()
            if not stat.S_ISREG(status.st_mode):
                self._keep(name, "it is no regular file")
            elif busy is None or (status.st_dev, status.st_ino) not in busy:
                yield name, status

    def _paths(self) -> Iterator[Path]:
        """Everything in the directory but its folders; links to folders count as files and are not followed."""
        for folder, folders, names in os.walk(self.directory, onerror=self._unreadable):
            yield from (Path(folder, name) for name in names)
            yield from (path for path in (Path(folder, name) for name in folders) if path.is_symlink())

    def _unreadable(self, error: OSError) -> None:
        path = Path(error.filename)
        if path != self.directory and not isinstance(error, FileNotFoundError):
            self._keep(path.relative_to(self.directory).as_posix(), "it may not be read")


def _opened(directory: Path, name: str) -> BufferedReader:
    """Open what was a file when we looked: the command may have put a link or a pipe in its place, or its folder's."""
    *folders, last = name.split("/")
    handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for folder in folders:
            outer, handle = handle, os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=handle)
            os.close(outer)
        return os.fdopen(os.open(last, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=handle), "rb")
    finally:
        os.close(handle)


def _unusable(prefix: str, name: str) -> str:
    try:
        size = len((prefix + name).encode())
    except UnicodeEncodeError:
        return "its name is not UTF-8"
    return "its key would have more than 1023 bytes" if size > _LONGEST_KEY else ""
