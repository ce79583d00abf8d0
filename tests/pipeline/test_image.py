"""Watched images, from a real push to a job that runs the pushed digest."""

from __future__ import annotations

import hashlib
import json
import urllib.request
from typing import TYPE_CHECKING, Any

import pytest
from tests.fixtures.declared import TRAINER
from tests.pipeline.doors import SECRET, opened, until

from junbi.console.page import console
from junbi.core.facts import InputKind, LaunchState
from junbi.core.image import registry
from junbi.core.plan import ImageSpec
from junbi.emulator.registry import Webhook
from junbi.events.delivery import Delivery
from junbi.events.signatures import fingerprint
from junbi.pipeline import image_door, input_views, line_views, receive
from junbi.pipeline.refused import tally

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.pipeline.conftest import World
    from tests.pipeline.doors import Answers

INDEX = "application/vnd.oci.image.index.v1+json"
MANIFEST = "application/vnd.oci.image.manifest.v1+json"


class Pusher:
    """Pushes manifests as clients of registries do: over HTTP."""

    def __init__(self, url: str) -> None:
        self.url, self.host = url, url.partition("://")[2]

    def put(self, tag: str, content: str, kind: str = MANIFEST, repository: str = "vision/torch") -> str:
        """Push a manifest under a tag, or under its digest where the tag is empty; its digest."""
        body = json.dumps({"schemaVersion": 2, "mediaType": kind, "annotations": {"content": content}}).encode()
        digest = f"sha256:{hashlib.sha256(body).hexdigest()}"
        address = f"{self.url}/v2/{repository}/manifests/{tag or digest}"
        request = urllib.request.Request(address, body, {"Content-Type": kind}, method="PUT")
        with urllib.request.urlopen(request, timeout=10) as answer:
            assert answer.status == 201
        return digest

    def put_index(self, tag: str, content: str) -> str:
        """Push an image for four platforms as buildx does: the parts by digest alone, then their index by its tag."""
        for platform in ("amd64", "arm64", "s390x", "ppc64le"):
            self.put("", f"{content} {platform}")
        return self.put(tag, content, INDEX)


@pytest.fixture
def pusher(world: World) -> Pusher:
    """Pushes to the local registry."""
    return Pusher(world.cloud.registry)


@pytest.fixture
def delivered(world: World, monkeypatch: pytest.MonkeyPatch) -> Iterator[Answers]:
    """What the door answers; the local registry calls it over a real socket."""
    monkeypatch.setenv("JUNBI_SECRET_HOOK", SECRET)
    with opened(image_door, world) as (url, answers):
        world.cloud.registry_host.webhooks.append(Webhook(url, f"Bearer {SECRET}"))
        yield answers


def line(world: World, **more: Any) -> ImageSpec:
    """The tag latest of vision/torch in the local registry."""
    repository = f"{world.cloud.registry.partition('://')[2]}/vision/torch"
    values = {"repository": repository, "tag": "latest", "webhook": ("HOOK",), **more}
    host, _, path = values["repository"].partition("/")
    return ImageSpec(name="torch", host=registry(host), path=path, **values)


def declare(world: World, watched: ImageSpec, *, on: tuple[str, ...] = ("digits", "torch")) -> None:
    """Apply a plan that trains with the image."""
    plan = world.plan(on=on, datasets=("digits",), image=watched.repository, image_line="torch")
    world.apply(world.generation([world.dataset()], [plan]).model_copy(update={"images": {"torch": watched}}))


def digests(world: World) -> list[str]:
    """The digests of all revisions of the image, newest first."""
    return [one.digest for one in world.ledger.revisions.newest() if one.kind is InputKind.IMAGE]


def story(world: World, code: str) -> list[str]:
    """What the story of the image tells under a code."""
    return [one["message"] for one in world.ledger.story_of("image:torch") if one["code"] == code]


def hook(world: World, body: object, *, secret: str = SECRET) -> receive.Answer:
    """A delivery that shows the secret as Harbor does, unless it is empty."""
    headers = {"Content-Type": "application/json", **({"Authorization": secret} if secret else {})}
    return receive.receive(image_door, world.ledger, Delivery(headers, json.dumps(body).encode(), {}))[0]


def harbor(world: World, tag: str, digest: str, at: int = 1) -> dict[str, object]:
    """A push as Harbor tells it."""
    host = world.cloud.registry.partition("://")[2]
    resource = {"digest": digest, "tag": tag, "resource_url": f"{host}/vision/torch:{tag}"}
    return {
        "type": "PUSH_ARTIFACT",
        "occur_at": 1_764_500_000 + at,
        "operator": "ada",
        "event_data": {"resources": [resource], "repository": {"repo_full_name": "vision/torch", "name": "torch"}},
    }


def test_a_push_trains_with_the_pushed_digest(world: World, pusher: Pusher, delivered: Answers) -> None:
    """A real push over HTTP, told by a real webhook: the job names exactly that digest, whatever the tag is later."""
    declare(world, line(world))
    pusher.put("latest", "one")
    until(lambda: delivered)
    world.deliver(world.upload("v1"))
    world.until(LaunchState.SUCCEEDED)
    digest = pusher.put("latest", "two")
    until(lambda: len(delivered) == 2)
    assert (delivered[1].status, delivered[1].body["noted"]) == (200, ["torch"])
    world.settle(ticks=1)
    assert len(world.launches) == 2
    launch = world.until(LaunchState.SUCCEEDED)
    pusher.put("latest", "three")
    job = world.cloud.dlc.jobs.get(launch.job_id)
    assert job.request["JobSpecs"][0]["Image"] == f"{pusher.host}/vision/torch@{digest}"
    assert world.ledger.revisions.get(launch.pins["torch"]).captures == {"digest": digest, "tag": "latest"}


def test_what_was_there_before_starts_nothing_and_is_trained_with(world: World, pusher: Pusher) -> None:
    """'initial: ignore': the digest at the first apply is pinned by the next version of the data, and launches none."""
    digest = pusher.put("latest", "one")
    declare(world, line(world, webhook=()))
    world.settle(ticks=2)
    assert world.launches == []
    world.deliver(world.upload("v1"))
    launch = world.until(LaunchState.SUCCEEDED)
    assert world.ledger.revisions.get(launch.pins["torch"]).digest == digest


def test_with_every_push_lost_the_timer_finds_the_digest(world: World, pusher: Pusher) -> None:
    """A push is a hint: nothing but time is needed to find what a tag names."""
    declare(world, line(world, webhook=()))
    world.settle(ticks=2)
    assert world.ledger.image_lines.state("torch").reason.code == "ImageTagGone"  # type: ignore[union-attr]
    world.deliver(world.upload("v1"))
    digest = pusher.put("latest", "lost")
    world.settle(ticks=5)
    assert digests(world) == [digest]
    assert [launch.pins.keys() for launch in world.launches] == [{"digits", "torch"}]
    assert story(world, "BeforeDeployment") == []  # it came after the first look, which found nothing


def test_bc_97_one_push_for_several_platforms_is_one_revision(world: World, pusher: Pusher, delivered: Answers) -> None:
    """BC-97: five hooks of one push collapse by the digest of the index; the parts are no revisions."""
    declare(world, line(world))
    world.settle(ticks=2)
    index = pusher.put_index("latest", "torch")
    until(lambda: len(delivered) == 5)
    assert {answer.status for answer in delivered} == {200}
    world.settle(ticks=3)
    assert digests(world) == [index]
    assert len(story(world, "ImageFound")) == 1


def test_bc_98_the_same_event_fourteen_times_is_one(world: World, pusher: Pusher, delivered: Answers) -> None:
    """BC-98: a hook that fires again is a duplicate where it says the same, and one revision in any case."""
    declare(world, line(world))
    world.settle(ticks=2)
    digest = pusher.put("latest", "one")
    until(lambda: delivered)
    same = [hook(world, harbor(world, "latest", digest)) for _ in range(14)]
    assert ["duplicate" in answer.body for answer in same] == [False] + [True] * 13
    others = [hook(world, harbor(world, "latest", digest, at)) for at in range(2, 16)]
    assert all(answer.body["noted"] == ["torch"] for answer in others)
    world.settle(ticks=3)
    assert digests(world) == [digest]
    assert len(story(world, "ImageFound")) == 1


def test_bc_100_a_manifest_that_did_not_change_is_told_and_starts_nothing(
    world: World, pusher: Pusher, delivered: Answers
) -> None:
    """BC-100: 'created' for a digest that is known is no new revision and no launch; the story says so, once a look."""
    declare(world, line(world))
    pusher.put("latest", "one")
    until(lambda: delivered)
    world.deliver(world.upload("v1"))
    world.until(LaunchState.SUCCEEDED)
    pusher.put("latest", "one")
    until(lambda: len(delivered) == 2)
    world.settle(ticks=3)
    assert (len(world.launches), len(digests(world)), len(story(world, "ImageUnchanged"))) == (1, 1, 1)


def test_bc_101_a_digest_in_the_place_of_a_tag_is_taken_for_what_it_is(world: World, pusher: Pusher) -> None:
    """BC-101: Harbor tells ``tag: sha256:…``; what the watched tag names is looked up at the registry."""
    declare(world, line(world, webhook=("HOOK",)))
    pusher.put("latest", "one")
    world.settle(ticks=2)
    digest = pusher.put("latest", "two")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JUNBI_SECRET_HOOK", SECRET)
        answer = hook(world, harbor(world, digest, digest))
    assert (answer.status, answer.body["noted"]) == (200, ["torch"])
    world.reconcile()
    assert digests(world)[0] == digest


def test_a_tag_that_goes_back_is_trained_with_again(world: World, pusher: Pusher) -> None:
    """What a tag names counts, not what is newest: somebody who takes an image back means it."""
    first = pusher.put("latest", "one")
    declare(world, line(world, webhook=()), on=("digits",))
    world.settle(ticks=1)
    for content in ("two", "one"):
        pusher.put("latest", content)
        world.settle(ticks=4)
    world.deliver(world.upload("v1"))
    launch = world.until(LaunchState.SUCCEEDED)
    assert world.ledger.revisions.get(launch.pins["torch"]).digest == first
    assert len(digests(world)) == 2


def test_the_greatest_version_counts(world: World, pusher: Pusher) -> None:
    """``tags: v{semver}``: v1.10.0 is newer than v1.9.0, whichever came last; other tags are not looked at."""
    declare(world, line(world, tag="", tags=r"v(?P<semver>.+)", webhook=()))
    world.settle(ticks=1)
    tenth = pusher.put("v1.10.0", "ten")
    world.settle(ticks=4)
    for tag in ("v1.9.0", "latest", "v1.10.0-rc.1"):
        pusher.put(tag, tag)
        world.settle(ticks=4)
    assert digests(world) == [tenth]
    assert world.ledger.revisions.newest()[0].captures == {"digest": tenth, "tag": "v1.10.0", "semver": "1.10.0"}


def test_the_tag_that_was_pushed_last_counts(world: World, pusher: Pusher, delivered: Answers) -> None:
    """``newest: time``: a tag that is new or names something new, however it is called; a repeated one is neither."""
    told = world.cloud.registry_host.webhooks.pop()
    old = pusher.put("b-9", "nine")
    world.cloud.registry_host.webhooks.append(told)
    declare(world, line(world, tag="", tags=r"b-(?P<number>.+)", newest="time"))
    world.settle(ticks=1)
    second = pusher.put("b-2", "two")
    until(lambda: len(delivered) == 1)
    world.settle(ticks=1)
    again = pusher.put("b-9", "nine again")
    until(lambda: len(delivered) == 2)
    world.settle(ticks=1)
    assert digests(world) == [again, second, old]
    pusher.put("b-2", "two")
    until(lambda: len(delivered) == 3)
    world.settle(ticks=4)
    assert world.ledger.revisions.head("torch").digest == again  # type: ignore[union-attr]


def test_an_old_tag_whose_push_was_lost_is_found_in_its_turn(world: World, pusher: Pusher) -> None:
    """``newest: time``, no webhook at all: the looks themselves see that an older tag names something else by now."""
    declare(world, line(world, tag="", tags=r"b-(?P<number>.+)", newest="time", webhook=()))
    for number in range(8):
        pusher.put(f"b-{number}", str(number))
    world.settle(ticks=6, step=300)
    again = pusher.put("b-3", "three again")
    world.settle(ticks=6, step=300)
    assert world.ledger.revisions.head("torch").digest == again  # type: ignore[union-attr]


def test_an_image_is_registered_once_when_asked_for(world: World, pusher: Pusher) -> None:
    """``register: true``: AddImage with its labels, under an id from its digest; a lost answer makes no second."""
    digest = pusher.put("latest", "one")
    world.fault("aiworkspace.AddImage", when="after", effect="close")
    labelled = line(world, webhook=(), registers=True, chip="GPU", framework="PyTorch 2.4", rdma=True)
    declare(world, labelled, on=("digits",))
    world.deliver(world.upload("v1"))
    world.settle(ticks=20)
    launch = world.until(LaunchState.SUCCEEDED)
    (image,) = world.cloud.dlc.workspace.images.all()
    assert image.image_uri == f"{pusher.host}/vision/torch@{digest}"
    assert {label.key: label.value for label in image.labels or ()} == {
        "system.supported.dlc": "true",
        "system.chipType": "GPU",
        "system.framework": "PyTorch 2.4",
        "junbi.rdma": "true",
    }
    assert (image.accessibility, image.workspace_id) == ("PUBLIC", "104231")
    registration = world.ledger.revisions.registration(launch.pins["torch"])
    assert registration.dataset_id == image.image_id
    pusher.put("latest", "two")
    world.settle(ticks=4)
    assert len(world.cloud.dlc.workspace.images.all()) == 2


def test_nothing_is_registered_unless_asked_for_and_all_is_afterwards(world: World, pusher: Pusher) -> None:
    """Without ``register`` a digest is ready at once; with it what was known before is registered too."""
    pusher.put("latest", "one")
    declare(world, line(world, webhook=()))
    world.settle(ticks=1)
    assert world.cloud.dlc.workspace.images.all() == []
    declare(world, line(world, webhook=(), registers=True))
    world.settle(ticks=2)
    assert len(world.cloud.dlc.workspace.images.all()) == 1


def test_a_registry_that_refuses_our_credential_says_so(
    world: World, pusher: Pusher, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The entry names the secret, never its text; with the right one it goes on by itself."""
    digest = pusher.put("latest", "one")
    world.cloud.registry_host.access.users = {"robot": "right-password"}
    monkeypatch.setenv("JUNBI_SECRET_PULL", "robot:wrong-password")
    declare(world, line(world, webhook=(), credentials="PULL"))
    world.settle(ticks=2)
    reason = world.ledger.image_lines.state("torch").reason
    assert reason is not None
    assert (reason.code, "PULL" in reason.message) == ("ImageCredentialRefused", True)
    monkeypatch.setenv("JUNBI_SECRET_PULL", "robot:right-password")
    world.settle(ticks=4)
    assert digests(world) == [digest]
    told = str(world.ledger.stories())
    assert "wrong-password" not in told
    assert "right-password" not in told


def test_an_image_that_stands_nearby_for_one_elsewhere(
    world: World, pusher: Pusher, delivered: Answers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A registry nearby is pushed to under the other's name; jobs name the other, and hosts of one registry are one."""
    monkeypatch.setenv("JUNBI_ENDPOINT_REGISTRY", world.cloud.registry)
    declare(world, line(world, repository="registry-vpc.cn-hangzhou.aliyuncs.com/vision/torch"))
    world.deliver(world.upload("v1"))
    digest = pusher.put("latest", "one", repository="registry.cn-hangzhou.aliyuncs.com/vision/torch")
    until(lambda: delivered)
    assert delivered[0].body["noted"] == ["torch"]
    pusher.put("latest", "one", repository="registry-vpc.cn-hangzhou.aliyuncs.com/vision/torch")
    launch = world.until(LaunchState.SUCCEEDED)
    job = world.cloud.dlc.jobs.get(launch.job_id)
    assert job.request["JobSpecs"][0]["Image"] == f"registry-vpc.cn-hangzhou.aliyuncs.com/vision/torch@{digest}"


def test_a_tag_that_the_repository_nearby_has_not_is_gone(
    world: World, pusher: Pusher, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A no of the registry that has the repository is the answer; the one it stands for is not asked as well."""
    monkeypatch.setenv("JUNBI_ENDPOINT_REGISTRY", world.cloud.registry)
    repository = "registry.example.com/vision/torch"
    pusher.put("latest", "one", repository=repository)
    declare(world, line(world, webhook=(), repository=repository, tag="nosuch"))
    world.settle(ticks=1)
    reason = world.ledger.image_lines.state("torch").reason
    assert reason is not None
    assert reason.code == "ImageTagGone"


def test_a_registry_that_proves_nothing_is_let_in_by_its_address_alone(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """BC-86: without ``unsigned`` a secret in the address counts for nothing; with it, only the right one does."""
    monkeypatch.setenv("JUNBI_SECRET_HOOK", SECRET)
    body = {
        "push_data": {"tag": "latest", "digest": "sha256:" + "a" * 64},
        "repository": {"repo_full_name": "vision/torch"},
    }
    declare(world, line(world))
    assert hook(world, body, secret="").status == 401
    assert _by_address(world, body, SECRET).status == 401
    declare(world, line(world, unsigned=True))
    assert _by_address(world, body, "wrong").status == 401
    answer = _by_address(world, body, SECRET)
    assert (answer.status, answer.body["noted"]) == (200, ["torch"])


def test_people_read_what_is_wrong_with_a_secret_in_an_address(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The address is looked at too: a wrong secret is no missing one, and of a missing one both places are named."""
    monkeypatch.setenv("JUNBI_SECRET_HOOK", SECRET)
    monkeypatch.setenv("JUNBI_SECRET_OLD", "the secret before")
    declare(world, line(world, unsigned=True))
    tally().__init__()  # type: ignore[misc]  # nothing was written just now
    answers = [_by_address(world, {}, secret) for secret in ("wrong", "")]
    kept = {one.reason.code: one.reason for one in world.ledger.deliveries.refused()}
    assert [answer.body["code"] for answer in answers] == ["WrongSecret", "NoProof"]
    assert kept.keys() == {"WrongSecret", "NoProof"}
    assert kept["WrongSecret"].facts["presented"] == fingerprint("wrong")
    assert "Authorization or ?secret=" in kept["NoProof"].message
    tally().__init__()  # type: ignore[misc]
    _by_address(world, {}, "the secret before")
    assert world.ledger.deliveries.refused()[0].reason.code == "RetiredSecret"


def _by_address(world: World, body: object, secret: str) -> receive.Answer:
    delivery = Delivery({"Content-Type": "application/json"}, json.dumps(body).encode(), {"secret": secret})
    return receive.receive(image_door, world.ledger, delivery)[0]


def test_a_push_that_nobody_watches_is_answered_with_why(world: World, pusher: Pusher, delivered: Answers) -> None:
    """2xx, so that the sender does not give the webhook up; the answer names what is watched."""
    declare(world, line(world))
    pusher.put("nightly", "one")
    pusher.put("latest", "one", repository="vision/other")
    until(lambda: len(delivered) == 2)
    told = [next(iter(answer.body["ignored"])) for answer in delivered]
    assert [answer.status for answer in delivered] == [200, 200]
    assert any("watched there: latest" in one for one in told)
    assert any("No entry under 'images' watches" in one for one in told)


def test_a_body_that_cannot_be_read_is_kept_and_handled(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever knows the secret and writes what we cannot read is answered 2xx; the body is in the quarantine."""
    monkeypatch.setenv("JUNBI_SECRET_HOOK", SECRET)
    declare(world, line(world))
    answer = hook(world, {"hello": "world"})
    (kept,) = world.ledger.quarantined()
    assert (answer.status, kept["function"]) == (200, "image_push")


def test_secrets_of_code_open_no_door_of_images(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each door knows the secrets of its own lines alone."""
    monkeypatch.setenv("JUNBI_SECRET_HOOK", SECRET)
    world.apply(world.generation([world.dataset()], []).model_copy(update={"code": {"trainer": TRAINER}}))
    assert hook(world, harbor(world, "latest", "sha256:" + "a" * 64)).status == 401


def test_people_are_shown_what_is_watched_and_why_there_is_nothing(world: World, pusher: Pusher) -> None:
    """Console and API tell the tag, the digest it names and what is trained with; or the reason."""
    declare(world, line(world, webhook=()))
    world.settle(ticks=1)
    assert "ImageTagGone" in console(world.ledger)
    digest = pusher.put("latest", "one")
    world.settle(ticks=4)
    (shown,) = line_views.images(world.ledger)
    assert (shown["image"], shown["tag"], shown["digest"], shown["reason"]) == ("torch", "latest", digest, None)
    assert shown["trains_with"] == {"label": f"latest {digest[7:19]}", "digest": digest}
    (version,) = input_views.revisions(world.ledger)["revisions"]
    assert version["registration"] == {"state": "done", "dataset_id": None, "version_name": None, "reason": None}
    page = console(world.ledger)
    assert "ImageTagGone" not in page.split('id="images"')[1].split("</section>")[0]
    assert shown["trains_with"]["label"] in page


def test_a_body_that_is_no_json_is_kept_and_handled(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The secret is right, so it is no stranger's; nothing raises."""
    monkeypatch.setenv("JUNBI_SECRET_HOOK", SECRET)
    declare(world, line(world))
    for body in (b"", b"{", b"\xff\xfe", b"[]", b"null"):
        delivery = Delivery({"Authorization": SECRET}, body, {})
        assert receive.receive(image_door, world.ledger, delivery)[0].status == 200
    assert len(world.ledger.quarantined()) == 5


def test_a_secret_in_the_address_opens_only_what_was_opened(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two entries share a secret and one of them opted in: what the address proves is noted for that one alone."""
    monkeypatch.setenv("JUNBI_SECRET_HOOK", SECRET)
    closed = line(world)
    opened = closed.model_copy(update={"name": "opened", "unsigned": True})
    world.apply(world.generation([], []).model_copy(update={"images": {"torch": closed, "opened": opened}}))
    body = harbor(world, "latest", "sha256:" + "a" * 64)
    assert _by_address(world, body, SECRET).body["noted"] == ["opened"]
    assert hook(world, {**body, "occur_at": 1}).body["noted"] == ["opened", "torch"]
