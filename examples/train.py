"""Trains a classifier of handwritten digits: what the example job runs, on a laptop as on PAI.

Reads every CSV file below --data (64 pixels and the digit in each row), holds a fifth back, trains on the rest,
prints the accuracy on what was held back, and writes the model and its figures below --out.
"""

from __future__ import annotations

import argparse
import json
import pickle
from pathlib import Path

import numpy as np
from sklearn.model_selection import train_test_split
from sklearn.svm import SVC


def main() -> None:
    """Train once."""
    arguments = parse()
    files = sorted(arguments.data.glob("*.csv"))
    rows = np.vstack([np.loadtxt(file, delimiter=",") for file in files])
    print(f"{len(rows)} digits in {len(files)} files, version {arguments.version}", flush=True)
    pixels, digits = rows[:, :-1], rows[:, -1].astype(int)
    train_x, test_x, train_y, test_y = train_test_split(pixels, digits, test_size=0.2, random_state=0, stratify=digits)
    model = SVC(C=arguments.C, gamma=0.001).fit(train_x, train_y)
    accuracy = model.score(test_x, test_y)
    print(f"trained on {len(train_y)}, tested on {len(test_y)}: accuracy {accuracy:.4f}", flush=True)
    arguments.out.joinpath("model.pickle").write_bytes(pickle.dumps(model))
    figures = {"version": arguments.version, "C": arguments.C, "digits": len(rows), "accuracy": accuracy}
    arguments.out.joinpath("figures.json").write_text(json.dumps(figures))


def parse() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--version", required=True)
    parser.add_argument("--C", type=float, default=1.0)
    return parser.parse_args()


if __name__ == "__main__":
    main()
