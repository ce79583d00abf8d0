"""What people copy from the README and the pages works as it is written."""

from __future__ import annotations

import json
import re
import shlex
from typing import TYPE_CHECKING, NamedTuple

import click
import pytest

from junbi.cli import cli
from junbi.config import load_generation

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_HERE = re.compile(r"<<'(\w+)'\n(.*?)\n\1$", re.DOTALL | re.MULTILINE)
#: Programs that a command line may name besides make, junbi and its Python.
_PROGRAMS = {"set", ".", "curl", "mkdir", "cp", "git"}


class Snippet(NamedTuple):
    """A fenced block: its language, its text, and its line on the page."""

    language: str
    text: str
    line: int


def snippets(page: Path, *languages: str) -> list[Snippet]:
    """The fenced blocks of a page in these languages."""
    text = page.read_text("utf-8")
    blocks = [Snippet(found[1], found[2], text.count("\n", 0, found.start()) + 1) for found in _FENCE.finditer(text)]
    return [block for block in blocks if block.language in languages]


def commands(text: str) -> Iterator[list[str]]:
    """Each simple command of shell lines, split into words; here-documents left out."""
    for line in _HERE.sub("", text).splitlines():
        lexer = shlex.shlex(line, posix=True, punctuation_chars=";&|")
        lexer.whitespace_split = True
        words: list[str] = []
        for word in [*lexer, ";"]:
            if set(word) <= set(";&|"):
                if words:
                    yield words
                words = []
            else:
                words.append(word)


def check_junbi(arguments: list[str]) -> None:
    """The command exists and takes these arguments."""
    context = click.Context(cli, info_name="junbi")
    command: click.Command = cli
    while isinstance(command, click.Group):
        name, *arguments = arguments or [""]
        found = command.get_command(context, name)
        assert found, f"junbi has no command {name!r}"
        context, command = click.Context(found, info_name=name, parent=context), found
    command.parse_args(context, arguments)


def test_every_block_says_what_it_is(page: Path) -> None:
    """A block is a command (sh, or nothing said), a file, or text: else nobody would check it."""
    known = {"", "sh", "yaml", "json", "text", "mermaid"}
    assert not [it for it in _FENCE.findall(page.read_text("utf-8")) if it[0] not in known]


def test_json_is_json(page: Path) -> None:
    """What is shown as JSON can be read as JSON."""
    for block in snippets(page, "json"):
        json.loads(block.text)


def test_commands_exist(page: Path, root: Path) -> None:
    """Each command line names a target of the Makefile, or a command of junbi with options that it takes."""
    targets = set(re.findall(r"^([a-z]+):", (root / "Makefile").read_text("utf-8"), re.MULTILINE))
    for block in snippets(page, "", "sh"):
        for program, *arguments in commands(block.text):
            if program == "make":
                assert set(arguments) <= targets, f"line {block.line}"
            elif program == ".venv/bin/junbi":
                check_junbi(arguments)
            else:
                assert program in _PROGRAMS | {".venv/bin/python"}, f"line {block.line}: {program}"


def test_commands_in_the_text_exist(page: Path, root: Path) -> None:
    """The commands that sentences speak of exist, too."""
    text = _FENCE.sub("", page.read_text("utf-8"))
    targets = set(re.findall(r"^([a-z]+):", (root / "Makefile").read_text("utf-8"), re.MULTILINE))
    assert set(re.findall(r"`make ([a-z]+)", text)) <= targets
    context = click.Context(cli, info_name="junbi")
    assert set(re.findall(r"`junbi ([a-z]+)", text)) <= set(cli.list_commands(context))


def test_python_compiles(page: Path) -> None:
    """Each Python snippet in a command is valid Python."""
    for block in snippets(page, "", "sh"):
        for _, code in _HERE.findall(block.text):
            compile(code, f"{page.name}:{block.line}", "exec")


def test_files_pass_lint(page: Path, tmp_path: Path) -> None:
    """Each junbi.yaml that is shown is a whole one, without a mistake and without a warning."""
    for block in snippets(page, "yaml"):
        file = tmp_path / "junbi.yaml"
        file.write_text(block.text, "utf-8")
        assert load_generation(file).warnings == ()


def test_links_lead_somewhere(page: Path) -> None:
    """Each relative link names a file that is there, and a heading in it where it says one."""
    text = _FENCE.sub("", page.read_text("utf-8"))
    for target in re.findall(r"\]\(([^)]+)\)", text):
        if "://" in target:
            continue
        name, _, anchor = target.partition("#")
        file = (page.parent / name).resolve() if name else page
        assert file.exists(), target
        assert not anchor or anchor in anchors(file), target


def anchors(page: Path) -> set[str]:
    """What a page's headings are called in links, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize(
    "line",
    ["junbi nothing", "junbi lint --nothing", "junbi launches a b", "junbi logs"],
)
def test_a_wrong_command_is_noticed(line: str) -> None:
    """The check of commands can fail."""
    with pytest.raises((AssertionError, click.UsageError)):
        check_junbi(line.split()[1:])
