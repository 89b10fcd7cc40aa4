"""Question files and predictions as their authors released them, out of clones of their repositories.

The clones stand where TOLMAN_REPOSITORIES says (`released.py`); each test is skipped where its repository is absent.
docs/benchmarks.md lists which benchmarks are tried here.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest

from interop.released import content_of, files_in
from tolman import benchmarks
from tolman.items import Item
from tolman.runs.imports import read_import
from tolman.runs.judging import JudgeRequest
from tolman.runs.rescore import judge_folder, score_file

pytestmark = [pytest.mark.interop, pytest.mark.filterwarnings("ignore::tolman.errors.ColumnsTakenWarning")]


@dataclass(frozen=True)
class Released:
    """Files of one release.

    Attributes:
        benchmark, subset: that they are of.
        repository: where they stand.
        paths: of the files.
        count: how many questions the paper, or the README, says that there are.
        commit: another than the newest.
        equals: questions of which an option has the words of the right one.
    """

    benchmark: str
    subset: str
    repository: str
    paths: tuple[str, ...]
    count: int
    commit: str = "HEAD"
    equals: int = 0


VLM4D, EQA, SPATIALBENCH = "ShijieZhou-UCLA/VLM4D", "facebookresearch/open-eqa", "XPR2004/SpatialBench"
PARTS_OF_VLM4D = ("data/real_mc.json", "data/synthetic_mc.json")
SQA3D = ("LLM/v1_balanced_questions_test_scannetv2.json", "LLM/v1_balanced_sqa_annotations_test_scannetv2.json")
FIRST_OF_SPATIALBENCH = "dc193174cf369f413ba97bf467aa1042cd0eabc8"
RELEASES = (
    Released("vlm4d", "full", VLM4D, PARTS_OF_VLM4D, 1816, equals=1),
    Released("vlm4d", "real", VLM4D, PARTS_OF_VLM4D, 1371, equals=1),
    Released("vlm4d", "synthetic", VLM4D, PARTS_OF_VLM4D, 445),
    Released("viewspatial", "full", "ZJU-REAL/ViewSpatial-Bench", ("eval/ViewSpatial-Bench.json",), 5712),
    Released("openeqa", "full", EQA, ("data/open-eqa-v0.json",), 1636),
    Released("openeqa", "184", EQA, ("data/open-eqa-v0.json",), 184),
    Released("sqa3d", "test", "SilongYong/SQA3D", SQA3D, 3519),
    Released("spatialbench", "v1", SPATIALBENCH, ("QA.txt",), 1347, commit=FIRST_OF_SPATIALBENCH),
    Released("spatialbench", "v2", SPATIALBENCH, ("QA.txt",), 3193),
    Released("spatialbench", "few-shot", SPATIALBENCH, ("QA_fewshot.txt",), 1347),
)


def placed(release: Released, folder: Path) -> Path:
    """The files of a release in a folder, as a user has them."""
    for path in release.paths:
        (folder / Path(path).name).write_bytes(content_of(release.repository, path, release.commit))
    return folder


@pytest.mark.parametrize("release", RELEASES, ids=lambda one: f"{one.benchmark}-{one.subset}")
def test_released_questions_are_as_many_as_the_paper_says(release: Released, tmp_path: Path) -> None:
    benchmark = benchmarks.get(release.benchmark)
    items = benchmark.load(placed(release, tmp_path), release.subset)
    assert len(items) == release.count == benchmark.sizes[release.subset]
    assert sum(len(item.right_letters) > 1 for item in items if item.options) == release.equals
    assert all(item.question.strip() and item.answer for item in items)


@pytest.mark.parametrize("change", ["mark", "carriage returns"])
@pytest.mark.parametrize("release", [RELEASES[1], RELEASES[3], RELEASES[5], RELEASES[6]], ids=lambda one: one.benchmark)
def test_editors_on_windows_change_nothing(release: Released, change: str, tmp_path: Path) -> None:
    benchmark = benchmarks.get(release.benchmark)
    items = benchmark.load(placed(release, tmp_path), release.subset)
    for path in tmp_path.iterdir():
        content = path.read_bytes()
        path.write_bytes(b"\xef\xbb\xbf" + content if change == "mark" else content.replace(b"\n", b"\r\n"))
    assert benchmark.load(tmp_path, release.subset) == items


NEAR = 1.0
"""Points between the careful scorer and grades of two chat models that the authors checked by hand."""


@pytest.mark.parametrize("kind", ["cot", "direct-output"])
@pytest.mark.parametrize(
    "model", ["Qwen2-VL-7B-Instruct_1fps", "InternVL2_5-8B_4frame", "Phi-4-multimodal-instruct_16frame"]
)
def test_vlm4ds_own_outputs_get_about_the_authors_grades(kind: str, model: str, tmp_path: Path) -> None:
    data, logs = tmp_path / "data", tmp_path / "logs"
    data.mkdir()
    logs.mkdir()
    placed(RELEASES[0], data)
    right = []
    for part in ("real_mc", "synthetic_mc"):
        content = content_of(VLM4D, f"processed_outputs_paper_results/{part}_{kind}/{model}.json")
        (logs / f"{part}.json").write_bytes(content)
        right += [row["correct"] for row in json.loads(content)]
    _, figures = score_file(logs, benchmark="vlm4d", data=data, out=tmp_path / "run", name=model)
    cell = figures["rule_sets"]["careful"]["cells"]["overall"]
    assert cell["n"] == len(right) == 1816
    assert cell["value"] == pytest.approx(100 * sum(right) / len(right), abs=NEAR)


def test_openeqas_prediction_files_are_read(tmp_path: Path) -> None:
    path = tmp_path / "predictions.json"
    path.write_bytes(content_of("SamuelCahyawijaya/open-eqa", "data/predictions/rag-vlm-predictions.json"))
    items = benchmarks.get("openeqa").load(placed(RELEASES[4], tmp_path), "full")
    found = read_import(path, items)
    assert (found.program, len(found.outcomes)) == ("predictions", 1636)


def test_openeqas_public_predictions_rank_as_published(tmp_path: Path) -> None:
    repository, data, found = "SamuelCahyawijaya/open-eqa", placed(RELEASES[4], tmp_path), {}
    for model in ("rag-vlm", "videollama2", "llava-next", "blind-gpt4"):
        answers, marks = tmp_path / f"{model}.json", tmp_path / f"{model}.jsonl"
        answers.write_bytes(content_of(repository, f"data/predictions/{model}-predictions.json"))
        given = json.loads(content_of(repository, f"data/metrics/{model}-predictions-metrics.json"))
        marks.write_text("".join(json.dumps({"id": key, "response": str(mark)}) + "\n" for key, mark in given.items()))
        place = data / "open-eqa-v0.json"
        folder, alone = score_file(answers, benchmark="openeqa", data=place, out=tmp_path / f"{model}-run")
        assert alone["rule_sets"]["careful"]["cells"]["overall"]["value"] is None
        _, judged = judge_folder(folder.path, JudgeRequest(f"scripted/{marks}"))
        found[model] = round(judged["rule_sets"]["judged"]["cells"]["overall"]["value"], 1)
    assert found == {"rag-vlm": 52.4, "videollama2": 47.7, "llava-next": 40.8, "blind-gpt4": 36.2}


def test_blinks_saved_outputs_are_read_together(tmp_path: Path) -> None:
    repository = "zeyofu/BLINK_Benchmark"
    truths = json.loads(content_of(repository, "eval/val_answers.json"))
    items = [
        Item(id=name, question=f"Question {name}", kind="choice", options=("1", "2", "3", "4", "5"), answer=truth[1],
             task=re.sub(r"_\d+\Z", "", name.removeprefix("val_")))
        for name, truth in truths.items()
    ]  # fmt: skip
    logs = tmp_path / "GPT4o"
    logs.mkdir()
    for path in files_in(repository, "eval/saved_outputs/GPT4o"):
        (logs / Path(path).name).write_bytes(content_of(repository, path))
    found = read_import(logs, items)
    assert found.columns == {"id": "idx", "response": "full_prediction", "truth": "answer"}
    assert Counter(type(one).__name__ for one in found.outcomes.values())["Response"] == len(found.outcomes)
    assert len(found.outcomes) == len(items) == 1901
    alone = tmp_path / "GPT4o.json"
    alone.write_bytes(content_of(repository, "eval/saved_val_predictions/GPT4o.json"))
    assert len(read_import(alone, items).outcomes) == 1901
