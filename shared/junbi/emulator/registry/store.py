"""Where the local registry keeps images: contents under their digests, and what each tag names."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from pathlib import Path

_PART = "[a-z0-9]+(?:[._-]+[a-z0-9]+)*"
NAME = re.compile(f"{_PART}(?:/{_PART})*")
TAG = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,127}")
DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Manifest:
    """A manifest or an index as it was pushed; its digest is that of its bytes."""

    media_type: str
    content: bytes

    @property
    def digest(self) -> str:
        """``sha256:…``."""
        return f"sha256:{hashlib.sha256(self.content).hexdigest()}"


class Images:
    """The images of every repository. What a put returned is on disk; names were checked by the caller.

    Repositories share their blobs: whoever may see one sees all, as on a registry of one person.
    """

    def __init__(self, directory: Path) -> None:
        self._blobs, self._repositories, self._uploads = (
            directory / name for name in ("blobs", "repositories", "uploads")
        )
        for path in (self._blobs, self._repositories, self._uploads):
            path.mkdir(parents=True, exist_ok=True)

    def manifest(self, repository: str, reference: str) -> Manifest | None:
        """What a tag or a digest names in a repository."""
        digest = reference if DIGEST.fullmatch(reference) else self._tag(repository, reference)
        kept = self._home(repository) / "manifests" / digest.partition(":")[2] if digest else None
        if kept is None or not kept.is_file():
            return None
        media_type, _, content = kept.read_bytes().partition(b"\n")
        return Manifest(media_type.decode(), content)

    def put_manifest(self, repository: str, reference: str, manifest: Manifest) -> None:
        """Keep a manifest, and have a tag name it from now on."""
        home = self._home(repository)
        content = manifest.media_type.encode() + b"\n" + manifest.content
        self._write(home / "manifests" / manifest.digest.partition(":")[2], content)
        if not DIGEST.fullmatch(reference):
            self._write(home / "tags" / reference, manifest.digest.encode())

    def tags(self, repository: str) -> list[str] | None:
        """The tags of a repository in order, None where there is no such repository."""
        home = self._home(repository)
        if not home.is_dir():
            return None
        return sorted(path.name for path in home.glob("tags/*"))

    def delete(self, repository: str, reference: str) -> bool:
        """Delete a tag, or a manifest with every tag that names it; tells whether there was one."""
        home = self._home(repository)
        if not DIGEST.fullmatch(reference):
            path = home / "tags" / reference
        else:
            path = home / "manifests" / reference.partition(":")[2]
            for tag in self.tags(repository) or ():
                if self._tag(repository, tag) == reference:
                    (home / "tags" / tag).unlink()
        there = path.is_file()
        path.unlink(missing_ok=True)
        return there

    def blob(self, digest: str) -> Path | None:
        """Where a blob's content lies."""
        path = self._blobs / digest.partition(":")[2]
        return path if path.is_file() else None

    def begin(self) -> str:
        """Begin an upload; its id."""
        upload = secrets.token_hex(16)
        (self._uploads / upload).touch()
        return upload

    def append(self, upload: str, content: BinaryIO) -> int | None:
        """Add to an upload; the bytes it has now, None where there is no such upload."""
        path = self._uploads / upload
        if not path.is_file():
            return None
        with path.open("ab") as file:
            shutil.copyfileobj(content, file)
            return file.tell()

    def finish(self, upload: str, digest: str) -> bool:
        """Make a blob of an upload; tells whether its content has that digest. The upload is over in any case."""
        path = self._uploads / upload
        with path.open("rb") as file:
            right = f"sha256:{hashlib.file_digest(file, 'sha256').hexdigest()}" == digest
        if right:
            path.replace(self._blobs / digest.partition(":")[2])
        else:
            path.unlink()
        return right

    def _home(self, repository: str) -> Path:
        # One folder each: 'a' may be a repository beside 'a/b' and 'a/tags'.
        return self._repositories / repository.replace("/", "%")

    def _tag(self, repository: str, tag: str) -> str:
        path = self._home(repository) / "tags" / tag
        return path.read_text() if path.is_file() else ""

    def _write(self, path: Path, content: bytes) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = self._uploads / f"draft-{secrets.token_hex(8)}"
        with draft.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
