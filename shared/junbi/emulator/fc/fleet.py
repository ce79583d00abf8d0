"""The instances of one function: started when they are needed, given calls, replaced when they die."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from junbi.emulator.fc.errors import ServiceStopping, Throttled
from junbi.emulator.fc.instance import Instance

if TYPE_CHECKING:
    from collections.abc import Iterator

    from junbi.emulator.fc.instance import Home
    from junbi.emulator.fc.spec import FunctionSpec


class Fleet:
    """Safe to use from many threads.

    Attributes:
        retired: no instance is given out any more.
    """

    def __init__(self, spec: FunctionSpec, home: Home) -> None:
        self.spec = spec
        self._home = home
        self._lock = threading.Lock()
        self._instances: list[Instance] = []
        self.retired = False

    @property
    def instances(self) -> int:
        """How many processes run or start."""
        with self._lock:
            return sum(instance.usable for instance in self._instances)

    @contextmanager
    def instance(self) -> Iterator[Instance]:
        """An instance that serves, for one call.

        Raises:
            Throttled: all are at their limit.
            FunctionNotStarted: a new one was needed and did not come to serve.
        """
        chosen, new = self._choose()
        try:
            if new:
                chosen.start()
            else:
                chosen.wait()
            yield chosen
        finally:
            self._release(chosen)

    def retire(self) -> None:
        """Give out no instance any more, and stop each as soon as its calls have ended."""
        with self._lock:
            self.retired = True
            idle = [instance for instance in self._instances if not instance.busy]
            self._instances = [instance for instance in self._instances if instance.busy]
        _stop(idle)

    def stop(self) -> None:
        """Stop all instances now, whatever they are doing."""
        with self._lock:
            self.retired = True
            instances, self._instances = self._instances, []
        _stop(instances)

    def _choose(self) -> tuple[Instance, bool]:
        """An instance with a place for one more call, and whether it is new and must be started."""
        spec = self.spec
        with self._lock:
            if self.retired:
                raise ServiceStopping
            self._instances = [instance for instance in self._instances if instance.usable]
            free = [instance for instance in self._instances if instance.busy < spec.instance_concurrency]
            new = not free
            if new and len(self._instances) >= spec.max_instances:
                raise Throttled(f"{spec.name}: {spec.max_instances} instances of {spec.instance_concurrency} are busy")
            chosen = Instance(spec, self._home) if new else min(free, key=lambda one: not one.ready.is_set())
            if new:
                self._instances.append(chosen)
            chosen.busy += 1
            return chosen, new

    def _release(self, instance: Instance) -> None:
        with self._lock:
            instance.busy -= 1
            leave = self.retired and not instance.busy and instance in self._instances
            if leave:
                self._instances.remove(instance)
        if leave:
            _stop([instance])


def _stop(instances: list[Instance]) -> None:
    """Stop them side by side; returns when all have ended."""
    threads = [threading.Thread(target=instance.stop, name="fc-stop") for instance in instances]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
