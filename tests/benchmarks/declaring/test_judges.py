"""A scorer's judge in a data file: whom it names, what it is told, how its reply is read, and what is unread without it."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from loopback import Server, serving
from released_rows import blink
from terminal import tolman
from tolman import benchmarks
from tolman.benchmarks.declaring import declared_benchmark
from tolman.errors import InputError
from tolman.items import Item
from tolman.responses import Response
from tolman.runs.judging import plan_judging
from tolman.scoring.judge_sample import SampleSize
from tolman.scoring.judged import Judgement, digest, judged
from tolman.scoring.score_items import score

BLINK = benchmarks.get("blink")
ITEM = Item(
    id="1", question="Which one is it?", kind="choice", options=("left {one}", "right"), answer="B", task="Counting"
)

FILE = """
title = "Mine"
files = ["mine.jsonl"]
[columns]
question = "q"
answer = "a"
[prompts.plain]
source = "here"
text = "{question}"
[scorers.official]
reader = "easi"
[scorers.official.judge]
source = "our judge"
model = "a-model"
prompt = "{question} {options} {response}"
[scorers.other]
reader = "easi"
"""


def test_blinks_judge_is_told_what_the_authors_tell_theirs() -> None:
    told = BLINK.judging.prompt(ITEM, "It is {question} left.")
    assert told.endswith(
        "Example 4: \nQuestion: Which one is it?\nSelect from the following choices?\nOptions: (A) left {one}\n"
        "(B) right\n(Z) Failed\nAnswer: It is {question} left.\nYour output: "
    )
    # The released build_prompt gives a text of this hash for the same question and response.
    made = "3220a62fde8b4f968ffe13502ad6133f48d612de3bdc5f81d1a9260af723b585"
    assert hashlib.sha256(told.encode()).hexdigest() == made


def test_blinks_judge_is_named_and_asked_where_the_authors_parser_reads_nothing() -> None:
    assert BLINK.judging.model == "gpt-3.5-turbo"
    assert BLINK.judging.source.endswith("where 'official' reads nothing; the released code asks gpt-3.5-turbo")
    texts = ["(B)", "B", "B.", "It is the right one", "(A) or (B)"]
    items = [ITEM.model_copy(update={"id": str(number)}) for number in range(len(texts))]
    said = [Response(id=item.id, response=text) for item, text in zip(items, texts, strict=True)]
    plan = plan_judging(BLINK, items, said, SampleSize(), 0)
    assert [job.text for job in plan.judged.values()] == texts[2:]
    rows = score(items, said, [BLINK.rule_set("official")])
    assert rows["state"].to_list() == ["read", "read", "none", "none", "none"]
    assert rows["note"].to_list()[2:] == ["left to a model by the released code"] * 3


@pytest.mark.parametrize(
    ("reply", "letter"), [("(B)", "B"), ("(E)", "E"), ("(Z)", None), ("B", None), ("(B) right", None), (" (B)", None)]
)
def test_only_a_letter_in_parentheses_alone_is_an_answer_of_blinks_judge(reply: str, letter: str | None) -> None:
    found = BLINK.judging.read(ITEM, reply)
    assert found is not None, "it would be asked again, which the released code doesn't do"
    assert found.value == letter


def test_what_the_judge_says_is_scored_and_what_it_was_not_asked_is_not() -> None:
    texts = ["(B)", "It is the right one", "It is the left one", "who knows"]
    items = [ITEM.model_copy(update={"id": str(number)}) for number in range(len(texts))]
    said = [Response(id=item.id, response=text) for item, text in zip(items, texts, strict=True)]
    replies = {"1": "(B)", "2": "(B) right"}
    found = {
        (key, digest(texts[int(key)])): Judgement(id=key, response=digest(texts[int(key)]), reply=reply)
        for key, reply in replies.items()
    }
    rows = score(items, said, [judged(BLINK.judging, BLINK.rule_set("official"), found)])
    assert rows["status"].to_list() == ["scored", "scored", "scored", "unjudged"]
    assert rows["score"].to_list() == [1, 1, 0, None]
    assert rows["judged"].to_list() == [False, True, True, False]


def made(place: Path, text: str) -> Path:
    path = place / "mine.toml"
    path.write_text(text)
    return path


def test_replies_are_read_as_those_of_any_judge_where_no_form_is_named(tmp_path: Path) -> None:
    judging = declared_benchmark(str(made(tmp_path, FILE))).judging
    found = judging.read(ITEM, "The answer is B")
    assert found is not None
    assert found.value == "B"
    assert judging.read(ITEM, "I would not know") is None
    assert judging.prompt(ITEM, "hm") == "Which one is it? A. left {one}\nB. right hm"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("{response}", "{reponse}", r"the judge's prompt has the placeholder \{reponse\}; did you mean 'response'"),
        ('model = "a-model"', 'model = "a-model"\nreply = "("', "is no regular expression"),
        ('model = "a-model"', 'model = "a-model"\nreply = "[A-D]"', "has no group; put the answer into parentheses"),
        (
            "[scorers.other]", '[scorers.other]\njudge = { source = "x", model = "y", prompt = "{response}" }',
            "the scorers 'official' and 'other' have a judge each",
        ),
    ],
)  # fmt: skip
def test_a_mistake_is_one_sentence(tmp_path: Path, old: str, new: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        declared_benchmark(str(made(tmp_path, FILE.replace(old, new))))


@pytest.mark.full
def test_a_file_of_responses_is_unread_without_a_judge_and_judged_with_one(tmp_path: Path) -> None:
    blink(tmp_path)
    said = {"val_Counting_1": "(B)", "val_Counting_2": "It is option two.", "val_Jigsaw_1": "The second",
            "val_Multi-view_Reasoning_1": "(B)", "val_Multi-view_Reasoning_2": "(A)"}  # fmt: skip
    rows = [json.dumps({"id": key, "response": text}) for key, text in said.items()]
    (tmp_path / "answers.jsonl").write_text("\n".join(rows))
    command = ("score", "answers.jsonl", "--benchmark", "blink", "--data", ".")
    alone = tolman(tmp_path, *command, "--out", "alone", code=0)
    told = " ".join(alone.stdout.split())
    assert "official: 40.0 % of 5 answers could not be read" in told
    assert "the released code asks gpt-3.5-turbo about them: see --judge" in told
    replies = {"It is option two.": "(C)", "The second": "(B) option 1"}

    def reply(body: dict[str, Any]) -> str:
        prompt = body["messages"][0]["content"]
        return replies[prompt.rsplit("Answer: ", 1)[-1].removesuffix("\nYour output: ")]

    with serving(Server(reply=reply)) as url:
        judge = ("--judge", "openai/judge", "--judge-base-url", url, "--judge-sample", "0", "--store", "s.sqlite")
        tolman(tmp_path, *command, "--out", "judged", *judge, code=0)
    figures = json.loads((tmp_path / "judged" / "scores.json").read_text())
    tasks = {key: figures["rule_sets"]["judged"]["cells"][key]["value"] for key in ("counting", "jigsaw")}
    assert tasks == {"counting": 100, "jigsaw": 0}  # "(B) option 1" is not the form that the authors compare
    assert figures["judge"]["source"].endswith("the released code asks gpt-3.5-turbo")


def scored(place: Path, said: dict[str, str], name: str) -> tuple[str, dict[str, Any]]:
    """Score a file of responses to BLINK; what is printed, and the figures."""
    rows = [json.dumps({"id": key, "response": text}) for key, text in said.items()]
    (place / f"{name}.jsonl").write_text("\n".join(rows))
    done = tolman(place, "score", f"{name}.jsonl", "--benchmark", "blink", "--data", ".", "--out", name, code=0)
    return done.stdout, json.loads((place / name / "scores.json").read_text())


def test_no_figure_is_printed_of_which_more_than_half_is_left_to_the_judge(tmp_path: Path) -> None:
    blink(tmp_path)
    ids = (
        "val_Counting_1",
        "val_Counting_2",
        "val_Jigsaw_1",
        "val_Multi-view_Reasoning_1",
        "val_Multi-view_Reasoning_2",
    )
    said = dict(zip(ids, ("(B)", "It is option two.", "The second", "who knows", "(A)"), strict=True))
    printed, figures = scored(tmp_path, said, "most")
    headline = BLINK.table.headline
    official, careful = (figures["rule_sets"][name]["cells"][headline] for name in ("official", "careful"))
    assert (official["value"], official["interval"]) == (None, None)
    assert "only a judge can score them" in official["reason"]
    assert careful["value"] is not None
    assert "official: no " in printed
    assert "60.0 % of 5 answers are unread, and only a judge can score them; the released code asks gpt" in printed
    printed, figures = scored(tmp_path, said | {ids[1]: "(B)"}, "less")
    assert figures["rule_sets"]["official"]["cells"][headline]["value"] is not None
    assert "40.0 % of 5 answers could not be read" in printed
    done = tolman(tmp_path, "compare", "most", "less", "--json", code=0)
    compared = json.loads(done.stdout)
    assert compared["rules"] != "official"  # whose headline one of them lacks
    done = tolman(tmp_path, "compare", "most", "less", "--rules", "official", "--json", code=0)
    assert headline not in json.loads(done.stdout)["comparisons"][0]["columns"]
