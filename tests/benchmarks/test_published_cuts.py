"""Figures of papers for parts of the questions."""

from pathlib import Path

import pytest

from tolman import benchmarks
from tolman.benchmarks.published import CUT_FIELDS, read_published_cuts
from tolman.errors import InputError

HEAD = ",".join(CUT_FIELDS)


def read(path: Path, *rows: str, head: str = HEAD):
    path.write_text("\n".join([head, *rows]) + "\n")
    return read_published_cuts(path, ["overall"])


def test_a_row_is_one_figure(tmp_path: Path) -> None:
    one, other = read(
        tmp_path / "cuts.csv",
        "human,Human,subset,Table 3,family,site/associate-ego-to-exo,overall,100",
        "model,GPT-4o,,Table 9,level | scene_type,planning | *,overall,-2.01",
    )
    assert (one.by, one.values, one.value) == (("family",), ("site/associate-ego-to-exo",), 100.0)
    assert (other.by, other.values, other.value) == (("level", "scene_type"), ("planning", None), -2.01)


@pytest.mark.parametrize(
    ("row", "what"),
    [
        ("model,A,,T,a | b,x,overall,1", "1 values for 2 labels"),
        ("model,A,,T,a,x,none,1", "'none' is no column of the table"),
        ("model,A,,T,a,x,overall,many", "'many' is no number"),
    ],
)
def test_a_wrong_row_is_one_sentence(tmp_path: Path, row: str, what: str) -> None:
    with pytest.raises(InputError, match=rf"cuts\.csv, row 2.*{what}"):
        read(tmp_path / "cuts.csv", row)
    with pytest.raises(InputError, match="has other columns than group, name"):
        read(tmp_path / "cuts.csv", head="group,name")


def test_every_benchmark_s_own_files_can_be_read() -> None:
    for name in ("vsi-bench", "site", "mmsi-bench", "spatialbench"):
        for one in benchmarks.get(name).published_cuts:
            assert one.group in ("model", "human", "chance")
