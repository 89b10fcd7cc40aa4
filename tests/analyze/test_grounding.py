"""Grounded accuracy: planted models are recovered, and each loss has its reason."""

import json
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tolman
from tolman import benchmarks
from tolman.analyze.grounding import ALL, LOSSES, TWIN, GroundingVerdict, judge, summarise
from tolman.errors import UsageError
from tolman.features.analyses import to_plain
from tolman.features.analyses.config import GroundingConfig
from tolman.features.analyses.run_analyses import analyze_grounding
from tolman.items import CANT_TELL, Item
from tolman.models.model import CallError, Request
from tolman.protocols.captions_and_examples import EVIDENCE, WITHOUT
from tolman.reports.analysis_results import show_grounding
from tolman.responses import FailureKind, Response

PLANTED = runpy.run_path(str(Path(__file__).resolve().parents[2] / "benchmarks" / "grounding.py"))
RULES = benchmarks.get("vsi-bench").rule_set("careful")
GIVEN_UP = ("E", "can't tell", "I can't tell from these frames.", "That cannot be determined.")


@pytest.mark.parametrize(
    ("answers", "loss"),
    [
        ({ALL: "A", EVIDENCE: "A", WITHOUT: "E", TWIN: "B"}, None),
        *(({ALL: "(A)", WITHOUT: text}, None) for text in GIVEN_UP),
        ({ALL: "A", TWIN: "C"}, None),
        ({ALL: "A", TWIN: "E"}, None),
        ({ALL: "A", EVIDENCE: "A", WITHOUT: "A", TWIN: "A"}, "didn't look"),
        ({ALL: "E", EVIDENCE: "E", WITHOUT: "can't tell", TWIN: "E"}, "didn't look"),
        ({ALL: "B", EVIDENCE: "B", WITHOUT: "B. table"}, "didn't look"),
        ({ALL: "A", TWIN: "A. chair"}, "didn't look"),
        ({ALL: "A", EVIDENCE: "A", WITHOUT: "A", TWIN: "B"}, "prior knowledge"),
        ({ALL: "B", EVIDENCE: "A", WITHOUT: "B", TWIN: "B"}, "prior knowledge"),
        ({ALL: "B", EVIDENCE: "B", WITHOUT: "E", TWIN: "A"}, "misjudged"),
        ({ALL: "A", EVIDENCE: "B", WITHOUT: "E", TWIN: "C"}, "misjudged"),
        ({ALL: "A", EVIDENCE: "A", WITHOUT: "C", TWIN: "C"}, "misjudged"),
        ({ALL: "A", EVIDENCE: "A", WITHOUT: "E", TWIN: "A"}, "misjudged"),
        ({ALL: "A", EVIDENCE: "A", WITHOUT: "Let me look.", TWIN: "B"}, "unread"),
        ({ALL: "A", EVIDENCE: "", WITHOUT: "A", TWIN: "A"}, "unread"),
    ],
)
def test_each_choice_has_one_loss_or_none(
    answers: dict[str, str], loss: str | None, choice: Callable[..., Item]
) -> None:
    found = judge(choice("chair", "table", "sofa", "lamp", CANT_TELL), answers, RULES)
    assert found.loss == loss
    assert found.met[ALL] == (answers[ALL] in ("A", "(A)"))
    assert list(found.met) == list(answers)
    assert (loss is None) == all(found.met.values())


@pytest.mark.parametrize(
    ("answers", "loss"),
    [
        ({ALL: "2", EVIDENCE: "2.2", WITHOUT: "can't tell", TWIN: "4"}, None),
        ({ALL: "2", EVIDENCE: "2", WITHOUT: "2 m", TWIN: "4"}, "prior knowledge"),
        ({ALL: "2", EVIDENCE: "2", WITHOUT: "2.05", TWIN: "2.0"}, "didn't look"),
        ({ALL: "2", EVIDENCE: "5", WITHOUT: "unknown", TWIN: "4"}, "misjudged"),
        ({ALL: "2", EVIDENCE: "2", WITHOUT: "hm", TWIN: "4"}, "unread"),
    ],
)
def test_numbers_are_the_same_within_the_margin_of_agreement(
    answers: dict[str, str], loss: str | None, number: Callable[..., Item]
) -> None:
    assert judge(number("2", "m"), answers, RULES).loss == loss


@pytest.mark.parametrize(
    ("kind", "answers"),
    [
        ("text", ("red sofa", "Blue lamp")),
        ("yes-no", ("yes", "No.")),
        ("order", ('["a", "b", "c"]', "b, a, c")),
        ("set", ('["a", "b"]', "a, c")),
        ("points", ('{"points": [[0.1, 0.2]], "within": 0.05}', '{"points": [[0.8, 0.9]]}')),
        ("boxes", ('{"boxes": [[0.1, 0.2, 0.3, 0.4]]}', '{"boxes": [[0.5, 0.5, 0.6, 0.6]]}')),
    ],
)
def test_every_kind_of_answer_can_be_given_up(kind: str, answers: tuple[str, str]) -> None:
    right, wrong = answers
    picture = {"kind": "image", "path": "a.jpg"}
    options = ("a", "b", "c") if kind in ("order", "set") else ()
    fields = {"id": "1", "question": "Which?", "kind": kind, "answer": right, "options": options, "task": "t"}
    item = Item.model_validate({**fields, "media": [picture]})
    for text in ("Can’t tell.", "I can't tell.", *(["Answer: can't tell"] if kind == "text" else [])):
        given_up = judge(item, {ALL: wrong, EVIDENCE: right, WITHOUT: text}, RULES)
        assert given_up.loss == "misjudged"
        assert given_up.met[WITHOUT], text
    assert judge(item, {ALL: wrong, EVIDENCE: right, WITHOUT: wrong}, RULES).loss == "prior knowledge"
    assert judge(item, {ALL: wrong, EVIDENCE: wrong, WITHOUT: wrong}, RULES).loss == "didn't look"


def test_the_score_from_which_a_number_is_right_is_the_users(number: Callable[..., Item]) -> None:
    answers = {ALL: "2.2", WITHOUT: "can't tell"}
    assert judge(number("2", "m"), answers, RULES, right_from=0.8).met[ALL]
    assert not judge(number("2", "m"), answers, RULES, right_from=0.9).met[ALL]


def test_repeats_count_as_one_item_and_shares_are_whole() -> None:
    verdicts = [
        GroundingVerdict(f"{i}", "ab"[i % 2], f"s{i // 2}", {ALL: True, WITHOUT if i % 2 else TWIN: i < 10}, loss)
        for i in range(40)
        for loss in (None, LOSSES[i % 4])
    ]
    found = summarise(verdicts, untested=3, unanswered=2)
    assert found.together.items == 40
    shares = {name: one and (one.value, one.n) for name, one in found.together.conditions.items()}
    assert shares == {ALL: (100, 80), EVIDENCE: None, WITHOUT: (25, 40), TWIN: (25, 40)}
    assert found.together.grounded.value == 50
    assert found.together.grounded.interval is not None
    assert found.together.grounded.value + sum(one.value for one in found.together.losses.values()) == pytest.approx(
        100
    )
    assert {task: own.items for task, own in found.tasks.items()} == {"a": 20, "b": 20}
    assert found.ungrounded["didn't look"] == sorted(str(i) for i in range(0, 40, 4))


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
def test_planted_grounding_is_recovered(share: float, tmp_path: Path) -> None:
    items = PLANTED["made_items"](40)
    model = PLANTED["Planted"](items, share, 1)
    found = PLANTED["measure"](items, model, tmp_path / "run")
    fates = list(model.fates.values())
    assert abs(100 * fates.count("grounded") / len(fates) - 100 * share) < 12  # what was drawn
    for loss in LOSSES:
        assert found.together.losses[loss].value == pytest.approx(100 * fates.count(loss) / len(fates))
    assert found.together.grounded.value == pytest.approx(100 * fates.count("grounded") / len(fates))
    counts = {name: one.n for name, one in found.together.conditions.items()}
    assert counts == {ALL: 160, EVIDENCE: 128, WITHOUT: 128, TWIN: 160}


def test_a_model_that_reads_the_text_alone_has_none(tmp_path: Path) -> None:
    items = PLANTED["made_items"](8)
    found = PLANTED["measure"](items, PLANTED["Planted"](items, None, 1), tmp_path / "run").together
    assert found.conditions[ALL].value == 25
    assert found.grounded.value == 0
    assert found.losses["didn't look"].value == 100


class Failing:
    """A model that answers all but one item, and that one's twin can't be compared."""

    name, settings, remote, concurrency = "failing/model", {"version": 1}, False, 1

    async def answer(self, request: Request) -> Response:
        if request.item.id == "1-0":
            raise CallError(FailureKind.SERVER, "down", retry=False)
        return Response(id=request.item.id, response="A", repeat=request.repeat)

    async def close(self) -> None:
        pass


def test_failures_are_no_answers_and_are_told_of(tmp_path: Path) -> None:
    items = [item for item in PLANTED["made_items"](2) if item.kind == "choice"]
    items.append(items[0].model_copy(update={"id": "alone", "question": "?", "evidence": {}}))
    tolman.evaluate(items, Failing(), protocol="grounded", frames=8, out=tmp_path / "run")
    result = analyze_grounding(GroundingConfig(runs=(tmp_path / "run",)))
    (found,) = result.runs.values()
    assert (found.together.items, found.unanswered, found.untested) == (2, 2, 1)
    shown = " ".join(map(str, show_grounding(result)))
    assert "2 askings without an answer are left out" in shown
    assert "1 item is in no figure: it has neither" in shown
    assert json.loads(json.dumps(to_plain(result)))["right_from"] == 0.5


def test_other_runs_are_refused(tmp_path: Path, choice: Callable[..., Item]) -> None:
    def says(messages: Any) -> str:
        return "A"

    tolman.evaluate([choice(), choice(id="2")], says, out=tmp_path / "direct")
    with pytest.raises(UsageError, match=r"showed each item in one way; run it with --protocol grounded\."):
        analyze_grounding(GroundingConfig(runs=(tmp_path / "direct",)))
