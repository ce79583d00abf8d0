"""What applying a generation would change."""

from __future__ import annotations

from typing import Any

from junbi.core.compare import Change, ChangeKind, FieldChange, compare
from junbi.core.plan import Generation


def generation(**changes: Any) -> Generation:
    """A generation with one dataset and one plan, changed by dotted names with ``__`` for dots."""
    document: dict[str, Any] = {
        "deployment": "vision",
        "environment": "local",
        "region": "cn-hangzhou",
        "workspace": "1",
        "datasets": {
            "digits": {
                "name": "digits",
                "watch": {"bucket": "data", "root": "", "pattern": "(?P<version>[^/]+)/", "captures": ("version",)},
                "complete": {"marker": "_SUCCESS"},
                "mount": "/mnt/digits",
            }
        },
        "plans": {
            "train": {
                "name": "train",
                "on": ("digits",),
                "datasets": ("digits",),
                "mounts": {"digits": "/mnt/digits"},
                "image": "r/i:1",
                "resource": {"name": "cpu", "public": "ecs.g7.large"},
                "params": {"C": 1.0, "name": "x"},
                "job": {"type": "PyTorchJob", "workers": {"count": 1}, "command": "true"},
                "outputs": ({"name": "model", "uri": "oss://out/{launch}/", "mount": "/mnt/out"},),
            }
        },
    }
    for name, value in changes.items():
        *steps, last = name.split("__")
        holder = document
        for step in steps:
            holder = holder[int(step)] if step.isdigit() else holder[step]
        holder[last] = value
    return Generation.model_validate(document)


OLD = generation()


def test_nothing() -> None:
    """Equal generations differ in nothing."""
    assert compare(OLD, generation()) == ()


def test_first() -> None:
    """Against nothing, everything is added, the deployment first, with every field that says something."""
    changes = compare(None, OLD)
    assert [str(change) for change in changes] == ["+ deployment vision", "+ dataset digits", "+ plan train"]
    assert FieldChange("complete.marker", None, '"_SUCCESS"') in changes[1].fields
    assert "complete.count" not in {field.name for field in changes[1].fields}


def test_changed_fields() -> None:
    """A change names each field that differs, with what it was and what it is."""
    job = {"type": "TFJob", "workers": {"count": 2}, "command": "true", "env": {"a.b": "é"}}
    new = generation(plans__train__params={"C": 1, "name": "y", "D": True}, plans__train__job=job)
    (change,) = compare(OLD, new)
    assert (change.kind, change.what, change.name) == (ChangeKind.CHANGED, "plan", "train")
    assert str(change).splitlines() == [
        "~ plan train",
        "    params.C: 1.0 -> 1",
        '    params.name: "x" -> "y"',
        '    job.type: "PyTorchJob" -> "TFJob"',
        "    job.workers.count: 1 -> 2",
        "    params.D: true",
        '    job.env.a.b: "é"',
    ]


def test_outputs_by_name() -> None:
    """Outputs are compared by name: one put before another moves nothing."""
    more = (
        {"name": "log", "uri": "oss://out/log/{launch}/", "mount": "/mnt/log"},
        {"name": "model", "uri": "oss://out/{launch}/", "mount": "/mnt/o"},
    )
    (change,) = compare(OLD, generation(plans__train__outputs=more))
    assert [str(field) for field in change.fields] == [
        'outputs.model.mount: "/mnt/out" -> "/mnt/o"',
        'outputs.log.uri: "oss://out/log/{launch}/"',
        'outputs.log.mount: "/mnt/log"',
    ]


def test_absent() -> None:
    """A field that goes is told as absent."""
    (change,) = compare(OLD, generation(datasets__digits__complete={"quiet": 60.0}))
    assert [str(field) for field in change.fields] == [
        'complete.marker: "_SUCCESS" -> (absent)',
        "complete.quiet: 60.0",
    ]


def test_removed_and_added() -> None:
    """A thing under another name is one removed and one added, in the order of names."""
    new = OLD.model_copy(update={"plans": {"judge": OLD.plans["train"]}})
    assert [(change.kind.value, change.name) for change in compare(OLD, new)] == [
        ("added", "judge"),
        ("removed", "train"),
    ]
    assert str(compare(OLD, new)[1]) == "- plan train"


def test_environment() -> None:
    """Another workspace or region is a change of the deployment."""
    (change,) = compare(OLD, generation(workspace="2"))
    assert change == Change(ChangeKind.CHANGED, "deployment", "vision", (FieldChange("workspace", '"1"', '"2"'),))
