"""A watch without a placeholder: what it compiles to, and what does not go with it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from junbi.config import load_generation

if TYPE_CHECKING:
    from collections.abc import Callable

VERSIONED = "watch: oss://vision-data/digits/{version}/"
ONE = "watch: oss://vision-data/digits/"


def one_folder(valid: str) -> str:
    """The valid file with its digits uploaded to one folder."""
    text = valid.replace(VERSIONED, ONE, 1).replace("    newest: version\n", "", 1)
    return text.replace("--v {digits.version} ", "")


def test_it_compiles(judge: Callable[..., list[str]], valid: str) -> None:
    """Root and pattern are the folder itself."""
    assert judge(one_folder(valid)) == []
    watch = load_generation(Path("junbi.yaml")).generation.datasets["digits"].watch
    assert (watch.bucket, watch.root, watch.pattern, watch.captures) == ("vision-data", "digits/", "digits/", ())


def test_it_has_no_version_to_tell(judge: Callable[..., list[str]], valid: str) -> None:
    """No placeholder took anything, so nothing fills ``{digits.version}``."""
    (problem,) = judge(one_folder(valid).replace("--C {params.C}", "--C {params.C} --v {digits.version}"))
    assert "{digits.version} names nothing" in problem


def test_what_goes_by_names(judge: Callable[..., list[str]], valid: str) -> None:
    """``newest`` by names and ``allow`` have nothing to judge there."""
    text = one_folder(valid)
    mount = "    mount: /mnt/digits\n"
    (problem,) = judge(text.replace(mount, f"{mount}    newest: semver\n"))
    assert "newest: compares the names of versions, and oss://vision-data/digits/ has no placeholder" in problem
    (problem,) = judge(text.replace(mount, f"{mount}    allow: '[a-z]+'\n"))
    assert "allow: could never apply: oss://vision-data/digits/ has no placeholder" in problem


def test_a_number_closes_it_too_early(judge: Callable[..., list[str]], valid: str) -> None:
    """From the second upload on the number of objects is reached by the first of them: that is a warning."""
    (warning,) = judge(one_folder(valid).replace("{marker: _SUCCESS, max_wait: 6h}", "{count: 5}"))
    assert "is reached by the first object that is replaced" in warning


def test_it_overlaps_what_lies_below(judge: Callable[..., list[str]], valid: str) -> None:
    """Everything below the folder belongs to it, so nobody else may watch or write there."""
    text = one_folder(valid)
    (problem,) = judge(text.replace("oss://vision-code/trainer/", "oss://vision-data/digits/trainer/"))
    assert "one object can lie under this and under datasets.digits.watch (oss://vision-data/digits/)" in problem
    (problem,) = judge(text.replace("oss://vision-models/digits/", "oss://vision-data/digits/models/"))
    assert "FeedbackLoop" in problem
    (problem,) = judge(text.replace("environments:", "manifests: oss://vision-data/digits/lists/\nenvironments:"))
    assert "manifests: lies under datasets.digits.watch" in problem
    assert judge(text.replace("oss://vision-code/trainer/", "oss://vision-data/digits2/")) == []


def test_a_whole_bucket_needs_a_placeholder(judge: Callable[..., list[str]], valid: str) -> None:
    """A bucket as a whole is no folder."""
    (problem,) = judge(one_folder(valid).replace(ONE, "watch: oss://vision-data/"))
    assert "names no folder: a watch of a whole bucket needs a placeholder, oss://vision-data/{version}/" in problem
