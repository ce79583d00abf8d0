"""The local cloud of a run, what junbi.yaml would declare on it, and who uploads."""

from __future__ import annotations

import threading
import time
from collections import deque
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from tests.processes.history import Uploaded

from junbi.core.plan import Complete, DatasetSpec, Generation, JobTemplate, PlanSpec, Resource, Watch, Workers
from junbi.emulator.cloud import Cloud, Settings
from junbi.emulator.faults import Fault
from junbi.emulator.keys import AccessKey

if TYPE_CHECKING:
    from pathlib import Path

    from tests.processes.plan import Plan, Strike, Upload

KEY = AccessKey("emulator", "emulator-secret")

#: Emulated and ledger seconds in a real one: a lease of a minute is over in three seconds.
SCALE = 20.0

#: Real seconds that PAI takes a signed request for, and for which junbi believes so. The difference is for the local
#: cloud, which may be slow between its look at the signature and the effect.
VALID, BELIEVED = 4.0, 12.0

#: Real seconds for which an ambush keeps an answer.
HELD_BACK = 1.0

#: Emulated seconds until ListJobs shows a job: two real ones.
LIST_LAG = 40.0


def declared(plan: Plan) -> Generation:
    """A plan for each dataset, and one for the first two together."""
    names = [f"set{number}" for number in range(plan.profile.datasets)]
    plans = [_plan(f"train-{name}", name) for name in names] + [_plan("train-both", *names[:2])]
    return Generation(
        deployment="vision",
        environment="test",
        region="cn-hangzhou",
        workspace="104231",
        datasets={name: _dataset(name) for name in names},
        plans={one.name: one for one in plans},
    )


def _dataset(name: str) -> DatasetSpec:
    watch = Watch(bucket="data", root=f"{name}/", pattern=rf"{name}/(?P<version>[^/]+)/", captures=("version",))
    return DatasetSpec(
        name=name, watch=watch, complete=Complete(marker="_SUCCESS"), mount=f"/mnt/{name}", backfill="launch"
    )


def _plan(name: str, *on: str) -> PlanSpec:
    return PlanSpec(
        name=name,
        on=on,
        datasets=on,
        mounts={one: f"/mnt/{one}" for one in on},
        image="registry.example/sklearn:1",
        resource=Resource(name="cpu", public="ecs.g7.large"),
        job=JobTemplate(type="PyTorchJob", workers=Workers(), command="true"),
    )


class LocalCloud:
    """The cloud, the events it raised that nobody has fetched, and the uploads that are done."""

    def __init__(self, folder: Path) -> None:
        self.cloud = Cloud(Settings(folder / "cloud", KEY, scale=SCALE, signature_validity=timedelta(seconds=VALID)))
        self.cloud.buckets.create_bucket("data")
        self.cloud.dlc.list_lag = LIST_LAG
        self.raised: deque[dict[str, Any]] = deque()
        self.cloud.functions.oss_event = self._raise  # type: ignore[method-assign]
        self.uploaded: list[Uploaded] = []
        self._uploaders: list[threading.Thread] = []
        self._ambushes: list[Fault] = []

    def _raise(self, record: Any) -> int:
        self.raised.append(dict(record))
        return 1

    def environment(self, ledger: str) -> dict[str, str]:
        """What workers and clients find in their environment."""
        clock = self.cloud.clock
        return {
            "JUNBI_LEDGER": ledger,
            "JUNBI_CLOCK": f"{clock.wall().timestamp()!r},{clock.now().timestamp()!r},{SCALE!r}",
            "JUNBI_SIGNATURE_VALIDITY": str(BELIEVED * SCALE),
            "JUNBI_ENDPOINT_AIWORKSPACE": self.cloud.pai,
            "JUNBI_ENDPOINT_DLC": self.cloud.pai,
            "JUNBI_ENDPOINT_OSS": self.cloud.oss,
            "KEY_ID": KEY.key_id,
            "KEY_SECRET": KEY.secret,
        }

    def upload(self, upload: Upload) -> None:
        """Upload a version, meanwhile."""
        thread = threading.Thread(target=self._upload, args=(upload,))
        self._uploaders.append(thread)
        thread.start()

    def _upload(self, upload: Upload) -> None:
        import oss2  # warns when it is imported

        bucket = oss2.Bucket(oss2.Auth(KEY.key_id, KEY.secret), self.cloud.oss, "data")
        size = 0
        for number in range(upload.files):
            content = f"{upload.dataset} {upload.version} {number}\n".encode()
            bucket.put_object(f"{upload.dataset}/{upload.version}/part-{number}.csv", content)
            size += len(content)
            time.sleep(0.1)
        bucket.put_object(f"{upload.dataset}/{upload.version}/_SUCCESS", b"")
        self.uploaded.append(Uploaded(upload.dataset, upload.version, upload.files, size))

    def order(self, strike: Strike) -> None:
        """Order a strike's mishap for the next create of its kind; an ambush holds its answer back."""
        if strike.kind == "ambush":
            fault = Fault(strike.create, when="after", effect="delay", seconds=HELD_BACK, message=f"ambush {strike.at}")
            self._ambushes.append(fault)
        else:
            when, effect, seconds = strike.mishap
            fault = Fault(strike.create, when=when, effect=effect, seconds=seconds)  # type: ignore[arg-type]
        self.cloud.faults.order(fault)

    def caught(self) -> int:
        """How many creates have run into an ambush since this was asked last: carried out, and not answered yet."""
        before = len(self._ambushes)
        if before:
            pending = self.cloud.faults.pending()
            self._ambushes = [one for one in self._ambushes if one in pending]
        return before - len(self._ambushes)

    def calm(self) -> None:
        """Let nothing more go wrong, and wait for every upload that was begun."""
        self.cloud.faults.clear()
        self._ambushes.clear()
        for thread in self._uploaders:
            thread.join()

    def jobs(self) -> list[dict[str, Any]]:
        """Every job, as the history has it."""
        return [
            {
                "id": job.job_id,
                "launch": job.request["Settings"]["Tags"]["junbi.launch"],
                "attempt": int(job.request["Settings"]["Tags"].get("junbi.attempt", "1")),
                "status": job.status,
            }
            for job in self.cloud.dlc.jobs.all()
        ]

    def datasets(self) -> list[dict[str, Any]]:
        """Every dataset, as the history has it."""
        return [{"id": one.dataset_id, "name": one.name} for one in self.cloud.dlc.workspace.datasets.all()]

    def versions(self) -> list[dict[str, Any]]:
        """Every version, as the history has it."""
        datasets = self.cloud.dlc.workspace.datasets
        return [
            {"dataset": one["id"], "name": version.version_name, "source": version.source_id}
            for one in self.datasets()
            for version in datasets.versions(one["id"])
        ]

    def stop(self) -> None:
        """End everything, the pods of jobs that nobody follows any more too."""
        for job in self.cloud.dlc.jobs.active():
            for pod in job.pods:
                self.cloud.dlc.executor.stop(pod.pod_id)
        self.cloud.stop()
