"""The error that an emulated API answers with."""

from __future__ import annotations


class ApiError(Exception):
    """Raised anywhere inside an emulated service; its gateway writes it as that service writes errors.

    Attributes:
        code: the API's stable name for it.
        message: for a person.
        status: HTTP, 400 to 599.
        retry_after: seconds that the caller should wait, 0 where nothing is said.
    """

    def __init__(self, code: str, message: str, status: int = 400, retry_after: float = 0.0) -> None:
        self.code, self.message, self.status, self.retry_after = code, message, status, retry_after
        super().__init__(f"{status} {code}: {message}")


def not_found(what: str) -> ApiError:
    """Something named in the request does not exist. Source: the code is known, the wording is assumed."""
    return ApiError("NotFound", f"{what} does not exist.", 404)


def invalid(what: str) -> ApiError:
    """A parameter has a value that cannot be. Source: the code is known, the wording is assumed."""
    return ApiError("InvalidParameter", what, 400)
