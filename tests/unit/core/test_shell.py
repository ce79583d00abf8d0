"""Where a quoted value is safe in a shell command: judged by the shells themselves."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from junbi.core.placeholders import fill, references
from junbi.core.shell import unprotected

if TYPE_CHECKING:
    from pathlib import Path

SHELLS = [shell for shell in ("bash", "sh") if shutil.which(shell)]


def exposed(command: str) -> bool:
    """Whether a placeholder of the command stands in the open."""
    return bool(unprotected(command, references(command)))


@pytest.mark.parametrize(
    "command",
    [
        "python t.py --v {x.y}",
        "a={x.y} b",
        "echo 'it' \"is\" {x.y}",
        'echo "${HOME}/a" {x.y}',
        "echo ${HOME}/{x.y}",
        "a && (b {x.y}) | c > {x.y}",
        "a # don't\nb {x.y}",
        "echo a#b {x.y}",
        "echo $$ {x.y}",
        "cat <<< {x.y}",
        "echo $(echo {x.y})",
        'echo "a\\"b" {x.y}',
        "echo \\' {x.y}",
        "bash /mnt/train.sh --v {x.y}",
        "export A=1 && python t.py {x.y}",
        "python local.py --read --let=1 ./eval {x.y}",
        "ls part[0-9] {x.y}",
        "[ -f {x.y} ] && python -v",
        "if [ -f a ]; then python -v {x.y}; fi",
    ],
)
def test_protected(command: str) -> None:
    """Words of their own, and parts of unquoted words, are safe."""
    assert not exposed(command)


@pytest.mark.parametrize(
    "command",
    [
        'echo "{x.y}"',
        "echo '{x.y}'",
        "echo `echo {x.y}`",
        "echo \\{x.y}",
        "a # {x.y}",
        "# {x.y}",
        "cat <<EOF\n{x.y}\nEOF",
        "echo $(( {x.y} ))",
        "(( {x.y} ))",
        "[[ {x.y} -eq 1 ]]",
        "echo $[ {x.y} ]",
        "echo ${A:-{x.y}}",
        "echo $'a\\'{x.y}'",
        "echo $'a\\'' '{x.y}'",
        "echo $$'a\\' '{x.y}'",
        '"$(echo "{x.y}")"',
        '"`echo "{x.y}"`"',
        '"${A:-"}" {x.y}',
        'echo ${X:-"}"} "{x.y}"',
        'echo "{x.y}',
        "echo '{x.y}",
        "eval echo {x.y}",
        "A=1 eval 'a;' {x.y}",
        "\\eval {x.y}",
        "'eval' {x.y}",
        "e\\\nval {x.y}",
        '"ev"al {x.y}',
        "${A:-eval} {x.y}",
        "'sh' -c {x.y}",
        "[ 'a;b' = c -o -v {x.y} ]",
        "sh -c {x.y}",
        "/bin/bash -o pipefail -ec {x.y}",
        "timeout 5 sh \\\n-c {x.y}",
        "su -c {x.y}",
        "trap {x.y} EXIT",
        "let x={x.y}",
        "declare -i n; n={x.y}",
        "f() { local {x.y}; }",
        "readonly {x.y}=1",
        "unset {x.y}",
        "read -r {x.y} < a",
        "printf -v {x.y} a",
        "alias a={x.y}",
        "test -v {x.y}",
        "[ ! -v {x.y} ]",
        "a[{x.y}]=1",
        "a[ b[{x.y}] ]=1",
        "echo ${a}[{x.y}]",
    ],
)
def test_unprotected(command: str) -> None:
    """Inside quotes and other syntax a value could break out, so that place is refused."""
    assert exposed(command)


_PIECES = [
    "'",
    '"',
    "\\",
    "`",
    "$(",
    ")",
    "$'",
    "${A:-",
    "}",
    "$((",
    "))",
    "#",
    "\n",
    " ",
    "a",
    "$",
    "<<E\n",
    "\nE\n",
    ";",
    "!",
    "(",
    "eval ",
    "sh -c ",
    "let a=",
    "a[",
    "]=1",
    "[ -v ",
    "read ",
    "trap ",
]
#: Values that would make a file if any shell ran a piece of them.
_EVIL = [
    "$(>hit)",
    "`>hit`",
    "';>hit;'",
    '";>hit;"',
    "\n>hit\n",
    "a[$(>hit)]",
    "\\';>hit;\\'",
    "x y'\"",
    "}; >hit; {",
    "' `>hit`",
]


@pytest.mark.parametrize("shell", SHELLS)
@settings(max_examples=120, deadline=None)
@given(before=st.lists(st.sampled_from(_PIECES), max_size=6), after=st.lists(st.sampled_from(_PIECES), max_size=4))
def test_shells_agree(
    tmp_path_factory: pytest.TempPathFactory, shell: str, before: list[str], after: list[str]
) -> None:
    """Whatever stands around it: where a place counts as protected, no shell runs any part of a value put there."""
    template = "".join(before) + "{x.y}" + "".join(after)
    if exposed(template):
        return
    folder: Path = tmp_path_factory.mktemp("shell")
    # All values in one process; each in a subshell of its own, so that a syntax error ends only one.
    scripts = [fill(template, {"x.y": value}, quote=shlex.quote) for value in _EVIL]
    runs = "\n".join(f"({shell} -c {shlex.quote(script)})" for script in scripts)
    subprocess.run(
        [shell, "-c", runs], cwd=folder, capture_output=True, timeout=30, stdin=subprocess.DEVNULL, check=False
    )
    assert not (folder / "hit").exists(), template
