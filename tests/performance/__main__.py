"""``make bench``: the budgets, measured side by side in one run, as ratios. Exits 1 where one is not kept."""

from __future__ import annotations

import sys

from tests.performance import burst, imports


def main() -> int:
    """Measure everything, print it, and judge it."""
    results = [*imports.measure(), *burst.measure()]
    width = max(len(result.what) for result in results)
    for result in results:
        print(f"{result.what:<{width}}  {result.ratio:5.2f} x   budget {result.budget:4.2f} x   {result.how}")
    return int(any(result.ratio > result.budget for result in results))


if __name__ == "__main__":
    sys.exit(main())
