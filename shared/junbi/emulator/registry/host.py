"""The local registry's HTTP: the OCI distribution API, as far as pushing and pulling images takes.

Source: OCI distribution specification 1.1. Not served: mounts across repositories, referrers and ranges.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from flask import Flask, Response, jsonify, request, send_file

from junbi.emulator.registry.access import Access
from junbi.emulator.registry.store import DIGEST, NAME, TAG, Images, Manifest
from junbi.emulator.registry.webhooks import Push, Webhook, deliver

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

#: Bytes of a manifest that are taken at most. Source: the specification's recommendation to registries.
MANIFEST_LIMIT = 4 << 20
_METHODS = ["GET", "PUT", "DELETE"]  # Flask adds HEAD


class RegistryHost:
    """The WSGI application.

    Args:
        directory: where the images are.
        access: who may push and pull; everybody on this machine by default.
    """

    def __init__(self, directory: Path, access: Access | None = None) -> None:
        self.images, self.access = Images(directory), access or Access()
        self.webhooks: list[Webhook] = []
        app = self._app = Flask("registry", static_folder=None)
        app.url_map.merge_slashes = False
        app.before_request(self._admit)
        app.add_url_rule("/token", "token", self.access.give)
        app.add_url_rule("/v2/", "root", dict)
        app.add_url_rule("/v2/<path:name>/tags/list", "tags", self._tags)
        app.add_url_rule("/v2/<path:name>/manifests/<reference>", "manifest", self._manifest, methods=_METHODS)
        app.add_url_rule("/v2/<path:name>/blobs/<digest>", "blob", self._blob)
        app.add_url_rule("/v2/<path:name>/blobs/uploads/", "begin", self._begin, methods=["POST"])
        app.add_url_rule(
            "/v2/<path:name>/blobs/uploads/<upload>", "upload", self._upload, methods=["PATCH", "PUT", "GET"]
        )

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        """Answer one request."""
        return self._app(environ, start_response)

    def _admit(self) -> Response | None:
        if request.path == "/token":
            return None
        name = (request.view_args or {}).get("name", "")
        if name and not NAME.fullmatch(name):
            return _error(400, "NAME_INVALID", "this is no name of a repository")
        return self.access.check(name, pull=request.method in {"GET", "HEAD"})

    def _tags(self, name: str) -> Response:
        tags = self.images.tags(name)
        if tags is None:
            return _error(404, "NAME_UNKNOWN", "there is no such repository")
        after, size = request.args.get("last", ""), request.args.get("n", type=int)
        rest = [tag for tag in tags if tag > after]
        answer = jsonify(name=name, tags=rest if size is None else rest[:size])
        if size is not None and 0 < size < len(rest):
            answer.headers["Link"] = f'</v2/{name}/tags/list?last={rest[size - 1]}&n={size}>; rel="next"'
        return answer

    def _manifest(self, name: str, reference: str) -> Response:
        if not (TAG.fullmatch(reference) or DIGEST.fullmatch(reference)):
            return _error(400, "MANIFEST_INVALID", "this is neither a tag nor a digest")
        if request.method == "PUT":
            return self._put(name, reference)
        if request.method == "DELETE":
            return Response(status=202) if self.images.delete(name, reference) else _unknown()
        found = self.images.manifest(name, reference)
        if found is None:
            return _unknown()
        return Response(found.content, headers={"Docker-Content-Digest": found.digest}, content_type=found.media_type)

    def _put(self, name: str, reference: str) -> Response:
        content = request.get_data()
        manifest = Manifest(request.headers.get("Content-Type", "").splitlines()[0], content)
        if len(content) > MANIFEST_LIMIT:
            return _error(413, "MANIFEST_INVALID", f"a manifest has {MANIFEST_LIMIT} bytes at most")
        by_digest = bool(DIGEST.fullmatch(reference))
        if by_digest and reference != manifest.digest:
            return _error(400, "DIGEST_INVALID", "the content has another digest")
        self.images.put_manifest(name, reference, manifest)
        tag = "" if by_digest else reference
        self._tell(Push(*_named(request.host, name), tag, manifest.digest, manifest.media_type, len(content)))
        where = {"Location": f"/v2/{name}/manifests/{manifest.digest}", "Docker-Content-Digest": manifest.digest}
        return Response(status=201, headers=where)

    def _blob(self, name: str, digest: str) -> Response:  # noqa: ARG002 - blobs are shared
        path = self.images.blob(digest) if DIGEST.fullmatch(digest) else None
        if path is None:
            return _error(404, "BLOB_UNKNOWN", "there is no such blob")
        answer = send_file(path, "application/octet-stream")
        answer.headers["Docker-Content-Digest"] = digest
        return answer

    def _begin(self, name: str) -> Response:
        upload = self.images.begin()
        if "digest" in request.args:
            return self._upload(name, upload)
        return _going_on(name, upload, 0)

    def _upload(self, name: str, upload: str) -> Response:
        size = self.images.append(upload, cast("BinaryIO", request.stream)) if upload.isalnum() else None
        if size is None:
            return _error(404, "BLOB_UPLOAD_UNKNOWN", "there is no such upload")
        if request.method in {"PATCH", "GET"}:
            return _going_on(name, upload, size)
        digest = request.args.get("digest", "")
        if not self.images.finish(upload, digest):
            return _error(400, "DIGEST_INVALID", "the content has another digest")
        where = {"Location": f"/v2/{name}/blobs/{digest}", "Docker-Content-Digest": digest}
        return Response(status=201, headers=where)

    def _tell(self, push: Push) -> None:
        for webhook in list(self.webhooks):
            threading.Thread(target=deliver, args=(webhook, push), daemon=True).start()


def _named(host: str, name: str) -> tuple[str, str]:
    """The registry and repository that a push tells: its own, where it stands here for one of another registry."""
    first, _, rest = name.partition("/")
    return (first, rest) if "." in first and rest else (host, name)


def _going_on(name: str, upload: str, size: int) -> Response:
    where = {
        "Location": f"/v2/{name}/blobs/uploads/{upload}",
        "Docker-Upload-UUID": upload,
        "Range": f"0-{max(size - 1, 0)}",
    }
    return Response(status=204 if request.method == "GET" else 202, headers=where)


def _unknown() -> Response:
    return _error(404, "MANIFEST_UNKNOWN", "there is no such manifest")


def _error(status: int, code: str, message: str) -> Response:
    answer = jsonify(errors=[{"code": code, "message": message, "detail": None}])
    answer.status_code = status
    return answer
