"""What a manifest's lines and entries mean, and what a listing proves of them."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from junbi.core.digest import Member
from junbi.core.manifest import Entry, Unreadable, Verdict, entry, judge, line_entry
from junbi.pipeline.manifest_reader import entries

MD5 = hashlib.md5(b"x").hexdigest()
THEN = datetime(2026, 1, 1, tzinfo=UTC)


def member(etag: str = MD5.upper(), size: int = 1, kind: str = "Normal") -> Member:
    """A member as a listing shows it."""
    return Member("a", size, etag, THEN, kind)


VERDICTS = {
    "nothing but a name": (Entry("a"), member(), Verdict.SAME),
    "size": (Entry("a", 1), member(), Verdict.SAME),
    "another size": (Entry("a", 2), member(), Verdict.DIFFERENT),
    "md5 of one piece": (Entry("a", 1, {"md5": MD5}), member(), Verdict.SAME),
    "another md5": (Entry("a", 1, {"md5": "0" * 32}), member(), Verdict.DIFFERENT),
    "md5 of several parts": (Entry("a", 1, {"md5": MD5}), member("ABC-2", kind="Multipart"), Verdict.UNVERIFIED),
    "md5 of an appended one": (Entry("a", 1, {"md5": MD5}), member("0" * 32, kind="Appendable"), Verdict.UNVERIFIED),
    "etag": (Entry("a", 1, {"etag": "abc-2"}), member("ABC-2", kind="Multipart"), Verdict.SAME),
    "another etag": (Entry("a", 1, {"etag": "abc-3"}), member("ABC-2", kind="Multipart"), Verdict.DIFFERENT),
    "sha256": (Entry("a", 1, {"sha256": "0" * 64}), member(), Verdict.UNVERIFIED),
    "sha256 of another size": (Entry("a", 2, {"sha256": "0" * 64}), member(), Verdict.DIFFERENT),
    "sha256 beside md5": (Entry("a", 1, {"sha256": "0" * 64, "md5": MD5}), member(), Verdict.SAME),
}


@pytest.mark.parametrize("what", VERDICTS)
def test_what_a_listing_proves(what: str) -> None:
    """Sizes and ETags are compared, MD5s where the ETag is one; the rest is neither proved nor disproved."""
    promised, seen, verdict = VERDICTS[what]
    assert judge(promised, seen) is verdict


@pytest.mark.parametrize(
    ("line", "key"),
    [
        (f"{MD5}  a b.csv", "a b.csv"),
        (f"{MD5} *a.bin", "a.bin"),
        (f"{MD5}  ./deep/a", "deep/a"),
        (f"\\{MD5}  a\\nb\\\\c", "a\nb\\c"),
        (f"{MD5}  a\\nb", "a\\nb"),
    ],
)
def test_lines_are_read_as_coreutils_write_them(line: str, key: str) -> None:
    """Text and binary mode, paths from the folder, and escaped names."""
    assert line_entry(line, "line 1") == Entry(key, None, {"md5": MD5})


@pytest.mark.parametrize("line", ["", "abc  a", f"{MD5} a", f"{MD5}", f"{MD5}  "])
def test_other_lines_are_refused(line: str) -> None:
    """What is no checksum with a name is named by its line."""
    with pytest.raises(Unreadable, match="line 7"):
        line_entry(line, "line 7")


@pytest.mark.parametrize("size", [-1, 1.5, "3", True])
def test_a_size_is_a_number_of_bytes(size: object) -> None:
    """Anything else is refused, not taken for one."""
    with pytest.raises(Unreadable, match="size"):
        entry({"key": "a", "size": size}, "files[0]")


@given(
    st.lists(st.builds(lambda key, size: {"key": key, "size": size}, st.text(min_size=1), st.integers(0, 9**20))),
    st.integers(1, 7),
    st.booleans(),
)
def test_json_is_read_the_same_in_pieces_of_any_length(
    files: list[dict[str, object]],
    length: int,
    ascii_only: bool,  # noqa: FBT001 - drawn
) -> None:
    """Cut anywhere, in the middle of a character, a number or an escape, it says the same."""
    document = json.dumps({"a": [1, {}], "files": files, "z": None}, ensure_ascii=ascii_only)
    raw = document.encode("utf-8", "surrogatepass") if ascii_only else document.encode("utf-8", "replace")
    pieces = (raw[at : at + length] for at in range(0, len(raw), length))
    found = [(one.key, one.size) for one in entries(pieces)]
    again = json.loads(raw)["files"]
    assert found == [(str(one["key"]).removeprefix("./"), one["size"]) for one in again]
