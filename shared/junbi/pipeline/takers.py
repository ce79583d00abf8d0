"""What is done with an upload's members while they are listed: compared with a manifest, and written down."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from junbi.core.manifest import Unreadable
from junbi.core.model import Reason
from junbi.core.reasons import Code
from junbi.pipeline.scan import kept

if TYPE_CHECKING:
    from junbi.core.facts import Arrival, Revision
    from junbi.core.plan import DatasetSpec
    from junbi.pipeline.expected import Expected
    from junbi.pipeline.parts import Parts
    from junbi.pipeline.scan import Taker
    from junbi.pipeline.wiring import Ports


@dataclass(slots=True)
class Takers:
    """The takers of one look, and what is known before anything is listed."""

    manifest: str
    expected: Expected | None = None
    parts: Parts | None = None
    unreadable: Reason | None = None

    @property
    def all(self) -> list[Taker]:
        """Those there are."""
        return [taker for taker in (self.expected, self.parts) if taker is not None]

    def found(self) -> tuple[Reason | None, Reason | None]:
        """After the listing: what the manifest finds wrong, and what it could not prove."""
        if self.expected is None:
            return self.unreadable, None
        compared = self.expected.finish()
        return compared.mismatch(self.manifest), compared.unverified(self.manifest)

    def write(self, revision: Revision) -> str:
        """Where the members of the revision they make were written; empty for nowhere."""
        return self.parts.finish(revision) if self.parts else ""


def takers(ports: Ports, arrival: Arrival, dataset: DatasetSpec, token: str, sign: str) -> Takers:
    """The takers of a look at an arrival whose sign has this ETag, going on where the look before stopped."""
    owner, complete = f"arrival:{arrival.key}", dataset.complete
    made = Takers(complete.manifest or "")
    if complete.manifest and sign:
        from junbi.pipeline.expected import Expected  # few uploads have a manifest

        try:
            made.expected = Expected(ports, arrival, complete, kept(ports, owner, token, Expected.name))
        except Unreadable as mistake:
            made.unreadable = _unreadable(complete.manifest, mistake)
    if dataset.manifests and _may_close(arrival, dataset, sign):
        from junbi.pipeline.parts import Parts

        made.parts = Parts(ports, dataset.manifests, arrival, kept(ports, owner, token, Parts.name))
    return made


def sign_etag(ports: Ports, arrival: Arrival, dataset: DatasetSpec) -> str:
    """Which manifest or marker lies there, so that a listing goes on with no other; empty for none, or not needed."""
    complete = dataset.complete
    if complete.sign is None or not (complete.manifest or dataset.manifests):
        return ""
    found = ports.objects.head(arrival.bucket, arrival.prefix + complete.sign)
    return found.etag if found else ""


def _may_close(arrival: Arrival, dataset: DatasetSpec, sign: str) -> bool:
    """Whether the look can end in a revision; else nothing would be read of what is written."""
    if dataset.complete.sign is not None:
        return bool(sign)
    return not dataset.complete.call or arrival.called_at is not None


def _unreadable(name: str, mistake: Unreadable) -> Reason:
    return Reason(
        Code.MANIFEST_UNREADABLE,
        f"{name} cannot be read: {mistake}.",
        fix='Write it as {"files": [{"key": …, "size": …, "md5": …}]}, or as md5sum and sha256sum do; then upload it.',
        wakes=f"the next upload of {name}",
    )
