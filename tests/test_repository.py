"""What holds for every file of the repository."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
#: Written apart, so that this file passes itself.
REGISTRIES = tuple(
    ".".join(parts) for parts in (("pypi", "org"), ("pythonhosted", "org"), ("npmjs", "org"), ("npmjs", "com"))
)
UNFINISHED = re.compile(r"\b(?:TO" + r"DO|FIX" + r"ME|XX" + r"X|HA" + r"CK|NotImplemented" + r"Error)\b")
VAGUE = {"utils", "util", "helpers", "helper", "common", "manager", "base", "misc"}
#: Directories that a clone may lie in and that files may speak of all the same.
ORDINARY = {
    Path(path)
    for path in (
        "/",
        "/tmp",
        "/home",
        "/root",
        "/opt",
        "/srv",
        "/mnt",
        "/usr",
        "/usr/local",
        "/var",
        "/var/tmp",
        "/workspace",
    )
}
#: Lines. Files that spell out an API's models are as long as the API.
LONGEST, LONGEST_OF_WIRE = 300, 350


@pytest.fixture(scope="module")
def tracked() -> dict[str, str]:
    """Every file of the repository that is text, by its path."""
    listed = ["git", "-C", str(ROOT), "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    try:
        names = subprocess.run(listed, capture_output=True, check=True, text=True).stdout.split("\0")
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"git cannot list the files: {error}")
    files = [ROOT / name for name in names if name and (ROOT / name).is_file()]
    texts = {str(file.relative_to(ROOT)): file.read_bytes() for file in files}
    return {name: data.decode() for name, data in texts.items() if b"\0" not in data}


def test_no_path_of_a_machine(tracked: dict[str, str]) -> None:
    """No file knows where somebody's clone lies."""
    places = {ROOT, ROOT.parent} - ORDINARY
    known = "|".join(re.escape(str(place)) for place in places)
    named = re.compile(rf"(?<![\w.}}-])(?:{known})(?:/|(?![\w-]))")
    found = [name for name, text in tracked.items() if places and named.search(text)]
    assert found == []


def test_no_package_registry(tracked: dict[str, str]) -> None:
    """No file names a package registry's host: where packages come from is the machine's affair."""
    assert [name for name, text in tracked.items() if any(host in text for host in REGISTRIES)] == []


def test_nothing_unfinished(tracked: dict[str, str]) -> None:
    """No file holds a note of work that was left."""
    assert [name for name, text in tracked.items() if UNFINISHED.search(text)] == []


def test_no_long_file(tracked: dict[str, str]) -> None:
    """A source file can be read in one go."""
    ours = {
        name: text.count("\n") for name, text in tracked.items() if re.match(r"(shared|functions|infra)/.+\.py$", name)
    }
    assert len(ours) > 100
    assert {
        name: lines
        for name, lines in ours.items()
        if lines > (LONGEST_OF_WIRE if name.startswith("shared/junbi/wire/") else LONGEST)
    } == {}


def test_no_vague_name(tracked: dict[str, str]) -> None:
    """A module is named by what it holds, not by being of use."""
    names = [name for name in tracked if name.endswith(".py")]
    assert [name for name in names if VAGUE & set(Path(name).with_suffix("").parts)] == []


def test_locks_pin_by_hash(tracked: dict[str, str]) -> None:
    """Each locked package has a version and hashes, and no address."""
    locks = {name: text for name, text in tracked.items() if re.match(r"infra/locks/.+\.txt$", name)}
    assert {Path(name).stem for name in locks} == {"runtime", "demo", "dev", "peers"}
    for name, text in locks.items():
        pinned = re.split(r"^(?=[a-z0-9])", text, flags=re.MULTILINE | re.IGNORECASE)[1:]
        assert pinned, name
        loose = [one.split()[0] for one in pinned if not re.match(r"\S+==\S+", one) or "--hash=sha256:" not in one]
        assert loose == [], name
        assert "://" not in text, name
