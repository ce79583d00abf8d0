"""``make simulate SEEDS=n`` tries so many seeds; ``make simulate SEED=n`` replays one and prints its steps."""

from __future__ import annotations

import argparse
import itertools
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor

from tests.simulation.simulation import Result, run

#: Seeds that one process is given at a time, and lines of a trace that a failure shows.
BATCH, SHOWN = 50, 150


def main() -> int:
    """Exits 1 where a seed violates anything."""
    parser = argparse.ArgumentParser(prog="make simulate")
    parser.add_argument("--seeds", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int)
    chosen = parser.parse_args()
    return replay(chosen.seed, sys.maxsize) if chosen.seed is not None else search(chosen.first, chosen.seeds)


def search(first: int, seeds: int) -> int:
    """Try many seeds on every processor."""
    begun, steps, bad = time.monotonic(), 0, []
    batches = [range(start, min(start + BATCH, first + seeds)) for start in range(first, first + seeds, BATCH)]
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for done in pool.map(batch, batches):
            steps += sum(one.steps for one in done)
            bad += [one for one in done if one.violation]
    took = time.monotonic() - begun
    print(f"{seeds:,} seeds, {steps:,} steps, {seeds / took:,.0f} seeds/s: {len(bad)} violations")
    for one in bad:
        print(f"  seed {one.seed}: {one.violation}")
    return replay(bad[0].seed, SHOWN) if bad else 0


def batch(seeds: range) -> list[Result]:
    """Some seeds, in this process."""
    return [run(seed) for seed in seeds]


def replay(seed: int, most: int) -> int:
    """One seed, with what happened in it."""
    result = run(seed, trace=True)
    head, tail = result.trace[:1], result.trace[1:]
    left_out = max(len(tail) - most, 0)
    shown = itertools.islice(tail, left_out, None)
    print(
        "\n".join([*head, *([f"… {left_out} lines left out: make simulate SEED={seed}"] if left_out else []), *shown])
    )
    print(f"seed {seed}: {result.violation or 'nothing is violated'} ({result.steps} steps)")
    return int(result.violation is not None)


if __name__ == "__main__":
    sys.exit(main())
