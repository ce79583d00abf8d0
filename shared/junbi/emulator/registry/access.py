"""Who may use the local registry: everybody, or whoever shows a password, directly or for a token."""

from __future__ import annotations

import hmac
import math
import secrets
import threading
import time
from typing import TYPE_CHECKING, Literal

from flask import Response, jsonify, request

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Seconds that a token is good for. Source: the default of Docker's token specification.
TOKEN_LIFE = 60.0


class Access:
    """Users and their passwords.

    Args:
        users: passwords by name; None lets everybody in.
        kind: whether the password itself is shown to the registry, or a token that it is exchanged for.
        realm: where tokens are given out; this registry's own ``/token`` by default.
        token_life: seconds.
    """

    def __init__(
        self,
        users: Mapping[str, str] | None = None,
        *,
        kind: Literal["basic", "bearer"] = "bearer",
        realm: str = "",
        token_life: float = TOKEN_LIFE,
    ) -> None:
        self.users, self.kind, self.realm, self.token_life = users, kind, realm, token_life
        self._tokens: dict[str, tuple[str, float]] = {}
        self._lock = threading.Lock()

    def check(self, repository: str, *, pull: bool) -> Response | None:
        """The refusal of the present request, None where it may go on."""
        if self.users is None or (self._known() if self.kind == "basic" else self._has_token(repository, pull=pull)):
            return None
        answer = jsonify(errors=[{"code": "UNAUTHORIZED", "message": "authentication required", "detail": None}])
        answer.status_code = 401
        answer.headers["WWW-Authenticate"] = self._challenge(repository, pull=pull)
        return answer

    def give(self) -> Response:
        """Give out a token for what the present request asks for."""
        if not self._known():
            answer = jsonify(errors=[{"code": "UNAUTHORIZED", "message": "unknown user or wrong password"}])
            answer.status_code = 401
            return answer
        token, scope, now = secrets.token_urlsafe(24), " ".join(request.args.getlist("scope")), time.monotonic()
        with self._lock:
            self._tokens = {old: given for old, given in self._tokens.items() if given[1] > now}
            self._tokens[token] = (scope, now + self.token_life)
        return jsonify(token=token, access_token=token, expires_in=math.ceil(self.token_life))

    def _challenge(self, repository: str, *, pull: bool) -> str:
        if self.kind == "basic":
            return 'Basic realm="local registry"'
        realm = self.realm or f"{request.host_url}token"
        scope = f',scope="repository:{repository}:{"pull" if pull else "pull,push"}"' if repository else ""
        return f'Bearer realm="{realm}",service="{request.host}"{scope}'

    def _known(self) -> bool:
        shown = request.authorization
        if shown is None or shown.type != "basic" or self.users is None:
            return self.users is None
        expected = self.users.get(shown.username or "", "")
        return bool(expected) and hmac.compare_digest((shown.password or "").encode(), expected.encode())

    def _has_token(self, repository: str, *, pull: bool) -> bool:
        shown = request.authorization
        if shown is None or shown.type != "bearer":
            return False
        with self._lock:
            scope, until = self._tokens.get(shown.token or "", ("", 0.0))
        if until <= time.monotonic():
            return False
        granted = {tuple(one.rpartition(":")[::2]) for one in scope.split()}
        allowed = next((actions for name, actions in granted if name == f"repository:{repository}"), "")
        return not repository or ("pull" if pull else "push") in allowed.split(",")
