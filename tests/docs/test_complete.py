"""What junbi has is on its pages, and what is on its pages is there."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click
import pytest

from junbi.cli import cli
from junbi.clients.endpoints import Service
from junbi.config.model import Config
from junbi.core import assumptions, quotas
from junbi.core.reasons import Code
from junbi.emulator import pai
from junbi.http_api import problems

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

_VARIABLE = re.compile(r"\b(?:JUNBI|FC|ALIBABA_CLOUD)_[A-Z][A-Z_]*[A-Z]\b")


def sources(*folders: Path) -> dict[str, str]:
    """The text of every Python file below these folders, by its path."""
    return {str(file): file.read_text("utf-8") for folder in folders for file in sorted(folder.rglob("*.py"))}


def section(page: Path, heading: str) -> str:
    """What stands under a heading, up to the next one of its level or above."""
    level = heading.split(" ", maxsplit=1)[0]
    text = page.read_text("utf-8")
    assert f"\n{heading}\n" in text, f"{page.name} has no heading {heading!r}"
    below = text.split(f"\n{heading}\n", 1)[1]
    return re.split(rf"\n#{{1,{len(level)}}} ", below, maxsplit=1)[0]


def test_written_parts_are_what_the_code_says(write_docs: ModuleType) -> None:
    """'make docs' was run: no page says anything else than the code it is written from."""
    stale = [page.name for page, text in write_docs.pages().items() if page.read_text("utf-8") != text]
    assert not stale, "run 'make docs'"


def test_every_written_part_stands_on_a_page(write_docs: ModuleType, root: Path) -> None:
    """Nothing is written for no page, and every mark is closed."""
    text = "".join(page.read_text("utf-8") for page in (root / "docs").glob("*.md"))
    assert sorted(re.findall(r"<!-- written: (\S+) -->", text)) == sorted(write_docs.BLOCKS)
    assert text.count("<!-- end -->") == len(write_docs.BLOCKS)


def test_every_setting_is_explained(write_docs: ModuleType, root: Path) -> None:
    """Each key of junbi.yaml has a row with its kind and its meaning, in the section it belongs to."""
    found = dict(write_docs.sections())
    assert found[""] is Config
    assert {"datasets.<name>.complete", "plans.<name>.job.workers", "plans.<name>.outputs.<name>"} <= set(found)
    for path, model in found.items():
        told = section(root / "docs" / "settings.md", f"### `{path}`" if path else "### The top of the file")
        for key, field in model.model_fields.items():
            row = re.search(rf"^\| `{field.alias or key}` \| (.+?) \| (.+?) \| (.+) \|$", told, re.MULTILINE)
            assert row, f"{path}.{key}"
            assert row[3] == field.description
            assert (row[2] == "required") is field.is_required()


def test_every_kind_of_value_is_explained(write_docs: ModuleType, root: Path) -> None:
    """The words in the column 'value' that are not plain ones stand in the table of kinds."""
    told = section(root / "docs" / "settings.md", "### Kinds of values")
    plain = {"anything", "whole number", "text, number, true or false", "true or false", "digits, in quotes"}
    assert all(f"| {kind} |" in told for kind in set(write_docs.KINDS.values()) - plain)


def test_every_environment_variable_is_explained(root: Path) -> None:
    """Each variable that the code, the functions or the tests read is on the page, and none that nothing reads."""
    told = set(_VARIABLE.findall(section(root / "docs" / "settings.md", "## Environment variables")))
    endpoints = {f"JUNBI_ENDPOINT_{service.value}" for service in Service}
    read = "".join(sources(root / "shared", root / "functions").values())
    in_tests = {"JUNBI_PAYLOADS", "JUNBI_REQUIRE_BROWSER"}
    told_to_functions = {"FC_FUNCTION_NAME", "FC_FUNCTION_HANDLER", "FC_FUNCTION_MEMORY_SIZE", "FC_ACCOUNT_ID"}
    known = {name for name in _VARIABLE.findall(read) if name not in told_to_functions | {"FC_QUALIFIER"}}
    known |= endpoints | in_tests
    example = {"JUNBI_DIGITS_VERSION"}
    assert told - example == known
    assert all(name in "".join(sources(root / "tests").values()) for name in in_tests)


def test_every_command_is_explained(root: Path, write_docs: ModuleType) -> None:
    """Each command and subcommand has a heading, and each of its options a row."""
    page = root / "docs" / "commands.md"
    text = page.read_text("utf-8")
    contexts = list(write_docs.contexts(click.Context(cli, info_name="junbi")))
    assert {"junbi init", "junbi up", "junbi launches"} <= {one.command_path for one in contexts}
    for context in contexts:
        heading = re.search(rf"^### `{context.command_path}(?: [^a-z`][^`]*)?`$", text, re.MULTILINE)
        assert heading, context.command_path
        told = section(page, heading[0])
        options = [name for param in context.command.params if isinstance(param, click.Option) for name in param.opts]
        assert all(re.search(rf"`[^`]*{name}\b", told) for name in options), context.command_path


def test_every_reason_is_explained(root: Path) -> None:
    """Each code has a section, in the order of precedence, that says where it shows and what to do."""
    page = root / "docs" / "reasons.md"
    codes = [code.value for code in Code]
    assert re.findall(r"^### (\w+)$", page.read_text("utf-8"), re.MULTILINE) == codes
    for code in codes:
        told = section(page, f"### {code}")
        assert re.search(r"^\S.+\.$", told, re.MULTILINE), f"{code} has no meaning"
        assert "\n* Shows: " in told, code
        assert "\n* To do: " in told, code


def test_every_reason_is_given_by_something(root: Path) -> None:
    """A code that nothing gives would promise what does not happen."""
    text = "".join(sources(root / "shared" / "junbi").values())
    assert [code.name for code in Code if f"Code.{code.name}" not in text] == []


def test_every_entry_of_the_story_is_explained(root: Path) -> None:
    """What the story tells besides reasons is in the table, and nothing else."""
    told = section(root / "docs" / "reasons.md", "## What the story tells besides")
    rows = set(re.findall(r"^\| ([A-Z][A-Za-z]+) \|", told, re.MULTILINE))
    words = "".join(sources(root / "shared/junbi/pipeline").values())
    words += (root / "shared/junbi/core/arrival.py").read_text("utf-8")
    told_by_code = set(
        re.findall(r'"((?:Arrival|Dataset|Launch|Job|Try|Push|Commit|Code|Image)[A-Z][a-z]+(?:ed)?)"', words)
    )
    assert rows == told_by_code | quotas.DECISIVE


def test_every_problem_of_the_api_is_explained(root: Path) -> None:
    """Each code of the API's problems is in the table, and nothing else."""
    told = section(root / "docs" / "reasons.md", "## What the API answers")
    rows = re.findall(r"^\| ([A-Z][A-Za-z]+) \|", told, re.MULTILINE)
    assert sorted(rows) == sorted(code.value for code in problems.Code)


def test_every_operation_is_told_with_its_evidence(root: Path) -> None:
    """Each emulated operation of PAI has a row with what it rests on."""
    told = section(root / "docs" / "emulator.md", "### AIWorkSpace, DLC and PaiStudio")
    assert all(f"| `{one.operation.name}` | {one.operation.version} | {one.evidence} |" in told for one in pai.ROUTES)


def test_every_named_assumption_is_explained(root: Path) -> None:
    """Each class and constant of core.assumptions has what is assumed, how to check it and what breaks."""
    page = root / "docs" / "assumptions.md"
    text = page.read_text("utf-8")
    names = [name for name in vars(assumptions) if re.fullmatch(r"TAG_[A-Z]+|Settling", name)]
    assert len(names) >= 4
    assert all(f"`{name}`" in text for name in names)
    for heading in re.findall(r"^### .+$", text, re.MULTILINE):
        told = section(page, heading)
        assert all(f"\n* {part}: " in told for part in ("Assumed", "To check", "If it is wrong")), heading


def _assuming(root: Path, below: str) -> set[str]:
    files = sources(root / below)
    said = re.compile(r"\bassumed\b(?! for\.)", re.IGNORECASE)
    return {file.removeprefix(f"{root}/") for file, text in files.items() if said.search(text)}


def test_no_assumption_stays_in_the_code(root: Path) -> None:
    """Each file that calls something assumed is named on a page, and no page names one that does not."""
    emulator = "shared/junbi/emulator/"
    found = _assuming(root, "shared/junbi")
    page = (root / "docs" / "assumptions.md").read_text("utf-8")
    table = page.split("## Facts from sources", 1)[0]
    assert set(re.findall(r"shared/junbi/[\w/]+\.py", table)) == {one for one in found if not one.startswith(emulator)}
    assumed_here = section(root / "docs" / "emulator.md", "## What differs from the real services")
    named = {emulator + one for one in re.findall(r"`([\w/]+\.py)`", assumed_here)}
    assert named == {one for one in found if one.startswith(emulator)} - {f"{emulator}route.py"}


@pytest.mark.parametrize("name", ["assumptions.md", "reasons.md", "emulator.md", "concepts.md", "settings.md"])
def test_files_that_pages_name_are_there(root: Path, name: str) -> None:
    """A path of this repository on a page leads to something."""
    text = (root / "docs" / name).read_text("utf-8")
    assert [
        path for path in re.findall(r"`((?:shared|tests|infra)/[\w./-]+)`", text) if not (root / path).exists()
    ] == []
