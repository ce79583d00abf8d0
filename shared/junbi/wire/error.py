"""The error body that Alibaba Cloud's gateway answers with, for every PAI API."""

from __future__ import annotations

from typing import Any

from junbi.wire.model import WireModel


class ErrorBody(WireModel):
    """A JSON object sent with HTTP 400 to 599. Source: tea_openapi 0.4.6 (what the SDK reads), gateway documentation.

    Attributes:
        code: stable name such as ``InvalidParameter`` or ``Forbidden.RAM``; decide by it, never by the message.
        host_id: the host that was called.
        recommend: address of a page that explains the error.
        access_denied_detail: the policy that refused, where RAM did.
    """

    code: str = ""
    message: str = ""
    request_id: str = ""
    host_id: str | None = None
    recommend: str | None = None
    description: str | None = None
    detail: Any = None
    access_denied_detail: dict[str, Any] | None = None
