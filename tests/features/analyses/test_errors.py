"""The table of an error analysis: shares are numbers, however late the first one comes."""

from tolman.analyze.error_shares import Distribution
from tolman.features.analyses.error_analysis import errors_table
from tolman.scoring.error_types import TAXONOMIES
from tolman.scoring.intervals import Share


def distribution(task: str, value: float, later: Share | None) -> Distribution:
    share = Share(value, None, 4, 4.0, "too few")
    types = dict.fromkeys(TAXONOMIES["vsi"].keys, share)
    return Distribution("m", "people", task, 4, types, {}, {}, share, share, None, later)


def test_a_share_after_many_rows_without_one_is_whole() -> None:
    found = [distribution(f"t{n}", 50.0, None) for n in range(101)]
    found.append(distribution("last", 2.5, Share(12.5, None, 8, 8.0, None)))
    rows = errors_table(found, TAXONOMIES["vsi"]).to_dicts()
    assert (rows[-1]["task"], rows[-1]["reasoning"], rows[-1]["reasoning_on_wrong"]) == ("last", 2.5, 12.5)
    assert rows[0]["reasoning_on_wrong"] is None
