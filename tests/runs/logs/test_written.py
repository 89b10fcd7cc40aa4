"""Logs that EvalScope 1.14.1 and lighteval 0.13.0 wrote about four questions of EmbSpatial-Bench (`written/`).

`tests/interop` writes them again (`make test-interop`).
"""

import json
from pathlib import Path

import pytest

from behind_logs import four_of_embspatial
from terminal import tolman
from tolman import benchmarks
from tolman.items import Item
from tolman.runs.imports import read_import

pytestmark = pytest.mark.filterwarnings("ignore::tolman.errors.DataWarning")  # on files of figures in the folders

WRITTEN = Path(__file__).with_name("written")
EVALSCOPE, LIGHTEVAL = WRITTEN / "evalscope-1.14.1", WRITTEN / "lighteval-0.13.0"
RECORDED = {"ai2thor_0": 0.0, "mp3d_1": 1.0, "ai2thor_2": 0.0, "mp3d_3": 0.0}
"""EvalScope's scores. lighteval's prompt got other answers of the scripted model."""


@pytest.fixture
def items(tmp_path: Path) -> list[Item]:
    four_of_embspatial(tmp_path / "data")
    return benchmarks.get("embspatial").load(tmp_path / "data", "full")


def test_evalscopes_predictions_get_their_scores_from_its_reviews(items: list[Item]) -> None:
    whole = read_import(EVALSCOPE, items)
    assert whole.scores == {(name, 0): score for name, score in RECORDED.items()}
    assert {path.parts[-3] for path in whole.files} == {"predictions"}
    assert (whole.program, whole.model, whole.by) == ("evalscope", "my-model", "question id")
    assert [one.usage.output_tokens for one in whole.outcomes.values()] == [2] * 4  # type: ignore[union-attr]
    reviews = read_import(EVALSCOPE / "reviews/my-model/emb_spatial_bench_left.jsonl", items)
    assert reviews.scores == {key: score for key, score in whole.scores.items() if key in reviews.scores}
    assert reviews.figures == {"accuracy": 0.5}
    said = {key: outcome.response for key, outcome in reviews.outcomes.items()}  # type: ignore[union-attr]
    assert said == {("ai2thor_0", 0): "D", ("mp3d_1", 0): "(B)"}


def test_lightevals_details_have_ids_answers_without_reasoning_and_scores(items: list[Item]) -> None:
    found = read_import(LIGHTEVAL, items)
    assert (found.program, found.model, found.by) == ("lighteval", "openai/my-model", "question id")
    assert sorted(name for name, _ in found.scores) == sorted(RECORDED)
    assert found.figures["em"] == sum(found.scores.values()) / 4 == 0.5
    answer = found.outcomes["ai2thor_2", 0]
    assert (answer.response, answer.reasoning) == ("A", "Left, or right?")  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("logs", "scorer", "headline", "differing"),
    [(EVALSCOPE, "official", 25.0, "None of 4 items has"), (LIGHTEVAL, "careful", 50.0, "1 of 4 items has")],
    ids=["evalscope", "lighteval"],
)
def test_a_folder_of_logs_gets_the_programs_own_figure(
    logs: Path, scorer: str, headline: float, differing: str, tmp_path: Path
) -> None:
    four_of_embspatial(tmp_path / "data")
    done = tolman(tmp_path, "score", str(logs), "--benchmark", "embspatial", "--data", "data", "--out", "run", code=0)
    assert f"Scorer '{scorer}' gives 4 of 4 recorded scores" in done.stderr
    sets = json.loads((tmp_path / "run/scores.json").read_text())["rule_sets"]
    assert sets[scorer]["cells"]["overall"]["value"] == headline
    compared = tolman(tmp_path, "reconcile", "run", str(logs), code=0)
    assert f"{differing} different scores" in compared.stdout.replace("\n", " ")


def test_a_line_that_isnt_evalscopes_is_named(items: list[Item], tmp_path: Path) -> None:
    lines = (EVALSCOPE / "reviews/my-model/emb_spatial_bench_left.jsonl").read_text().splitlines()
    path = tmp_path / "emb_spatial_bench_left.jsonl"
    path.write_text(lines[0] + "\n" + json.dumps({"index": 1, "sample_score": None}) + "\n")
    with pytest.raises(Exception, match=r"row 2.*messages.*is missing"):
        read_import(path, items)
