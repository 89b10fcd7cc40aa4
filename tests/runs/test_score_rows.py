"""Rows that workers make: the same scores as those made here."""

import json
from hashlib import sha256
from pathlib import Path

import pytest

from folders import contents
from tolman import benchmarks
from tolman.parallel import WorkPlace
from tolman.runs.rescore import score_file, score_folder
from tolman.runs.run_folder import RunFolder
from tolman.runs.run_items import load
from tolman.scoring import score_items
from tolman.scoring.judged import Judgement, Judgements

EXTRACT = Path(__file__).resolve().parents[1] / "extracts" / "vsi_bench_extract.jsonl"


@pytest.mark.parametrize("place", [1, pytest.param(WorkPlace(workers=2), marks=pytest.mark.full)])
def test_scores_do_not_depend_on_who_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: int | WorkPlace
) -> None:
    monkeypatch.setattr(score_items, "AT_ONCE", 7)
    items = load("vsi-bench", EXTRACT, None).items
    answers = [
        {"id": item.id, "response": f"The answer is {item.answer}." if n % 3 else "?"} for n, item in enumerate(items)
    ]
    (tmp_path / "m.jsonl").write_text("".join(json.dumps(row) + "\n" for row in answers[:-1]))
    asked: list[int] = []

    def workers(rows: int) -> int | WorkPlace:
        asked.append(rows)
        return place

    folders = [tmp_path / "one", tmp_path / "two"]
    for folder, by in zip(folders, (None, workers), strict=True):
        score_file(
            tmp_path / "m.jsonl", benchmark="vsi-bench", data=EXTRACT, out=folder, metrics=["within-25"], workers=by
        )
    assert asked == [2 * len(items)]
    one, two = (contents(folder, "run.json") for folder in folders)
    assert "scores.parquet" in one
    assert one == two
    score_folder(folders[1], ["signed-bias"], workers)
    score_folder(folders[0], ["signed-bias"])
    assert contents(folders[0], "run.json") == contents(folders[1], "run.json")
    judged = [Judgement(id=item.id, response=sha256(b"?").hexdigest(), reply="A") for item in items[:-1:3]]
    for folder, by in zip(folders, (None, workers), strict=True):
        source = benchmarks.named("vsi-bench").judging.source
        made = Judgements(judge="a/judge", source=source, tolman="0", judgements=tuple(judged))
        RunFolder(folder).write_judgements(made)
        score_folder(folder, workers=by)
    one, two = (contents(folder, "run.json") for folder in folders)
    assert one == two
    rows = RunFolder(folders[1]).scores()
    assert rows["rule_set"].unique(maintain_order=True).to_list() == ["official", "careful", "judged"]
    assert rows.filter("judged")["rule_set"].unique().to_list() == ["judged"]
