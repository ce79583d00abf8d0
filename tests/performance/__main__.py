"""``make bench``: the budgets, measured side by side in one run, as ratios. Exits 1 where one is not kept."""

from __future__ import annotations

import sys
from importlib import import_module

#: What is measured, each by a module of its own.
SUBJECTS = ("imports", "burst", "one_row", "listing", "http_event", "flood", "plans", "submission", "queues")
WIDTH = 92


def main(subjects: list[str]) -> int:
    """Measure everything, or only what was named, print it as it comes, and judge it."""
    kept = True
    for subject in subjects or SUBJECTS:
        for result in import_module(f"tests.performance.{subject}").measure():
            print(result.line(WIDTH), flush=True)
            kept = kept and result.kept
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
