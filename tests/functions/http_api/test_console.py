"""The console without a browser: who gets in, what the page says, and what it can never do."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from junbi.core.facts import ArrivalState, LaunchState
from junbi.core.model import Check, Reason, State
from junbi.core.plan import ExistingDataset
from junbi.pipeline import wiring

if TYPE_CHECKING:
    from pathlib import Path

    from flask.testing import FlaskClient

OURS = {"Origin": "http://localhost"}


class TestSignIn:
    """Who gets in, and how."""

    def test_a_stranger_is_led_to_the_login(self, visitor: FlaskClient, world: Any) -> None:
        """Without a session the page shows nothing and leads to the login."""
        world.launch("1")
        response = visitor.get("/")
        assert (response.status_code, response.headers["Location"], response.data) == (303, "/login", b"")

    def test_the_form(self, visitor: FlaskClient, world: Any) -> None:
        """A pasted token, spaces around it or not, opens the console."""
        response = visitor.post("/login", data={"token": f" {world.token}\n"}, headers=OURS)
        assert (response.status_code, response.headers["Location"]) == (303, "/")
        assert visitor.get("/").status_code == 200

    def test_the_cookie(self, visitor: FlaskClient, world: Any) -> None:
        """Scripts cannot read the cookie and other sites cannot send it; over https it never leaves in the clear."""
        plain = visitor.get(f"/?token={world.token}").headers["Set-Cookie"]
        assert "HttpOnly" in plain
        assert "SameSite=Strict" in plain
        assert "Secure" not in plain
        forwarded = visitor.get(f"/?token={world.token}", headers={"X-Forwarded-Proto": "https"})
        assert "Secure" in forwarded.headers["Set-Cookie"]

    def test_the_link(self, visitor: FlaskClient, world: Any) -> None:
        """A link with the token signs in once and leads to the address without it."""
        response = visitor.get(f"/?token={world.token}")
        assert (response.status_code, response.headers["Location"]) == (303, "/")
        assert world.token not in response.text
        assert visitor.get("/").status_code == 200

    @pytest.mark.parametrize("token", ["guess", "", "  ", "x" * 5000, "日本"])
    def test_a_wrong_token(self, visitor: FlaskClient, token: str) -> None:
        """A wrong token gets a clear message and no cookie, and is not shown again."""
        for response in (
            visitor.post("/login", data={"token": token}, headers=OURS),
            visitor.get("/", query_string={"token": token}),
        ):
            assert response.status_code == 401
            assert "Set-Cookie" not in response.headers
            assert 'role="alert"' in response.text
            assert len(token) < 5 or token not in response.text
        assert visitor.get("/").status_code == 303

    @pytest.mark.parametrize(
        "origin",
        [None, "null", "http://[::1", "http://evil.example", "http://localhost.evil.example", "http://localhost:81"],
    )
    @pytest.mark.parametrize("path", ["/login", "/logout"])
    def test_forms_of_others(self, person: FlaskClient, world: Any, path: str, origin: str | None) -> None:
        """A form that another site sends does nothing."""
        headers = {"Origin": origin} if origin else {}
        response = person.post(path, data={"token": world.token}, headers=headers)
        assert response.status_code == 403
        assert "Set-Cookie" not in response.headers

    def test_sign_out(self, person: FlaskClient) -> None:
        """Signing out forgets the token."""
        assert person.get("/").status_code == 200
        assert person.post("/logout", headers=OURS).headers["Location"] == "/login"
        assert person.get("/").status_code == 303

    def test_a_link_on_another_site(self, visitor: FlaskClient) -> None:
        """A browser keeps a strict cookie back when a link elsewhere leads here: we let it come again from our page."""
        response = visitor.get("/", headers={"Sec-Fetch-Site": "cross-site"})
        assert response.status_code == 200
        assert 'http-equiv="refresh" content="0; url=/"' in response.text

    def test_the_token_is_logged_nowhere(
        self, visitor: FlaskClient, world: Any, capfd: pytest.CaptureFixture[str]
    ) -> None:
        """Neither the link, nor the form, nor the cookie leaves the token in the log."""
        visitor.get(f"/?token={world.token}")
        visitor.post("/login", data={"token": world.token}, headers=OURS)
        visitor.get("/")
        visitor.get("/?token=wr0ng-token")
        logged = "".join(capfd.readouterr())
        assert "RequestId" in logged
        assert world.token not in logged
        assert "wr0ng-token" not in logged


class TestPage:
    """What the page says."""

    def test_nothing_applied(self, person: FlaskClient) -> None:
        """Before the first apply the page tells what to do first."""
        text = person.get("/").text
        assert "junbi init" in text
        assert "junbi apply" in text

    def test_nothing_arrived(self, person: FlaskClient, world: Any) -> None:
        """Before the first upload the page tells where to upload and what completes it."""
        world.apply()
        text = person.get("/").text
        assert "oss://vision-data/digits/" in text
        assert "_SUCCESS" in text
        for fact in ("vision", "cn-hangzhou", "104231"):
            assert f">{fact}<" in text

    def test_a_blocked_launch(self, person: FlaskClient, world: Any) -> None:
        """A blocked launch leads: code, message, fix, what wakes it, when it is looked at next."""
        world.apply()
        world.launch("2", LaunchState.RUNNING, job_id="dlc7q2m1k9", job_status="Running")
        world.blocked("1", age=timedelta(minutes=5))
        text = person.get("/").text
        assert "<h1>One launch needs you.</h1>" in text
        for part in (
            "Blocked",
            "PublicResourceUnknown",
            "DLC has no public instance type ecs.g7.lrge",
            "perhaps to ecs.g7.large",
            "the next apply, or a look every few minutes",
            "in 2 min",
            "5 min ago",
            "2026-03",
            "digits 2026-03 arrived.",
        ):
            assert part in text
        assert text.index("launch-l-1") < text.index("launch-l-2")

    def test_an_existing_dataset(self, person: FlaskClient, world: Any) -> None:
        """What a launch mounts besides what was uploaded is shown with PAI's id and version."""
        world.apply()
        world.launch("1")
        launch = world.ledger.launches.get("l-1")
        corpus = ExistingDataset(name="corpus", id="d-k1x2y3z4", version="v7", mount="/mnt/corpus")
        spec = launch.spec.model_copy(update={"existing": (corpus,)})
        with world.ledger.transaction():
            world.ledger.launches.save(replace(launch, spec=spec))
        text = person.get("/").text
        assert "<span><bdi>corpus</bdi> <b>v7</b></span>" in text
        assert "<code>d-k1x2y3z4 v7</code>" in text

    @pytest.mark.parametrize("state", [state for state in LaunchState if state is not LaunchState.WAITING])
    def test_every_state_has_a_word(self, person: FlaskClient, world: Any, state: LaunchState) -> None:
        """No state is told by its colour alone."""
        world.launch("1", state)
        words = re.findall(
            r'<p class="state \w+"><span class="dot" aria-hidden="true"></span>([^<]+)</p>', person.get("/").text
        )
        assert words[0][0].isupper()
        assert "_" not in words[0]

    @pytest.mark.parametrize(
        ("state", "word", "sentence"),
        [
            (State.BLOCKED, "Blocked", "One launch needs you."),
            (State.RETRY, "Waiting", "One launch waits, and nothing for you to do."),
            (State.PENDING, "Checking", "One launch waits, and nothing for you to do."),
        ],
    )
    def test_what_holds_it(self, person: FlaskClient, world: Any, state: State, word: str, sentence: str) -> None:
        """Whether a waiting launch needs somebody is told by the check that leads, and by nothing else."""
        reason = Reason("NoDatasetVersion", "Not there.")
        world.launch("1", reason=reason, checks=(Check("plan", State.READY), Check("dataset digits", state, reason)))
        text = person.get("/").text
        assert f"</span>{word}</p>" in text
        assert f"<h1>{sentence}</h1>" in text

    def test_to_each_its_own_story(self, person: FlaskClient, world: Any) -> None:
        """Each launch shows its own checks and its own story, however many there are."""
        for key in ("1", "2", "3"):
            world.launch(key, label=f"label-{key}", checks=(Check(f"check-{key}", State.READY),))
        rows = person.get("/").text.split('<article class="row" id="launch-l-')[1:]
        assert len(rows) == 3
        for row in rows:
            assert f"label-{row[0]} arrived." in row
            assert f"check-{row[0]}" in row

    def test_a_look_that_failed(self, person: FlaskClient, world: Any) -> None:
        """Why the last look failed is said, not only when the next one is."""
        world.launch("1")
        world.ledger.worklist.ask("launch", "l-1", world.ledger.now() - timedelta(seconds=1))
        [item] = world.ledger.worklist.claim(world.ledger.now())
        world.ledger.worklist.again(item, world.ledger.now() + timedelta(minutes=9), 3, "ListEcsSpecs: timeout")
        assert "the last look failed (3 in a row): ListEcsSpecs: timeout" in person.get("/").text

    def test_uploads(self, person: FlaskClient, world: Any) -> None:
        """Uploads under way are shown with their reason; completed ones are not under way."""
        world.arrival("2026-04", ArrivalState.INCOMPLETE, Reason("DatasetIncomplete", "No _SUCCESS came in 6 h."))
        world.arrival("2026-03", ArrivalState.CLOSED)
        text = person.get("/").text
        assert "DatasetIncomplete" in text
        assert "arrival-digits:vision-data/digits/2026-04/" in text
        assert "2026-03" not in text

    def test_many_launches(self, person: FlaskClient, world: Any) -> None:
        """However many launches there are, the page shows the newest 100 and says how many more there are."""
        world.many(1250)
        text = person.get("/").text
        assert text.count('<article class="row" id="launch-') == 100
        assert "1,150 more launches" in text
        assert "1,250 launches wait" in text
        assert "1,150 more, older" in text
        assert 'id="launch-l-1249"' in text
        assert 'id="launch-l-1149"' not in text

    def test_unreadable_payloads(self, person: FlaskClient, world: Any) -> None:
        """A payload nobody could read is shown with what is wrong; without one, nothing is said of it."""
        assert "nobody could read" not in person.get("/").text
        world.ledger.quarantine("oss_upload", b'{"events": 7}', "events: expected a list, got 7", world.ledger.now())
        text = person.get("/").text
        assert "events: expected a list, got 7" in text
        assert "{&#34;events&#34;: 7}" in text


class TestHostileNames:
    """Names come from strangers."""

    def test_markup(self, person: FlaskClient, world: Any) -> None:
        """Markup in any text from outside is shown as text."""
        evil = '<script>alert(1)</script>"><img src=x onerror=alert(1)>'
        reason = Reason("CaptureRefused", evil, fix=evil, wakes=evil, facts={evil: evil})
        world.blocked("1", reason, plan=evil, label="'" + evil, job_id=evil, job_status=evil)
        world.arrival(evil, ArrivalState.REFUSED, reason)
        world.ledger.tell("launch:l-1", evil, evil, world.ledger.now())
        world.ledger.quarantine(evil, evil.encode(), evil, world.ledger.now())
        text = person.get("/").text
        assert "<script>alert" not in text
        assert "<img src=x" not in text
        assert text.count("&lt;script&gt;alert(1)") >= 15

    def test_a_shell_command(self, person: FlaskClient, world: Any) -> None:
        """A folder named like a command is shown as it is, with why it was refused."""
        world.arrival(
            "$(touch x)", ArrivalState.REFUSED, Reason("CaptureRefused", "The folder's name is not acceptable.")
        )
        text = person.get("/").text
        assert "oss://vision-data/digits/$(touch x)/" in text
        assert "CaptureRefused" in text

    def test_marks_that_turn_the_direction(self, person: FlaskClient, world: Any) -> None:
        """A name cannot pretend to be another by turning the reading direction or by hidden characters."""
        world.launch("1", plan="gpj\u202eexe\x07")
        text = person.get("/").text
        assert "gpj\\u202eexe\\u0007" in text
        assert "\u202e" not in text

    def test_other_scripts(self, person: FlaskClient, world: Any) -> None:
        """Japanese, Chinese, Hebrew and emoji stay what they are, each isolated from its surroundings."""
        for key, name in enumerate(("手書き数字", "评估", "אימון", "🚀-train")):
            world.launch(str(key), plan=name)
            assert f"<bdi>{name}</bdi>" in person.get("/").text


class TestGuard:
    """What the console can never do."""

    PATHS = ("/", "/login", "/nothing", "/?token=wrong", "/assets/console.css", "/assets/none")

    @pytest.mark.parametrize("path", PATHS)
    def test_policy(self, person: FlaskClient, path: str) -> None:
        """Every answer forbids everything but our own files, frames and foreign forms included."""
        headers = person.get(path).headers
        policy = dict(part.split(" ", 1) for part in headers["Content-Security-Policy"].split("; "))
        assert policy["default-src"] == policy["frame-ancestors"] == policy["base-uri"] == "'none'"
        assert {policy[name] for name in ("script-src", "style-src", "connect-src", "form-action")} == {"'self'"}
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "same-origin"

    @pytest.mark.parametrize("path", PATHS)
    def test_headers_that_fc_owns(self, person: FlaskClient, path: str) -> None:
        """An HTTP trigger's answer must not set what belongs to the gateway."""
        names = {name.lower() for name, _ in person.get(path).headers}
        assert not names & {"connection", "date", "keep-alive", "server"}
        assert not {name for name in names if name.startswith("x-fc-")} - {"x-fc-status"}

    @pytest.mark.parametrize("path", ["/", "/login", "/nothing"])
    def test_nothing_inline_nothing_from_elsewhere(self, person: FlaskClient, world: Any, path: str) -> None:
        """The page holds no script and no style of its own, and names no other host."""
        world.blocked("1")
        text = person.get(path).text
        assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\bstyle=|\bon\w+=", text)
        addresses = re.findall(r'(?:src|href|action)="([^"]*)"', text)
        assert addresses
        assert not [address for address in addresses if not re.match(r"/(?!/)|#", address)]

    def test_files_are_kept_by_their_content(self, person: FlaskClient) -> None:
        """Browsers keep the style and the script for good, because another content has another address."""
        text = person.get("/").text
        [script] = re.findall(r'<script src="([^"]+)"', text)
        response = person.get(script)
        assert response.mimetype == "text/javascript"
        assert "immutable" in response.headers["Cache-Control"]
        assert person.get("/").headers["Cache-Control"] == "no-store"

    def test_no_other_file(self, person: FlaskClient) -> None:
        """Only the console's own files are served, whatever the name says."""
        for name in ("none.css", "..%2fpage.py", "%2e%2e/page.py"):
            assert person.get(f"/assets/{name}").status_code == 404

    def test_a_broken_ledger(self, person: FlaskClient, tmp_path: Path) -> None:
        """A ledger that cannot be read is said, with the request to look for and nothing of the machine."""
        wiring.ledger.cache_clear()
        for file in tmp_path.glob("ledger.db*"):
            file.write_bytes(b"no database at all" * 1000)
        response = person.get("/")
        assert response.status_code == 503
        assert "1-67a96b43-15d49184-5cdbe1911c57" in response.text
        assert str(tmp_path) not in response.text
