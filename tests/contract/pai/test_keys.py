"""Short-lived keys and the signature's validity, as the gateway judges them."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from junbi.clients.api import Api
from junbi.clients.credentials import Credentials
from junbi.clients.signing import Stamp
from junbi.clients.workspace import WorkspaceClient
from junbi.emulator.clock import Clock
from junbi.emulator.cloud import Cloud, Settings
from junbi.emulator.keys import AccessKey, Keys
from junbi.errors import NotDone
from junbi.wire.aiworkspace import CreateDatasetRequest

if TYPE_CHECKING:
    from pathlib import Path

ROOT = AccessKey("emulator", "emulator-secret")


class Later(Clock):
    """A clock whose wall is two days ahead."""

    def wall(self):  # noqa: ANN201, D102
        return super().wall() + timedelta(days=2)


def test_an_expired_key_is_told_from_an_unknown_one(tmp_path: Path) -> None:
    """A key that was issued here and ran out is refused as expired, so that the caller gets a new one and goes on."""
    cloud = Cloud(Settings(tmp_path, ROOT))
    cloud.keys._clock = Later()
    try:
        old = Keys(ROOT, Clock()).issue("reconcile")
        client = WorkspaceClient(Api(cloud.pai, Credentials(old.key_id, old.secret, old.token), deadline=3))
        with pytest.raises(NotDone, match=r"InvalidSecurityToken\.Expired"):
            client.get_workspace("104231")
    finally:
        cloud.stop()


def test_a_signature_is_valid_for_as_long_as_the_cloud_was_told(tmp_path: Path) -> None:
    """'junbi up' takes a signed request for seconds instead of minutes: an older one was surely not carried out."""
    cloud = Cloud(Settings(tmp_path, ROOT, signature_validity=timedelta(seconds=15)))
    try:
        client = WorkspaceClient(Api(cloud.pai, Credentials(ROOT.key_id, ROOT.secret)))
        request = CreateDatasetRequest(
            name="a", property="DIRECTORY", data_source_type="OSS", uri="oss://bucket.oss-cn-hangzhou.aliyuncs.com/p/"
        )
        old = Stamp.fresh(cloud.clock.wall() - timedelta(seconds=16))
        with pytest.raises(NotDone, match=r"InvalidTimeStamp\.Expired"):
            client.create_dataset(request, old)
        assert client.create_dataset(request, Stamp.fresh(cloud.clock.wall() - timedelta(seconds=10)))
    finally:
        cloud.stop()
