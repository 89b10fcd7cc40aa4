"""The task folder of lmms-eval, loaded as lmms-eval loads it: its YAML with `!function`, and what those return.

The TSV of VLMEvalKit, and what its dataset asks and scores; VLMEvalKit itself is in tests/interop.

Rows of scores made one by one give the figures of a run, whatever the benchmark's table and groups.
"""

import ast
import base64
import csv
import importlib.util
import json
import math
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from exports.materials import REPLIES, items, write_benchmark
from tolman.errors import InputError, UsageError
from tolman.exports.harness_scoring import ExportedBenchmark
from tolman.exports.vlmevalkit.dataset import prompt_of, rows_of
from tolman.features.catalogue.compute import ExportResult, export
from tolman.features.catalogue.config import ExportConfig
from tolman.items import Item, Media
from tolman.responses import Response
from tolman.runs.rescore import score_outcomes
from tolman.runs.run_items import load


def export_to(place: Path, source: Path, **more: Any) -> ExportResult:
    return export(ExportConfig(source=(str(source),), form="lmms-eval", out=place, **more))


def functions_of(task: Path) -> Any:
    """utils.py, imported as lmms-eval does."""
    spec = importlib.util.spec_from_file_location("utils", task / "utils.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Exported:
    """A benchmark exported as a task, and what its files hold."""

    def __init__(self, source: Path) -> None:
        self.source = source
        self.task = source.with_name("tasks") / "tolman_tiny"
        export_to(self.task.parent, source)
        self.utils = functions_of(self.task)
        self.docs = pl.read_parquet(self.utils.DATASET["data_files"]["test"]).to_dicts()


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Exported:
    return Exported(write_benchmark(tmp_path_factory.mktemp("lmms") / "tiny"))


def official(source: Path, replies: dict[str, str], out: Path) -> dict[str, float | None]:
    """Tolman's own figures for some responses."""
    loaded = load(f"{source}/", None, None)
    outcomes: list[Any] = [Response(id=key, response=text) for key, text in replies.items()]
    _, figures = score_outcomes(
        loaded, outcomes, benchmark=f"{source}/", model="scripted", model_settings={}, out=out
    )  # fmt: skip
    return {key: cell["value"] for key, cell in figures["rule_sets"]["official"]["cells"].items()}


def run(utils: Any, replies: dict[str, str]) -> tuple[dict[str, float], list[dict[str, Any]]]:
    """lmms-eval's own loop over a folder: records of each row, aggregated by metric."""
    gathered: dict[str, list[Any]] = {}
    lines = []
    for doc in pl.read_parquet(utils.DATASET["data_files"]["test"]).to_dicts():
        metrics = utils.process_results(doc, [replies[doc["id"]].strip()])
        lines.append(json.loads(json.dumps({"doc_id": len(lines), **metrics}, allow_nan=False)))
        for name, value in metrics.items():
            gathered.setdefault(name, []).append(value)
    titled = {name: int(number) for number, name in enumerate(named_metrics(Path(utils.__file__).parent))}
    return {name: getattr(utils, f"figure_{titled[name]}")(found) for name, found in gathered.items()}, lines


def named_metrics(task: Path) -> list[str]:
    """The metrics that a folder's YAML lists, in order."""
    (path,) = task.glob("*.yaml")
    lines = path.read_text().splitlines()
    return [json.loads(line.partition("metric: ")[2]) for line in lines if line.startswith("  - metric: ")]


def test_every_figure_is_tolmans_to_the_digit(tiny: Exported, tmp_path: Path) -> None:
    found, lines = run(tiny.utils, REPLIES)
    wanted = official(tiny.source, REPLIES, tmp_path / "run")
    assert found == {f"official_{key}": value for key, value in wanted.items() if value is not None}
    assert set(found) == set(named_metrics(tiny.task))
    assert found["official_average"] not in (0, 100)
    first = lines[0]["official_average"]
    assert {key: first[key] for key in ("id", "question_type", "scene", "prediction", "score")} == {
        "id": "q0", "question_type": "object_rel_distance", "scene": "s/1", "prediction": "A", "score": 1.0,
    }  # fmt: skip


def clustered_stderr(records: list[dict[str, Any]], score_key: str) -> float:
    """The clustered error as lmms-eval 0.7.3 computes it (`lmms_eval.api.metrics.clustered_stderr`)."""
    scored = [record for record in records if score_key in record]
    mean = sum(record[score_key] for record in scored) / len(scored)
    sums: dict[str, float] = {}
    for record in scored:
        sums[record["scene"]] = sums.get(record["scene"], 0.0) + record[score_key] - mean
    return math.sqrt(sum(value**2 for value in sums.values())) / len(scored)


def score_key(task: Path) -> str:
    (path,) = task.glob("*.yaml")
    return next(line.partition(": ")[2] for line in path.read_text().splitlines() if line.startswith("score_key: "))


def of_scenes(count: int) -> list[Item]:
    """Two question types of different size and difficulty in each scene."""
    picture = Media(kind="image", path="media/a.png")
    common: dict[str, Any] = {
        "question": "Where?", "answer": "A", "kind": "choice", "options": ("x", "y", "z"), "media": (picture,),
    }  # fmt: skip
    many = [
        Item(id=f"d{s}-{n}", task="object_rel_distance", scene=f"s{s}", **common)
        for s in range(count)
        for n in range(5)
    ]
    return many + [Item(id=f"r{s}", task="route_planning", scene=f"s{s}", **common) for s in range(count)]


def test_the_error_is_that_of_the_macro_average_on_its_scale(tmp_path: Path) -> None:
    asked = of_scenes(8)
    replies = {item.id: "A" if hash_of(item.id) % 3 else "B" for item in asked}
    written = Exported(write_benchmark(tmp_path / "tiny", asked))
    records = [written.utils.process_results(doc, [replies[doc["id"]]])["official_average"] for doc in written.docs]
    value = written.utils.figure_0(records)
    key = score_key(written.task)
    assert sum(record[key] for record in records) / len(records) == pytest.approx(value)
    # By hand: half the mean of each type, so an answer counts 1/80 in one and 1/16 in the other.
    right = {item.id: float(replies[item.id] == "A") for item in asked}
    means = {one: sum(right[i] for i in right if i[0] == one) / sum(i[0] == one for i in right) for one in "dr"}
    by_scene = [
        sum((right[i.id] - means[i.id[0]]) / (80 if i.id[0] == "d" else 16) for i in asked if i.scene == f"s{scene}")
        for scene in range(8)
    ]
    wanted = 100 * math.sqrt(sum(part**2 for part in by_scene))
    assert clustered_stderr(records, key) == pytest.approx(wanted)
    assert clustered_stderr(records, key) > 2
    json.dumps(records, allow_nan=False)


def hash_of(text: str) -> int:
    return sum(ord(letter) * (place + 3) for place, letter in enumerate(text))


def test_there_is_no_error_where_tolman_prints_no_interval(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    asked = of_scenes(3)
    written = Exported(write_benchmark(tmp_path / "tiny", asked))
    process = written.utils.process_results
    records = [process(doc, ["A" if n % 2 else "B"])["official_average"] for n, doc in enumerate(written.docs)]
    written.utils.figure_0(records)
    assert not any(score_key(written.task) in record for record in records)
    assert "official_average has no standard error: 3.0 effective scenes" in caplog.text


def test_the_readme_names_what_the_environment_and_each_model_type_need(tiny: Exported) -> None:
    text = (tiny.task / "README.md").read_text()
    assert "pip install lmms-eval 'filelock<4' 'tolman[media]'" in text
    (line,) = [line for line in text.splitlines() if "async_openai" in line]
    assert line.startswith("- `nframes=N (or fps=F)`: ")
    assert "fewer than 6 effective scenes" in text


def test_it_is_asked_what_tolman_asks(tiny: Exported) -> None:
    docs = {doc["id"]: doc for doc in tiny.docs}
    loaded = load(f"{tiny.source}/", None, None)
    for item in loaded.items:
        for preset in ("open", "gpt-4o"):
            (chosen,) = [one for one in loaded.benchmark.presets if one.name == preset]
            message = loaded.benchmark.prompt(item, chosen)
            assert tiny.utils.doc_to_text(docs[item.id], {"preset": preset}) == message.text
            (turn,) = tiny.utils.doc_to_messages(docs[item.id], {"preset": preset})
            assert [part["type"] for part in turn["content"]] == ["image"] * len(item.media) + ["text"]
            assert turn["content"][-1]["text"] == message.text
    (red, blue) = tiny.utils.doc_to_visual(docs["q1"])
    assert red.getpixel((5, 5)) > blue.getpixel((5, 5))


def test_a_request_that_failed_is_no_answer(tiny: Exported, tmp_path: Path) -> None:
    lost = "[LMMS_EVAL_REQUEST_FAILED after 5 retries] 503"
    found, lines = run(tiny.utils, REPLIES | {"q3": lost, "q2": lost})
    kept = {key: text for key, text in REPLIES.items() if key not in ("q2", "q3")}
    wanted = official(tiny.source, kept, tmp_path / "run")
    assert math.isnan(found["official_route_plan"])
    assert found["official_average"] == wanted["average"]
    assert "score" not in lines[3]["official_average"]
    assert lines[3]["official_average"]["status"] == "failed"


def test_several_responses_to_a_row_count_each(tiny: Exported) -> None:
    records = [tiny.utils.process_results(doc, [["A", "B"]])["official_average"] for doc in tiny.docs[:2]]
    assert [record["score"] for record in records] == [0.5, 0.5]
    assert tiny.utils.figure_0(records) == 50.0


def test_media_between_texts_stay_where_they_are(tmp_path: Path) -> None:
    item = Item(
        id="q", question="Before <image> or after <image> that?", kind="choice", answer="A", options=("x", "y"), task="t",
        media=(Media(kind="image", path="media/a.png"), Media(kind="image", path="media/b.png")),
    )  # fmt: skip
    written = Exported(write_benchmark(tmp_path / "tiny", [item], profile=None))
    (doc,) = written.docs
    (turn,) = written.utils.doc_to_messages(doc)
    assert [part["type"] for part in turn["content"]] == ["text", "image", "text", "image", "text"]
    assert written.utils.doc_to_text(doc).startswith("Before <image> or after <image> that?")
    assert named_metrics(written.task) == ["careful_average", "careful_t"]


def test_a_video_is_handed_over_by_its_file(tmp_path: Path) -> None:
    item = Item(
        id="q", question="Where?", kind="choice", answer="A", options=("x", "y"), task="t",
        media=(Media(kind="video", path="media/a.mp4"),),
    )  # fmt: skip
    source = write_benchmark(tmp_path / "tiny", [item], profile=None)
    (source / "media" / "a.mp4").write_bytes(b"a video")
    written = Exported(source)
    (path,) = written.utils.doc_to_visual(*written.docs)
    assert Path(path).read_bytes() == b"a video"
    assert Path(path).is_relative_to(written.task)


def test_what_is_wrong_is_said(tmp_path: Path) -> None:
    source = write_benchmark(tmp_path / "tiny")
    with pytest.raises(UsageError, match="no name of a task"):
        export_to(tmp_path / "a", source, settings=("task=my task",))
    assert not (tmp_path / "a").exists()
    (source / "media" / "b.png").unlink()
    with pytest.raises(InputError, match=r"b\.png: is missing, and a question shows it"):
        export_to(tmp_path / "a", source)
    assert not (tmp_path / "a").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["tiny"]


def test_it_is_loaded_without_what_lmms_eval_brings(tmp_path: Path) -> None:
    assert not {"lmms_eval", "datasets"} & set(sys.modules)
    export_to(tmp_path / "tasks", write_benchmark(tmp_path / "tiny"), settings=("task=mine",))
    assert functions_of(tmp_path / "tasks" / "mine").TASK.exported.items.keys() == {item.id for item in items()}


def test_the_tsv_has_the_columns_that_a_custom_set_needs(tmp_path: Path) -> None:
    source = write_benchmark(tmp_path / "tiny")
    export(ExportConfig(source=(str(source),), form="vlmevalkit", out=tmp_path / "kit", settings=("name=Tiny",)))
    csv.field_size_limit(1 << 24)
    with (tmp_path / "kit" / "Tiny.tsv").open(newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    assert [row["index"] for row in rows] == [str(number) for number in range(7)]
    assert [rows[0][key] for key in "ABC"] == ["left", "right", "behind"]
    assert [rows[3][key] for key in "ABC"] == ["", "", ""]
    picture = (source / "media" / "a.png").read_bytes()
    assert base64.b64decode(rows[0]["image"]) == picture
    assert next(base64.b64decode(one) for one in ast.literal_eval(rows[1]["image"])) == picture
    assert (rows[5]["id"], rows[5]["answer"], rows[5]["question_type"]) == ("q5", "2.2", "object_abs_distance")


def test_it_asks_and_scores_as_tolman_does(tmp_path: Path) -> None:
    source = write_benchmark(tmp_path / "tiny")
    export(ExportConfig(source=(str(source),), form="vlmevalkit", out=tmp_path / "kit", settings=("name=Tiny",)))
    exported = ExportedBenchmark.open(tmp_path / "kit" / "Tiny")
    parts = prompt_of(exported, "q1")
    assert [part["type"] for part in parts] == ["image", "image", "text"]
    assert parts[-1]["value"] == exported.prompt(exported.items["q1"]).text
    said = REPLIES | {"q3": "Failed to obtain answer via API."}
    rows = rows_of(exported, said.keys(), said.values())
    assert [row["status"] for row in rows] == ["scored"] * 3 + ["failed"] + ["scored"] * 3


def test_groups_count_as_one_question(tmp_path: Path) -> None:
    found = [one.model_copy(update={"all_of": "pair" if one.id in ("q0", "q2") else None}) for one in items()]
    folder = write_benchmark(tmp_path / "tiny", found)
    exported = ExportedBenchmark.open(folder)
    rows = [exported.row(exported.items[key], text) for key, text in REPLIES.items()]
    loaded = load(f"{folder}/", None, None)
    outcomes = [Response(id=key, response=text) for key, text in REPLIES.items()]
    _, figures = score_outcomes(
        loaded, [*outcomes], benchmark=f"{folder}/", model="scripted", model_settings={}, out=tmp_path / "run"
    )  # fmt: skip
    wanted = {key: cell["value"] for key, cell in figures["rule_sets"]["official"]["cells"].items()}
    assert exported.figures(rows) == wanted
    assert wanted["rel_distance"] == 50.0  # q0 by itself is right, and its pair isn't


def test_a_table_with_a_metric_of_its_own(tmp_path: Path) -> None:
    folder = write_benchmark(tmp_path / "tiny", profile="spatialbench")
    exported = ExportedBenchmark.open(folder)
    assert exported.rules.name == "official"
    for item in exported.items.values():
        row = exported.row(item, "A")
        assert row["status"] in ("scored", "left out")
        assert all(value is None or isinstance(value, str | int | float) for value in row.values())


@pytest.mark.parametrize(
    ("text", "status"),
    [("<think>Left?</think>A", "scored"), ("<think>Left? Or", "failed"), ("A", "scored")],
)
def test_reasoning_inside_a_text_is_set_apart(tmp_path: Path, text: str, status: str) -> None:
    exported = ExportedBenchmark.open(write_benchmark(tmp_path / "tiny"))
    row = exported.row(exported.items["q0"], text)
    assert row["status"] == status
    assert row["score"] == (1.0 if status == "scored" else None)
