"""Places in OSS, and whether two of them can hold one object."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from junbi.core.places import Place, located, pattern_of, place, place_of, split
from junbi.core.plan import Watch


def watch(uri: str) -> Watch:
    """A compiled watch."""
    bucket, path = split(uri)
    root, pattern, captures = pattern_of(path)
    return Watch(bucket=bucket, root=root, pattern=pattern, captures=captures)


@pytest.mark.parametrize(
    ("uri", "root", "key", "prefix", "captured"),
    [
        ("oss://data/digits/{version}/", "digits/", "digits/v 1/a/b.png", "digits/v 1/", {"version": "v 1"}),
        ("oss://data/{version}/", "", "日本/a", "日本/", {"version": "日本"}),
        ("oss://data/a/v{version}-x/y/", "a/", "a/v1.0-x/y/z", "a/v1.0-x/y/", {"version": "1.0"}),
        (
            "oss://data/a.b+c/{site}/{version}/",
            "a.b+c/",
            "a.b+c/tokyo/7/x",
            "a.b+c/tokyo/7/",
            {"site": "tokyo", "version": "7"},
        ),
    ],
)
def test_watch(uri: str, root: str, key: str, prefix: str, captured: dict[str, str]) -> None:
    """A watch finds an object's version and the prefix of that version, taking names as they come."""
    found = watch(uri)
    match = re.match(found.pattern, key)
    assert match is not None
    assert (found.root, key[: match.end()], match.groupdict()) == (root, prefix, captured)


@pytest.mark.parametrize(
    ("uri", "key"),
    [
        ("oss://data/digits/{version}/", "digits/readme.txt"),
        ("oss://data/digits/{version}/", "digits//a"),
        ("oss://data/digits/{version}/", "other/digits/1/a"),
        ("oss://data/a.b/{version}/", "aXb/1/a"),
    ],
)
def test_not_watched(uri: str, key: str) -> None:
    """A key outside is not taken: literal text is literal, and a placeholder takes one whole part."""
    assert re.match(watch(uri).pattern, key) is None


@pytest.mark.parametrize(
    ("one", "other", "overlap"),
    [
        ("oss://data/a/{v}/", "oss://data/a/{v}/", True),
        ("oss://data/a/{v}/", "oss://else/a/{v}/", False),
        ("oss://data/a/{v}/", "oss://data/b/{v}/", False),
        ("oss://data/a/{v}/", "oss://data/{w}/x/", True),
        ("oss://data/a/{v}/", "oss://data/{w}/", True),
        ("oss://data/a/{v}/", "oss://data/a/v1/deep/{x}/", True),
        ("oss://data/a/{v}/", "oss://data/ab/{v}/", False),
        ("oss://data/a{v}/", "oss://data/{v}b/", True),
        ("oss://data/a{v}/", "oss://data/b{v}/", False),
        ("oss://data/a{v}c/", "oss://data/ac/", False),
        ("oss://data/a{v}c/", "oss://data/abc/", True),
        ("oss://data/v{v}/x/", "oss://data/v1/y/", False),
        ("oss://data/", "oss://data/a/{v}/", True),
        ("oss://data/x/", "oss://data/{v}/", True),
    ],
)
def test_overlap(one: str, other: str, overlap: bool) -> None:  # noqa: FBT001 - a table of cases
    """Two places overlap where one object can lie in both, whichever is asked."""
    assert place(one).overlaps(place(other)) is overlap
    assert place(other).overlaps(place(one)) is overlap


def test_long_names() -> None:
    """Names as long as OSS takes them are compared, however they are cut by placeholders."""
    long = "a" * 500
    assert place(f"oss://data/{long}{{x}}{long}/").overlaps(place(f"oss://data/{{y}}{long}{{z}}/"))
    assert not place(f"oss://data/{long}{{x}}b/").overlaps(place(f"oss://data/{{y}}{long}c/"))


_PIECES = st.lists(st.sampled_from(["a", "b", ".", "+", "-", "{x}", "\\", "[^/]"]), min_size=1, max_size=4)
_PARTS = st.lists(_PIECES.map("".join), min_size=1, max_size=3)


@given(_PARTS)
def test_read_back(parts: list[str]) -> None:
    """A compiled watch covers the place that was written."""
    path = "/".join(parts) + "/"
    names = iter(range(99))
    path = re.sub("{x}", lambda _: f"{{x{next(names)}}}", path)
    uri = f"oss://data/{path}"
    assert place_of(watch(uri)) == place(uri)


def _fits(at: Place, key: str) -> bool:
    parts = ("".join("[^/]+" if piece is None else re.escape(piece) for piece in part) for part in at.parts)
    return re.match("".join(f"{part}/" for part in parts), key) is not None


@given(_PARTS, _PARTS, st.text(alphabet="ab./", max_size=9))
def test_a_common_object_is_an_overlap(one: list[str], other: list[str], key: str) -> None:
    """Where a key lies in both places, they overlap."""
    first, second = place(f"oss://data/{'/'.join(one)}/"), place(f"oss://data/{'/'.join(other)}/")
    if _fits(first, key) and _fits(second, key):
        assert first.overlaps(second)


@pytest.mark.parametrize(
    "uri", ["", "data/a/", "oss:/data/a/", "oss://data", "oss://D/a/", "oss://data/a", "oss://data//a/"]
)
def test_no_place(uri: str) -> None:
    """What is no folder's address is refused with a reason."""
    with pytest.raises(ValueError, match=r".{10}"):
        place(uri)


_CUT = st.lists(st.sampled_from(["a", "-", "-a-", "{x}", "/"]), min_size=1, max_size=7).map("".join)


@example("{x}{x}{x}a", "aa/")
@given(_CUT, st.text(alphabet="ab-/", max_size=12))
def test_a_key_is_cut_as_the_expression_would_cut_it(path: str, key: str) -> None:
    """Where a key lies, and what placeholders take of it, is what the stored expression says, to the character."""
    names = iter(range(99))
    path = re.sub("/+", "/", re.sub("{x}", lambda _: f"{{x{next(names)}}}", path)).strip("/") + "/"
    found = watch(f"oss://data/{path}") if path != "/" else None
    match = re.match(found.pattern, key) if found else None
    assert (located(found, key) if found else None) == ((match[0], match.groupdict()) if match else None)


@pytest.mark.parametrize(
    ("path", "key", "captured"),
    [
        ("{a}-{b}-{c}/", "1-2-3-4/x", {"a": "1-2", "b": "3", "c": "4"}),
        ("{a}-{b}/", "1-2-/x", {"a": "1", "b": "2-"}),
        ("{a}-{b}/", "1-/x", None),
        ("{a}-{b}/", "-1/x", None),
        ("v{a}-cam-{b}.d/", "v2026-03-cam-7.d/x", {"a": "2026-03", "b": "7"}),
        ("v{a}v/", "vv/x", None),
    ],
)
def test_placeholders_in_one_part(path: str, key: str, captured: dict[str, str] | None) -> None:
    """The first takes as much as it can, each takes one character at least, and what stands between is literal."""
    found = located(watch(f"oss://data/{path}"), key)
    assert (found[1] if found else None) == captured


def test_a_key_made_to_be_slow_is_cut_at_once() -> None:
    """A stranger's longest key costs no more than any other, however many placeholders stand in one path part."""
    found = watch("oss://data/x/{a}-{b}-{c}-{d}-{version}/")
    began = time.process_time()
    for key in ("x/" + "-" * 1021, "x/" + "-a" * 510, "x/" + "-" * 1019 + "/a"):
        located(found, key)
    assert time.process_time() - began < 0.1


def test_no_key_is_longer_than_those_of_oss() -> None:
    """What is longer than a key of OSS can be lies nowhere and is not even looked through."""
    found = watch("oss://data/x/{version}/")
    assert located(found, "x/v/" + "a" * 1019) == ("x/v/", {"version": "v"})
    assert located(found, "x/v/" + "a" * 1020) is None
