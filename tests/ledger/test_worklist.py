"""What has to be looked at, by one worker at a time, and never forgotten."""

from __future__ import annotations

import threading
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from junbi.ledger.ledger import open_ledger
from junbi.ledger.worklist import DIED, DISCOVERY_INTERVAL, LEASE, POKE_INTERVAL, REPEATED, SELDOM

if TYPE_CHECKING:
    from junbi.ledger.ledger import Ledger
    from junbi.ledger.worklist import Item, Worklist

NOW = datetime(2026, 3, 1, tzinfo=UTC)
SECOND = timedelta(seconds=1)


def claimed(worklist: Worklist, now: datetime = NOW, most: int = 10) -> list[str]:
    """The ids that a claim gives."""
    return [item.id for item in worklist.claim(now, most)]


def one(worklist: Worklist, now: datetime = NOW) -> Item:
    """The only row that is due."""
    (item,) = worklist.claim(now)
    return item


def due_at(worklist: Worklist, key: str = "x") -> datetime:
    """When a launch is looked at next."""
    entry = worklist.entry("launch", key)
    assert entry is not None
    return datetime.fromisoformat(entry["due_at"])


class TestDue:
    """When a row is handed out."""

    def test_not_before_its_time_and_from_its_time_on(self, ledger: Ledger) -> None:
        """A microsecond early it rests; at the very moment it is due."""
        ledger.worklist.ask("launch", "x", NOW)
        assert claimed(ledger.worklist, NOW - timedelta(microseconds=1)) == []
        assert ledger.worklist.due(NOW) == 1
        assert claimed(ledger.worklist, NOW) == ["x"]

    def test_the_longest_due_comes_first(self, ledger: Ledger) -> None:
        """In order of their times, in one claim as in many; the rest waits for the next."""
        order = [5, 2, 9, 1, 7, 3, 8, 6, 4]
        for second in order:
            ledger.worklist.ask("launch", f"x{second}", NOW - second * SECOND)
        assert claimed(ledger.worklist, most=4) == ["x9", "x8", "x7", "x6"]
        assert [claimed(ledger.worklist, most=1) for _ in range(6)] == [["x5"], ["x4"], ["x3"], ["x2"], ["x1"], []]

    def test_asking_twice_makes_one_row_at_the_earlier_time(self, ledger: Ledger) -> None:
        """Neither call is lost: it is looked at by the earlier of both times."""
        for offset in (5, 2, 9):
            ledger.worklist.ask("launch", "x", NOW + offset * SECOND)
        assert due_at(ledger.worklist) == NOW + 2 * SECOND
        assert ledger.worklist.due(NOW + 10 * SECOND) == 1

    def test_kinds_are_told_apart(self, ledger: Ledger) -> None:
        """An arrival and a launch of one name are two rows."""
        ledger.worklist.ask("launch", "x", NOW)
        ledger.worklist.ask("arrival", "x", NOW)
        items = ledger.worklist.claim(NOW)
        ledger.worklist.finish(items[0], NOW)
        assert ledger.worklist.entry(items[0].kind, "x") is None
        assert ledger.worklist.entry(items[1].kind, "x") is not None


class TestLeases:
    """A claimed row belongs to its worker for a time."""

    def test_nobody_else_gets_it_while_it_is_leased(self, ledger: Ledger) -> None:
        """Until the lease ran out, and not at its last moment."""
        ledger.worklist.ask("launch", "x", NOW)
        one(ledger.worklist)
        assert claimed(ledger.worklist, NOW + LEASE) == []
        assert ledger.worklist.due(NOW + LEASE) == 0
        assert claimed(ledger.worklist, NOW + LEASE + timedelta(microseconds=1)) == ["x"]

    def test_a_row_that_kills_its_workers_leaves_the_others_room(self, ledger: Ledger) -> None:
        """After three that did not come back it is given out every ten minutes, until one comes back."""
        ledger.worklist.ask("launch", "deadly", NOW)
        at = NOW
        for _ in range(3):
            one(ledger.worklist, at)
            at += LEASE + SECOND
        one(ledger.worklist, at)
        assert claimed(ledger.worklist, at + LEASE + SECOND) == []
        assert ledger.worklist.due(at + LEASE + SECOND) == 0
        entry = ledger.worklist.entry("launch", "deadly")
        assert entry is not None
        assert (entry["failures"], entry["problem"]) == (3, DIED)
        survivor = one(ledger.worklist, at + LEASE + SELDOM + SECOND)
        ledger.worklist.again(survivor, at)
        assert one(ledger.worklist, at + LEASE + SELDOM + SECOND).failures == 0

    def test_the_lag_is_that_of_the_longest_due(self, ledger: Ledger) -> None:
        """BC-37: how far the workers are behind is a figure, not a feeling."""
        assert ledger.worklist.backlog(NOW)[1] == timedelta(0)
        ledger.worklist.ask("launch", "x", NOW - timedelta(minutes=3))
        ledger.worklist.ask("launch", "y", NOW)
        assert ledger.worklist.backlog(NOW)[1] == timedelta(minutes=3)

    def test_bc_124_a_worker_that_lost_its_lease_ends_nothing(self, ledger: Ledger) -> None:
        """It was paused, another has the row: neither finish nor again of the first touches it."""
        ledger.worklist.ask("launch", "x", NOW)
        late = one(ledger.worklist)
        after = NOW + LEASE + SECOND
        current = one(ledger.worklist, after)
        ledger.worklist.finish(late, after)
        ledger.worklist.again(late, after, failures=7, problem="late")
        assert ledger.worklist.entry("launch", "x") == {"due_at": due_text(NOW), "failures": 1, "problem": DIED}
        assert claimed(ledger.worklist, after) == []
        ledger.worklist.finish(current, after)
        assert ledger.worklist.entry("launch", "x") is None

    def test_a_late_worker_whose_row_nobody_took_may_still_finish(self, ledger: Ledger) -> None:
        """An expired lease that is still its own is good: nobody else can have looked meanwhile."""
        ledger.worklist.ask("launch", "x", NOW)
        late = one(ledger.worklist)
        ledger.worklist.finish(late, NOW + 10 * LEASE)
        assert ledger.worklist.entry("launch", "x") is None

    def test_all_leases_can_be_taken_back_at_a_start(self, ledger: Ledger) -> None:
        """After a crash what was claimed is due at once, and workers of before have lost it."""
        for key in "xyz":
            ledger.worklist.ask("launch", key, NOW)
        before = ledger.worklist.claim(NOW, most=2)
        ledger.worklist.release_all()
        assert sorted(claimed(ledger.worklist)) == ["x", "y", "z"]
        ledger.worklist.finish(before[0], NOW)
        assert ledger.worklist.entry("launch", before[0].id) is not None

    def test_every_claim_has_its_own_lease(self, ledger: Ledger) -> None:
        """Two claims of one process are two owners."""
        leases = set()
        for key in "xy":
            ledger.worklist.ask("launch", key, NOW)
            leases.add(one(ledger.worklist).lease)
        assert len(leases) == 2


def due_text(moment: datetime) -> str:
    """As the ledger writes a time."""
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


class TestEnds:
    """``finish`` and ``again``."""

    def test_finished_is_gone(self, ledger: Ledger) -> None:
        """Until somebody asks once more."""
        ledger.worklist.ask("launch", "x", NOW)
        ledger.worklist.finish(one(ledger.worklist), NOW)
        assert claimed(ledger.worklist, NOW + LEASE * 2) == []
        ledger.worklist.ask("launch", "x", NOW)
        assert claimed(ledger.worklist) == ["x"]

    def test_finish_does_not_lose_a_call_that_came_meanwhile(self, ledger: Ledger) -> None:
        """Somebody asked while the worker was at it: it is looked at once more, at once."""
        ledger.worklist.ask("launch", "x", NOW)
        item = one(ledger.worklist)
        ledger.worklist.ask("launch", "x", NOW + SECOND)
        ledger.worklist.finish(item, NOW + SECOND)
        again = one(ledger.worklist, NOW + SECOND)
        ledger.worklist.finish(again, NOW + SECOND)
        assert ledger.worklist.entry("launch", "x") is None

    def test_again_waits_until_then(self, ledger: Ledger) -> None:
        """Nobody asked: the row rests until the time given, free for any worker."""
        ledger.worklist.ask("launch", "x", NOW)
        ledger.worklist.again(one(ledger.worklist), NOW + 30 * SECOND)
        assert claimed(ledger.worklist, NOW + 29 * SECOND) == []
        assert claimed(ledger.worklist, NOW + 30 * SECOND) == ["x"]

    def test_again_does_not_delay_a_call_that_came_meanwhile(self, ledger: Ledger) -> None:
        """Whatever the worker found, it found it before the call: the row is due by the time asked for."""
        ledger.worklist.ask("launch", "x", NOW)
        item = one(ledger.worklist)
        ledger.worklist.ask("launch", "x", NOW + SECOND)
        ledger.worklist.again(item, NOW + timedelta(hours=1))
        assert claimed(ledger.worklist, NOW + SECOND) == ["x"]

    def test_a_call_after_again_brings_the_look_forward(self, ledger: Ledger) -> None:
        """An event does not wait for the next regular look, nor for the end of a pause after failures."""
        ledger.worklist.ask("launch", "x", NOW)
        ledger.worklist.again(one(ledger.worklist), NOW + timedelta(hours=1), failures=5, problem="no answer")
        ledger.worklist.ask("launch", "x", NOW + SECOND)
        assert claimed(ledger.worklist, NOW + SECOND) == ["x"]

    def test_failures_are_counted_and_told(self, ledger: Ledger) -> None:
        """The next worker knows how often it failed, people read why; a look that went well clears both."""
        ledger.worklist.ask("launch", "x", NOW)
        ledger.worklist.again(one(ledger.worklist), NOW, failures=3, problem="DLC said no")
        assert ledger.worklist.entry("launch", "x") == {
            "due_at": due_text(NOW),
            "failures": 3,
            "problem": "DLC said no",
        }
        item = one(ledger.worklist)
        assert item.failures == 3
        ledger.worklist.again(item, NOW)
        assert ledger.worklist.entry("launch", "x") == {"due_at": due_text(NOW), "failures": 0, "problem": ""}

    def test_what_is_not_there_has_no_entry(self, ledger: Ledger) -> None:
        """None, and no error."""
        assert ledger.worklist.entry("launch", "x") is None


class TestRepeated:
    """``ask_again``: what says again what was said before."""

    def test_a_flood_costs_one_look_in_a_while(self, ledger: Ledger) -> None:
        """However often it is said, a worker that is always there looks once in ``REPEATED``."""
        looks, ends = 0, NOW + 10 * REPEATED
        now = NOW
        while now < ends:
            ledger.worklist.ask_again("launch", "x", now)
            for item in ledger.worklist.claim(now):
                looks += 1
                ledger.worklist.ask_again("launch", "x", now)
                ledger.worklist.again(item, now + timedelta(minutes=5))
            now += SECOND
        assert looks == 9

    def test_it_brings_the_next_regular_look_forward_and_delays_none(self, ledger: Ledger) -> None:
        """What is due sooner stays so; what is due later is due soon."""
        ledger.worklist.ask("launch", "x", NOW + timedelta(minutes=5))
        ledger.worklist.ask_again("launch", "x", NOW)
        assert due_at(ledger.worklist) == NOW + REPEATED
        ledger.worklist.ask("launch", "x", NOW)
        ledger.worklist.ask_again("launch", "x", NOW + SECOND)
        assert claimed(ledger.worklist, NOW + SECOND) == ["x"]

    def test_what_is_said_while_a_worker_looks_is_looked_at_after_it(self, ledger: Ledger) -> None:
        """The worker may have read too early: the row is not at rest, nor gone, when it is done."""
        ledger.worklist.ask("launch", "x", NOW)
        item = one(ledger.worklist)
        ledger.worklist.ask_again("launch", "x", NOW)
        ledger.worklist.again(item, NOW + timedelta(minutes=5))
        assert due_at(ledger.worklist) == NOW + REPEATED

    def test_a_row_whose_worker_died_is_not_put_off(self, ledger: Ledger) -> None:
        """Its lease ran out: a flood keeps it from nobody."""
        ledger.worklist.ask("launch", "x", NOW)
        one(ledger.worklist)
        late = NOW + LEASE + SECOND
        ledger.worklist.ask_again("launch", "x", late)
        assert claimed(ledger.worklist, late) == ["x"]


class TestManyWorkers:
    """Each row goes to one of them."""

    def test_eight_threads_share_the_rows(self, ledger: Ledger) -> None:
        """All 80 rows are handed out, none to two."""
        with ledger.transaction():
            for number in range(80):
                ledger.worklist.ask("launch", f"x{number}", NOW)
        barrier, given = threading.Barrier(8), []

        def work() -> None:
            barrier.wait()
            while mine := claimed(ledger.worklist, most=3):
                given.extend(mine)

        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert Counter(given) == Counter(f"x{number}" for number in range(80))

    def test_four_processes_share_the_rows(self, address: str, crew: Any) -> None:
        """The same with real processes, a row at a time."""
        ledger = open_ledger(address)
        with ledger.transaction():
            for number in range(80):
                ledger.worklist.ask("launch", f"x{number}", NOW)
        answers = crew.run("claim_all", address, 4, "1")
        assert Counter(key for answer in answers for key in answer["mine"]) == Counter(f"x{n}" for n in range(80))

    def test_the_last_call_is_seen_by_somebody(self, address: str, crew: Any) -> None:
        """Four processes write, ask, and work off as they go: the last look saw all, or is still due."""
        answers = crew.run("ask_or_work", address, 4, "10")
        left = open_ledger(address).worklist.claim(NOW)
        assert left or max(answer["seen"] for answer in answers) == 40


class TestTurns:
    """Pokes and looking around, once in an interval for all."""

    def test_a_poke_at_most_every_two_seconds(self, ledger: Ledger) -> None:
        """The first may at once; then nobody until the interval has passed."""
        moments = [timedelta(0), SECOND, POKE_INTERVAL, POKE_INTERVAL + timedelta(microseconds=1)]
        assert [ledger.worklist.may_poke(NOW + moment) for moment in moments] == [True, False, False, True]

    def test_pokes_and_looking_around_do_not_hinder_each_other(self, ledger: Ledger) -> None:
        """Each has its own turn and interval."""
        assert ledger.worklist.may_poke(NOW)
        assert ledger.worklist.may_discover(NOW)
        assert not ledger.worklist.may_discover(NOW + POKE_INTERVAL * 2)
        assert ledger.worklist.may_discover(NOW + DISCOVERY_INTERVAL * 2)

    def test_of_eight_doors_one_pokes(self, ledger: Ledger) -> None:
        """At one moment only one of them gets the turn."""
        barrier, turns = threading.Barrier(8), []

        def knock() -> None:
            barrier.wait()
            turns.append(ledger.worklist.may_poke(NOW))

        threads = [threading.Thread(target=knock) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert Counter(turns) == {True: 1, False: 7}
