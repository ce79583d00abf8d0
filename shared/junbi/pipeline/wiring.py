"""The composition root: what a function works with, built when it is first needed."""

from __future__ import annotations

import os
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import cache, cached_property
from typing import TYPE_CHECKING

from junbi import log
from junbi.core.assumptions import Settling
from junbi.errors import CallFailed, JunbiError, Refused
from junbi.ledger.ledger import Ledger, open_ledger
from junbi.pipeline.secrets import secret

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from junbi.clients.api import Api
    from junbi.clients.code_sources import CodeSourcesClient
    from junbi.clients.credentials import Credentials
    from junbi.clients.dlc import DlcClient
    from junbi.clients.endpoints import Service
    from junbi.clients.images import ImagesClient
    from junbi.clients.objects import ObjectStore
    from junbi.clients.quota import QuotaClient
    from junbi.clients.workspace import WorkspaceClient
    from junbi.core.plan import CodeSpec, ImageSpec
    from junbi.ledger.generations import Scope
    from junbi.pipeline.image_source import ImageSource
    from junbi.pipeline.invocation import Invocation

_log = log.logger("wiring")


@cache
def ledger() -> Ledger:
    """This process's ledger, opened at first use."""
    return open_ledger()


def settling() -> Settling:
    """The settling times; a local cloud that keeps signatures valid for less says so in the environment."""
    seconds = os.environ.get("JUNBI_SIGNATURE_VALIDITY")
    if seconds is None:
        return Settling()
    # Fractions of it, for it comes in the ledger's time, which may run fast: 15 s, 1 s and 2 s at the wall's pace.
    validity = timedelta(seconds=float(seconds))
    return Settling(validity, skew=validity / 15, list_lag=validity * 2 / 15)


class NotApplied(JunbiError):
    """There is no generation in force: run 'junbi apply' first."""


class Ports:
    """Everything a piece of work reaches the outside with, for one invocation and its credentials.

    Args:
        invocation: the call that is served.
        known: the ledger, this process's own by default.
        settles: the settling times, the environment's by default.
        own_clock: this instance's, which dates signatures and nothing else.
    """

    def __init__(
        self,
        invocation: Invocation,
        known: Ledger | None = None,
        settles: Settling | None = None,
        own_clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.invocation = invocation
        self.ledger = known or ledger()
        self.settling = settles or settling()
        self.own_clock = own_clock

    @cached_property
    def scope(self) -> Scope:
        """The generation in force. NotApplied before the first apply."""
        scope = self.ledger.generations.scope()
        if scope is None:
            raise NotApplied(NotApplied.__doc__ or "")
        return scope

    @cached_property
    def workspace(self) -> WorkspaceClient:
        """AIWorkSpace."""
        from junbi.clients.endpoints import Service  # doors never need it
        from junbi.clients.workspace import WorkspaceClient

        return WorkspaceClient(_api(Service.AIWORKSPACE, self.scope.region, self.invocation))

    @cached_property
    def dlc(self) -> DlcClient:
        """DLC."""
        from junbi.clients.dlc import DlcClient  # doors never need it
        from junbi.clients.endpoints import Service

        return DlcClient(_api(Service.DLC, self.scope.region, self.invocation))

    @cached_property
    def quotas(self) -> QuotaClient:
        """PaiStudio's quotas."""
        from junbi.clients.endpoints import Service
        from junbi.clients.quota import QuotaClient  # only quota_change needs it

        return QuotaClient(_api(Service.PAISTUDIO, self.scope.region, self.invocation))

    def workspace_in(self, region: str) -> WorkspaceClient:
        """AIWorkSpace in the region that something was sent to."""
        if region == self.scope.region:
            return self.workspace
        from junbi.clients.endpoints import Service
        from junbi.clients.workspace import WorkspaceClient

        return WorkspaceClient(_api(Service.AIWORKSPACE, region, self.invocation))

    def code_sources_in(self, region: str) -> CodeSourcesClient:
        """AIWorkSpace's code sources in a region."""
        from junbi.clients.code_sources import CodeSourcesClient  # only a registration of code needs it
        from junbi.clients.endpoints import Service

        return CodeSourcesClient(_api(Service.AIWORKSPACE, region, self.invocation))

    def images_in(self, region: str) -> ImagesClient:
        """AIWorkSpace's images in a region."""
        from junbi.clients.endpoints import Service  # only a registration of an image needs it
        from junbi.clients.images import ImagesClient

        return ImagesClient(_api(Service.AIWORKSPACE, region, self.invocation))

    def dlc_in(self, region: str) -> DlcClient:
        """DLC in the region that something was sent to."""
        if region == self.scope.region:
            return self.dlc
        from junbi.clients.dlc import DlcClient
        from junbi.clients.endpoints import Service

        return DlcClient(_api(Service.DLC, region, self.invocation))

    def refs(self, line: CodeSpec) -> Mapping[str, str]:
        """The refs of a repository by their full names, and the commits they are at.

        ``JUNBI_ENDPOINT_GIT`` is a Git host that may stand for others: it is asked first, for ``<host>/<path>``.
        """
        from junbi.clients.git import refs  # only a look at code needs it

        nearby = os.environ.get("JUNBI_ENDPOINT_GIT")
        if nearby and not line.repository.startswith(nearby):
            with suppress(Refused):
                return refs(f"{nearby}/{line.repository.partition('://')[2]}")
        return refs(line.repository, secret(line.credentials))

    def registry(self, line: ImageSpec) -> ImageSource:
        """Where the tags of a watched image are read."""
        from junbi.pipeline.image_source import ImageSource  # only a look at an image needs it

        return ImageSource(line)

    @cached_property
    def objects(self) -> ObjectStore:
        """OSS."""
        from junbi.clients.endpoints import Service  # doors never need it
        from junbi.clients.objects import ObjectStore

        region = self.scope.region
        return ObjectStore(_endpoint(Service.OSS, region), region, _credentials(self.invocation))


def poke(invocation: Invocation) -> None:
    """Ask FC to run ``reconcile`` soon. Best effort: its timer makes certain what this only makes prompt."""
    from junbi.clients.endpoints import Service  # only a door that noted something pokes
    from junbi.clients.functions import FunctionsClient

    try:
        client = FunctionsClient(_api(Service.FC, invocation.region, invocation))
        client.invoke_async(os.environ.get("JUNBI_RECONCILE", "reconcile"))
    except CallFailed as error:
        _log.warning("reconcile could not be poked; its timer will call it", error=str(error))


def _credentials(invocation: Invocation) -> Credentials:
    if invocation.credentials is None:
        raise CallFailed("sign", "no_credentials", f"FC sent {invocation.function} no credentials; give it a role")
    return invocation.credentials


def _api(service: Service, region: str, invocation: Invocation) -> Api:
    from junbi.clients.api import Api  # doors that only note never call

    return Api(_endpoint(service, region), _credentials(invocation))


def _endpoint(service: Service, region: str) -> str:
    from junbi.clients.endpoints import Network, endpoint  # doors that only note never call

    return endpoint(service, region, os.environ, Network(os.environ.get("JUNBI_NETWORK", "public")))
