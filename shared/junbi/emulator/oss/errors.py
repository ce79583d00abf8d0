"""The errors of the local OSS, by OSS's own codes. Source: OSS API reference, error codes."""

from __future__ import annotations

_MESSAGES: dict[str, tuple[int, str]] = {
    "AccessDenied": (403, "Anonymous access is forbidden for this operation."),
    "BucketAlreadyExists": (409, "The requested bucket name is not available; it exists already."),
    "BucketNotEmpty": (409, "The bucket has objects or uploads under way. Delete them first."),
    "EntityTooSmall": (400, "Every part but the last must have at least 102400 bytes."),
    "FileAlreadyExists": (409, "The object exists already, and x-oss-forbid-overwrite was given."),
    "InternalError": (500, "The local OSS failed; nothing was changed."),
    "InvalidAccessKeyId": (403, "The OSS Access Key Id you provided does not exist in our records."),
    "InvalidArgument": (400, "An argument of the request is not valid."),
    "InvalidBucketName": (400, "A bucket name has 3 to 63 of a-z, 0-9 and -, and neither starts nor ends with -."),
    "InvalidDigest": (400, "The Content-MD5 you specified is not that of the content that arrived."),
    "InvalidObjectName": (400, "An object name has 1 to 1023 bytes of UTF-8 and does not start with a backslash."),
    "InvalidPart": (400, "One or more of the specified parts could not be found or has another ETag."),
    "InvalidPartOrder": (400, "The parts are not in ascending order of their numbers."),
    "InvalidRange": (416, "The requested range lies outside the object."),
    "InvalidSecurityToken": (403, "The security token you provided is invalid. Fetch a new one."),
    "MalformedXML": (400, "The XML you provided was not well-formed or did not have the expected elements."),
    "MethodNotAllowed": (405, "The specified method is not allowed against this resource."),
    "NoSuchBucket": (404, "The specified bucket does not exist."),
    "NoSuchKey": (404, "The specified key does not exist."),
    "NoSuchUpload": (404, "The upload does not exist: its id is wrong, or it was completed or aborted."),
    "NoSuchVersion": (404, "The specified version does not exist."),
    "NotImplemented": (501, "The local OSS does not have this operation."),
    "NotModified": (304, "The object was not modified."),
    "ObjectNotAppendable": (409, "The object is not appendable."),
    "PositionNotEqualToLength": (409, "The position is not the object's length."),
    "PreconditionFailed": (412, "At least one of the preconditions you specified did not hold."),
    "RequestTimeTooSkewed": (403, "The date of the request is more than 15 minutes away from the server's."),
    "SecurityTokenExpired": (403, "The security token you provided has expired. Fetch a new one."),
    "SignatureDoesNotMatch": (
        403,
        "The request signature we calculated does not match the signature you provided. Check the secret and method.",
    ),
}


class OssError(Exception):
    """A refusal as OSS spells it.

    Attributes:
        status: the HTTP status.
        code: OSS's error code, such as ``NoSuchKey``.
        message: in prose.
        details: further elements of the error document, such as ``Key``.
        headers: further headers of the answer.
    """

    def __init__(
        self,
        code: str,
        message: str = "",
        *,
        status: int = 0,
        headers: dict[str, str] | None = None,
        **details: str,
    ) -> None:
        known_status, known_message = _MESSAGES.get(code, (500, code))
        self.code = code
        self.status = status or known_status
        self.message = message or known_message
        self.details = details
        self.headers = headers or {}
        super().__init__(f"{code}: {self.message}")
