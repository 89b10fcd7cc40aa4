"""Question files and predictions as their authors released them, out of clones of their repositories.

The clones stand where TOLMAN_REPOSITORIES says (`released.py`); each test is skipped where its repository is absent.
docs/benchmarks.md lists which benchmarks are tried here.
"""

from __future__ import annotations

import ast
import csv
import io
import json
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from interop.released import content_of, files_in
from released_rows import PICTURE, in_table
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
VSR, TEMPCOMPASS, SPATIAL_MM = "cambridgeltl/visual-spatial-reasoning", "llyx97/TempCompass", "FatemehShiri/Spatial-MM"
KHAGENDRA, BLINK = "Khagendra01/vlm-spatial-reasoning", "zeyofu/BLINK_Benchmark"
NEXT_QA, AKEYS, GROUNDING = "doc-doc/NExT-QA", "fansunqi/AKeyS", "JaeLee18/accuracy-without-grounding"
SPHERE = tuple(
    f"eval_datasets/coco_test2017_annotations/{name}.json"
    for name in (
        "single_skill/position_only", "single_skill/distance_only", "single_skill/size_only",
        "single_skill/counting_only-paired-distance_and_counting",
        "single_skill/counting_only-paired-position_and_counting", "combine_2_skill/distance_and_counting",
        "combine_2_skill/distance_and_size", "combine_2_skill/position_and_counting", "reasoning/object_manipulation",
        "reasoning/object_occlusion", "reasoning/object_manipulation_w_intermediate",
    )
)  # fmt: skip
TOMATO = tuple(f"data/{name}.json" for name in ("count", "direction", "rotation", "shape&trend", "velocity&frequency",
                                                "visual_cues"))  # fmt: skip
BEACON3D = tuple(f"data/{name}/{name}_qa.json" for name in ("scannet", "3rscan", "multiscan"))
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
    Released("vsr", "zeroshot", VSR, ("data/splits/zeroshot/test.jsonl",), 1222),
    Released("vsr", "random", VSR, ("data/splits/random/test.jsonl",), 2195),
    Released("sphere", "all", "zwenyu/SPHERE-VLM", SPHERE, 2285),
    Released("spatialmqa", "test", "ziyan-xiaoyu/SpatialMQA", ("Dataset/dataset/test.jsonl",), 1076),
    Released("spatial-mm", "one", SPATIAL_MM, ("data/spatial_mm_one_obj.json",), 502),
    Released("spatial-mm", "two", SPATIAL_MM, ("data/spatial_mm_two_obj.json",), 1074),
    Released("tomato", "all", "yale-nlp/TOMATO", TOMATO, 1484),
    Released("spatialscore", "hard", "haoningwu3639/SpatialScore", ("version_0/dataset/SpatialScore-Hard.json",), 1400),
    Released("tempcompass", "multi-choice", TEMPCOMPASS, ("questions/multi-choice.json",), 1580),
    Released("tempcompass", "yes-no", TEMPCOMPASS, ("questions/yes_no.json",), 2453),
    Released("ecbench", "all", "Rh-Dang/ECBench", ("data/ECbench_qa.json",), 4339),
    Released("beacon3d", "all", "beacon-3d/beacon-3d", BEACON3D, 2448),
    Released("next-qa", "val", NEXT_QA, ("dataset/nextqa/val.csv",), 4996),
    Released("next-qa", "test", NEXT_QA, ("dataset/nextqa/test.csv",), 8564),
    Released("egoschema", "subset", AKEYS, ("data/egoschema/subset_anno.json",), 500),
)


def placed(release: Released, folder: Path) -> Path:
    """The files of a release in a folder, as a user has them."""
    for path in release.paths:
        place = folder.joinpath(*Path(path).parts[-2:])
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(content_of(release.repository, path, release.commit))
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
    for path in filter(Path.is_file, tmp_path.rglob("*")):
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
        place = data / "data" / "open-eqa-v0.json"
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


def scored(tmp_path: Path, benchmark: str, subset: str | None, data: Path, said: dict[str, str]) -> dict[str, Any]:
    """The figures of responses, by scorer."""
    answers = tmp_path / "answers.jsonl"
    answers.write_text("".join(json.dumps({"id": key, "response": text}) + "\n" for key, text in said.items()))
    _, figures = score_file(answers, benchmark=benchmark, subset=subset, data=data, out=tmp_path / "run", name="model")
    return {name: rules["cells"] for name, rules in figures["rule_sets"].items()}


def table_of(repository: str, path: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content_of(repository, path).decode())))


VSR_OUTPUTS = {
    "qwen2vl_7b_predictions_20260809_064919": "0.809",
    "7B_general_lora_predictions_20260809_094930": "0.847",
    "7B_hardneg_lora_predictions_20260809_164619": "0.843",
    "7B_targeted_lora_predictions_20260809_095926": "0.839",
    "general_lora_predictions_20260809_054915": "0.766",
    "targeted_lora_predictions_20260809_061231": "0.765",
}
"""Outputs on VSR → the accuracy in results/tables/vsr_conditions_table.md."""


@pytest.mark.parametrize("name", VSR_OUTPUTS)
def test_outputs_on_vsr_get_the_stated_accuracy(name: str, tmp_path: Path) -> None:
    release = next(one for one in RELEASES if (one.benchmark, one.subset) == ("vsr", "random"))
    rows = table_of(KHAGENDRA, f"results/{name}.csv")
    said = {row["id"]: row["raw_output"] for row in rows}
    cell = scored(tmp_path, "vsr", "random", placed(release, tmp_path), said)["careful"]["overall"]
    assert cell["n"] == 2195
    assert f"{cell['value'] / 100:.3f}" == VSR_OUTPUTS[name]
    assert VSR_OUTPUTS[name] in content_of(KHAGENDRA, "results/tables/vsr_conditions_table.md").decode()


@pytest.mark.parametrize("model", ["video-llava", "gemini", "reka-core-20240501"])
@pytest.mark.parametrize("subset", ["multi-choice", "yes-no"])
def test_tempcompasss_saved_ratings_are_given_again(subset: str, model: str, tmp_path: Path) -> None:
    release = next(one for one in RELEASES if (one.benchmark, one.subset) == ("tempcompass", subset))
    rated = json.loads(content_of(TEMPCOMPASS, f"auto_eval_results/{model}/{Path(release.paths[0]).name}"))
    asked = json.loads(content_of(TEMPCOMPASS, release.paths[0]))
    rows = [row for video, tasks in asked.items() for task in tasks for row in rated[video][task]]
    said = {str(number): row["video-llm-prediction"] or "" for number, row in enumerate(rows)}
    cell = scored(tmp_path, "tempcompass", subset, placed(release, tmp_path), said)["official"]["overall"]
    by_rule = [row["rating"] for row in rows if row["match_success"]]
    assert cell["n"] == len(rows) == release.count
    assert cell["value"] == pytest.approx(100 * sum(by_rule) / len(rows))
    if (subset, model) == ("multi-choice", "video-llava"):
        assert len(by_rule) == len(rows)
        assert f"'avg': {cell['value']:.1f}" in content_of(TEMPCOMPASS, "README.md").decode()


@pytest.mark.parametrize(("name", "stated"), [("zeroshot_7b", (31.08, 54.23)), ("vsr_lora", (30.50, 53.84))])
def test_outputs_on_site_get_about_the_stated_figures(name: str, stated: tuple[float, float], tmp_path: Path) -> None:
    rows = table_of(KHAGENDRA, f"results/site/{name}_predictions.csv")
    questions = [
        {"question": row["question"], "options": ast.literal_eval(row["options"]), "answer": row["answer"],
         "category": row["category"], "dataset": row["source_dataset"], "visual": ["not-in-the-file.jpg"]}
        for row in rows
    ]  # fmt: skip
    (tmp_path / "image_test.jsonl").write_text("\n".join(map(json.dumps, questions)))
    said = {f"image-{number}": row["raw_output"] for number, row in enumerate(rows)}
    cells = scored(tmp_path, "site", "image", tmp_path, said)["official"]
    assert cells["overall"]["n"] == 2591
    assert (cells["overall"]["value"], cells["accuracy"]["value"]) == pytest.approx(stated, abs=0.15)  # some are drawn


@pytest.mark.parametrize(
    ("model", "stated"), [("instructblip_7b", 39.7), ("instructblip_13b", 42.2), ("llava-v1.6-34b", 46.8)]
)
def test_blinks_saved_outputs_get_the_readmes_figures(model: str, stated: float, tmp_path: Path) -> None:
    import polars as pl

    truths = json.loads(content_of(BLINK, "eval/val_answers.json"))
    of_task: dict[str, list[str]] = {}
    for name in truths:
        of_task.setdefault(re.sub(r"_\d+\Z", "", name.removeprefix("val_")), []).append(name)
    data, said = tmp_path / "data", {}
    for task, names in of_task.items():
        options = [str(n) for n in range("ABCDE".index(max(truths[name][1] for name in names)) + 1)]
        rows = [
            {"idx": name, "question": name, "sub_task": task, "choices": options, "answer": truths[name],
             "prompt": name, "image_1": in_table(PICTURE), "image_2": None, "image_3": None, "image_4": None}
            for name in names
        ]  # fmt: skip
        (data / task).mkdir(parents=True)
        pl.DataFrame(rows, infer_schema_length=None).write_parquet(data / task / "val-00000-of-00001.parquet")
    for path in files_in(BLINK, f"eval/saved_outputs/{model}"):
        said |= {row["idx"]: row["full_prediction"] for row in json.loads(content_of(BLINK, path))["val"]}
    cell = scored(tmp_path, "blink", None, data, said)["official"]["total"]
    assert (cell["n"], round(cell["value"], 1)) == (1901, stated)


def test_outputs_on_next_qa_get_the_readmes_figures(tmp_path: Path) -> None:
    release = next(one for one in RELEASES if (one.benchmark, one.subset) == ("next-qa", "val"))
    saved = json.loads(content_of(NEXT_QA, "results/HGA-bert-ft-h256-val.json"))
    said = {name: "ABCDE"[row["prediction"]] for name, row in saved.items()}
    cells = scored(tmp_path, "next-qa", "val", placed(release, tmp_path), said)["careful"]
    readme = content_of(NEXT_QA, "README.md").decode().splitlines()
    (row,) = [line for line in readme if line.startswith("| [HGA]")]
    found = [f"{cells[name]['value']:.2f}" for name in ("causal", "temporal", "descriptive", "overall")]
    assert cells["overall"]["n"] == 4996
    assert found == re.findall(r"\d+\.\d+", row)[-4:] == ["46.26", "50.74", "59.33", "49.74"]


@pytest.mark.parametrize("condition", ["original", "black"])
@pytest.mark.parametrize(("model", "name"), [("qwen2vl", "qwen"), ("llava", "llava"), ("internvl2", "iv2")])
def test_outputs_on_egoschema_get_the_stated_accuracy(model: str, name: str, condition: str, tmp_path: Path) -> None:
    release = next(one for one in RELEASES if one.benchmark == "egoschema")
    rows = json.loads(content_of(GROUNDING, f"results/egoschema/{model}_egoschema_results.json"))
    said = {row["question_id"]: row["prediction"] for row in rows if row["condition"] == condition and not row["error"]}
    cell = scored(tmp_path, "egoschema", "subset", placed(release, tmp_path), said)["careful"]["overall"]
    summary = json.loads(content_of(GROUNDING, "results/egoschema/egoschema_summary.json"))["section1_vgg"][name]
    assert cell["n"] == summary["n"] == 500
    assert cell["value"] == pytest.approx(100 * summary["orig_acc" if condition == "original" else "black_acc"])
