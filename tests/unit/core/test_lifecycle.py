"""The states of a launch and how PAI's words move it."""

from __future__ import annotations

import pytest

from junbi.core import lifecycle
from junbi.core.facts import LaunchState
from junbi.core.lifecycle import ACTIVE, DROPPED, ENDED, FINAL, LIVE, MOVES, after_job_status, may_move

#: PAI's 13 words. Source: DLC SDK 1.11.
WORDS = {
    "Creating": LaunchState.QUEUED,
    "Queuing": LaunchState.QUEUED,
    "Bidding": LaunchState.QUEUED,
    "EnvPreparing": LaunchState.PREPARING,
    "SanityChecking": LaunchState.PREPARING,
    "Running": LaunchState.RUNNING,
    "Restarting": LaunchState.RUNNING,
    "Stopping": LaunchState.RUNNING,
    "SucceededReserving": LaunchState.RUNNING,
    "FailedReserving": LaunchState.RUNNING,
    "Succeeded": LaunchState.SUCCEEDED,
    "Failed": LaunchState.FAILED,
    "Stopped": LaunchState.STOPPED,
}
UNKNOWN = ["", "running", "Hibernating", "SUCCEEDED"]


@pytest.mark.parametrize("word", [*WORDS, *UNKNOWN])
@pytest.mark.parametrize("state", LaunchState)
def test_no_word_moves_a_launch_where_it_may_not_go(state: LaunchState, word: str) -> None:
    """From every state every word, known or not, leads to the same state or along a move that exists."""
    after = after_job_status(state, word)
    assert after is state or may_move(state, after)


@pytest.mark.parametrize(("word", "expected"), WORDS.items())
@pytest.mark.parametrize("state", sorted(ACTIVE))
def test_an_active_launch_follows_its_job(state: LaunchState, word: str, expected: LaunchState) -> None:
    """Any of PAI's 13 words says where the launch stands, in whatever order they are seen."""
    assert after_job_status(state, word) is expected


@pytest.mark.parametrize("word", UNKNOWN)
@pytest.mark.parametrize("state", LaunchState)
def test_an_unknown_word_changes_nothing(state: LaunchState, word: str) -> None:
    """PAI's list of words is open: a new one ends no launch and starts none."""
    assert after_job_status(state, word) is state


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("state", sorted(set(LaunchState) - ACTIVE))
def test_only_an_active_launch_is_moved(state: LaunchState, word: str) -> None:
    """Finals stay final, and a launch without a job is moved by no word of a job."""
    assert after_job_status(state, word) is state


def test_every_state_has_its_moves() -> None:
    """The table covers all states, and names no other."""
    assert set(MOVES) == set(LaunchState)
    assert {target for targets in MOVES.values() for target in targets} <= set(LaunchState)


@pytest.mark.parametrize("state", sorted(FINAL))
def test_a_final_state_has_no_move(state: LaunchState) -> None:
    """Nothing comes after the end."""
    assert MOVES[state] == frozenset()


def reachable(start: LaunchState) -> set[LaunchState]:
    """Every state that moves lead to."""
    seen = {start}
    while more := {target for state in seen for target in MOVES[state]} - seen:
        seen |= more
    return seen


@pytest.mark.parametrize("state", sorted(set(LaunchState) - FINAL))
def test_every_launch_can_end(state: LaunchState) -> None:
    """From each state that is not final each of the finals can be reached; none is a trap."""
    assert reachable(state) >= FINAL


def test_every_state_is_reached_from_waiting() -> None:
    """A launch begins by waiting, and no state is dead wood."""
    assert reachable(LaunchState.WAITING) == set(LaunchState)


@pytest.mark.parametrize("target", sorted(set(LaunchState) - {LaunchState.WAITING}))
def test_nothing_passes_by_the_stored_try(target: LaunchState) -> None:
    """From waiting and from refused a job comes to exist only by way of submitting, where the try is stored."""
    if target is not LaunchState.SUBMITTING and target not in DROPPED:
        assert not may_move(LaunchState.WAITING, target)
    if target not in DROPPED:
        assert not may_move(LaunchState.REFUSED, target)


def test_an_active_launch_goes_on_to_an_end_or_to_another_attempt() -> None:
    """A launch whose job exists is not submitted again; once the job has ended, another attempt begins by waiting."""
    for state in ACTIVE:
        assert MOVES[state] == ACTIVE | ENDED | {LaunchState.WAITING}


@pytest.mark.parametrize("state", sorted(LIVE))
def test_what_may_have_a_job_is_never_dropped(state: LaunchState) -> None:
    """Cancelled, superseded and skipped say that there is no job, so nothing that may have one becomes that."""
    assert MOVES[state].isdisjoint(DROPPED)


def test_an_unknown_submission_is_not_sent_again_without_a_decision() -> None:
    """From submit_unknown it goes on as submitted, or back to waiting after settling, never straight to a new try."""
    assert not may_move(LaunchState.SUBMIT_UNKNOWN, LaunchState.SUBMITTING)
    assert lifecycle.FINAL.isdisjoint(MOVES[LaunchState.SUBMIT_UNKNOWN])
