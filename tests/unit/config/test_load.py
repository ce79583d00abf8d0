"""Files that are no YAML, or no YAML that junbi reads: one clear message with its place for each."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from junbi.config.load import LARGEST, load, parse
from junbi.config.tree import bare
from junbi.errors import ConfigInvalid

if TYPE_CHECKING:
    from collections.abc import Callable

BRACES = "inside { } or [ ], text that holds any of { } [ ] , must stand in quotes"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a: b: c", "1:5: a ':' where none can be: is the line above unfinished, or a quote missing?"),
        ("a:\n\t- b", "2:1: a tab cannot indent in YAML: use spaces"),
        ("a: 1\nb: 'x\nc: 2", "2:4: this quote is never closed"),
        ("a: [1,2\n", "1:4: this bracket is never closed"),
        ("{a: oss://b/{v}/}", f"1:13: did not expect '{{' here: {BRACES}"),
        ("a: }", f"1:4: did not expect '}}' here: {BRACES}"),
        ("a: @b", "1:4: a value cannot begin with @: write it in quotes"),
        ("a: %d", "1:4: a value cannot begin with %: write it in quotes"),
        ("a:\n  - b\n c: 1", "3:2: does not line up with what is above it: check the indent"),
        ('a: "\\q"', "1:6: no such escape as \\q: write \\\\q, or use single quotes"),
        ('a: 1\nb: "\\UFFFFFFFF"', "2:1: no valid YAML below line 2: an escape in double quotes names no character"),
        ("a: *b", "1:4: a: *b names no anchor: &b must stand above it"),
        ("a: &b [*b]", "1:8: a[0]: *b stands inside what it names"),
        ("a: 1\n---\nb: 2", "2:1: a second document: one file holds one, so delete the line '---'"),
        ("%YAML 1.1\n---\na: 1", "2:1: junbi reads YAML 1.2: delete the line '%YAML'"),
        ("a: !x 1", "1:4: a: tags are not used here: delete !x"),
        ("a: !!python/name:os.system []", "1:4: a: tags are not used here: delete !!python/name:os.system"),
        ("- a", "1:1: expected keys such as 'deployment:' at the top"),
        ("deployment", "1:1: expected keys such as 'deployment:' at the top"),
        ("on: 1\n1: x", '2:1: a key must be text: write "1" in quotes'),
        ("{version}: b", "1:1: a key must be text, not a list or a mapping (is a '{name}' outside quotes?)"),
        ("a:\n  b: 1\n  b: 2", "3:3: a.b: key defined twice, first at line 2"),
        ("a: .nan", "1:4: a: no finite number: write it in quotes if text is meant"),
        ('a: "x\\0y"', "1:4: a: text cannot hold a NUL character or half of a surrogate pair"),
        ('a: "\\ud800"', "1:4: a: text cannot hold a NUL character or half of a surrogate pair"),
        ("a: 1\n<<: 2", "2:1: '<<' merges a mapping, or a list of them, such as *name"),
        ("a: b\x07", "1:5: holds the control character U+0007: delete it"),
        ("[" * 100_000, "1:42: [0][0][0][0][0][0]: nested deeper than 40 levels"),
    ],
)
def test_syntax(judge: Callable[..., list[str]], text: str, problem: str) -> None:
    """A mistake in the syntax is one line with file, line and column, in words for people."""
    assert judge(text) == [f"junbi.yaml:{problem}"]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", ": is empty: 'junbi init' writes one to start from"),
        (b"# only a comment\n", ": is empty: 'junbi init' writes one to start from"),
        (b"---\n...\n", ": is empty: 'junbi init' writes one to start from"),
        ("a: 1".encode("utf-16"), ": is UTF-16: save it as UTF-8"),
        (b"\x7fELF\0\0", ": is a binary file, no YAML"),
        ("a: 1\nb: caf\u00e9".encode("latin-1"), ":2:7: is not UTF-8 here: save the file as UTF-8"),
        (b"a: 1\n" * (LARGEST // 5 + 1), ": has more than 4 MiB; junbi.yaml is never that large"),
    ],
)
def test_no_text(judge: Callable[..., list[str]], content: bytes, problem: str) -> None:
    """An empty, binary, wrongly encoded or huge file is said to be one."""
    assert judge(content) == [f"junbi.yaml{problem}"]


def test_missing(tmp_path: Path) -> None:
    """A file that is not there is said so, with what to do."""
    with pytest.raises(ConfigInvalid, match=r"none\.yaml: no such file: 'junbi init' writes one"):
        load(tmp_path / "none.yaml")


def test_unreadable(tmp_path: Path) -> None:
    """A file that the system does not let us read gives the system's reason."""
    loop = tmp_path / "junbi.yaml"
    loop.symlink_to(loop)
    with pytest.raises(ConfigInvalid, match="cannot be read: "):
        load(loop)


def test_alias_bomb() -> None:
    """Nested aliases that stand for billions of values are refused at once and not expanded."""
    lines = ["x0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1]"]
    lines += [f"x{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 30)]
    began = time.process_time()
    with pytest.raises(ConfigInvalid, match="more than 500,000 values once its aliases are followed"):
        parse("\n".join(lines), "f")
    assert time.process_time() - began < 5


def test_every_mistake_at_once(judge: Callable[..., list[str]]) -> None:
    """Mistakes that are not of the syntax are all told in one go, in the order of the file."""
    places = [problem.split(": ")[0] for problem in judge("a: 1\na: 2\nb: *none\n3: c\n")]
    assert places == ["junbi.yaml:2:1", "junbi.yaml:3:4", "junbi.yaml:4:1"]


def test_byte_order_mark_and_line_ends(judge: Callable[..., list[str]], valid: str) -> None:
    """A byte order mark and Windows line ends change nothing."""
    assert judge(b"\xef\xbb\xbf" + valid.replace("\n", "\r\n").encode()) == []


def test_merge() -> None:
    """Merged keys give way to a mapping's own, and an earlier mapping in a list of them wins."""
    text = "x-a: &a {p: 1, q: 1}\nx-b: &b {q: 2, r: 2}\nc:\n  <<: [*a, *b, *a]\n  p: 3\n"
    content = parse(text, "f")
    assert content is not None
    assert bare(content)["c"] == {"p": 3, "q": 1, "r": 2}


def test_quoted_merge_is_a_key() -> None:
    """Only a bare << merges."""
    content = parse("c: {'<<': {p: 1}}", "f")
    assert content is not None
    assert bare(content) == {"c": {"<<": {"p": 1}}}


class TestFolder:
    """junbi.d/: every file of it is one configuration."""

    @pytest.fixture(autouse=True)
    def _folder(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        Path("junbi.d").mkdir()

    def write(self, **files: str) -> None:
        """Files of the folder, by name without ``.yaml``."""
        for name, text in files.items():
            Path("junbi.d", f"{name}.yaml").write_text(text, encoding="utf-8")

    def problems(self) -> list[str]:
        """The problems of the folder."""
        with pytest.raises(ConfigInvalid) as caught:
            load(Path("junbi.d"))
        return [str(problem) for problem in caught.value.problems]

    def test_sections_come_together(self) -> None:
        """Names of one section may be spread over files; other files and empty ones are passed over."""
        self.write(a="deployment: v\ndatasets: {a: {}}", b="datasets: {b: {}}\nx-y: 1", c="# later\n", d="x-y: 2")
        Path("junbi.d/README.md").write_text("no: yaml: here", encoding="utf-8")
        Path("junbi.d/.swap.yaml").write_text("no: yaml: here", encoding="utf-8")
        content = bare(load(Path("junbi.d")))
        assert content["deployment"] == "v"
        assert set(content["datasets"]) == {"a", "b"}

    def test_defined_twice(self) -> None:
        """A name in two files is an error that names both places."""
        self.write(a="deployment: v\nplans:\n  p: {}", b="deployment: w\nplans:\n  p: {}")
        assert self.problems() == [
            "junbi.d/b.yaml:1:1: deployment: is already defined at junbi.d/a.yaml:1:1",
            "junbi.d/b.yaml:3:3: plans.p: is already defined at junbi.d/a.yaml:3:3",
        ]

    def test_all_files_are_judged(self) -> None:
        """Mistakes in several files are told in one go."""
        self.write(a="a: b: c", b="a: *b")
        assert [problem.split(" ")[0] for problem in self.problems()] == ["junbi.d/a.yaml:1:5:", "junbi.d/b.yaml:1:4:"]

    def test_empty(self) -> None:
        """A folder without content says so."""
        self.write(a="# nothing")
        assert self.problems() == ["junbi.d: holds no .yaml file with content: 'junbi init' writes one to start from"]

    def test_unreadable_folder(self) -> None:
        """A name that ends in .yaml and cannot be read as a file is told with the system's reason."""
        os.mkfifo("junbi.d/pipe.yaml")
        Path("junbi.d/folder.yaml").mkdir()
        assert self.problems() == [
            "junbi.d/folder.yaml: is no file",
            "junbi.d/pipe.yaml: is no file",
        ]
