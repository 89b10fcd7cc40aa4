"""`--judge self`: the run's own model reads its responses where the careful parser reads nothing."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from loopback import Server, serving
from runs.judges import figures, write_bench
from terminal import refused, tolman

TEXTS = ("B", "hm, to be seen", "The answer is B.", "(B)", "Answer: B", "B.", "nothing to go by", "B")
"""What the model answers to each question; the right answer is B. The second and the seventh can't be read."""


class Reader(Server):
    """A model that answers by the question's number, and that reads responses as it is told here.

    Args:
        texts: its answers.
        readings: response → what it reads; the last letter of a response where it isn't named.
    """

    def __init__(self, texts: tuple[str, ...], readings: dict[str, str]) -> None:
        super().__init__(reply=self.say)
        self.texts, self.readings = texts, readings
        self.read: Counter[str] = Counter()

    def say(self, body: dict[str, Any]) -> str:
        prompt = body["messages"][0]["content"]
        prompt = prompt if isinstance(prompt, str) else " ".join(part.get("text", "") for part in prompt)
        response = re.search(r"<response>\n(.*)\n</response>", prompt, re.DOTALL)
        if response is None:
            found = re.search(r"Where is lamp (\d+)\?", prompt)
            assert found is not None
            return self.texts[int(found[1])]
        self.read[response[1]] += 1
        letters = re.findall(r"\b[ABCD]\b", response[1])
        return self.readings.get(response[1], letters[-1] if letters else "Z")


def run(place: Path, url: str, *more: str) -> Any:
    command = ("run", "./bench", "--model", "openai/my-model", "--base-url", url, "--out", "run", "--judge", "self")
    return tolman(place, *command, "--store", "s.sqlite", "--notes", *more)


def test_the_model_reads_what_the_rules_cannot_and_nothing_else_is_scored(tmp_path: Path) -> None:
    write_bench(tmp_path, TEXTS, "vsi-bench")
    server = Reader(TEXTS, {"hm, to be seen": "B", "nothing to go by": "Z", "B": "A"})
    with serving(server) as url:
        done = run(tmp_path, url)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = pl.read_parquet(tmp_path / "run" / "scores.parquet").filter(pl.col("rule_set") == "judged")
    assert rows.filter(pl.col("judged"))["id"].to_list() == ["1", "6"]
    # It reads "B" as A, in the sample: the reading that the rules are sure of stands.
    assert rows["reading"].to_list() == ["B", "B", "B", "B", "B", "B", "", "B"]
    assert rows["state"].to_list() == ["read"] * 6 + ["none", "read"]
    found = figures(tmp_path)["judge"]
    assert (found["model"], found["by_itself"], found["judged"], found["no_answer"]) == ("openai/my-model", True, 2, 1)
    assert found["input_tokens"] > 0
    assert "openai/my-model itself read 2 of 8 responses, 1 of them as no answer" in done.stdout
    # Asked once for each text of an item, about text alone, and without the right answer.
    assert sum(server.read.values()) == 8
    told = [body for body in server.bodies if "<response>" in str(body)]
    assert all(isinstance(body["messages"][0]["content"], str) and len(body["messages"]) == 1 for body in told)
    other = {"hm, to be seen"}
    (prompt,) = {body["messages"][0]["content"] for body in told if any(text in str(body) for text in other)}
    assert "Question: Where is lamp 1?" in prompt
    assert "right answer" not in prompt


def test_its_prompt_and_how_often_it_agrees_stand_beside_the_score(tmp_path: Path) -> None:
    write_bench(tmp_path, TEXTS, "vsi-bench")
    with serving(Reader(TEXTS, {"hm, to be seen": "B"})) as url:
        done = run(tmp_path, url)
        again = run(tmp_path, url)
    assert done.returncode == again.returncode == 0, done.stdout + done.stderr
    assert "judging: 0 calls, 8 answers from the store" in again.stderr
    page = (tmp_path / "run" / "report.html").read_text()
    for text in (" ".join(done.stdout.split()), page):
        assert "agrees with careful on 6 of 6" in text
        assert "got the instruction: A model was asked a question." in text
        assert "¶" not in text
    assert "{response}" in done.stdout


def test_too_many_disagreements_mark_the_score(tmp_path: Path) -> None:
    texts = tuple(["B"] * 18 + ["The answer is B."] * 2 + ["who knows"])
    for place, errors, marked in ((tmp_path / "one", 1, False), (tmp_path / "two", 2, True)):
        place.mkdir()
        wrong = (*texts[:18], "The answer is B.", "Answer: B", *texts[20:])
        write_bench(place, wrong, "vsi-bench")
        misread = {"The answer is B.": "C", "Answer: B": "C" if errors == 2 else "B", "who knows": "B"}
        with serving(Reader(wrong, misread)) as url:
            done = run(place, url)
        assert done.returncode == 0, done.stdout + done.stderr
        assert (f"agrees with careful on {20 - errors} of 20") in done.stdout
        assert ("100.00¶" in done.stdout or "100.0¶" in done.stdout) is marked
        assert ("on 2 of 20 sampled ones (10.0 %; the limit is 5 %)" in done.stdout) is marked
        assert ("¶" in (place / "run" / "report.html").read_text()) is marked
        shown = json.loads(tolman(place, "score", "run", "--json").stdout)
        assert {row["rules"]: row["doubted"] for row in shown["rows"] if row["group"] == "run"} == {
            "official": False, "careful": False, "judged": marked,
        }  # fmt: skip


def test_a_run_reads_itself_later_at_the_address_where_it_was_asked(tmp_path: Path) -> None:
    write_bench(tmp_path, TEXTS, "vsi-bench")
    server = Reader(TEXTS, {"hm, to be seen": "B"})
    with serving(server) as url:
        command = ("run", "./bench", "--model", "openai/my-model", "--base-url", url, "--out", "run")
        assert tolman(tmp_path, *command, "--store", "s.sqlite").returncode == 0
        done = tolman(
            tmp_path, "score", "run", "--judge", "self", "--judge-sample", "0", "--store", "s.sqlite", "--notes", code=0
        )
    assert sum(server.read.values()) == 2
    assert "agreement not" in " ".join(done.stdout.split())  # in two lines of a name
    before = figures(tmp_path)
    assert tolman(tmp_path, "score", "run").returncode == 0
    assert figures(tmp_path) == before


@pytest.mark.parametrize("like", ["mmsi-bench", "site"])
def test_it_reads_after_the_careful_parser_whatever_the_paper_has_a_judge_read(tmp_path: Path, like: str) -> None:
    write_bench(tmp_path, TEXTS, like)
    server = Reader(TEXTS, {"hm, to be seen": "B"})
    with serving(server) as url:
        done = run(tmp_path, url, "--judge-sample", "0")
    assert done.returncode == 0, done.stdout + done.stderr
    assert set(server.read) == {"hm, to be seen", "nothing to go by"}
    assert figures(tmp_path)["judge"]["source"].startswith("Tolman's own: the model reads its responses itself")


def test_responses_of_a_file_have_no_model_to_read_them(tmp_path: Path) -> None:
    write_bench(tmp_path, TEXTS, "vsi-bench")
    (tmp_path / "a.jsonl").write_text('{"id": "0", "response": "B"}')
    said = refused(tmp_path, "score", "a.jsonl", "--benchmark", "./bench", "--out", "run", "--judge", "self")
    assert "these responses come from a file; name the model: --judge FAMILY/NAME" in said
