"""A judge behind an endpoint that is also asked about responses that were read: who, how, and what it changes."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from loopback import Server, serving
from terminal import tolman
from tolman.benchmarks.mmsi_bench.mmsi_rows import TASKS
from tolman.item_table import write_items
from tolman.items import Item
from tolman.scoring.judged import digest

RUN = ("run", "./bench", "--model", "scripted/script.jsonl", "--out", "run")
WORDS = ("left", "right", "up", "down")


class Judge(Server):
    """A server that answers by the response that stands in Tolman's prompt, or in the released one of MMSI-Bench."""

    def __init__(self, replies: dict[str, str] | None = None, **options: Any) -> None:
        super().__init__(reply=self.answer_to, **options)
        self.replies = replies or {}
        self.asked: Counter[tuple[str, str]] = Counter()

    def answer_to(self, body: dict[str, Any]) -> str:
        prompt = body["messages"][0]["content"]
        tolmans = re.search(r"<response>\n(.*)\n</response>", prompt, re.DOTALL)
        text = tolmans[1] if tolmans else prompt.rsplit("Answer: ", 1)[-1].removesuffix("\nYour output: ")
        self.asked["tolman" if tolmans else "released", text] += 1
        return self.replies.get(text, text if len(text) == 1 else "Z")


def write_bench(place: Path, texts: list[str], like: str, order: int = 1) -> None:
    """A benchmark with a question for each response, and a model that gives them."""
    folder = place / "bench"
    folder.mkdir(parents=True)
    (folder / "benchmark.json").write_text(json.dumps({"title": "Mine", "like": like}))
    task = TASKS[0] if like == "mmsi-bench" else "route_planning"
    items = [
        Item(
            id=str(i), question=f"Where is lamp {i}?", kind="choice", answer="B", options=WORDS, task=task, scene=str(i)
        )
        for i in range(len(texts))
    ]
    write_items(folder / "items.parquet", items[::order])
    lines = [json.dumps({"id": str(i), "response": text}) + "\n" for i, text in enumerate(texts)]
    (place / "script.jsonl").write_text("".join(lines[::order]))


def judge(url: str, *more: str) -> tuple[str, ...]:
    return ("--judge", "openai/judge", "--judge-base-url", url, "--store", "s.sqlite", *more)


def figures(place: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((place / "run" / "scores.json").read_text())
    return found


def judgements(place: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((place / "run" / "judgements.json").read_text())
    return found


def judged_rows(place: Path) -> list[tuple[Any, ...]]:
    rows = pl.read_parquet(place / "run" / "scores.parquet").filter(pl.col("rule_set") == "judged")
    return rows.select("id", "reading", "score", "judged", "state", "rule").rows()


TEXTS = ["B", "(B)", "hm, who knows", "C", "The answer is D.", "to be seen", "A", "right"]


def test_agreement_is_measured_stored_and_shown_and_scores_nothing(tmp_path: Path) -> None:
    write_bench(tmp_path, TEXTS, "vsi-bench")
    server = Judge({"(B)": "B", "The answer is D.": "A", "right": "Z", "to be seen": "A"})
    with serving(server) as url:
        done = tolman(tmp_path, *RUN, *judge(url, "--judge-sample", "100%"), "--notes")
    assert done.returncode == 0, done.stdout + done.stderr
    assert server.asked == {("tolman", text): 1 for text in TEXTS}
    assert figures(tmp_path)["judge"]["sample"] == {
        "reader": "careful", "seed": 0, "size": "100%", "readable": 6, "sampled": 6, "n": 6, "items": 6, "agreed": 4, "no_answer": 1,
        "failed": 0, "dropped": 0, "disagree": ["4", "7"], "share": pytest.approx(100 * 4 / 6),
        "low": pytest.approx(30.0, abs=0.1), "high": pytest.approx(90.3, abs=0.1),
    }  # fmt: skip
    assert figures(tmp_path)["judge"]["judged"] == 2
    stored = judgements(tmp_path)
    assert [j["id"] for j in stored["judgements"]] == ["2", "5"]
    assert [(j["id"], j["reply"]) for j in stored["sample"]["judgements"]] == [
        ("0", "B"), ("1", "B"), ("3", "C"), ("4", "A"), ("6", "A"), ("7", "Z"),
    ]  # fmt: skip
    sentence = (
        "scripted/script.jsonl: openai/judge agrees with careful on 4 of 6 responses: 66.7 % (30.0–90.3, Wilson 95 %), "
        "1 without an answer for the judge. Sampled: 6 of 6 responses that careful reads, seed 0."
    )
    assert sentence in done.stdout
    assert sentence in (tmp_path / "run" / "report.html").read_text()
    shown = json.loads(tolman(tmp_path, "score", "run", "--json").stdout)
    assert shown["judge_samples"][0]["agreed"] == 4
    # What the judge said of the sample is no score: the same rows as without one.
    with_sample = judged_rows(tmp_path)
    assert with_sample[4][:5] == ("4", "D", 0.0, False, "read")
    assert with_sample[5] == ("5", "A", 0.0, True, "read", "judge")
    with serving(server) as url:
        assert tolman(tmp_path, "score", "run", *judge(url, "--judge-sample", "0")).returncode == 0
    assert judged_rows(tmp_path) == with_sample
    assert "sample" not in figures(tmp_path)["judge"]
    assert judgements(tmp_path)["sample"] is None


def test_scoring_again_needs_no_call_and_gives_the_same_agreement(tmp_path: Path) -> None:
    write_bench(tmp_path, TEXTS, "vsi-bench")
    with serving(Judge()) as url:
        assert tolman(tmp_path, *RUN, *judge(url)).returncode == 0
    before = figures(tmp_path)
    assert before["judge"]["sample"]["sampled"] == 6
    (tmp_path / "s.sqlite").unlink()
    assert tolman(tmp_path, "score", "run").returncode == 0
    assert figures(tmp_path) == before


@pytest.mark.full
def test_fifty_are_drawn_by_the_seed_whatever_the_order(tmp_path: Path) -> None:
    drawn = {}
    for name, order, seed in (("a", 1, "0"), ("b", -1, "0"), ("c", 1, "1")):
        place = tmp_path / name
        write_bench(place, [WORDS[i % 4] for i in range(80)], "vsi-bench", order)
        server = Judge(dict(zip(WORDS, "ABCD", strict=True)))
        with serving(server) as url:
            done = tolman(place, *RUN, "--seed", seed, *judge(url))
        assert done.returncode == 0, done.stdout + done.stderr
        assert server.requests == 50
        sample = judgements(place)["sample"]
        assert (sample["seed"], sample["size"], sample["readable"]) == (int(seed), "50", 80)
        found = figures(place)["judge"]["sample"]
        assert (found["sampled"], found["n"], found["share"]) == (50, 50, 100)
        drawn[name] = {j["id"] for j in sample["judgements"]}
    assert drawn["a"] == drawn["b"] != drawn["c"]


def test_a_benchmarks_own_judging_is_asked_as_before_and_the_sample_in_addition(tmp_path: Path) -> None:
    texts = ["``B``", "to the right", "right", "I can't say"]
    write_bench(tmp_path, texts, "mmsi-bench")
    server = Judge({"``B``": "B", "right": "B", "to the right": "B"})
    with serving(server) as url:
        done = tolman(tmp_path, *RUN, *judge(url))
    assert done.returncode == 0, done.stdout + done.stderr
    released = {text for how, text in server.asked if how == "released"}
    assert released == {"to the right", "right", "I can't say"}  # where the official parser finds no letter
    readable = figures(tmp_path)["judge"]["sample"]["readable"]
    assert {text for how, text in server.asked if how == "tolman"} >= {"``B``", "right"}
    assert server.requests == 3 + readable
    assert figures(tmp_path)["judge"]["judged"] == 3
    assert {row[0]: row[3] for row in judged_rows(tmp_path)} == {"0": False, "1": True, "2": True, "3": True}
    assert figures(tmp_path)["judge"]["sample"]["agreed"] == readable


def test_what_is_asked_in_the_same_words_is_asked_once(tmp_path: Path) -> None:
    write_bench(tmp_path, ["B", "(B)", "The answer is C"], "site")
    server = Judge({"The answer is C": "C", "(B)": "B"})
    with serving(server) as url:
        done = tolman(tmp_path, *RUN, *judge(url))
    assert done.returncode == 0, done.stdout + done.stderr
    assert server.asked == {("tolman", "B"): 1, ("tolman", "(B)"): 1, ("tolman", "The answer is C"): 1}
    stored = judgements(tmp_path)
    assert [j["id"] for j in stored["judgements"]] == ["2"]  # all but a letter alone
    assert [j["id"] for j in stored["sample"]["judgements"]] == ["0", "1", "2"]
    assert figures(tmp_path)["judge"]["sample"]["agreed"] == 3


def test_repeats_with_the_same_text_are_sampled_once(tmp_path: Path) -> None:
    write_bench(tmp_path, ["B"], "vsi-bench")
    lines = [{"id": "0", "response": text, "repeat": i} for i, text in enumerate(["B", "C", "B", "hm, no"])]
    (tmp_path / "script.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    server = Judge()
    with serving(server) as url:
        done = tolman(tmp_path, *RUN, "--repeats", "4", *judge(url))
    assert done.returncode == 0, done.stdout + done.stderr
    assert server.asked == {("tolman", text): 1 for text in ("B", "C", "hm, no")}
    assert [j["response"] for j in judgements(tmp_path)["sample"]["judgements"]] == [digest("B"), digest("C")]
    assert figures(tmp_path)["judge"]["sample"]["agreed"] == 2


def test_failures_of_the_judge_are_counted_and_are_no_agreement(tmp_path: Path) -> None:
    write_bench(tmp_path, ["B", "C", "D"], "vsi-bench")
    server = Judge({"C": "Well, that depends."})
    with serving(server) as url:
        done = tolman(tmp_path, *RUN, *judge(url), "--notes")
    found = figures(tmp_path)["judge"]
    assert (found["sample"]["n"], found["sample"]["agreed"], found["sample"]["failed"]) == (2, 2, 1)
    assert server.asked["tolman", "C"] == 3
    assert (
        "100.0 % (34.2–100.0, Wilson 95 %). Sampled: 3 of 3 responses that careful reads, seed 0; not counted: 1 failed."
        in done.stdout
    )
    assert (done.returncode, found["failed"]) == (0, 0)  # no figure of the table lacks anything


def test_judgements_of_earlier_versions_stay_readable(tmp_path: Path) -> None:
    write_bench(tmp_path, TEXTS, "vsi-bench")
    with serving(Judge()) as url:
        assert tolman(tmp_path, *RUN, *judge(url)).returncode == 0
    rows = judged_rows(tmp_path)
    old = judgements(tmp_path)
    del old["sample"]
    (tmp_path / "run" / "judgements.json").write_text(json.dumps(old))
    done = tolman(tmp_path, "score", "run")
    assert done.returncode == 0, done.stderr
    assert judged_rows(tmp_path) == rows
    assert "agrees with" not in done.stdout


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--judge-sample", "5"), "--judge-sample without a judge; name it with --judge."),
        (("--judge", "openai/x", "--judge-sample", "half"), "--judge-sample takes a number such as 50 or a share such as 5%, not 'half'."),
    ],
)  # fmt: skip
def test_a_wrong_size_is_told_before_the_first_question(
    tmp_path: Path, arguments: tuple[str, ...], sentence: str
) -> None:
    write_bench(tmp_path, ["B"], "vsi-bench")
    done = tolman(tmp_path, *RUN, *arguments)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert not (tmp_path / "run").exists()
