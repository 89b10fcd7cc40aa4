"""A judge behind an endpoint that is also asked about responses that were read: who, how, and what it changes."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from loopback import serving
from runs.judges import RUN, WORDS, Judge, figures, judgements, write_bench, write_script
from terminal import refused, tolman
from tolman.scoring.judged import digest


def judge(url: str, *more: str) -> tuple[str, ...]:
    return ("--judge", "openai/judge", "--judge-base-url", url, "--store", "s.sqlite", *more)


def judged_rows(place: Path) -> list[tuple[Any, ...]]:
    rows = pl.read_parquet(place / "run" / "scores.parquet").filter(pl.col("rule_set") == "judged")
    return rows.select("id", "reading", "score", "judged", "state", "rule").rows()


TEXTS = ["B", "(B)", "hm, who knows", "C", "The answer is D.", "to be seen", "A", "right"]


def test_agreement_is_measured_stored_and_shown_and_scores_nothing(tmp_path: Path) -> None:
    write_bench(tmp_path, TEXTS, "vsi-bench")
    server = Judge({"(B)": "B", "The answer is D.": "A", "right": "Z", "to be seen": "A"})
    with serving(server) as url:
        done = tolman(tmp_path, *RUN, *judge(url, "--judge-sample", "100%"), "--notes", code=0)
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
            tolman(place, *RUN, "--seed", seed, *judge(url), code=0)
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
        tolman(tmp_path, *RUN, *judge(url), code=0)
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
        tolman(tmp_path, *RUN, *judge(url), code=0)
    assert server.asked == {("tolman", "B"): 1, ("tolman", "(B)"): 1, ("tolman", "The answer is C"): 1}
    stored = judgements(tmp_path)
    assert [j["id"] for j in stored["judgements"]] == ["2"]  # all but a letter alone
    assert [j["id"] for j in stored["sample"]["judgements"]] == ["0", "1", "2"]
    assert figures(tmp_path)["judge"]["sample"]["agreed"] == 3


def test_repeats_with_the_same_text_are_sampled_once(tmp_path: Path) -> None:
    write_bench(tmp_path, ["B"], "vsi-bench")
    write_script(tmp_path, [{"id": "0", "response": t, "repeat": i} for i, t in enumerate(["B", "C", "B", "hm, no"])])
    server = Judge()
    with serving(server) as url:
        tolman(tmp_path, *RUN, "--repeats", "4", *judge(url), code=0)
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
    done = tolman(tmp_path, "score", "run", code=0)
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
    assert sentence in refused(tmp_path, *RUN, *arguments)
    assert not (tmp_path / "run").exists()
