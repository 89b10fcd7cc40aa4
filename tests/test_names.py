import pytest

from tolman.errors import UsageError
from tolman.names import hint, nearest, unknown

BENCHMARKS = ["mmsi-bench", "site", "spatialbench", "vsi-bench"]
FAMILIES = ["vsi-bench/relative-distance", "vsi-bench/relative-direction", "spatialbench/relative-distance"]


def test_an_unknown_name_is_answered_by_the_nearest_and_by_all() -> None:
    error = unknown("benchmark", "vsi-bnch", BENCHMARKS)
    assert isinstance(error, UsageError)
    assert str(error) == (
        "there is no benchmark 'vsi-bnch'; did you mean 'vsi-bench'? known: mmsi-bench, site, spatialbench, vsi-bench."
    )


def test_where_nothing_is_near_nothing_is_suggested() -> None:
    assert str(unknown("benchmark", "imagenet", BENCHMARKS)) == (
        "there is no benchmark 'imagenet'; known: mmsi-bench, site, spatialbench, vsi-bench."
    )


def test_what_else_may_be_written_ends_the_list() -> None:
    assert str(unknown("taxonomy", "sites", ["site"], other="the path of a .toml file")) == (
        "there is no taxonomy 'sites'; did you mean 'site'? known: site, or the path of a .toml file."
    )


def test_an_empty_list_is_said() -> None:
    assert hint("tiny", []) == "known: none"


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("VSI_Bench", ["vsi-bench"]),
        ("vsi", ["vsi-bench"]),
        ("spatial bench", ["spatialbench"]),
        ("mmsi", ["mmsi-bench"]),
        ("si", ["site"]),
        ("xy", []),
        ("", []),
    ],
)
def test_nearest(name: str, found: list[str]) -> None:
    assert nearest(name, BENCHMARKS) == found


def test_what_stands_before_a_slash_may_be_left_out() -> None:
    assert nearest("relative_distance", FAMILIES) == ["vsi-bench/relative-distance", "spatialbench/relative-distance"]
    assert nearest("relative-directon", FAMILIES) == ["vsi-bench/relative-direction"]
    assert nearest("vsi/relative-distance", FAMILIES) == ["vsi-bench/relative-distance"]
