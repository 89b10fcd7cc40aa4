"""model-index: what the hub's own readers make of the card and of the files of .eval_results."""

import json
from pathlib import Path

import pytest
from huggingface_hub import ModelCard

import released_rows
import tolman
from answered import answered
from exports.materials import write_benchmark
from tolman.errors import UsageError
from tolman.features.catalogue.compute import ExportResult, export
from tolman.features.catalogue.config import ExportConfig
from tolman.runs.run_items import load


def run_of(folder: Path, out: Path, name: str, *, model: str = "openai/qwen", lost: bool = False) -> Path:
    loaded = load(name, None if name.endswith("/") else folder, None)
    return answered(loaded, out, lambda place, item: None if lost and not place else "A", benchmark=name, model=model)


def exported(out: Path, *runs: Path, **settings: str) -> ExportResult:
    given = tuple(f"{key}={value}" for key, value in settings.items())
    return export(ExportConfig(source=tuple(map(str, runs)), form="model-index", out=out, settings=given))


@pytest.mark.full
def test_the_hub_reads_the_card_back(tmp_path: Path) -> None:
    tiny = write_benchmark(tmp_path / "tiny")
    run = run_of(tiny, tmp_path / "run", f"{tiny}/")
    result = exported(tmp_path / "out", run, url="https://example.org/report")
    card = ModelCard.load(tmp_path / "out" / "README.md")
    found = card.data.eval_results
    assert card.data.model_name == "qwen"
    assert found[0].metric_type == "average"
    assert {one.task_type for one in found} == {"image-text-to-text"}
    assert {(one.dataset_name, one.dataset_type) for one in found} == {("Tiny", "tiny")}
    figures = {one.metric_type: one for one in found}
    assert figures["rel_distance"].metric_value == 50.0
    assert figures["rel_distance"].metric_args["n"] == 2
    assert figures["rel_distance"].metric_args["scorer"] == "official"
    assert figures["rel_distance"].source_url == "https://example.org/report"
    assert "room_size" not in figures  # a figure without questions has no value
    assert any("Tiny: no data set of the hub" in note for note in result.notes)
    assert not (tmp_path / "out" / ".eval_results").exists()


def test_the_setup_says_what_was_shown_and_nothing_that_is_unknown(tmp_path: Path) -> None:
    video = {"id": "q", "task": "t", "kind": "choice", "question": "Which?", "options": ["a", "b"], "answer": "A",
             "media": [{"kind": "video", "path": "v.mp4"}]}  # fmt: skip
    tolman.load([video]).save(tmp_path / "tiny")
    (tmp_path / "answers.jsonl").write_text('{"id": "q", "response": "A"}')
    tolman.score(tmp_path / "answers.jsonl", f"{tmp_path}/tiny", out=tmp_path / "imported")
    tolman.evaluate(f"{tmp_path}/tiny", "baseline/random", protocol="blind", out=tmp_path / "blind")
    for name, setup in {
        "imported": "answers imported from answers.jsonl",
        "blind": "preset plain, protocol blind",
    }.items():
        exported(tmp_path / f"{name}-card", tmp_path / name)
        (figure, *_) = ModelCard.load(tmp_path / f"{name}-card" / "README.md").data.eval_results
        assert figure.metric_args["setup"] == setup
    with pytest.raises(UsageError, match="blind is named twice"):
        exported(tmp_path / "twice", tmp_path / "blind", tmp_path / "blind" / ".." / "blind")


@pytest.mark.full
def test_the_hub_reads_eval_results_back(tmp_path: Path) -> None:
    yaml = pytest.importorskip("yaml")
    hub = pytest.importorskip("huggingface_hub")
    if not hasattr(hub, "parse_eval_result_entries"):
        pytest.skip("this huggingface_hub reads no .eval_results")
    (tmp_path / "data").mkdir()
    released_rows.embspatial(tmp_path / "data")
    run = run_of(tmp_path / "data", tmp_path / "run", "embspatial")
    with pytest.raises(UsageError, match=r"INCOMPLETE \(3 of the 3,640 released questions\)"):
        exported(tmp_path / "out", run)
    exported(tmp_path / "out", run, incomplete="mark", name="Qwen 8B", figures="headline")
    (entry,) = hub.parse_eval_result_entries(
        yaml.safe_load((tmp_path / "out" / ".eval_results" / "embspatial.yaml").read_text())
    )
    assert (entry.dataset_id, entry.task_id) == ("Phineas476/EmbSpatial-Bench", "full")
    assert entry.value == pytest.approx(33.3333)
    assert entry.notes.startswith("Overall, scorer official, preset lmms-eval, INCOMPLETE: 3 of the 3,640")
    (one,) = ModelCard.load(tmp_path / "out" / "README.md").data.eval_results
    assert one.metric_name == "Overall (official, INCOMPLETE: 3 of the 3,640 released questions)"
    assert one.dataset_type == "Phineas476/EmbSpatial-Bench"


@pytest.mark.full
def test_a_mixture_of_models_is_named(tmp_path: Path) -> None:
    tiny = write_benchmark(tmp_path / "tiny")
    run = run_of(tiny, tmp_path / "run", f"{tiny}/")
    scores = json.loads((run / "scores.json").read_text())
    (run / "scores.json").write_text(json.dumps(scores | {"served": {"m-0801": 5, "m-1101": 2}}))
    exported(tmp_path / "out", run)
    assert "MIXED: answers by m-0801 and m-1101" in " ".join((tmp_path / "out" / "README.md").read_text().split())


@pytest.mark.full
def test_failures_are_refused_or_marked_and_models_are_apart(tmp_path: Path) -> None:
    tiny = write_benchmark(tmp_path / "tiny")
    run = run_of(tiny, tmp_path / "run", f"{tiny}/", lost=True)
    with pytest.raises(UsageError, match=r"INCOMPLETE \(1 of 7 answers missing\); carry it out whole"):
        exported(tmp_path / "out", run)
    result = exported(tmp_path / "out", run, incomplete="mark")
    assert "1 of 7 answers missing" in result.notes[0]
    assert "1 of 7 answers missing" in (tmp_path / "out" / "README.md").read_text()
    other = run_of(tiny, tmp_path / "other", f"{tiny}/", model="openai/gemma")
    with pytest.raises(UsageError, match=r"several models \(openai/gemma, openai/qwen\)"):
        exported(tmp_path / "out2", run, other, incomplete="mark")
    with pytest.raises(UsageError, match="--set figures takes all or headline, not 'some'"):
        exported(tmp_path / "out2", other, figures="some")
