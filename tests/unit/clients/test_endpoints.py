"""Where services answer."""

from __future__ import annotations

import pytest

from junbi.clients.endpoints import Network, Service, endpoint
from junbi.errors import ConfigInvalid


class TestTable:
    """Our own table."""

    @pytest.mark.parametrize(
        ("service", "network", "url"),
        [
            (Service.AIWORKSPACE, Network.PUBLIC, "https://aiworkspace.cn-hangzhou.aliyuncs.com"),
            (Service.AIWORKSPACE, Network.VPC, "https://aiworkspace-vpc.cn-hangzhou.aliyuncs.com"),
            (Service.DLC, Network.PUBLIC, "https://pai-dlc.cn-hangzhou.aliyuncs.com"),
            (Service.DLC, Network.VPC, "https://pai-dlc-vpc.cn-hangzhou.aliyuncs.com"),
            (Service.PAISTUDIO, Network.PUBLIC, "https://pai.cn-hangzhou.aliyuncs.com"),
            (Service.PAISTUDIO, Network.VPC, "https://pai-vpc.cn-hangzhou.aliyuncs.com"),
            (Service.OSS, Network.PUBLIC, "https://oss-cn-hangzhou.aliyuncs.com"),
            (Service.OSS, Network.VPC, "https://oss-cn-hangzhou-internal.aliyuncs.com"),
            (Service.FC, Network.PUBLIC, "https://fcv3.cn-hangzhou.aliyuncs.com"),
        ],
    )
    def test_hosts(self, service: Service, network: Network, url: str) -> None:
        """Each service has a host per region and network, always encrypted."""
        assert endpoint(service, "cn-hangzhou", {}, network) == url


class TestOverride:
    """The environment's word."""

    @pytest.mark.parametrize(
        ("value", "url"),
        [
            ("http://127.0.0.1:9001", "http://127.0.0.1:9001"),
            ("http://127.0.0.1:9001/", "http://127.0.0.1:9001"),
            ("https://pai.example.com", "https://pai.example.com"),
            ("pai.example.com:8443", "https://pai.example.com:8443"),
            (" pai.example.com ", "https://pai.example.com"),
            ("http://[::1]:80", "http://[::1]:80"),
        ],
    )
    def test_it_wins(self, value: str, url: str) -> None:
        """A host or URL replaces the table's; plain HTTP only where it says so."""
        environ = {"JUNBI_ENDPOINT_DLC": value}
        assert endpoint(Service.DLC, "cn-hangzhou", environ) == url
        assert endpoint(Service.OSS, "cn-hangzhou", environ) == "https://oss-cn-hangzhou.aliyuncs.com"

    @pytest.mark.parametrize(
        "value", ["ftp://h", "http://", "https://h/path", "https://user:hunter2@h", "h?x=1", "a b", "h:port", "//h"]
    )
    def test_nonsense_names_its_variable_and_not_itself(self, value: str) -> None:
        """What is no host is refused by the variable's name; the value may hold a password and is not shown."""
        with pytest.raises(ConfigInvalid, match="JUNBI_ENDPOINT_FC") as caught:
            endpoint(Service.FC, "cn-hangzhou", {"JUNBI_ENDPOINT_FC": value})
        assert "hunter2" not in str(caught.value)
