"""Addresses of repositories: one spelling, however a repository is cloned."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from junbi.events.git.address import alike, canonical, known


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("https://github.com/vision/digits.git", "github.com/vision/digits"),
        ("https://github.com/vision/digits", "github.com/vision/digits"),
        ("https://github.com/vision/digits/", "github.com/vision/digits"),
        ("HTTPS://GitHub.COM/Vision/Digits.git", "github.com/Vision/Digits"),
        ("https://token:x-oauth@github.com/vision/digits.git", "github.com/vision/digits"),
        ("https://github.com:443/vision/digits.git", "github.com/vision/digits"),
        ("http://git.example.cn:3000/vision/digits.git", "git.example.cn:3000/vision/digits"),
        ("ssh://git@github.com/vision/digits.git", "github.com/vision/digits"),
        ("ssh://git@github.com:22/vision/digits.git", "github.com/vision/digits"),
        ("ssh://git@gitlab.com:2222/group/name.git", "gitlab.com:2222/group/name"),
        ("git@github.com:vision/digits.git", "github.com/vision/digits"),
        ("git@GitHub.com:/vision/digits.git", "github.com/vision/digits"),
        ("github.com:vision/digits.git", "github.com/vision/digits"),
        ("git@example.com:2222/digits", "example.com/2222/digits"),
        ("git://github.com/vision/digits.git", "github.com/vision/digits"),
        ("github.com/vision/digits", "github.com/vision/digits"),
        ("git.example.cn:3000/vision/digits", "git.example.cn:3000/vision/digits"),
        ("https://gitlab.com/a/b/c/d.git", "gitlab.com/a/b/c/d"),
        ("https://bitbucket.example.cn/scm/~me/digits.git", "bitbucket.example.cn/scm/~me/digits"),
        ("https://bitbucket.example.cn/scm/%7Eme/digits.git", "bitbucket.example.cn/scm/~me/digits"),
        ("https://[2001:db8::1]:8443/vision/digits", "[2001:db8::1]:8443/vision/digits"),
        ("https://codeup.aliyun.com/60a/组/数字.git", "codeup.aliyun.com/60a/组/数字"),
        ("gi*@codeup.aliyun.com:demo/demo.git", "codeup.aliyun.com/demo/demo"),
        ("https://github.com/a/%2541.git.git", "github.com/a/%41"),
        ("file:///srv/git/digits.git", "localhost/srv/git/digits"),
        ("https://github.com//vision///digits.git", "github.com/vision/digits"),
    ],
)
def test_one_spelling(url: str, address: str) -> None:
    """Scheme, user, the scheme's own port and ``.git`` tell no two repositories apart; the rest does."""
    assert canonical(url) == address
    assert canonical(address) == address


@pytest.mark.parametrize(
    "url",
    [
        "",
        "github.com",
        "https://github.com/",
        "https:///vision/digits",
        "gi*@cod***.aliyun.com:demo/demo.git",
        "https://github.com/../etc",
        "https://github.com/a\nb",
        "https://github.com/.git",
        "https://github.com/" + "x" * 3000,
    ],
)
def test_what_is_no_address(url: str) -> None:
    """An error says what an address looks like, without all of what it is not."""
    with pytest.raises(ValueError, match="repositor") as caught:
        canonical(url)
    assert len(str(caught.value)) < 250


def test_secrets_in_an_address_do_not_stay() -> None:
    """A password in a URL is no part of an address."""
    assert "hunter2" not in canonical("https://me:hunter2@github.com/vision/digits")
    with pytest.raises(ValueError, match="repositor") as caught:
        canonical("https://me:hunter2@github.com/")
    assert "hunter2" not in str(caught.value)


def test_addresses_of_one_repository() -> None:
    """Equal ones count once, and what is none is left out."""
    assert known("", "https://a.example/x/y.git", "git@a.example:x/y", "ssh://git@b.example:7999/x/y") == (
        "a.example/x/y",
        "b.example:7999/x/y",
    )


def test_capitals_tell_no_two_repositories_apart() -> None:
    """A configuration that spells a name in small letters still means the same repository."""
    assert alike(canonical("https://github.com/Vision/Digits")) == alike(canonical("git@GITHUB.com:vision/digits.git"))


@given(st.text(max_size=60))
def test_whatever_comes(text: str) -> None:
    """Any text is an address that stays as it is, or a ValueError."""
    try:
        address = canonical(text)
    except ValueError:
        return
    assert canonical(address) == address
