"""junbi.yaml: read, checked and compiled to a generation. Only the CLI reads it; functions read the generation."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

    from junbi.config.findings import Findings
    from junbi.config.model import Config
    from junbi.core.plan import Generation
    from junbi.errors import Problem


class Loaded(NamedTuple):
    """A generation, and what is probably not meant in the file it came from."""

    generation: Generation
    warnings: tuple[Problem, ...]


def load_config(path: Path) -> tuple[Config, Findings]:
    """The validated file (or folder), and where its problems are to be noted; ConfigInvalid with every mistake."""
    from junbi.config.explain import validate  # the model and YAML are for workstations
    from junbi.config.findings import Findings
    from junbi.config.load import load

    root = load(path)
    findings = Findings(root)
    return validate(root, findings), findings


def load_generation(path: Path, environment: str | None = None) -> Loaded:
    """Reads, checks and compiles junbi.yaml or junbi.d/ for one environment.

    Raises:
        ConfigInvalid: with every problem and its place.
    """
    from junbi.config.compile import compile_generation

    config, findings = load_config(path)
    generation = compile_generation(config, environment, findings=findings)
    return Loaded(generation, tuple(findings.warnings))
