"""Paths of operations, written and recognised."""

from __future__ import annotations

import pytest

from junbi.wire import operations


def test_segments_are_fully_encoded() -> None:
    """A slash or a space inside an id does not end the segment (recorded: ``boom%2Fx%20y``)."""
    path = operations.GET_DATASET.expand(DatasetId="boom/x y*~")
    assert path == "/api/v1/datasets/boom%2Fx%20y%2A~"
    assert operations.GET_DATASET.match(path) == {"DatasetId": "boom/x y*~"}


def test_other_paths_do_not_match() -> None:
    """A path of another operation, or a longer one, is not taken."""
    assert operations.GET_DATASET.match("/api/v1/datasets/d-1/versions") is None
    assert operations.GET_DATASET.match("/api/v1/datasets/") is None
    assert operations.LIST_DATASETS.match("/api/v1/datasets/") is None


def test_a_missing_segment_is_an_error() -> None:
    """A path is never written with a hole in it."""
    with pytest.raises(KeyError):
        operations.GET_DATASET_VERSION.expand(DatasetId="d-1")


def test_operations_are_found_by_version_and_name() -> None:
    """The registry holds every operation once; the version tells the products apart."""
    assert operations.OPERATIONS["2020-12-03", "CreateJob"] is operations.CREATE_JOB
    assert ("2021-02-04", "CreateJob") not in operations.OPERATIONS
    named = [one for one in vars(operations).values() if isinstance(one, operations.Operation)]
    assert len(operations.OPERATIONS) == len(named)
