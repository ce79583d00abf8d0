"""A pushed image starts a job, as code and data do, on real processes."""

from __future__ import annotations

import hashlib
import json
import subprocess
import urllib.request
from typing import TYPE_CHECKING

from tests.journeys.conftest import JUNBI, ROOT

if TYPE_CHECKING:
    from tests.journeys.conftest import House

KIND = "application/vnd.oci.image.manifest.v1+json"
#: No name in it leads anywhere: the local registry stands for the one that is named.
IMAGE = (
    "{repository: registry-vpc.cn-hangzhou.aliyuncs.com/vision/any, tags: 'v{semver}', webhook: hook, register: true}"
)


def push(house: House, tag: str, content: str) -> str:
    """Push a manifest to the local registry, under the repository's public name."""
    body = json.dumps({"schemaVersion": 2, "mediaType": KIND, "annotations": {"content": content}}).encode()
    address = f"{house.where['registry']}/v2/registry-vpc.cn-hangzhou.aliyuncs.com/vision/any/manifests/{tag}"
    request = urllib.request.Request(address, body, {"Content-Type": KIND}, method="PUT")
    with urllib.request.urlopen(request, timeout=10) as answer:
        assert answer.status == 201
    return f"sha256:{hashlib.sha256(body).hexdigest()}"


def test_a_pushed_image_starts_a_job_that_names_its_digest(house: House) -> None:
    """The webhook is proved with a secret that was made up, the digest read from the registry, and the job pinned."""
    text = house.config.read_text().replace("{uri: registry.example.com/any:1}", IMAGE)
    house.config.write_text(text.replace("on: [digits]", "on: [digits, any]") + "secrets: {hook: IMAGE_HOOK}\n")
    house.up()
    first = push(house, "v1.9.0", "nine")
    house.upload("v1")
    house.until_ended(1)
    second = push(house, "v1.10.0", "ten")
    house.until_ended(2)
    images = {image["image"]: image for image in house.get("images")["images"]}
    assert images["any"]["digest"] == second
    launches = house.get("launches")["launches"]
    assert [one["trains_on"]["any"]["label"] for one in launches] == ["v1.10.0", "v1.9.0"]
    (delivery, *_) = house.get("deliveries")["deliveries"]
    assert (delivery["endpoint"], delivery["outcome"]["noted"]) == ("image_push", ["any"])
    told = subprocess.run(
        [JUNBI, "inputs"], cwd=ROOT, env={**house.environment, "JUNBI_LEDGER": f"sqlite:///{house.data}/ledger.db"},
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert "registry-vpc.cn-hangzhou.aliyuncs.com/vision/any" in told.stdout, told.stderr
    assert first != second
