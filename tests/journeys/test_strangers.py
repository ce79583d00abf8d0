"""Names come from strangers: a version folder with a hostile name is refused, shown, and never run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.journeys.conftest import House

NAMES = ["$(touch pwned)", "`touch pwned`", "a b;touch pwned", "..", "😀", "v" * 300, "a'b\"c", "-rf", "a\nb"]


def test_hostile_version_names(house: House) -> None:
    """Nothing of a name is executed; each shows CaptureRefused to API and command line, and good uploads go on."""
    house.up()
    bucket = house.bucket("in-data")
    for name in NAMES:
        bucket.put_object(f"digits/{name}/part-0", b"x")
        bucket.put_object(f"digits/{name}/_SUCCESS", b"")
    house.upload("v1")
    house.until_ended()
    query = "SELECT count(*) FROM story WHERE code = 'CaptureRefused'"
    house.until(lambda: house.rows(query) == [(len(NAMES),)], "every name refused")
    shown = {one["uri"]: one for one in house.get("arrivals")["arrivals"] if one["reason"]}
    assert set(shown) == {f"oss://in-data/digits/{name}/" for name in NAMES}
    assert {one["reason"]["code"] for one in shown.values()} == {"CaptureRefused"}
    text = house.run("inputs")
    assert text.returncode == 0
    assert text.stdout.count("CaptureRefused") == len(NAMES)
    assert "a\nb" not in text.stdout
    listed = json.loads(house.run("inputs", "--json").stdout)["uploads"]
    assert {one["uri"] for one in listed} >= set(shown)
    assert not [*house.directory.rglob("pwned"), *Path(__file__).parents[2].glob("pwned")]
    assert house.runs() == ["v1"]
