"""What people and programs are shown of watched code and watched images, ready for JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from junbi.pipeline.views import reason, time

if TYPE_CHECKING:
    from junbi.core.facts import Revision
    from junbi.core.plan import CodeSpec, ImageSpec
    from junbi.ledger.ledger import Ledger
    from junbi.ledger.lines import LineState
    from junbi.pipeline.views import View


def code(ledger: Ledger) -> list[View]:
    """Each watched line of code: where it is, which commit it was at when it was looked at, and why there is none."""
    lines = ledger.code_lines.all()
    looks = ledger.overview.looks("code", (line.name for line in lines))
    return [_code(ledger, line) | {"next_look": looks.get(line.name)} for line in lines]


def images(ledger: Ledger) -> list[View]:
    """Each watched image: where it is, which digest it was when it was looked at, and why there is none."""
    lines = ledger.image_lines.all()
    looks = ledger.overview.looks("image", (line.name for line in lines))
    return [_image(ledger, line) | {"next_look": looks.get(line.name)} for line in lines]


def _code(ledger: Ledger, line: CodeSpec) -> View:
    return {
        "code": line.name,
        "repository": line.repository,
        "branch": line.branch or None,
        "tags": line.tags or None,
        "paths": list(line.paths),
        "told_by": _told_by(line),
        **_standing("commit", ledger.code_lines.state(line.name), ledger.revisions.head(line.name)),
    }


def _image(ledger: Ledger, line: ImageSpec) -> View:
    return {
        "image": line.name,
        "repository": line.repository,
        "tag": line.tag or None,
        "tags": line.tags or None,
        "newest": line.newest if line.tags else None,
        "told_by": _told_by(line),
        "registered": line.registers,
        **_standing("digest", ledger.image_lines.state(line.name), ledger.revisions.head(line.name)),
    }


def _told_by(line: CodeSpec | ImageSpec) -> str:
    return "pushes" if line.webhook else "looks alone"


def _standing(what: str, state: LineState, head: Revision | None) -> View:
    """Where a line stands; ``what`` is what a revision of it is known by."""
    return {
        what: state.head or None,
        "trains_with": {"label": head.label, what: head.digest} if head else None,
        "reason": reason(state.reason),
        "looked_at": time(state.looked_at),
    }
