"""Writes the parts of docs/ that the code knows best, between their marks; ``make docs`` runs it.

A mark is ``<!-- written: NAME -->``, and ``<!-- end -->`` closes it. Everything else on a page is written by hand.
"""  # noqa: INP001 - a script, not a package

from __future__ import annotations

import inspect
import re
import types
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import click

from junbi.cli import cli, local_functions, up
from junbi.config import images, model, resources
from junbi.config import types as kinds
from junbi.emulator import pai
from junbi.emulator.dlc.scheduler import Pace
from junbi.emulator.fc import FunctionSpec, gateway, message
from junbi.emulator.oss import routes as oss_routes
from junbi.emulator.route import Evidence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pydantic.fields import FieldInfo

DOCS = Path(__file__).resolve().parent.parent / "docs"
_BLOCK = re.compile(r"(<!-- written: (\S+) -->\n).*?(<!-- end -->)", re.DOTALL)

_PLAIN = FunctionSpec("any", ())

#: How a kind of value is called on the settings page, which explains each of these words.
KINDS: dict[Any, str] = {
    kinds.Name: "name",
    kinds.Key: "word",
    kinds.Text: "text",
    kinds.Duration: "duration",
    kinds.Mount: "absolute path",
    kinds.Expression: "regular expression",
    kinds.Value: "text, number, true or false",
    kinds.Workspace: "digits, in quotes",
    kinds.Region: "region",
    kinds.Instance: "instance type",
    kinds.Address: "registry address",
    kinds.Marker: "object name",
    kinds.DatasetId: "dataset id",
    kinds.Label: "label",
    kinds.Version: "dataset version",
    kinds.Bytes: "size",
    kinds.Memory: "memory",
    kinds.QuotaId: "quota id",
    kinds.TimeOfDay: "time of day",
    kinds.Zone: "time zone",
    str: "text",
    bool: "true or false",
    int: "whole number",
    Any: "anything",
}


#: How a heading tells a kind of section from the other that may stand in its place.
_KINDS_APART: dict[Any, str] = {
    model.ExistingDataset: " (with id)",
    images.WatchedImage: " (with repository)",
    resources.QuotaResource: " (with quota)",
}


def pages() -> dict[Path, str]:
    """Every page that has such parts, with them written anew."""
    return {
        page: _BLOCK.sub(lambda found: found[1] + BLOCKS[found[2]]() + found[3], text)
        for page in sorted(DOCS.glob("*.md"))
        if _BLOCK.search(text := page.read_text("utf-8"))
    }


def settings() -> str:
    """Each section of junbi.yaml with its keys."""
    return "".join(_section(path, section) for path, section in sections())


def sections() -> Iterator[tuple[str, type[model.Section]]]:
    """Every section with the path that leads to it, the outer ones first."""
    yield from _below("", model.Config)


def _below(path: str, section: type[model.Section]) -> Iterator[tuple[str, type[model.Section]]]:
    yield path, section
    for key, hint in _hints(section).items():
        inner, named = _section_in(hint)
        below = ".".join(filter(None, (path, key, "<name>" if named else "")))
        for one in inner:
            yield from _below(below + _KINDS_APART.get(one, ""), one)


def _section(path: str, section: type[model.Section]) -> str:
    hints = _hints(section)
    rows = [
        (f"`{field.alias or key}`", _kind(hints[key]), _default(field, hints[key]), field.description or "")
        for key, field in section.model_fields.items()
    ]
    title = f"### `{path}`" if path else "### The top of the file"
    return f"{title}\n\n{inspect.getdoc(section)}\n\n{_table(('key', 'value', 'default', 'meaning'), rows)}\n"


def _hints(section: type[model.Section]) -> dict[str, Any]:
    hints = get_type_hints(section, include_extras=True)
    return {key: hints[key] for key in section.model_fields}


def _section_in(hint: Any) -> tuple[list[type[model.Section]], bool]:
    """The section that a key holds, or the kinds of them that it may hold, and whether it holds several by name."""
    hint = _bare(hint)
    named = get_origin(hint) is dict
    inner = _bare(get_args(hint)[-1]) if named or get_origin(hint) is list else hint
    union = get_origin(inner) in {Union, types.UnionType}
    parts = [_bare(part) for part in get_args(inner) if part is not types.NoneType] if union else [inner]
    kinds_of = parts if named or len(parts) == 1 else []  # a section or a plain value: the key's own row tells
    return [one for one in kinds_of if inspect.isclass(one) and issubclass(one, model.Section)], named


def _bare(hint: Any) -> Any:
    return get_args(hint)[0] if get_origin(hint) is Annotated else hint


def _kind(hint: Any) -> str:
    if isinstance(hint, types.UnionType) or get_origin(hint) is Union:
        return " or ".join(_kind(part) for part in get_args(hint) if part is not types.NoneType)
    if any(hint is kind for kind in KINDS):
        return KINDS[hint]
    if get_origin(hint) is Annotated:
        return _kind(get_args(hint)[0]) + _bounds(get_args(hint)[1:])
    return _composed(hint)


def _composed(hint: Any) -> str:
    parts = get_args(hint)
    if get_origin(hint) is Literal:
        return ", ".join(f"`{str(one).lower() if isinstance(one, bool) else one}`" for one in parts)
    if get_origin(hint) is list:
        return f"list of {_kind(parts[0])}{'' if get_origin(parts[0]) is Literal else 's'}"
    return f"{_kind(parts[0])} → {_kind(parts[1])}" if get_origin(hint) is dict else "section"


def _bounds(extras: Iterable[Any]) -> str:
    found = [bound for extra in extras for bound in getattr(extra, "metadata", ())]
    least = [f"from {bound.ge}" for bound in found if hasattr(bound, "ge")]
    most = [f"to {bound.le}" for bound in found if hasattr(bound, "le")]
    return "".join(f" {word}" for word in (*least, *most))


def _default(field: FieldInfo, hint: Any) -> str:
    if field.is_required():
        return "required"
    if isinstance(field.default, float) and _kind(hint) == KINDS[kinds.Duration]:
        return f"`{_duration(int(field.default))}`"
    return f"`{field.default}`" if isinstance(field.default, str | int | float) else "none"


def _duration(seconds: int) -> str:
    """As people write it in the file."""
    length, unit = next((one for one in ((3600, "h"), (60, "m")) if seconds % one[0] == 0), (1, "s"))
    return f"{seconds // length}{unit}"


def commands() -> str:
    """Each command of junbi with its options, as ``--help`` shows them."""
    return "".join(_command(context) for context in contexts(click.Context(cli, info_name="junbi")))


def contexts(group: click.Context) -> Iterator[click.Context]:
    """The context of every command below a group, subcommands after theirs."""
    if not isinstance(group.command, click.Group):
        return
    for name in group.command.list_commands(group):
        command = group.command.get_command(group, name)
        if command is not None:
            context = click.Context(command, info_name=name, parent=group)
            yield context
            yield from contexts(context)


def _command(context: click.Context) -> str:
    command = context.command
    usage = " ".join((context.command_path, *command.collect_usage_pieces(context)))
    helped = inspect.cleandoc(command.help or "").replace("\b\n", "")
    helped = re.sub(r"^#.*", lambda line: f"`{line[0]}`", helped, flags=re.MULTILINE)
    records = [record for param in command.params if (record := param.get_help_record(context))]
    rows = [(f"`{option}`", " ".join(text.split())) for option, text in records if text]
    options = _table(("option", "meaning"), rows) + "\n" if rows else ""
    return f"### `{usage.replace('[OPTIONS] ', '').removesuffix(' [OPTIONS]')}`\n\n{helped}\n\n{options}"


def pai_operations() -> str:
    """What the local AIWorkSpace and DLC answer."""
    rows = [
        (f"`{route.operation.name}`", route.operation.version, str(route.evidence), route.note) for route in pai.ROUTES
    ]
    return _table(("operation", "version", "rests on", "what is assumed, or left out"), rows)


def oss_operations() -> str:
    """What the local OSS answers; all of it rests on the vendor's API reference."""
    about = {"service": oss_routes._SERVICE, "bucket": oss_routes._BUCKET, "object": oss_routes._OBJECT}  # noqa: SLF001
    rows = [(f"`{name}`", level, str(Evidence.DOCS)) for level, listed in about.items() for _, _, name, _ in listed]
    absent = ", ".join(f"`{name}`" for name in sorted(oss_routes._ABSENT))  # noqa: SLF001
    refused = f"\nRefused with `NotImplemented`, so that nobody takes another answer for theirs: {absent}.\n"
    return _table(("operation", "on", "rests on"), rows) + refused


def fc_numbers() -> str:
    """The limits and delays of the local Function Compute."""
    rows = [
        ("body of a synchronous call", f"{gateway.SYNC_BODY >> 20} MiB", Evidence.DOCS),
        ("body of an asynchronous call", f"{gateway.ASYNC_BODY >> 10} KiB", Evidence.DOCS),
        ("path and query of an HTTP trigger", f"{gateway.TARGET >> 10} KiB", Evidence.DOCS),
        ("headers of a request", f"{gateway.REQUEST_HEADERS >> 10} KiB", Evidence.DOCS),
        ("tries after a function error", f"{message.RETRIES}", Evidence.DOCS),
        ("pause before the first of them, then doubled", f"{message.RETRY_SECONDS:g} s", Evidence.ASSUMED),
        ("pause after throttling or a fault of FC, then doubled", f"{message.BACKOFF_SECONDS:g} s", Evidence.DOCS),
        ("where the doubling stops", f"{message.BACKOFF_MOST:g} s", Evidence.ASSUMED),
        ("how long such tries go on", f"{message.AGE_LIMIT.total_seconds() / 3600:g} h", Evidence.DOCS),
        ("instances of a function", f"{_PLAIN.max_instances}", "ours"),
        ("calls that one instance serves at once", f"{_PLAIN.instance_concurrency}", "ours"),
    ]
    return _table(("what", "here", "rests on"), [(what, here, str(source)) for what, here, source in rows])


def pace() -> str:
    """How fast the local cloud goes, in emulated seconds where it is not said otherwise."""
    step = Pace()
    rows = [
        ("a signed request may be under way", f"{up.SIGNATURE_VALIDITY} s with `junbi up`", "15 min"),
        (
            "a job is Creating, Queuing, EnvPreparing",
            f"{step.creating:g}, {step.queuing:g}, {step.preparing:g} s",
            "minutes",
        ),
        ("a pod that cannot start gives up", f"after {step.give_up:g} s", "minutes"),
        ("`reconcile` is called", f"every {local_functions.RECONCILE_EVERY:g} s", "as its timer says"),
        ("`job_change` is called", f"every {local_functions.JOB_CHANGE_EVERY:g} s", "as its timer says"),
        ("`quota_change` is called", f"every {local_functions.QUOTA_CHANGE_EVERY:g} s", "as its timer says"),
    ]
    return _table(("what", "here", "there"), rows)


def _table(heads: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [heads, tuple("---" for _ in heads), *rows]
    return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in lines)


BLOCKS: dict[str, Callable[[], str]] = {
    "settings": settings,
    "commands": commands,
    "pai-operations": pai_operations,
    "oss-operations": oss_operations,
    "fc-numbers": fc_numbers,
    "pace": pace,
}


def main() -> None:
    """Write the pages that changed."""
    for page, text in pages().items():
        if page.read_text("utf-8") != text:
            page.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
