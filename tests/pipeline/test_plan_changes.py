"""What a change of junbi.yaml does to a launch that waits."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.pipeline.conftest import World


def test_changed_parameters_are_told_and_the_launch_keeps_its_own(world: World) -> None:
    """Its identity holds its parameters: they are what runs and what is stored, the rest is the plan in force."""
    resource = world.plan().resource.model_copy(update={"public": "ecs.no.large"})
    job = world.plan().job.model_copy(update={"command": "echo {params.C}"})
    world.apply(world.generation([world.dataset()], [world.plan(params={"C": 1}, job=job, resource=resource)]))
    world.deliver(world.upload())
    world.settle(ticks=1)
    for image in ("registry.example/new:1", "registry.example/new:2"):
        wanted = world.plan(params={"C": 2}, job=job, resource=resource, image=image)
        number = world.apply(world.generation([world.dataset()], [wanted]))
        world.settle(ticks=2)
        (launch,) = world.launches
        assert (launch.spec.image, launch.generation) == (image, number), "what is stored is what will run"
    assert world.codes().count("PlanChanged") == 1
    world.apply(world.generation([world.dataset()], [world.plan(params={"C": 2}, job=job)]))
    world.settle(ticks=2)
    (found,) = world.jobs
    assert found.request["UserCommand"] == "echo 1"
    assert world.launches[0].spec.params == {"C": 1}
