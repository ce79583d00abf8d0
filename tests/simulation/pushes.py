"""What people push in the seeds whose plans train with watched code and images: branches and tags that move."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.simulation import webhooks

from junbi.core.plan import CodeSpec, ImageSpec
from junbi.pipeline import git_door, image_door

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from tests.simulation.world import World

    from junbi.core.plan import PlanSpec

REPOSITORY, IMAGE = "https://git.example.com/vision/trainer.git", "registry.example.com/vision/torch"
CODE, TORCH = "trainer", "torch"

_TAGS = r"v(?P<semver>[0-9.]+)"
_WATCHED, _OTHER = "train/main.py", "README.md"


def has_lines(seed: int) -> bool:
    """Whether a seed's plans train with watched code or images: half of those with policies do, and half of others."""
    return seed % 4 == 1 or seed % 8 == 7


def code(**more: Any) -> CodeSpec:
    """The branch ``main`` of the one repository, or what is said of it."""
    address = "git.example.com/vision/trainer"
    where = {"repository": REPOSITORY, "address": address, "webhook": (webhooks.SECRET_NAME,), "mount": "/root/code"}
    return CodeSpec(name=CODE, **({"branch": "main"} if "tags" not in more else {}), **where, **more)


def image(**more: Any) -> ImageSpec:
    """The tag ``latest`` of the one image, or what is said of it."""
    host, _, path = IMAGE.partition("/")
    where = {"repository": IMAGE, "host": host, "path": path, "webhook": (webhooks.SECRET_NAME,)}
    return ImageSpec(name=TORCH, **({"tag": "latest"} if "tags" not in more else {}), **where, **more)


def trained_with(plan: PlanSpec, lines: tuple[str, ...], on: tuple[str, ...]) -> PlanSpec:
    """A plan that trains with watched lines besides, and is started by other inputs."""
    changes: dict[str, Any] = {"on": on}
    if CODE in lines:
        changes |= {"code": CODE, "code_mount": "/root/code"}
    if TORCH in lines:
        changes |= {"image": IMAGE, "image_line": TORCH}
    return plan.model_copy(update=changes)


class Pushes:
    """Decides what is watched and pushed, and pushes it when its time has come."""

    def __init__(self, world: World, busy: tuple[float, float]) -> None:
        self._world, self._busy = world, busy
        self.lines: tuple[str, ...] = ()
        self.code: dict[str, CodeSpec] = {}
        self.images: dict[str, ImageSpec] = {}
        #: By commit, what the watched paths hold there: as in the commit that touched them last.
        self.contents: dict[str, str] = {}
        #: Whether junbi.yaml names none of it just now, and whether it ever did not.
        self.away = self.was_away = False
        self._made = 0
        self._meddlings = 3
        if world.has_lines:
            self._declare()

    def joined(self, plan: PlanSpec) -> PlanSpec:
        """A plan as it is in this seed."""
        if not self.lines:
            return plan
        return trained_with(plan, self.lines, self._starting if self._alone else (*plan.on, *self._starting))

    def plan_ahead(self) -> None:
        """Decide everything that people will push in this seed."""
        rng = self._world.rng
        for line in self.lines:
            if rng.random() < 0.7:
                self.push(line)  # was there before anybody watched it
            for _ in range(rng.choice((1, 2, 3))):
                self._world.later(rng.uniform(*self._busy) * 1.5, f"push {line}", lambda line=line: self.push(line))
        if CODE in self.lines and rng.random() < 0.2:
            self._world.later(rng.uniform(*self._busy) * 3, "delete code source", self._delete_code_source)
        if self.lines and rng.random() < 0.3:
            self._world.later(rng.uniform(*self._busy), "watch something else", self._watch_another)

    def push(self, line: str) -> None:
        """Somebody pushes what a line watches, or moves or deletes it."""
        if line == TORCH:
            self._push_image(self.images[TORCH])
        elif self.code[CODE].branch:
            self._push_commit(f"refs/heads/{self.code[CODE].branch}")
        else:
            self._push_tag()

    def meddle(self, line: str) -> None:
        """Somebody pushes just while a line is looked at."""
        if self._meddlings:
            self._meddlings -= 1
            self.push(line)

    def truth(self, line: str) -> str:
        """The commit or digest that a line is at now; empty for none."""
        spec = self.code.get(line) or self.images[line]
        there = (self._world.git if line == CODE else self._world.registry).history.now
        if isinstance(spec, CodeSpec) and spec.branch:
            return there.get(f"refs/heads/{spec.branch}", "")
        if isinstance(spec, ImageSpec) and spec.tag:
            return there.get(spec.tag, "")
        tags = {name.removeprefix("refs/tags/"): value for name, value in there.items() if _is_version(name)}
        return tags[max(tags, key=_version)] if tags else ""

    def content(self, value: str) -> str:
        """What is trained with where a line is at something."""
        return self.contents.get(value, value)

    def was_there(self, line: str, name: str, value: str, since: datetime) -> bool:
        """Whether a line's ref or tag named something at any time since."""
        return (self._world.git if line == CODE else self._world.registry).history.named(name, value, since)

    # Inside

    def _declare(self) -> None:
        rng = self._world.rng
        self.lines = rng.choice(((CODE,), (TORCH,), (CODE, TORCH)))
        self._starting = rng.choice((self.lines, self.lines, self.lines[:1], ()))
        #: Whether datasets start nothing.
        self._alone = bool(self._starting) and rng.random() < 0.2
        initial = rng.choice(("ignore", "adopt"))
        if CODE in self.lines:
            watched: Mapping[str, Any] = rng.choice(({}, {"paths": ("train/**",)}, {"tags": _TAGS}))
            self.code[CODE] = code(initial=initial, **watched)
        if TORCH in self.lines:
            watched = rng.choice(({}, {"tags": _TAGS, "newest": "semver"}, {"tags": _TAGS, "newest": "time"}))
            self.images[TORCH] = image(initial=initial, registers=rng.random() < 0.7, **watched)

    def _push_commit(self, ref: str) -> None:
        rng, history = self._world.rng, self._world.git.history
        before, past = history.now.get(ref, ""), history.past(ref)
        if before and rng.random() < 0.1:
            self._delete(ref)
            return
        forced = bool(past) and rng.random() < 0.25
        commit = rng.choice(past) if forced and rng.random() < 0.6 else self._new("")
        touched = forced or not before or not self.code[CODE].paths or rng.random() < 0.4
        self.contents.setdefault(commit, commit if touched else self.contents[before])
        self._move(ref, before, commit, None if forced or not before else (_WATCHED if touched else _OTHER,))

    def _push_tag(self) -> None:
        rng, there = self._world.rng, self._world.git.history.now
        ref = f"refs/tags/{self._version()}"
        if ref in there and rng.random() < 0.5:
            self._delete(ref)
        else:
            self._move(ref, there.get(ref, ""), self._new(""), None)

    def _move(self, ref: str, before: str, commit: str, paths: tuple[str, ...] | None) -> None:
        if commit != before:
            self._world.git.history.move(ref, commit)
            told = webhooks.moved(self._next(), REPOSITORY, ref, before=before, after=commit, paths=paths)
            self._world.events.webhook(git_door, f"{ref} {commit[-3:]}", told)

    def _delete(self, ref: str) -> None:
        self._world.git.history.move(ref, "")
        self._world.events.webhook(git_door, f"{ref} deleted", webhooks.deleted(self._next(), REPOSITORY, ref))

    def _push_image(self, line: ImageSpec) -> None:
        rng, history = self._world.rng, self._world.registry.history
        tag = line.tag or self._version()
        if line.newest == "time":
            tag = f"v1.{len(history.now)}"  # greater than any before: what came last is no matter of opinion
        past = history.past(tag)
        digest = rng.choice(past) if past and rng.random() < 0.2 else self._new("sha256:")
        history.move(tag, digest)
        told = webhooks.pushed(self._next(), IMAGE, tag, digest)
        self._world.events.webhook(image_door, f"{tag} {digest[-3:]}", told)

    def _delete_code_source(self) -> None:
        """Somebody deletes the code build, which is made again for the next commit."""
        for one in self._world.code_sources.there:
            one.deleted = True

    def _watch_another(self) -> None:
        """Somebody changes what junbi.yaml says of a line, or removes all of them for a minute."""
        line = self._world.rng.choice(self.lines)
        if self._world.rng.random() < 0.3:
            self._world.people.touched.add("train")
            self._go(away=True)
            self._world.later(60.0, "watch it again", lambda: self._go(away=False))
            return
        if line == TORCH:
            changed = {"registers": not self.images[TORCH].registers}
            self.images = {TORCH: self.images[TORCH].model_copy(update=changed)}
        else:
            changed = {"branch": "dev" if self.code[CODE].branch else "", "mount": "/root/src"}
            self.code = {CODE: self.code[CODE].model_copy(update=changed)}
            if self._world.rng.random() < 0.7:
                self.push(line)
        self._world.apply(self._world.people.generation())

    def _go(self, *, away: bool) -> None:
        self.away, self.was_away = away, True
        self._world.apply(self._world.people.generation())

    def _version(self) -> str:
        return f"v1.{self._world.rng.choice((0, 1, 2, 3, 10))}"

    def _new(self, kind: str) -> str:
        return f"{kind}{self._next():0{64 if kind else 40}x}"

    def _next(self) -> int:
        self._made += 1
        return self._made


def _is_version(name: str) -> bool:
    return name.removeprefix("refs/tags/").startswith("v")


def _version(tag: str) -> int:
    return int(tag.rpartition(".")[2])
