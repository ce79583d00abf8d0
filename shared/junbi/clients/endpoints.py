"""Where each service of a region answers: our own table, as the official SDKs disagree with the metadata.

``JUNBI_ENDPOINT_<SERVICE>`` overrides an entry: ``host``, ``host:port`` or a URL; plain HTTP only where the URL
says so.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import TYPE_CHECKING

from junbi.errors import ConfigInvalid, Problem

if TYPE_CHECKING:
    from collections.abc import Mapping


class Service(StrEnum):
    """A service that junbi calls; the value names its environment variable."""

    AIWORKSPACE = "AIWORKSPACE"
    DLC = "DLC"
    PAISTUDIO = "PAISTUDIO"
    OSS = "OSS"
    FC = "FC"


class Network(StrEnum):
    """From where a service is reached."""

    PUBLIC = "public"
    VPC = "vpc"


#: Hosts by service and network.
#: AIWORKSPACE, DLC: OpenAPI metadata of 2025-11 lists the regional host for every region it has. The SDKs (8.3.5,
#: 1.11.6) send some regions (DLC: cn-zhangjiakou, cn-chengdu, ap-south-1…) to a host without a region instead; where
#: a region has no host of its own, override.
#: PAISTUDIO: the SDK (2.6.2) has the same but for cn-hangzhou, which it sends to another domain; the VPC's host is the
#: one that another client of the vendor's uses.
#: OSS: its documentation. FC: fcv3 is what the SDKs of 2023-03-30 use; assumed: it answers from a VPC too, where
#: the documentation names only ``<account>.<region>-internal.fc.aliyuncs.com``, which needs the account's id.
#: If that is wrong a poke from a VPC fails and the timers do its work, later.
_HOSTS = {
    (Service.AIWORKSPACE, Network.PUBLIC): "aiworkspace.{region}.aliyuncs.com",
    (Service.AIWORKSPACE, Network.VPC): "aiworkspace-vpc.{region}.aliyuncs.com",
    (Service.DLC, Network.PUBLIC): "pai-dlc.{region}.aliyuncs.com",
    (Service.DLC, Network.VPC): "pai-dlc-vpc.{region}.aliyuncs.com",
    (Service.PAISTUDIO, Network.PUBLIC): "pai.{region}.aliyuncs.com",
    (Service.PAISTUDIO, Network.VPC): "pai-vpc.{region}.aliyuncs.com",
    (Service.OSS, Network.PUBLIC): "oss-{region}.aliyuncs.com",
    (Service.OSS, Network.VPC): "oss-{region}-internal.aliyuncs.com",
    (Service.FC, Network.PUBLIC): "fcv3.{region}.aliyuncs.com",
    (Service.FC, Network.VPC): "fcv3.{region}.aliyuncs.com",
}

_OVERRIDE = re.compile(
    r"(?:(?P<scheme>https?)://)?(?P<host>[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?P<port>:[0-9]{1,5})?/?", re.ASCII
)


def endpoint(service: Service, region: str, environ: Mapping[str, str], network: Network = Network.PUBLIC) -> str:
    """``https://host[:port]`` of a service; ConfigInvalid where the environment names something else than a host.

    Args:
        service: which one.
        region: such as ``cn-hangzhou``.
        environ: the process's environment.
        network: from where it is called.
    """
    variable = f"JUNBI_ENDPOINT_{service.value}"
    override = environ.get(variable, "").strip()
    if override:
        return _checked(override, variable)
    return "https://" + _HOSTS[service, network].format(region=region)


def _checked(value: str, variable: str) -> str:
    found = _OVERRIDE.fullmatch(value)
    if found is None:
        # The value is not shown: somebody may have put a password into it.
        what = "expected host, host:port or http(s)://host:port, with no path and no user"
        raise ConfigInvalid([Problem(variable, what)])
    return f"{found['scheme'] or 'https'}://{found['host']}{found['port'] or ''}"
