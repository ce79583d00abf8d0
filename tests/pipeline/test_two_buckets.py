"""The same members in two buckets: they share a digest, and are two versions all the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.pipeline.conftest import ROOT

if TYPE_CHECKING:
    from tests.pipeline.conftest import World


def test_each_bucket_has_its_version(world: World) -> None:
    """After the watch moved to another bucket a job never mounts the old one, though its members are the same."""
    world.buckets.create_bucket("copies")
    world.deliver(world.upload(files=1))
    world.settle(ticks=2)
    moved = world.dataset().watch.model_copy(update={"bucket": "copies"})
    world.apply(world.generation([world.dataset().model_copy(update={"watch": moved})], [world.plan()]))
    import oss2  # warns when it is imported

    start = len(world.records)
    bucket = oss2.Bucket(oss2.Auth(ROOT.key_id, ROOT.secret), world.cloud.oss, "copies")
    bucket.put_object("digits/v1/part-00.csv", b"v1 0 ")
    bucket.put_object("digits/v1/_SUCCESS", b"")
    world.deliver(world.records[start:])
    world.settle(ticks=3)
    first, second = sorted(world.ledger.revisions.of("digits"), key=lambda one: one.created_at)
    assert first.digest == second.digest
    (dataset,) = world.datasets()
    versions = world.versions(dataset.dataset_id)
    assert [one.source_id for one in versions] == [first.digest, first.digest]
    assert [one.uri.split(".")[0] for one in versions] == ["oss://data", "oss://copies"]
    mounted = {job.request["DataSources"][0]["DataSourceVersion"] for job in world.jobs}
    assert mounted == {"v1", "v2"}
