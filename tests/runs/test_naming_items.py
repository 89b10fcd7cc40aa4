from collections.abc import Callable
from pathlib import Path

import pytest

from tolman.errors import InputError
from tolman.item_table import write_items
from tolman.items import Item
from tolman.responses import Response
from tolman.runs.load import load
from tolman.runs.naming_items import ids_from
from tolman.runs.rescore import score_outcomes
from tolman.runs.selection import Selection


def test_ids_come_from_a_list_or_a_file(tmp_path: Path) -> None:
    path = tmp_path / "ids.txt"
    path.write_text("1\n\n 2 \n")
    assert ids_from(str(path)) == ids_from("1, 2") == ("1", "2")
    assert ids_from(None) == ()


def test_ids_come_from_what_other_runs_were_asked(tmp_path: Path, choice: Callable[..., Item]) -> None:
    bench = tmp_path / "bench"
    bench.mkdir()
    write_items(bench / "items.parquet", [choice(id=str(n), task="a", scene=f"s{n}") for n in range(6)])
    (bench / "benchmark.json").write_text('{"name": "bench", "title": "A bench"}', encoding="utf-8")
    loaded = load(str(bench), None, None)
    for name, ids in (("p", ("4", "1")), ("q", ("1", "5"))):
        folder, figures = score_outcomes(
            loaded, [Response(id="1", response="A")], benchmark=str(bench), model=f"human/{name}", model_settings={},
            selection=Selection(ids=ids), out=tmp_path / "runs" / name,
        )  # fmt: skip
        assert (figures["asked"], figures["unanswered"]["missing"]) == (2, 1)
        assert [item.id for item in folder.items()] == sorted(ids)
    assert ids_from(str(tmp_path / "runs")) == ("1", "4", "5")
    assert ids_from(str(tmp_path / "runs" / "p")) == ("1", "4")
    with pytest.raises(InputError, match="holds no run"):
        ids_from(str(bench))
