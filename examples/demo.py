"""The demo: an upload of real data ends in a finished training job, on this machine, with nothing clicked.

It starts ``junbi up``, pushes the training script with the ordinary git, uploads two versions of scikit-learn's
handwritten digits with the ordinary OSS client, pushes a change of the script, and prints what happens as it happens.
Exit code 0 only if all three jobs Succeeded and the upload of nothing new trained nothing.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import httpx
import oss2
from sklearn.datasets import load_digits

HERE = Path(__file__).resolve().parent
DATA = Path(".junbi/demo")
CLONE = DATA / "trainer"
PATIENCE = 120.0  # seconds for a job to end
SOMEBODY = {"NAME": "junbi demo", "EMAIL": "demo@example.com"}


def main() -> int:
    """Run it."""
    sys.stdout.reconfigure(errors="replace")  # a terminal without these characters shows question marks
    shutil.rmtree(DATA, ignore_errors=True)
    say("Starting the local cloud and the functions: junbi up")
    with running_house() as house:
        demo = Demo(json.loads(house.stdout.readline()))
        demo.open()
        say("Pushing the training script: git push … HEAD:main")
        demo.push((HERE / "train.py").read_text("utf-8"), "The classifier")
        demo.follow(until="CodeRegistered")
        first = demo.train("v1", digits(1000))
        second = demo.train("v2", digits(1797))
        quiet = demo.upload_nothing_new("v2")
        third = demo.train_again()
    say(f"Version v1 reached an accuracy of {first}, version v2 of {second}, and of {third} with the pushed change.")
    say(f"Everything is kept in {DATA}. 'make up' starts a house to work in.")
    return 0 if first and second and third and quiet else 1


def digits(count: int) -> dict[str, bytes]:
    """The first so many digits of the data set that scikit-learn carries, in CSV files of 100."""
    images, answers = load_digits(return_X_y=True)
    lines = [
        ",".join(f"{int(pixel)}" for pixel in (*image, answer)) for image, answer in zip(images, answers, strict=True)
    ]
    starts = range(0, count, 100)
    return {
        f"part-{start // 100:02}.csv": "\n".join(lines[start : min(start + 100, count)]).encode() for start in starts
    }


class running_house:  # noqa: N801 - used like a function
    """``junbi up`` as a process of its own, ended when the demo ends."""

    def __enter__(self) -> Any:
        junbi = Path(sys.executable).with_name("junbi")
        command = [junbi, "up", "--config", HERE.parent / "junbi.yaml", "--data", DATA, "--port", "0"]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        return self._process

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait(30)


class Demo:
    """Uploads, and follows the story that junbi tells."""

    def __init__(self, addresses: dict[str, str]) -> None:
        self._oss = addresses["oss"]
        self._console = addresses["console"]
        self._repository = f"{addresses['git']}/git.example.com/vision/trainer.git"
        self._api = httpx.Client(
            base_url=addresses["api"], headers={"Authorization": f"Bearer {addresses['token']}"}, timeout=10
        )
        self._seen = 0

    def open(self) -> None:
        """Say where to look."""
        say(f"The console: {self._console}")

    def upload(self, bucket: str, prefix: str, files: dict[str, bytes]) -> None:
        """Put files and then the marker, with the client that everybody uses for OSS."""
        oss = oss2.Bucket(oss2.Auth("emulator", "emulator-secret"), self._oss, bucket)
        for name, content in files.items():
            oss.put_object(prefix + name, content)
        oss.put_object(prefix + "_SUCCESS", b"")

    def push(self, script: str, message: str) -> None:
        """Commit the training script and push it, with the git that everybody uses."""
        if not CLONE.exists():
            CLONE.mkdir(parents=True)
            git("init", "--quiet", "--initial-branch=main")
        (CLONE / "train.py").write_text(script, "utf-8")
        git("add", "train.py")
        git("commit", "--quiet", "--message", message)
        git("push", "--quiet", self._repository, "HEAD:main")

    def train(self, version: str, files: dict[str, bytes]) -> str:
        """Upload a version and follow it to the end of its job; the accuracy, empty where the job failed."""
        say(f"Uploading {len(files)} files: oss://vision-data/digits/{version}/")
        self.upload("vision-data", f"digits/{version}/", files)
        return self._result()

    def train_again(self) -> str:
        """Push a change of the script and follow the job that it starts; the accuracy, empty where it failed."""
        say("Pushing a change of the training script: the newest data is trained on with it")
        script = (HERE / "train.py").read_text("utf-8")
        self.push(script.replace("gamma=0.001", "gamma=0.002"), "Follow the digits more closely")
        return self._result()

    def _result(self) -> str:
        ended = self.follow(until=("JobSucceeded", "JobEnded", "JobGone"))
        launch_id = ended["subject"].removeprefix("launch:")
        launch = self._get(f"launches/{launch_id}")
        say(f"Job {launch['job']['id']} {launch['job']['status']}. The end of its log:")
        log = self._log(launch["job"]["id"])
        for line in log:
            print(f"      | {line}", flush=True)
        return log[-1].rpartition("accuracy ")[2] if launch["state"] == "succeeded" and log else ""

    def upload_nothing_new(self, version: str) -> bool:
        """Upload the marker once more: the same members are the same revision, and train nothing."""
        say(f"Uploading only the marker of {version} again: nothing is new")
        before = {launch["id"] for launch in self._get("launches")["launches"]}
        self.upload("vision-data", f"digits/{version}/", {})
        self.follow(until="AlreadyLaunched")
        return before == {launch["id"] for launch in self._get("launches")["launches"]}

    def follow(self, until: str | tuple[str, ...]) -> dict[str, Any]:
        """Print the story as it goes on, up to an entry of one of these codes."""
        codes = (until,) if isinstance(until, str) else until
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            for entry in self._get(f"story?after={self._seen}")["story"]:
                self._seen = entry["number"]
                print(f"  {entry['at'][11:19]}  {entry['message']}", flush=True)
                if entry["code"] in codes:
                    return entry
            time.sleep(0.3)
        raise SystemExit(f"Nothing ended within {PATIENCE:.0f} s. Look at {self._console} and at {DATA}/logs.")

    def _log(self, job_id: str) -> list[str]:
        """The last lines that a job printed."""
        command = f"set -a; . {DATA}/env; exec {Path(sys.executable).with_name('junbi')} logs {job_id} --tail 5"
        return subprocess.check_output(["/bin/sh", "-c", command], text=True).splitlines()

    def _get(self, path: str) -> Any:
        answer = self._api.get(path)
        answer.raise_for_status()
        return answer.json()


def git(*arguments: str) -> None:
    """Run git in the demo's clone, as somebody."""
    who = {f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER") for what, value in SOMEBODY.items()}
    subprocess.run(["git", *arguments], cwd=CLONE, env={**os.environ, **who}, check=True)  # noqa: S607 - whichever git there is


def say(text: str) -> None:
    """A step of the demo."""
    print(f"\n▸ {text}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
