"""Function Compute: our poke against the local service."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from junbi.clients.api import Api
from junbi.clients.functions import FunctionsClient
from junbi.emulator.fc import FunctionCompute, FunctionSpec
from junbi.emulator.server import Server
from junbi.errors import Refused

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def fc(cloud: Any, tmp_path: Path) -> Iterator[FunctionCompute]:
    """A Function Compute with one function, whose process ends at once."""
    service = FunctionCompute(
        records=cloud.records,
        keys=cloud.keys,
        clock=cloud.clock,
        faults=cloud.faults,
        region="cn-hangzhou",
        account_id="1234567890123456",
        data=tmp_path,
        start_seconds=2,
    )
    spec = FunctionSpec(name="reconcile", command=("false",), environment={}, working_directory=tmp_path)
    service.deploy([spec])
    yield service
    service.stop()


class TestPoke:
    """One asynchronous call."""

    def test_it_is_queued_and_answered_at_once(self, cloud: Any, fc: FunctionCompute) -> None:
        """The call is signed, accepted and durable, and nobody waits for the function."""
        server = Server(fc.gateway())
        client = FunctionsClient(Api(server.url, cloud.credentials))
        client.invoke_async("reconcile", b'{"why":"arrival"}', deadline=10)
        messages = [*fc.pending(), *fc.dead()]
        assert [(message.function, message.body) for message in messages] == [("reconcile", b'{"why":"arrival"}')]
        with pytest.raises(Refused) as caught:
            client.invoke_async("nobody", deadline=10)
        assert caught.value.status == 404
        server.stop()
