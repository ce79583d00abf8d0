"""Where no private mounts can be had: the mount paths in a command and its environment become real directories."""

from __future__ import annotations

import json
import re
import shlex
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

VARIABLE = "JUNBI_MOUNTS"  #: environment variable: a JSON object, mount path to real directory


def rewrite(text: str, directories: Mapping[str, str]) -> str:
    """Put the real directories in place of the mount paths, whole path parts only, the longest path first.

    ``/mnt/out`` is replaced in ``--out=/mnt/out/model`` and ``file:///mnt/out``, but neither in ``/mnt/output`` nor in
    ``/a/mnt/out``.
    """
    if not directories:
        return text
    paths = "|".join(re.escape(path) for path in sorted(directories, key=len, reverse=True))
    whole = re.compile(rf"(?:(?<![\w.~/-])|(?<=://))(?:{paths})(?![\w-]|\.\w)")
    return whole.sub(lambda found: directories[found[0]], text)


def environment(env: Mapping[str, str], directories: Mapping[str, str]) -> dict[str, str]:
    """The environment with the mount paths rewritten, and the mapping itself beside it."""
    mapped = {name: rewrite(value, directories) for name, value in env.items()}
    return mapped | {VARIABLE: json.dumps(dict(directories), ensure_ascii=False)}


def notice(reason: str, directories: Mapping[str, str]) -> list[str]:
    """What a person must know about a pod that runs without private mounts, a sentence a line."""
    lines = [f"no private mounts: {reason}. Mount paths in the command and its environment are rewritten:"]
    lines += [f"  {path} -> {real}" for path, real in directories.items()]
    lines.append(f"paths written inside your code are not: read them from {VARIABLE}. Read-only is not enforced.")
    odd = [real for real in directories.values() if shlex.quote(real) != real]
    if odd:
        lines.append(f"{odd[0]} holds characters that a shell treats specially: choose a data directory without.")
    return lines
