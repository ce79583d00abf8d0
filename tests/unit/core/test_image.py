"""Which hosts are one registry, and which tag of a pattern counts."""

from __future__ import annotations

import pytest

from junbi.core import image
from junbi.core.image import Seen
from junbi.core.plan import ImageSpec

PATTERN = ImageSpec(
    name="torch", repository="r.example.com/torch", host="r.example.com", path="torch", tags="v(?P<n>.+)"
)


@pytest.mark.parametrize(
    ("host", "one"),
    [
        ("registry.cn-hangzhou.aliyuncs.com", "registry.cn-hangzhou.aliyuncs.com"),
        ("registry-vpc.cn-hangzhou.aliyuncs.com", "registry.cn-hangzhou.aliyuncs.com"),
        ("registry-internal.cn-hangzhou.aliyuncs.com", "registry.cn-hangzhou.aliyuncs.com"),
        ("mine-registry-vpc.cn-beijing.cr.aliyuncs.com", "mine-registry.cn-beijing.cr.aliyuncs.com"),
        ("registry-vpc.cn-hangzhou.aliyuncs.com.evil.example", "registry-vpc.cn-hangzhou.aliyuncs.com.evil.example"),
        ("evil-vpc.cn-hangzhou.aliyuncs.com", "evil-vpc.cn-hangzhou.aliyuncs.com"),
        ("Index.Docker.io", "docker.io"),
        ("registry.example.com:443", "registry.example.com"),
        ("registry.example.com:5000", "registry.example.com:5000"),
    ],
)
def test_hosts_of_one_registry_are_one(host: str, one: str) -> None:
    """A push names the registry by one network's host, a job pulls it by another's; strangers stay strangers."""
    assert image.registry(host) == one


def test_a_pattern_takes_what_it_says() -> None:
    """The whole tag, and what the placeholder took is acceptable."""
    assert [tag for tag in ("v1", "v1.2", "1", "xv1", "v") if image.watches(PATTERN, tag)] == ["v1", "v1.2"]
    strict = PATTERN.model_copy(update={"allow": r"v\d+"})
    assert [tag for tag in ("v1", "v1.2") if image.watches(strict, tag)] == ["v1"]
    one = PATTERN.model_copy(update={"tags": "", "tag": "latest"})
    assert [tag for tag in ("latest", "v1") if image.watches(one, tag)] == ["latest"]


def test_tags_that_were_there_before_are_of_no_time() -> None:
    """At the first look the greatest version counts; then what is new, or names something new."""
    first = image.dated(["v2", "v10"], {}, {}, [], "t1")
    assert (image.latest(first), first["v2"]) == ("v10", Seen("", ""))
    second = image.dated(["v2", "v10", "v1"], first, {}, [], "t2")
    assert image.latest(second) == "v1"
    third = image.dated(["v2", "v10", "v1"], second, {"v2": "sha256:2"}, ["v2"], "t3")
    assert image.latest(third) == "v2"
    repeated = image.dated(["v2", "v10", "v1", "v3"], third, {"v2": "sha256:2"}, ["v2"], "t4")
    assert (image.latest(repeated), repeated["v2"]) == ("v3", Seen("sha256:2", "t3"))


def test_what_is_read_at_the_first_look_is_of_no_time_either() -> None:
    """A push that was told before the first look decides nothing: with it lost the greatest version would count too."""
    first = image.dated(["v2", "v10"], {}, {"v2": "sha256:2"}, ["v2"], "t1")
    assert (image.latest(first), first["v2"]) == ("v10", Seen("sha256:2", ""))


def test_tags_that_pushes_told_of_and_the_greatest_new_ones_are_read() -> None:
    """Whether a push is news shows only where the tag was read before; a look asks no more than a few questions."""
    there = [f"v{number}" for number in range(100)]
    wanted = image.worth_reading(there, {"v99": Seen("", "")}, ["v3", "v98", "gone"], 0)
    assert wanted == ["v3", "v98", *(f"v{number}" for number in range(97, 98 - image.MOST_READ, -1)), "v99"]


def test_every_tag_is_read_again_in_its_turn() -> None:
    """A push of an old tag may have been lost; a few are compared with each look, and the next look goes on."""
    seen = {f"v{number:02}": Seen("", "") for number in range(12)}
    looks = [image.worth_reading(seen, seen, [], turn) for turn in range(3)]
    assert [len(look) for look in looks] == [image.READ_AGAIN] * 3
    assert {tag for look in looks for tag in look} == set(seen)


def test_what_an_old_tag_names_is_news_only_where_it_named_something_else() -> None:
    """Read for the first time it keeps its time; read again and changed it is new, though no push told of it."""
    first = image.dated(["v1", "v2"], {"v1": Seen("", ""), "v2": Seen("d2", "t1")}, {"v1": "d1"}, [], "t2")
    assert (first["v1"], image.latest(first)) == (Seen("d1", ""), "v2")
    assert image.latest(image.dated(["v1", "v2"], first, {"v1": "other"}, [], "t3")) == "v1"


def test_a_tag_that_is_gone_is_forgotten() -> None:
    """Deleted tags do not count."""
    seen = {"v1": Seen("sha256:1", "t1"), "v2": Seen("sha256:2", "t2")}
    assert image.dated(["v1"], seen, {}, [], "t3") == {"v1": seen["v1"]}
