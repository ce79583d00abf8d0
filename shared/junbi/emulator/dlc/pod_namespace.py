"""A private view of the file system for one process: the pod's mounts appear, and the host sees nothing of it.

A new root is put together from what is there (bind mounts), with fresh directories only where a mount point or one
of its parents has to be made. All of it lives in a mount namespace that ends with the pod.
"""

from __future__ import annotations

import ctypes
import errno
import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_CLONE_NEWNS, _CLONE_NEWUSER = 0x00020000, 0x10000000
_RDONLY, _NOSUID, _NODEV, _NOEXEC, _REMOUNT = 0x1, 0x2, 0x4, 0x8, 0x20
_NOATIME, _NODIRATIME, _BIND, _REC = 0x400, 0x800, 0x1000, 0x4000
_UNBINDABLE, _PRIVATE, _RELATIME = 1 << 17, 1 << 18, 1 << 21
_PR_SET_PDEATHSIG = 1
#: What a mount must not cover, or the command would find no shell.
_NEEDED = ("/bin", "/dev", "/etc", "/lib", "/lib64", "/proc", "/sys", "/usr")

#: Mount point, real directory, read-only.
Binding = tuple[str, str, bool]


def die_with_parent(number: int) -> None:
    """Have the kernel send this signal to the calling process when its parent ends (Linux only)."""
    libc = ctypes.CDLL(None, use_errno=True)
    if hasattr(libc, "prctl"):
        libc.prctl(_PR_SET_PDEATHSIG, number, 0, 0, 0)


def enter(root: str, bindings: Sequence[Binding], needed: Sequence[str], private: str, own: Sequence[str]) -> None:
    """Give the calling process its own view of the file system, in which every binding is mounted.

    Args:
        root: an empty directory to put the new root on.
        bindings: the mounts; points are normalised absolute paths.
        needed: directories that the command cannot do without, besides the system's own.
        private: the local cloud's directory with its keys, ledger and other pods; the command finds it empty but for
            what of ``own`` and ``needed`` is in it.
        own: the command's own directories.

    Raises:
        OSError: the machine does not allow it, or a mount would hide what the command needs.
    """
    points = sorted((os.path.realpath(point), real, read_only) for point, real, read_only in bindings)
    _refuse_hiding([point for point, _, _ in points], [*needed, *own])
    _leave_host()
    _mount(None, "/", None, _REC | _PRIVATE)
    # Unbindable, or binding the directory that holds the new root would put the new root into itself.
    _mount("tmpfs", root, "tmpfs", _NOSUID | _NODEV, "mode=755")
    _mount(None, root, None, _UNBINDABLE)
    _rebuild("/", root, {point for point, _, _ in points})
    _cover(root, os.path.realpath(private), [os.path.realpath(path) for path in (*own, *needed)])
    for point, real, read_only in points:
        _bind_over(root + point, real, read_only=read_only)
    os.chroot(root)
    os.chdir("/")


def _refuse_hiding(points: Sequence[str], needed: Sequence[str]) -> None:
    for point in points:
        for path in (*_NEEDED, *map(os.path.realpath, needed)):
            if path == point or path.startswith(f"{point}/"):
                raise OSError(errno.EBUSY, f"a mount at {point} would hide {path}")


def _leave_host() -> None:
    """Enter a mount namespace; where only the owner of a user namespace may, enter one first, as the same user."""
    libc = _libc()
    if libc.unshare(_CLONE_NEWNS) == 0:
        return
    user, group = os.getuid(), os.getgid()
    if libc.unshare(_CLONE_NEWUSER | _CLONE_NEWNS) != 0:
        raise _failure("unshare")
    for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        Path(f"/proc/self/{name}").write_text(text, encoding="ascii")


def _rebuild(host: str, target: str, points: set[str]) -> None:
    """Fill ``target`` with what ``host`` holds; directories on the way to a mount point are made anew."""
    stem = host.rstrip("/") + "/"
    on_the_way = {point.removeprefix(stem).split("/")[0] for point in points if point.startswith(stem)}
    for entry in _entries(host):
        if entry.name not in on_the_way:
            _show(entry, f"{target}/{entry.name}")
    for name in on_the_way:
        os.mkdir(f"{target}/{name}", _mode(stem + name))  # noqa: PTH102 - plain strings throughout: many entries
        if stem + name not in points:
            _rebuild(stem + name, f"{target}/{name}", points)


def _mode(path: str) -> int:
    return os.stat(path).st_mode & 0o7777 if os.path.isdir(path) else 0o755  # noqa: PTH112, PTH116


def _entries(directory: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(directory) as entries:
            return list(entries)
    except (FileNotFoundError, PermissionError):
        return []  # what this user cannot list stays hidden


def _show(entry: os.DirEntry[str], place: str) -> None:
    """Make one entry of the host visible under the new root."""
    if entry.is_symlink():
        os.symlink(os.readlink(entry.path), place)  # noqa: PTH115, PTH211
        return
    if entry.is_dir(follow_symlinks=False):
        os.mkdir(place, 0o755)  # noqa: PTH102
    else:
        os.close(os.open(place, os.O_CREAT | os.O_WRONLY, 0o644))
    try:
        _mount(entry.path, place, None, _BIND | _REC)
    except OSError as error:
        # Gone since it was listed, or not ours to see: an empty place is as much as the command would get.
        if error.errno not in {errno.ENOENT, errno.EACCES}:
            raise


def _cover(root: str, private: str, visible: Sequence[str]) -> None:
    """Put an empty directory over the private one, and into it what stays visible."""
    _mount("tmpfs", root + private, "tmpfs", _NOSUID | _NODEV, "mode=755")
    for path in sorted(visible):
        if path.startswith(f"{private}/"):
            _bind_over(root + path, path, read_only=False)


def _bind_over(point: str, real: str, *, read_only: bool) -> None:
    os.makedirs(point, exist_ok=True)  # noqa: PTH103 - inside another mount of the pod
    _mount(real, point, None, _BIND | _REC)
    if read_only:
        # A user namespace may not drop the flags that the file system below was mounted with.
        _mount(None, point, None, _BIND | _REMOUNT | _RDONLY | _kept_flags(point))


def _kept_flags(path: str) -> int:
    flags = os.statvfs(path).f_flag
    same = flags & (_NOSUID | _NODEV | _NOEXEC | _NOATIME | _NODIRATIME)
    return same | (_RELATIME if flags & 0x1000 else 0)


def _mount(source: str | None, target: str, kind: str | None, flags: int, data: str | None = None) -> None:
    texts = [None if text is None else os.fsencode(text) for text in (source, target, kind)]
    if _libc().mount(*texts, ctypes.c_ulong(flags), None if data is None else data.encode()) != 0:
        raise _failure(f"mount on {target}")


def _libc() -> ctypes.CDLL:
    libc = ctypes.CDLL(None, use_errno=True)
    if not hasattr(libc, "unshare"):
        raise OSError(errno.ENOSYS, "this system has no mount namespaces")
    return libc


def _failure(what: str) -> OSError:
    number = ctypes.get_errno()
    return OSError(number, f"{what}: {os.strerror(number)}")
