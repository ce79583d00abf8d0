"""Which version's prefix a key belongs to, and which names of folders are acceptable."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from junbi.core.arrival import opened, place, refused_captures
from junbi.core.facts import ArrivalState
from junbi.core.places import pattern_of
from junbi.core.plan import Complete, DatasetSpec, Watch
from junbi.core.reasons import Code

NOW = datetime(2026, 3, 1, tzinfo=UTC)
ONE = "digits/{version}/"
TWO = "raw/{day}/cam-{camera}/"


def dataset(path: str) -> DatasetSpec:
    """A dataset that watches a path with the standard rule for names."""
    root, pattern, captures = pattern_of(path)
    watch = Watch(bucket="vision", root=root, pattern=pattern, captures=captures)
    return DatasetSpec(name="digits", watch=watch, complete=Complete(marker="_SUCCESS"), mount="/mnt/digits")


@pytest.mark.parametrize(
    ("path", "key", "prefix", "captures"),
    [
        (ONE, "digits/v1/a.csv", "digits/v1/", {"version": "v1"}),
        (ONE, "digits/v1/deep/er/a.csv", "digits/v1/", {"version": "v1"}),
        (ONE, "digits/v1/", "digits/v1/", {"version": "v1"}),
        (ONE, "digits/v 1+%20/日本.csv", "digits/v 1+%20/", {"version": "v 1+%20"}),
        (TWO, "raw/2026-03-01/cam-7/x", "raw/2026-03-01/cam-7/", {"day": "2026-03-01", "camera": "7"}),
        ("digits/", "digits/a.csv", "digits/", {}),
    ],
)
def test_a_key_belongs_to_the_prefix_of_its_version(path: str, key: str, prefix: str, captures: dict[str, str]) -> None:
    """The prefix ends with the watch, however deep the key goes; keys are taken as they come, not unquoted."""
    spot = place(dataset(path).watch, key)
    assert spot is not None
    assert (spot.prefix, spot.captures) == (prefix, captures)


@pytest.mark.parametrize(
    ("path", "key"),
    [
        (ONE, "digits/a.csv"),
        (ONE, "digits//a.csv"),
        (ONE, "other/v1/a.csv"),
        (ONE, "old/digits/v1/a.csv"),
        (ONE, "Digits/v1/a.csv"),
        (TWO, "raw/2026/cam-/x"),
        (TWO, "raw/2026/x"),
        ("digits.v/{version}/", "digits-v/1/a"),
    ],
)
def test_a_key_outside_the_watch_belongs_nowhere(path: str, key: str) -> None:
    """Empty parts, other roots and other spellings are not watched; a dot is a dot."""
    assert place(dataset(path).watch, key) is None


BAD = [
    "$(touch x)",
    "a b;rm",
    "",
    "a" * 129,
    "v\u0661",
    "日本",
    "v1\n",
    "`id`",
    "a'b",
    'a"b',
    "a\\b",
    "{version}",
    "a\0b",
]


@pytest.mark.parametrize("name", BAD)
def test_a_strange_name_is_refused(name: str) -> None:
    """Names come from strangers: anything but 1 to 128 of letters, digits, dot, underscore and hyphen is refused."""
    assert refused_captures(dataset(ONE).watch, {"version": name}) == {"version": name}


@pytest.mark.parametrize("name", ["v1", "2026-03-01", "a" * 128, "1.0.0-rc.1", "_x"])
def test_a_plain_name_is_accepted(name: str) -> None:
    """What people call versions passes."""
    assert refused_captures(dataset(ONE).watch, {"version": name}) == {}


@pytest.mark.parametrize("name", [name for name in BAD if name])
def test_a_strange_folder_opens_a_refused_arrival_that_names_it(name: str) -> None:
    """The arrival shows CaptureRefused with the name in quotes, and what to do; it does nothing else."""
    spec = dataset(ONE)
    spot = place(spec.watch, f"digits/{name}/x")
    assert spot is not None
    arrival = opened(spec, spot, NOW)
    assert arrival.state is ArrivalState.REFUSED
    assert arrival.reason is not None
    assert arrival.reason.code == Code.CAPTURE_REFUSED
    assert repr(name) in arrival.reason.message
    assert arrival.reason.fix


def test_only_the_bad_one_of_two_names_is_shown() -> None:
    """Each capture is judged for itself."""
    assert refused_captures(dataset(TWO).watch, {"day": "2026-03-01", "camera": "7; reboot"}) == {"camera": "7; reboot"}


@given(st.text(max_size=140))
def test_nothing_a_shell_reads_ever_passes(name: str) -> None:
    """Whatever is accepted consists of harmless characters only, and has a length a name may have."""
    if not refused_captures(dataset(ONE).watch, {"version": name}):
        assert re.fullmatch("[-.0-9A-Z_a-z]+", name)
        assert len(name) <= 128


@given(name=st.text(min_size=1, max_size=20).filter(lambda text: "/" not in text), rest=st.text(max_size=20))
def test_every_object_of_a_folder_belongs_to_the_folder(name: str, rest: str) -> None:
    """Whatever characters a folder and an object have: the prefix is the folder, the capture its name."""
    spot = place(dataset(ONE).watch, f"digits/{name}/{rest}")
    assert spot is not None
    assert (spot.prefix, spot.captures["version"]) == (f"digits/{name}/", name)


def test_a_name_too_long_for_a_file_is_refused_whatever_is_allowed() -> None:
    """At most 255 characters, so that ``allow`` is never tried on a stranger's longest key."""
    wide = dataset(ONE).watch.model_copy(update={"allow": ".*"})
    assert refused_captures(wide, {"version": "a" * 255}) == {}
    assert refused_captures(wide, {"version": "a" * 256}) == {"version": "a" * 256}
