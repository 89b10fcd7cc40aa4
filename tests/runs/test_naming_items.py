from collections.abc import Callable
from pathlib import Path

import pytest

from tolman.errors import InputError, UsageError
from tolman.item_table import write_items
from tolman.items import Item, Selection
from tolman.responses import Response
from tolman.runs.rescore import score_outcomes
from tolman.runs.run_items import ids_from, load, some_ids_from


def test_ids_come_from_a_list_or_a_file(tmp_path: Path) -> None:
    path = tmp_path / "ids.txt"
    path.write_text("1\n\n 2 \n")
    assert ids_from(str(path)) == ids_from("1, 2") == ("1", "2")
    assert ids_from(None) == ()


def test_ids_come_from_a_json_list(tmp_path: Path) -> None:
    """VSI-Bench (tiny) is released as one."""
    path = tmp_path / "ids.json"
    path.write_text("[3, 9, 22]")
    assert ids_from(str(path)) == ("3", "9", "22")


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


@pytest.mark.parametrize("content", ["", "\n \n", "[]", '[" "]', "\ufeff\n"])
def test_a_file_without_an_id_selects_nothing(content: str, tmp_path: Path) -> None:
    path = tmp_path / "failed.txt"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match="names no id"):
        some_ids_from(str(path))
    with pytest.raises(UsageError, match="--ids names no id"):
        some_ids_from(" , ")


@pytest.mark.parametrize("content", ['\ufeff["q1", 2]', "\ufeffq1\n2\n", " [\n 'q1' ".replace("'", '"') + ", 2]"])
def test_ids_are_read_behind_a_byte_order_mark_and_from_json(content: str, tmp_path: Path) -> None:
    path = tmp_path / "tiny_ids.json"
    path.write_text(content, encoding="utf-8")
    assert ids_from(str(path)) == ("q1", "2")


@pytest.mark.parametrize("content", ['["q1"', '[{"id": 1}]', "[true]"])
def test_json_that_is_no_list_of_ids_is_told(content: str, tmp_path: Path) -> None:
    path = tmp_path / "ids.json"
    path.write_text(content)
    with pytest.raises(InputError, match="JSON list of ids"):
        ids_from(str(path))


def test_a_list_of_ids_may_be_longer_than_a_path() -> None:
    many = [f"item-{n}" for n in range(2000)]
    assert ids_from(",".join(many)) == tuple(many)
