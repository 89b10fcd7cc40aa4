"""Why two runs or logs have different scores."""

import json
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from html import escape
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

import planted
import tolman
from answered import answered
from tolman import benchmarks
from tolman.errors import InputError, UsageError
from tolman.features.compare.config import ReconcileConfig
from tolman.features.compare.reconcile_runs import ReconcileResult, reconcile
from tolman.features.compare.reconciled_sides import gives_score, truth_of
from tolman.features.compare.render import show_reconciliation
from tolman.features.printing import TextConsole
from tolman.item_table import write_items
from tolman.items import Item
from tolman.media.sampling import Frames
from tolman.plugins import load_plugin
from tolman.runs.logs.log import LogRow
from tolman.runs.run_folder import RunFolder
from tolman.runs.run_items import Loaded, load

EXTRACT = Path(__file__).resolve().parents[1] / "extracts" / "vsi_bench_extract.jsonl"


@pytest.fixture(scope="module")
def loaded() -> Loaded:
    return load("vsi-bench", EXTRACT, None)


def run(loaded: Loaded, out: Path, text: Callable[[int, Item], str | None], *, asked: bool = False) -> Path:
    """A run whose answers are made of an item's place and the item; None is a failed call.

    Args:
        asked: whether it is a run of an endpoint, whose prompt and frames are known, or of another program's answers.
    """
    answered(loaded, out, text, imported="x")
    return edited(out, model="openai/m", model_settings={}, frames=Frames(count=32)) if asked else out


def edited(folder: Path, **settings: object) -> Path:
    record = RunFolder(folder).record()
    RunFolder(folder).write_record(record.model_copy(update={"settings": record.settings.model_copy(update=settings)}))
    return folder


def right(place: int, item: Item) -> str:
    return item.answer


def test_samples_are_counted_as_samples(tmp_path: Path, loaded: Loaded) -> None:
    count, size = len(loaded.items), 3 * len(loaded.items)
    folders = [
        answered(loaded, tmp_path / name, said, repeats=3, imported="x")
        for name, said in (("a", right), ("b", lambda place, item: "nothing" if place < count else item.answer))
    ]
    result = reconcile(ReconcileConfig(a=folders[0], b=folders[1]))
    assert result.content.count == f"{count:,} of {size:,} samples have different scores."
    assert result.content.headings[2] == "samples"
    assert result.to_dict()["unit"] == "sample"
    page = tmp_path / "why.html"
    tolman.reconcile(*folders, out=page)
    text = page.read_text(encoding="utf-8")
    assert f"{count:,} samples</summary>" in text
    assert escape(loaded.items[0].question) in text


def pieces(result: ReconcileResult) -> dict[str, tuple[float, int]]:
    return {row["cause"]: (row["points"], row["items"]) for row in result.table().to_dicts()}


def test_two_scorers_of_one_run_differ_by_the_parser(tmp_path: Path, loaded: Loaded) -> None:
    folder = run(loaded, tmp_path / "a", lambda place, item: f"The answer is {item.answer}.")
    result = reconcile(ReconcileConfig(a=folder, b=folder, scorer_b="careful"))
    found = pieces(result)
    assert list(found) == ["parser"]
    assert found["parser"][1] == len(loaded.items)
    assert (result.found.a, result.found.b) == (0, 100)


def test_figures_are_those_of_the_runs(tmp_path: Path, loaded: Loaded) -> None:
    a = run(loaded, tmp_path / "a", lambda place, item: None if place == 3 else item.answer)
    b = run(loaded, tmp_path / "b", lambda place, item: "B" if item.options else str(1.3 * item.float_answer))
    result = reconcile(ReconcileConfig(a=a, b=b))
    for folder, value in ((a, result.found.a), (b, result.found.b)):
        stored = RunFolder(folder).figures()["rule_sets"]["official"]["cells"]["average"]["value"]
        assert float(value) == pytest.approx(stored, abs=1e-9)
    exact = [Fraction(piece["exact"]) for piece in result.to_dict()["pieces"]]
    assert result.found.a + sum(exact) == result.found.b
    assert set(pieces(result)) == {"failure", "unexplained"}


def test_answers_under_equal_conditions_are_unexplained_and_others_are_not(tmp_path: Path, loaded: Loaded) -> None:
    a = run(loaded, tmp_path / "a", right, asked=True)
    b = run(loaded, tmp_path / "b", lambda place, item: "nothing" if place % 2 else item.answer, asked=True)
    assert list(pieces(reconcile(ReconcileConfig(a=a, b=b)))) == ["unexplained"]
    frames = load_frames(b, 8)
    assert list(pieces(reconcile(ReconcileConfig(a=a, b=frames)))) == ["frames"]
    prompt = edited(b, preset="gpt-4o")  # other frames, and another prompt for numbers
    edited(prompt, frames=RunFolder(a).record().settings.frames)
    result = reconcile(ReconcileConfig(a=a, b=prompt))
    assert list(pieces(result)) == ["prompt", "unexplained"]
    assert pieces(result)["prompt"][1] == sum(not item.options for item in loaded.items[1::2])
    assert any("prompt preset (open, gpt-4o)" in text for text in result.remarks)


def load_frames(folder: Path, count: int) -> Path:
    frames = RunFolder(folder).record().settings.frames.model_copy(update={"count": count})
    return edited(folder, frames=frames)


def test_another_truth_of_equal_ids_is_a_cause(tmp_path: Path, loaded: Loaded) -> None:
    a = run(loaded, tmp_path / "a", right)
    first = next(item for item in loaded.items if not item.options)
    items = [
        item.model_copy(update={"answer": str(5 * item.float_answer)}) if item.id == first.id else item
        for item in loaded.items
    ]
    b = run(replace(loaded, items=items), tmp_path / "b", lambda place, item: loaded.items[place].answer)
    result = reconcile(ReconcileConfig(a=a, b=b))
    assert {item.id: [str(cause) for cause in item.switches.causes] for item in result.found.items} == {
        first.id: ["data"]
    }


def test_what_a_program_did_not_record_is_named(tmp_path: Path, loaded: Loaded) -> None:
    a = run(loaded, tmp_path / "a", right)
    b = run(loaded, tmp_path / "b", lambda place, item: "nothing")
    result = reconcile(ReconcileConfig(a=a, b=b))
    assert any("a log doesn't tell the prompt: it may be the cause" in text for text in result.remarks)


def test_the_page_draws_the_waterfall_and_holds_every_differing_item_as_text(tmp_path: Path, loaded: Loaded) -> None:
    hostile = "<script>alert(1)</script> & <b>B</b>"
    a = run(loaded, tmp_path / "a", lambda place, item: None if place == 3 else item.answer, asked=True)
    b = run(loaded, tmp_path / "b", lambda place, item: hostile if place % 2 else item.answer, asked=True)
    page = tmp_path / "deep" / "why.html"
    result = tolman.reconcile(a, b, out=page)
    assert result.out == page
    text = page.read_text(encoding="utf-8")
    assert "<script" not in text
    assert escape(hostile) in text
    drawn = ElementTree.fromstring(text[text.index("<svg") : text.index("</svg>") + 6])
    bars = [bar.findtext("{*}title") for bar in drawn.iter() if bar.tag.endswith("rect")]
    assert [bar.partition(":")[0] for bar in bars if bar] == ["A", *pieces(result), "B"]
    net = [item for item in result.found.items if item.is_net]
    assert text.count("<article ") == len(net) == result.differing
    assert all(f"<header>{item.id} " in text for item in net)
    table = (tmp_path / "why.md", tmp_path / "why.json")
    for path in table:
        tolman.reconcile(a, b, out=path)
    assert "| failure |" in table[0].read_text(encoding="utf-8")
    assert r"\<script\>" in table[0].read_text(encoding="utf-8")
    assert json.loads(table[1].read_text(encoding="utf-8")) == result.to_dict()
    with pytest.raises(
        UsageError, match=r"why\.pdf has no suffix of a reconciliation; use one of \.html, \.md, \.json"
    ):
        tolman.reconcile(a, b, out=tmp_path / "why.pdf")


def test_missing_rows_are_a_cause(tmp_path: Path, loaded: Loaded) -> None:
    a = run(loaded, tmp_path / "a", right)
    b = run(loaded, tmp_path / "b", lambda place, item: "nothing")
    kept = [outcome for place, outcome in enumerate(RunFolder(b).outcomes()) if place % 3]
    RunFolder(b).write_outcomes(kept)
    found = pieces(reconcile(ReconcileConfig(a=a, b=b)))
    assert found["rows"][1] == len(loaded.items) - len(kept)
    assert found["unexplained"][1] == len(kept)


def test_sentences_for_bad_input(tmp_path: Path, loaded: Loaded) -> None:
    a = run(loaded, tmp_path / "a", right)
    with pytest.raises(InputError, match="does not exist"):
        reconcile(ReconcileConfig(a=a, b=tmp_path / "none"))
    with pytest.raises(InputError, match=r"holds a run, .*; give that folder"):
        reconcile(ReconcileConfig(a=a, b=tmp_path))
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=r"no run folder .* and holds no logs"):
        reconcile(ReconcileConfig(a=a, b=tmp_path / "empty"))
    with pytest.raises(UsageError, match="no scorer 'oficial'"):
        reconcile(ReconcileConfig(a=a, b=a, scorer_a="oficial"))
    with pytest.raises(UsageError, match="average"):
        reconcile(ReconcileConfig(a=a, b=a, figure="averge"))
    log = tmp_path / "r.jsonl"
    log.write_text('{"id": "0", "response": "A"}\n')
    with pytest.raises(UsageError, match="Name it with --benchmark"):
        reconcile(ReconcileConfig(a=log, b=log))
    failed = run(loaded, tmp_path / "failed", lambda place, item: None)
    for one, other in ((a, failed), (failed, a)):
        with pytest.raises(
            UsageError, match=r"failed has no answer with a score, so Avg\. has no value to reconcile\."
        ):
            reconcile(ReconcileConfig(a=one, b=other))


def test_a_log_against_a_run(tmp_path: Path, loaded: Loaded) -> None:
    a = run(loaded, tmp_path / "a", right)
    log = tmp_path / "m_samples_vsibench.jsonl"
    rows = [
        {"doc_id": place, "target": item.answer, "filtered_resps": [item.answer], "vsibench_overall": {"id": item.id}}
        for place, item in enumerate(loaded.items)
    ]
    rows[0]["filtered_resps"] = ["nothing"]
    log.write_text("\n".join(map(json.dumps, rows[:-1])))
    found = pieces(reconcile(ReconcileConfig(a=a, b=log)))
    assert {cause: items for cause, (_, items) in found.items()} == {"rows": 1, "unexplained": 1}


def test_the_first_example_opens_in_the_terminal(tmp_path: Path, loaded: Loaded) -> None:
    def said(a: Path, b: Path) -> list[str]:
        shown = TextConsole(file=StringIO())
        show_reconciliation(
            shown, reconcile(ReconcileConfig(a=a, b=b, benchmark="vsi-bench", data=EXTRACT)), as_json=False
        )
        assert isinstance(shown.file, StringIO)
        return [line for line in shown.file.getvalue().splitlines() if "tolman view" in line]

    count, first = len(loaded.items), loaded.items[0].id
    a = answered(loaded, tmp_path / "a", right, repeats=2, imported="x")
    half = tmp_path / "b"  # wrong in the second samples
    b = answered(loaded, half, lambda n, item: item.answer if n < count else "nothing", repeats=2, imported="x")
    assert said(a, b) == [f"An example with its frames: tolman view {a} {b} --item {first}"]
    log = tmp_path / "theirs.jsonl"
    log.write_text("\n".join(json.dumps({"id": item.id, "response": "nothing"}) for item in loaded.items))
    assert said(log, a) == [f"An example with its frames: tolman view {a} --item {first}"]
    assert said(log, log) == []


def lmms_eval_log(
    place: Path, loaded: Loaded, text: Callable[[int, Item], str], scorer: str, prompt: str = "{}"
) -> Path:
    """A log in lmms-eval's form, whose scores are those of a scorer; 'none' for scores that no scorer gives."""
    path = place / "20261122_100000_samples_vsibench.jsonl"
    limit = {"configs": {"vsibench": {"generation_kwargs": {"max_new_tokens": 16}}}, "model_name": "theirs"}
    (place / "20261122_100000_results.json").write_text(json.dumps(limit))
    preset = loaded.benchmark.presets[0]
    rows = []
    for number, item in enumerate(loaded.items):
        said = text(number, item)
        rules = loaded.benchmark.rule_set("careful" if scorer == "none" else scorer)
        score = rules.score(item, rules.read(item, said, 0))
        metric = {"id": item.id, "accuracy": 1 - score if scorer == "none" else score}
        rows.append(
            {
                "doc_id": number, "target": item.answer, "filtered_resps": [said], "vsibench_overall": metric,
                "input": prompt.format(loaded.benchmark.prompt(item, preset).text),
                "token_counts": [{"output_tokens": 16 if said.endswith("…") else 3}],
            }
        )  # fmt: skip
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


def labels(result: ReconcileResult) -> dict[str, int]:
    return {cause: items for cause, (_, items) in pieces(result).items()}


def test_the_scorer_of_a_log_is_found_by_its_scores(tmp_path: Path, loaded: Loaded) -> None:
    a = run(loaded, tmp_path / "a", lambda place, item: f"The answer is {item.answer}.", asked=True)
    b = lmms_eval_log(tmp_path, loaded, lambda place, item: f"The answer is {item.answer}.", "careful")
    result = reconcile(ReconcileConfig(a=a, b=b))
    assert result.sides[1].scored_by == "careful"
    assert labels(result) == {"parser": len(loaded.items)}
    assert any(f"B: scorer 'careful' gives {len(loaded.items)} of" in text for text in result.remarks)


def test_prompts_and_token_limits_of_a_log_are_causes(tmp_path: Path, loaded: Loaded) -> None:
    a = run(loaded, tmp_path / "a", right, asked=True)
    b = lmms_eval_log(tmp_path, loaded, lambda place, item: "nothing" if place % 4 else item.answer, "official")
    changed = len([place for place in range(len(loaded.items)) if place % 4])
    assert labels(reconcile(ReconcileConfig(a=a, b=b))) == {"unexplained": changed}
    worded = lmms_eval_log(
        tmp_path, loaded, lambda place, item: "nothing" if place % 4 else item.answer, "official", "Hello. {}"
    )
    assert labels(reconcile(ReconcileConfig(a=a, b=worded))) == {"prompt": changed}
    cut = lmms_eval_log(tmp_path, loaded, lambda place, item: "So as for …", "official")
    whole = run(loaded, tmp_path / "w", lambda place, item: f"{item.answer} So as for", asked=True)
    assert labels(reconcile(ReconcileConfig(a=whole, b=cut))) == {"cut off or unexplained": len(loaded.items)}


def test_a_log_whose_parser_is_not_known_keeps_its_own_scores(tmp_path: Path, loaded: Loaded) -> None:
    a = run(loaded, tmp_path / "a", right, asked=True)
    b = lmms_eval_log(tmp_path, loaded, lambda place, item: f"{item.answer} is it", "none")
    result = reconcile(ReconcileConfig(a=a, b=b))
    assert result.found.b == 0
    assert set(labels(result)) <= {"parser or unexplained", "parser or metric or unexplained"}
    assert any("how its texts are read isn't known here" in text for text in result.remarks)


@pytest.mark.parametrize(
    ("target", "found"), [("B", "B"), ("(C)", "C"), ("A. left", "A"), ("0", "A"), ("E", None), ("", None), (None, None)]
)
def test_targets_of_choices(choice: Callable[..., Item], target: str | None, found: str | None) -> None:
    assert truth_of(choice(answer="B"), LogRow(place=1, target=target)) == found


@pytest.mark.parametrize(("target", "found"), [("2.50", "2.5"), ("1,200", "1200"), ("many", None)])
def test_targets_of_numbers(number: Callable[..., Item], target: str, found: str | None) -> None:
    assert truth_of(number(answer="2.5"), LogRow(place=1, target=target)) == found


def test_scores_of_random_draws_are_no_evidence_against_a_scorer(choice: Callable[..., Item]) -> None:
    rules, item = benchmarks.get("site").rule_set("official"), choice(answer="B")
    told = [gives_score(rules, item, LogRow(place=1, response=text, score=1.0)) for text in ("3", "(B)", "(A)")]
    assert told == [True, True, False]


def planted_log(place: Path, name: str, rows: list[dict[str, Any]]) -> Path:
    """A made-up harness's rows as lmms-eval would have logged them."""
    folder = place / name
    folder.mkdir()
    settings = {"configs": {"planted": {"generation_kwargs": {"max_new_tokens": 16}}}, "model_name": name}
    (folder / "20261122_100000_results.json").write_text(json.dumps(settings))
    lines = []
    for number, row in enumerate(rows):
        metric = {"id": row["id"], "pred_parsed": row["prediction"], "score": row["score"]}
        failed = f"[LMMS_EVAL_REQUEST_FAILED after 3 retries] {row['failure']}"
        lines.append(
            {
                "doc_id": number, "target": row["target"], "filtered_resps": [row["response"] or failed],
                "input": row["prompt"], "average": {key: v for key, v in metric.items() if v is not None},
                "token_counts": [{"output_tokens": 16 if row["finish_reason"] == "length" else 9}],
            }
        )  # fmt: skip
    path = folder / "20261122_100000_samples_planted.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    return path


def test_planted_causes_are_found_in_logs(tmp_path: Path) -> None:
    """All but the frames, which lmms-eval doesn't log for each row."""
    load_plugin(Path(__file__).with_name("planted_benchmark.py"))
    pair = planted.planted_pair(11, differing=90, alike=30)
    kept = {id for id in pair.questions if "frames" not in pair.causes.get(id, ())}
    a, b = (
        planted_log(tmp_path, name, [row for row in rows if row["id"] in kept])
        for name, rows in (("ours", pair.a), ("theirs", pair.b))
    )
    write_items(tmp_path / "items.parquet", [planted_item(pair.questions[id]) for id in pair.questions if id in kept])
    result = reconcile(ReconcileConfig(a=a, b=b, benchmark="planted", data=tmp_path))
    assert [side.scored_by for side in result.sides] == ["first", "last"]
    found = {
        item.id: {str(c).replace(" ", "-") for c in item.switches.causes} for item in result.found.items if item.is_net
    }
    expected = {id: set(causes) for id, causes in pair.causes.items() if id in kept}
    assert found.keys() == expected.keys()
    wrong = {id: (expected[id], found[id]) for id in found if found[id] != expected[id]}
    assert len(wrong) <= 0.05 * len(found), wrong
    told = {id for id, causes in found.items() if "unexplained" in causes}
    assert told == {id for id, causes in expected.items() if "unexplained" in causes}
    assert result.found.a + sum(piece.points for piece in result.found.pieces) == result.found.b


def planted_item(question: planted.Question) -> Item:
    return Item(
        id=question.id, question=question.text, kind=question.kind, answer=question.truth, task=question.task,
        options=question.options(),
    )  # fmt: skip


def test_real_logs_of_two_programs(shared_data: Path) -> None:
    logs = shared_data / "interchange"
    if not logs.is_dir():
        pytest.skip(f"no logs at {logs}")
    result = reconcile(
        ReconcileConfig(
            a=next((logs / "lmms-eval-0.7.3").glob("*_samples_mmsi_bench.jsonl")),
            b=next((logs / "vlmevalkit-e8e78f05").glob("*MMSI*_extract_matching.xlsx")),
            benchmark="mmsi-bench",
            data=logs / "inputs" / "mmsi_bench.parquet",
            scorer_b="careful",
        )
    )
    assert (result.found.a, result.found.b) == (25, Fraction(50, 3))
    assert labels(result) == {"parser": 1, "unexplained": 5}
    assert result.found.a + sum(piece.points for piece in result.found.pieces) == result.found.b
