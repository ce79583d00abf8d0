"""Compiles the datasets: what they watch, and whether two of them would take the same object."""

from __future__ import annotations

import re
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

from junbi.config.expressions import only_empty, slow_to_match
from junbi.config.findings import listed
from junbi.config.model import Dataset
from junbi.config.never import check_keys
from junbi.core.placeholders import references
from junbi.core.places import pattern_of, place, place_of, split
from junbi.core.plan import Complete, DatasetSpec, ExistingDataset, Expect, Watch

if TYPE_CHECKING:
    from junbi.config.findings import Findings
    from junbi.config.model import Config
    from junbi.config.tree import Path

_SIZE = re.compile(r"(\d+)(?:([KMGT])(i?)B?)?")
_CAPTURE = re.compile(r"[a-z][a-z0-9_]{0,31}")
#: Characters. Source: AIWorkSpace's limit for a dataset's Name, which is ``<deployment>-<dataset>``.
_LONGEST_NAME = 127


def watched_datasets(config: Config) -> dict[str, Dataset]:
    """The datasets that are watched, by name."""
    return {name: dataset for name, dataset in config.datasets.items() if isinstance(dataset, Dataset)}


def existing_datasets(config: Config) -> dict[str, ExistingDataset]:
    """The datasets that PAI has already, by name."""
    return {
        name: ExistingDataset(name=name, id=dataset.id, version=dataset.version, mount=dataset.mount)
        for name, dataset in config.datasets.items()
        if not isinstance(dataset, Dataset)
    }


def compile_datasets(config: Config, findings: Findings) -> dict[str, DatasetSpec]:
    """Every watched dataset whose watch is right, by name."""
    specs = {}
    for name, dataset in watched_datasets(config).items():
        if len(f"{config.deployment}-{name}") > _LONGEST_NAME:
            findings.error(("datasets", name), f"its name in PAI, {config.deployment}-{name}, is too long", key=True)
        watch = _watch(name, dataset, findings)
        if watch is not None:
            specs[name] = DatasetSpec(
                name=name,
                watch=watch,
                complete=Complete(**dataset.complete.model_dump(exclude_none=True)),
                newest=dataset.newest,
                mount=dataset.mount,
                expect=_expect(dataset, config),
                initial=dataset.initial or config.initial,
                backfill=dataset.backfill,
                manifests=config.manifests,
            )
            check_keys(specs[name], ("datasets", name), findings)
    _overlaps(config, specs, findings)
    _manifests(config, specs, findings)
    return specs


def _manifests(config: Config, specs: dict[str, DatasetSpec], findings: Findings) -> None:
    if config.manifests is None:
        return
    path: Path = ("manifests",)
    try:
        written = place(config.manifests)
    except ValueError as mistake:
        findings.error(path, str(mistake))
        return
    if references(config.manifests):
        findings.error(path, "takes no placeholders: each dataset gets a folder of its own below it")
    for name, spec in specs.items():
        if place_of(spec.watch).overlaps(written):
            told = f"lies under datasets.{name}.watch ({_written(config, name)}): what is written would arrive there"
            findings.error(path, told)


def _written(config: Config, name: str) -> str:
    return watched_datasets(config)[name].watch


def _expect(dataset: Dataset, config: Config) -> Expect | None:
    if dataset.expect is None:
        return None
    given = dataset.expect.model_dump(exclude_none=True)
    if dataset.expect.min_size is not None:
        given["min_size"] = bytes_of(dataset.expect.min_size)
    return Expect(**given, timezone=config.timezone)


def bytes_of(size: str) -> int:
    """A size such as ``500MB`` or ``2Gi`` in bytes."""
    number, unit, binary = _SIZE.fullmatch(size).groups()  # type: ignore[union-attr]  # the model checked it
    step = 1024 if binary else 1000
    return int(number) * int(step ** " KMGT".index(unit or " "))


def _watch(name: str, dataset: Dataset, findings: Findings) -> Watch | None:
    path: Path = ("datasets", name, "watch")
    try:
        bucket, folder = split(dataset.watch)
    except ValueError as mistake:
        findings.error(path, str(mistake))
        return None
    if not _placeholders(dataset.watch, folder, path, findings):
        return None
    if re.search(r"%[0-9A-Fa-f]{2}", dataset.watch):
        findings.warn(
            path, "holds a %-escape: keys are written as plain text, so this matches the characters themselves"
        )
    if not references(folder):
        _one_folder(name, dataset, findings)
    risk = slow_to_match(dataset.allow or "")
    if dataset.allow is not None and not risk and only_empty(dataset.allow):
        risk = "takes the empty text alone, and no folder has an empty name: every version would be refused"
    if risk:
        findings.error(("datasets", name, "allow"), risk)
        return None
    root, pattern, captures = pattern_of(folder)
    given = {"allow": dataset.allow} if dataset.allow is not None else {}
    return Watch(bucket=bucket, root=root, pattern=pattern, captures=captures, **given)


def _one_folder(name: str, dataset: Dataset, findings: Findings) -> None:
    """Notes what goes by the names of version folders, where one folder is uploaded to again and again."""
    path: Path = ("datasets", name)
    if dataset.newest != "time":
        message = f"compares the names of versions, and {dataset.watch} has no placeholder: its versions are times"
        findings.error((*path, "newest"), message)
    if dataset.allow is not None:
        findings.error((*path, "allow"), f"could never apply: {dataset.watch} has no placeholder")
    if dataset.complete.count is not None:
        message = "in one folder that is uploaded to again and again is reached by the first object that is replaced"
        findings.warn((*path, "complete", "count"), f"{message}: a marker says when the last one is")


def _placeholders(watch: str, folder: str, path: Path, findings: Findings) -> bool:
    """Whether the placeholders are right; notes what is not."""
    found = references(folder)
    names = [reference.name for reference in found]
    mistakes = [
        f"{{{name}}} is no placeholder's name (a-z, 0-9 and _)" for name in names if not _CAPTURE.fullmatch(name)
    ]
    mistakes += [f"{{{name}}} stands in it twice" for name in dict.fromkeys(names) if names.count(name) > 1]
    touching = [second.name for first, second in pairwise(found) if first.end == second.start]
    mistakes += [f"nothing parts {{{name}}} from the placeholder before it" for name in touching]
    rest = folder
    for reference in reversed(found):
        rest = rest[: reference.start] + rest[reference.end :]
    if re.search(r"[{}]", rest):
        mistakes.append("a placeholder is written {name}, and other braces are not supported")
    elif re.search(r"[*?]", rest):
        mistakes.append("* and ? stand for themselves here: write {name} for a part that varies")
    if not folder:
        mistakes.append(f"names no folder: a watch of a whole bucket needs a placeholder, {watch}{{version}}/")
    elif names and "version" not in names and not mistakes:
        mistakes.append(f"needs {{version}}, which names the version; it has {listed(names)}")
    for mistake in mistakes:
        findings.error(path, mistake)
    return not mistakes


def _overlaps(config: Config, specs: dict[str, DatasetSpec], findings: Findings) -> None:
    places = {name: place_of(spec.watch) for name, spec in specs.items()}
    for one, other in combinations(specs, 2):
        if places[one].overlaps(places[other]):
            message = f"one object can lie under this and under datasets.{one}.watch ({_written(config, one)})"
            findings.error(("datasets", other, "watch"), f"{message}: give each dataset a folder of its own")
