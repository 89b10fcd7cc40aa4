"""Open answers that only a judge can score: no figure, metric, reward or reconciliation counts them as wrong."""

import json
from pathlib import Path

import pytest

import tolman
from released_rows import blink
from tolman import benchmarks
from tolman.analyze.labels import cut, label_frame
from tolman.errors import UsageError
from tolman.features.compare.compute import compare
from tolman.features.compare.config import CompareConfig, ReconcileConfig
from tolman.features.compare.reconcile_runs import reconcile
from tolman.features.compare.reconciled_sides import rules_of, side_of_outcomes
from tolman.item_table import write_items
from tolman.items import Item
from tolman.responses import Response
from tolman.runs.rescore import score_outcomes
from tolman.runs.run_folder import RunFolder
from tolman.runs.run_items import Loaded, load
from tolman.runs.run_scoring import judged_rules, score_run
from tolman.scoring.answer_values import ParsedAnswer
from tolman.scoring.further_figures import WITHHELD, further_figures, withheld_in
from tolman.scoring.judged import BY_ITSELF, EXTRACTION, Judgement, Judgements, digest, read_reply, same_answer
from tolman.scoring.metrics import metrics_named
from tolman.scoring.run_differences import further_differences
from tolman.scoring.score_items import expected_scores, score

OPENEQA, SQA3D = benchmarks.get("openeqa"), benchmarks.get("sqa3d")
EXTRACT = Path(__file__).resolve().parents[1] / "extracts" / "openeqa_predictions.jsonl"


def question(answer: str, id: str = "1", task: str = "object recognition") -> Item:
    return Item(id=id, question="What is behind me?", kind="text", answer=answer, task=task, scene=id)


MOSTLY_WORDS = [question("yes", "0"), *(question("books", str(i)) for i in range(1, 4))]
SAID = [Response(id=item.id, response="yes" if item.answer == "yes" else "a few books") for item in MOSTLY_WORDS]


@pytest.fixture
def loaded(tmp_path: Path) -> Loaded:
    rows = [json.loads(line) for line in EXTRACT.read_text(encoding="utf-8").splitlines()]
    (tmp_path / "open-eqa-v0.json").write_text(json.dumps(rows))
    return load("openeqa", tmp_path, None)


def scored(loaded: Loaded, text: str, out: Path) -> Path:
    said = [Response(id=item.id, response=text) for item in loaded.items]
    name = loaded.benchmark.name
    score_outcomes(loaded, said, benchmark=name, model="m", model_settings={"imported": "x"}, out=out)
    return out


def test_a_reward_that_only_a_judge_can_give_is_refused() -> None:
    assert tolman.reward(question("yes"), "Yes.", benchmark="openeqa") == 1.0
    with pytest.raises(UsageError, match="only a judge can score"):
        tolman.reward(question("books"), "Books", benchmark="openeqa")


def test_an_unread_answer_has_no_score_in_a_reconciliation() -> None:
    rules = OPENEQA.rule_set("careful")
    side = side_of_outcomes("m", SAID, MOSTLY_WORDS, rules).side
    assert [one.score for one in side.records.values()] == [1, None, None, None]
    again = rules_of(rules, {item.id: item for item in MOSTLY_WORDS}, {})
    assert again.read is not None
    assert again.score is not None
    assert again.score("1", again.read("1", "a few books"), "books") is None


def test_a_withheld_figure_is_not_reconciled(tmp_path: Path, loaded: Loaded) -> None:
    one, other = (scored(loaded, text, tmp_path / text) for text in ("books", "shelves"))
    with pytest.raises(UsageError, match="only a judge can score most answers"):
        reconcile(ReconcileConfig(a=one, b=other))


def test_an_expected_score_without_a_judge_is_none_and_withheld() -> None:
    answers = {item.id: [("yes", 0.5), ("books", 0.5)] for item in MOSTLY_WORDS}
    rows = expected_scores(MOSTLY_WORDS, answers, [OPENEQA.rule_set("careful")])
    assert rows["status"].to_list() == ["unjudged"] * 4
    assert rows["score"].to_list() == [None] * 4
    assert "overall" in withheld_in(rows, OPENEQA.table_of("careful"))


def test_a_random_answerer_has_no_total_of_open_answers(tmp_path: Path, loaded: Loaded) -> None:
    done = tolman.evaluate("openeqa", "baseline/random", data=tmp_path, out=tmp_path / "run")
    cell = done.scores.to_dict()["rule_sets"]["careful"]["expectation_cells"]["overall"]
    assert (cell["value"], cell["reason"]) == (None, WITHHELD)


def test_cells_by_labels_are_withheld_where_most_is_unjudged() -> None:
    items = [*MOSTLY_WORDS, question("no", "9", "world knowledge")]
    rows = score(items, [*SAID, Response(id="9", response="no")], [OPENEQA.rule_set("careful")])
    found = cut(rows, label_frame(items, ["task"]), ["task"], OPENEQA.table_of("careful"))
    cells = {key: one.cells["overall"] for key, one in found.cells.items()}
    assert cells["object recognition",].value is None
    assert cells["object recognition",].reason == WITHHELD
    assert cells["world knowledge",].value == 100
    assert found.cells["object recognition",].unread["overall"].unjudged == 3


def test_scores_by_a_label_are_withheld_where_most_is_unjudged(tmp_path: Path, loaded: Loaded) -> None:
    found = tolman.open_run(scored(loaded, "yes", tmp_path / "run")).scores.by("source")
    values = found.filter(found["column"] == "overall")["value"]
    assert values.null_count() == len(values) > 0


def test_metrics_and_their_differences_are_withheld_where_most_is_unjudged() -> None:
    metrics = metrics_named(["text-match"])
    rows = score(MOSTLY_WORDS, SAID, [OPENEQA.rule_set("careful")], metrics=metrics)
    for figures in further_figures(rows, metrics).values():
        assert {cell.value for cell in figures.values()} == {None}
    assert further_differences(rows, rows, metrics) == {}


def judgements(source: str, reply: str, *, by_itself: bool = False) -> Judgements:
    found = tuple(Judgement(id=one.id, response=digest(one.response), reply=reply) for one in SAID)
    return Judgements(judge="m", by_itself=by_itself, source=source, tolman="0", judgements=found)


def test_no_further_metric_takes_a_mark_for_an_answer() -> None:
    metrics = metrics_named(["text-match"])
    rules = judged_rules(OPENEQA, judgements(OPENEQA.judging.source, "5"))
    rows = score(MOSTLY_WORDS, SAID, [rules], metrics=metrics)
    assert rows["score"].to_list() == [1.0] * 4
    assert further_figures(rows, metrics) == {}


def test_judgements_under_another_judging_are_not_used() -> None:
    rows = score(MOSTLY_WORDS, SAID, [judged_rules(OPENEQA, judgements(EXTRACTION.source, "2"))])
    assert set(rows["status"]) == {"unjudged"}
    assert set(rows["note"]) == {"judged under other rules; judge again with --judge"}
    own = judged_rules(SQA3D, judgements(BY_ITSELF.source, "yes", by_itself=True))
    assert own.read(question("yes"), "a few books", 0).value == "yes"


def judged_run(folder: Path, items: list[Item], judge: str) -> Path:
    run = RunFolder(folder)
    found = tuple(Judgement(id=item.id, response=digest("a few books"), reply="5") for item in items)
    run.write_judgements(Judgements(judge=judge, source=OPENEQA.judging.source, tolman="0", judgements=found))
    score_run(run, OPENEQA, run.record(), run.items(), run.outcomes())
    return folder


def test_the_headline_is_that_of_the_scorer_that_the_tables_quote(tmp_path: Path, loaded: Loaded) -> None:
    found = tolman.open_run(judged_run(scored(loaded, "a few books", tmp_path / "run"), loaded.items, "m")).scores
    assert found.scorers[0] == "judged"
    assert found.headline.value == 100
    quoted_rows = found.table().filter("headline")
    assert quoted_rows["scorer"].to_list() == ["judged"]


def test_runs_that_different_judges_read_are_compared_with_a_warning(tmp_path: Path, loaded: Loaded) -> None:
    folders = [scored(loaded, "a few books", tmp_path / name) for name in "abc"]
    one, same, other = (judged_run(*parts) for parts in zip(folders, [loaded.items] * 3, "mmn", strict=True))
    assert not any("JUDGES" in said for said in compare(CompareConfig(a=one, b=(same,))).warnings)
    (said,) = [said for said in compare(CompareConfig(a=one, b=(other,))).warnings if "JUDGES" in said]
    assert "by m" in said
    assert "by n" in said


def test_the_runs_own_judge_brings_no_withheld_total_back(tmp_path: Path) -> None:
    blink(tmp_path)
    opened = load("blink", tmp_path, None)
    folder, headline = RunFolder(scored(opened, "who knows", tmp_path / "run")), opened.benchmark.table.headline
    found = tuple(Judgement(id=item.id, response=digest("who knows"), reply="A") for item in opened.items)
    folder.write_judgements(
        Judgements(judge="m", by_itself=True, source=BY_ITSELF.source, tolman="0", judgements=found)
    )
    figures = score_run(folder, opened.benchmark, folder.record(), folder.items(), folder.outcomes())
    assert figures["rule_sets"]["official"]["cells"][headline]["reason"] == WITHHELD
    assert figures["rule_sets"]["judged"]["cells"][headline]["value"] is not None


@pytest.mark.parametrize(
    ("answer", "reply", "value"),
    [("yes", "Yes.", "yes"), ("yes", "The answer is yes", "yes"), ("two", "Two", "2"), ("tv", "tv", "tv")],
)
def test_a_judges_reply_is_read_as_careful_reads(answer: str, reply: str, value: str) -> None:
    found = read_reply(question(answer), reply)
    assert found is not None
    assert found.value == value


@pytest.mark.parametrize("reply", ["", "I cannot tell you more than that", "It is a television."])
def test_a_reply_that_careful_cannot_read_is_asked_for_again(reply: str) -> None:
    assert read_reply(question("tv"), reply) is None


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("yes", "Yes", True), ("no", "No.", True), ("a tv", "tv", True), ("TV", "tv", True), ("2", "Two", True),
        ("yes", "no", False), ("A", "B", False), ("A, B", "B", False), ("[-1, 2]", "[1, 2]", False),
    ],
)  # fmt: skip
def test_texts_agree_that_are_normalised_alike(one: str, other: str, same: bool) -> None:
    assert same_answer(ParsedAnswer(one), ParsedAnswer(other)) is same


@pytest.mark.parametrize(
    ("answer", "text", "value"),
    [
        ("yes", "The door is open.", None), ("tv", "It is a TV.", None), ("yes", "open", None), ("two", "a couple", None),
        ("tv", "A man stands there.", None), ("tv", "tv", "tv"), ("tv", "TV.", "TV"), ("yes", "Yes.", "yes"),
    ],
)  # fmt: skip
def test_a_short_sentence_is_left_to_a_judge(answer: str, text: str, value: str | None) -> None:
    found = SQA3D.rule_set("careful").read(question(answer), text, 0)
    assert found.failed is (value is None)
    assert str(found.value or "").rstrip(".") == (value or "")


def test_a_function_judges_itself(tmp_path: Path) -> None:
    (tmp_path / "bench").mkdir()
    (tmp_path / "bench" / "benchmark.json").write_text(json.dumps({"title": "Mine", "like": "sqa3d"}))
    write_items(tmp_path / "bench" / "items.parquet", [question("yes", str(i), "what") for i in range(4)])

    def model(messages: object) -> str:
        return "yes" if "Your reply:" in str(messages) else "The door is open, as far as can be seen"

    done = tolman.evaluate(str(tmp_path / "bench"), model, out=tmp_path / "run", judge="self")
    assert (done.scores.to_dict()["judge"]["judged"], done.scores.to_dict()["judge"]["failed"]) == (4, 0)
