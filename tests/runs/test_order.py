"""The order of items for several addresses."""

from tolman.runs.engine import interleave


def test_groups_stay_together_and_streams_take_turns() -> None:
    jobs = [(group, number) for group, size in (("a", 4), ("b", 2), ("c", 2), ("d", 1)) for number in range(size)]
    found = interleave(jobs, lambda job: job[0], 2)
    assert sorted(found) == sorted(jobs)
    assert found[:8] == [("a", 0), ("b", 0), ("a", 1), ("b", 1), ("a", 2), ("c", 0), ("a", 3), ("c", 1)]
    for group in "abcd":
        assert [number for name, number in found if name == group] == sorted(n for name, n in jobs if name == group)
    assert interleave(jobs, lambda job: job[0], 1) == jobs
