"""What makes two things the same: revisions by their members, launches by what they would train on."""

from __future__ import annotations

import hashlib
import json
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from junbi.core.facts import Revision
    from junbi.core.plan import PlanSpec, Scalar


def short_hash(*parts: object) -> str:
    """16 hex digits over the parts, unambiguous about where each ends."""
    text = json.dumps(parts, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def revision_id(dataset: str, bucket: str, digest: str) -> str:
    """The id of a dataset's state. The digest covers whole keys, so two versions of one bucket never share one."""
    return "rev-" + short_hash(dataset, bucket, digest)


def trigger_key(plan: PlanSpec, pins: Mapping[str, str]) -> str:
    """The plan and the revisions that start it, whatever its parameters."""
    return short_hash(plan.name, {name: pins[name] for name in plan.on})


def identity(plan: PlanSpec, params: Mapping[str, Scalar], pins: Mapping[str, str]) -> str:
    """What must not run twice: the plan, its parameters and the revisions that start it."""
    return short_hash(plan.name, {name: pins[name] for name in plan.on}, dict(params))


def launch_id(identity: str, rerun: int) -> str:
    """Derived, so that two workers who decide the same launch write the same row."""
    return "l-" + short_hash(identity, rerun)[:12]


def newest(revisions: list[Revision], order: str) -> Revision | None:
    """The newest of a dataset's revisions: by when they were closed, by version label, or by semver."""
    keys = {"time": _by_time, "version": _by_label, "semver": _by_semver}
    return max(revisions, key=keys[order], default=None)


def _by_time(revision: Revision) -> tuple[object, ...]:
    return (revision.created_at, revision.id)


def _by_label(revision: Revision) -> tuple[object, ...]:
    return (_natural(revision.label), *_by_time(revision))


def _by_semver(revision: Revision) -> tuple[object, ...]:
    return (by_semver(revision.label), *_by_time(revision))


def by_semver(label: str) -> tuple[object, ...]:
    """What orders version names, such as ``v1.10.0-rc.1``, by semantic versioning."""
    number, _, _build = label.removeprefix("v").partition("+")
    release, _, pre = number.partition("-")
    # A pre-release comes before its release (https://semver.org, 11.3); build metadata decides nothing. A folder that
    # is no version at all, such as "tmp", comes before every version.
    return (number[:1].isdecimal(), _natural(release), not pre, _pre_release(pre))


def _pre_release(text: str) -> list[tuple[int, int, str]]:
    """Numbers compare as numbers and before words, words by their characters (https://semver.org, 11.4)."""
    return [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in text.split(".")]


def _natural(text: str) -> list[tuple[int, int, str]]:
    """``v10`` after ``v9``: runs of digits compare as numbers, everything else as text."""
    parts = re.findall(r"\d+|\D+", text)
    return [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts]
