"""The API, as a program sees it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from junbi.core.facts import ArrivalState, LaunchState
from junbi.core.model import Check, Reason, State
from junbi.pipeline import wiring

if TYPE_CHECKING:
    from pathlib import Path

    from flask.testing import FlaskClient
    from werkzeug.test import TestResponse

PATHS = ["/v1/launches", "/v1/launches/l-1", "/v1/arrivals", "/v1/revisions", "/v1/story", "/v1/quarantine", "/v1/x"]


def problem(response: TestResponse, status: int, code: str) -> dict[str, Any]:
    """The response's problem details, proved to be such."""
    assert response.status_code == status
    assert response.mimetype == "application/problem+json"
    body: dict[str, Any] = response.get_json()
    assert (body["status"], body["code"], body["type"]) == (status, code, "about:blank")
    assert body["title"]
    assert body["detail"]
    return body


class TestAccess:
    """Who may read."""

    @pytest.mark.parametrize("path", PATHS)
    def test_no_token(self, visitor: FlaskClient, path: str) -> None:
        """Without a token every path of the API answers 401 and says how to get one."""
        response = visitor.get(path)
        assert "junbi token" in problem(response, 401, "TokenMissing")["detail"]
        assert response.headers["WWW-Authenticate"] == "Bearer"

    @pytest.mark.parametrize("shown", ["Bearer guess", "Bearer ", "Bearer", "Basic dDp0", "bearer t0ken-of-somebodyx"])
    @pytest.mark.parametrize("path", PATHS)
    def test_wrong_token(self, visitor: FlaskClient, path: str, shown: str) -> None:
        """What is no issued token opens nothing."""
        assert visitor.get(path, headers={"Authorization": shown}).status_code == 401

    def test_the_digest_is_no_token(self, visitor: FlaskClient, world: Any) -> None:
        """Whoever reads the ledger finds digests there, and none of them opens the API."""
        import hashlib

        digest = hashlib.sha256(world.token.encode()).hexdigest()
        response = visitor.get("/v1/launches", headers={"Authorization": f"Bearer {digest}"})
        problem(response, 401, "TokenUnknown")

    def test_a_cookie_is_not_enough(self, person: FlaskClient) -> None:
        """The console's cookie opens the console alone, so no other site can ride on it."""
        problem(person.get("/v1/launches"), 401, "TokenMissing")

    def test_health_needs_no_token(self, visitor: FlaskClient, world: Any) -> None:
        """Anybody may ask whether the function answers, and learns nothing else."""
        world.launch("1")
        response = visitor.get("/healthz")
        assert (response.status_code, response.get_json()) == (200, {"status": "ok"})


class TestLaunches:
    """Why is my job not running?"""

    def test_a_blocked_launch_says_why(self, program: FlaskClient, world: Any) -> None:
        """The list holds what answers the question: state, what holds it, the reason, the fix, the next look."""
        world.blocked("1")
        body = program.get("/v1/launches").get_json()
        assert body["total"] == 1
        [launch] = body["launches"]
        assert (launch["id"], launch["plan"], launch["state"]) == ("l-1", "train-digits", "waiting")
        assert launch["held_by"] == "Blocked"
        assert launch["reason"]["code"] == "PublicResourceUnknown"
        assert launch["reason"]["fix"] == "Correct resources.cpu.public, perhaps to ecs.g7.large."
        assert launch["next_look"]["due_at"].endswith("Z")
        assert launch["job"] is None

    def test_the_check_that_leads_holds_it(self, program: FlaskClient, world: Any) -> None:
        """Of several checks that are not ready, the one whose reason leads says what holds the launch."""
        unknown, blocked = Reason("WorkspaceNotFound", "We may not look."), Reason("MountCollision", "Two at /mnt.")
        checks = (Check("workspace", State.UNKNOWN, unknown), Check("mounts", State.BLOCKED, blocked))
        world.launch("1", reason=blocked, checks=checks)
        assert program.get("/v1/launches/l-1").get_json()["held_by"] == "Blocked"

    def test_pins_are_resolved(self, program: FlaskClient, world: Any) -> None:
        """What a launch trains on is told by label and place, not only by the ledger's own id."""
        world.launch("1", label="2026-03")
        pin = program.get("/v1/launches/l-1").get_json()["trains_on"]["digits"]
        assert pin["label"] == "2026-03"
        assert pin["uri"] == "oss://vision-data/digits/2026-03/"
        assert (pin["members"], pin["revision"]) == (1797, "rev-2026-03")

    def test_one_launch_in_full(self, program: FlaskClient, world: Any) -> None:
        """One launch shows every check, its own story alone, and its tries."""
        world.blocked("1")
        world.launch("2")
        for owner, outcome in (("launch:l-1", "unknown"), ("launch:l-2", "done")):
            number = world.ledger.tries.add(
                owner=owner, operation="CreateJob", nonce="once", date="then", body="{}", now=world.ledger.now()
            )
            world.ledger.tries.answer(number, outcome, "timeout")
        launch = program.get("/v1/launches/l-1").get_json()
        assert [(check["name"], check["state"]) for check in launch["checks"]] == [
            ("workspace", "Ready"),
            ("resource", "Blocked"),
        ]
        assert [entry["code"] for entry in launch["story"]] == ["Launched"]
        assert [(one["operation"], one["outcome"]) for one in launch["tries"]] == [("CreateJob", "unknown")]

    def test_what_was_sent_stays_inside(self, program: FlaskClient, world: Any) -> None:
        """A try's body may hold a secret of the job's environment: it is not shown."""
        world.launch("1")
        world.ledger.tries.add(
            owner="launch:l-1", operation="CreateJob", nonce="n0nce", date="d", body="s3cret", now=world.ledger.now()
        )
        text = program.get("/v1/launches/l-1").text
        assert "CreateJob" in text
        assert "s3cret" not in text
        assert "n0nce" not in text

    def test_a_running_job(self, program: FlaskClient, world: Any) -> None:
        """A launch with a job shows PAI's id and PAI's own word; nothing holds it."""
        world.launch("1", LaunchState.RUNNING, job_id="dlc1", job_status="Restarting")
        [launch] = program.get("/v1/launches").get_json()["launches"]
        assert launch["job"] == {"id": "dlc1", "status": "Restarting"}
        assert (launch["state"], launch["held_by"], launch["next_look"]) == ("running", None, None)

    def test_unknown_launch(self, program: FlaskClient) -> None:
        """A launch that does not exist is a 404 that says where to look."""
        assert "/v1/launches" in problem(program.get("/v1/launches/l-none"), 404, "NotFound")["detail"]


class TestInputs:
    """Uploads, versions, and what could not be read."""

    def test_arrivals(self, program: FlaskClient, world: Any) -> None:
        """An upload shows where it is, why it is not complete and when it is looked at next."""
        world.arrival("2026-04", ArrivalState.OPEN, Reason("DatasetOpen", "No _SUCCESS yet."))
        [arrival] = program.get("/v1/arrivals").get_json()["arrivals"]
        assert arrival["uri"] == "oss://vision-data/digits/2026-04/"
        assert (arrival["state"], arrival["reason"]["code"]) == ("open", "DatasetOpen")
        assert arrival["next_look"]["due_at"]

    def test_revisions(self, program: FlaskClient, world: Any) -> None:
        """A version shows PAI's ids once it is registered, and which one is its dataset's newest."""
        world.revision("2026-03")
        world.revision("2026-04", registered=False)
        newer, older = program.get("/v1/revisions").get_json()["revisions"]
        assert (newer["label"], newer["newest"], newer["registration"]["state"]) == ("2026-04", True, "pending")
        assert newer["registration"]["dataset_id"] is None
        assert (older["label"], older["newest"]) == ("2026-03", False)
        assert older["registration"]["dataset_id"] == "d-k1x2y3z4"
        assert older["registration"]["version_name"] == "v7"

    def test_quarantine(self, program: FlaskClient, world: Any) -> None:
        """The same unreadable payload twice is one entry that counts."""
        for _ in range(2):
            world.ledger.quarantine("oss_upload", "{壊れた".encode(), "no JSON", world.ledger.now())
        body = program.get("/v1/quarantine").get_json()
        assert body["total"] == 1
        assert len(body["quarantine"][0]["digest"]) == 64
        assert (body["quarantine"][0]["times"], body["quarantine"][0]["payload"]) == (2, "{壊れた")


class TestStory:
    """Following along."""

    def test_follow(self, program: FlaskClient, world: Any) -> None:
        """``next`` of one answer, given as ``after``, shows what came since: nothing twice, nothing left out."""
        world.launch("1")
        first = program.get("/v1/story").get_json()
        assert [(entry["subject"], entry["code"]) for entry in first["story"]] == [("launch:l-1", "Launched")]
        world.launch("2")
        second = program.get(f"/v1/story?after={first['next']}").get_json()
        assert [entry["subject"] for entry in second["story"]] == ["launch:l-2"]
        assert second["story"][0]["number"] == second["next"] > first["next"]
        assert program.get(f"/v1/story?after={second['next']}").get_json() == {"story": [], "next": second["next"]}

    @pytest.mark.parametrize("after", ["-1", "x", "1e3", "٣", "", "9223372036854775808"])
    def test_after_must_be_a_number(self, program: FlaskClient, after: str) -> None:
        """What is no entry's number is told so, not guessed."""
        assert (
            "after"
            in problem(program.get("/v1/story", query_string={"after": after}), 400, "ParameterInvalid")["detail"]
        )


class TestProblems:
    """Errors are problem details with a code."""

    def test_no_such_path(self, program: FlaskClient) -> None:
        """A path the API does not have is a 404."""
        problem(program.get("/v1/lunches"), 404, "NotFound")

    @pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
    def test_read_only(self, program: FlaskClient, method: str) -> None:
        """Nothing can be changed through the API so far, and it says what to do instead."""
        response = program.open("/v1/launches", method=method)
        problem(response, 405, "ReadOnly")
        assert response.headers["Allow"] == "GET, HEAD"

    def test_a_broken_ledger(self, program: FlaskClient, tmp_path: Path, world: Any) -> None:
        """A ledger that cannot be read is a 503 with the request's id, and tells a stranger nothing of the machine."""
        world.launch("1")
        wiring.ledger.cache_clear()
        for file in tmp_path.glob("ledger.db*"):
            file.write_bytes(b"no database at all" * 1000)
        detail = problem(program.get("/v1/launches"), 503, "LedgerUnavailable")["detail"]
        assert "1-67a96b43-15d49184-5cdbe1911c57" in detail
        assert str(tmp_path) not in detail

    def test_answers_are_kept_by_nobody(self, program: FlaskClient) -> None:
        """No cache keeps an answer and no browser renders one."""
        for path in ("/v1/launches", "/v1/nothing", "/healthz"):
            headers = program.get(path).headers
            assert headers["Cache-Control"] == "no-store"
            assert headers["X-Content-Type-Options"] == "nosniff"
