"""A judge behind an endpoint: what it is sent, and a run that can be judged, stopped, judged on and scored again."""

import hashlib
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from loopback import Server, serving
from runs.judges import RUN, Judge, figures, judgements, write_bench, write_script
from terminal import refused, tolman
from tolman import benchmarks
from tolman.item_table import write_items
from tolman.items import Item

MMSI = benchmarks.get("mmsi-bench")
TEXTS = ["``B``", "to the right", "hm, who knows", "", "right!", "Error: none", "B, surely not"]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    write_bench(tmp_path, TEXTS)
    return tmp_path


def judged(url: str, sample: str = "0") -> tuple[str, ...]:
    judge = ("--judge", "openai/judge", "--judge-base-url", url, "--judge-sample", sample)
    return (*judge, "--store", "s.sqlite")


def test_the_judge_is_asked_what_the_parser_could_not_read_and_is_counted_and_marked(place: Path) -> None:
    server = Judge({"to the right": "B", "right!": "(B)", "B, surely not": "A"})
    with serving(server) as url:
        done = tolman(place, *RUN, *judged(url), "--notes", code=0)
    # The parser reads "``B``" and "B, surely not"; an empty text needs nobody to read it.
    assert server.asked == {("released", t): 1 for t in ("to the right", "hm, who knows", "right!", "Error: none")}
    bench = benchmarks.get(str(place / "bench"))
    item = next(i for i in bench.load(place / "bench", "all") if i.id == "1")
    expected = {
        "model": "judge",
        "messages": [{"role": "user", "content": bench.judging.prompt(item, "to the right")}],
        "temperature": 0.0,
    }
    assert expected in server.bodies
    found = figures(place)
    assert found["judge"] | {"settings": {}} == {
        "model": "openai/judge", "settings": {}, "source": MMSI.judging.source, "judged": 4, "no_answer": 2, "failed": 0,
        "example": "", "input_tokens": found["judge"]["input_tokens"], "output_tokens": found["judge"]["output_tokens"],
    }  # fmt: skip
    assert found["judge"]["output_tokens"] == len("B") + len("(B)") + 2 * len("Z")
    average = {name: entry["cells"]["average"]["value"] for name, entry in found["rule_sets"].items()}
    assert average["official"] == pytest.approx(100 * 2 / 7)
    assert average["judged"] == pytest.approx(100 * 4 / 7)
    assert next(iter(average)) == "official"  # stays the headline
    rows = pl.read_parquet(place / "run" / "scores.parquet").filter(pl.col("rule_set") == "judged")
    assert rows.filter(pl.col("judged"))["id"].to_list() == ["1", "2", "4", "5"]
    assert "judged: openai/judge read 4 of 7 responses, 2 of them as no answer" in done.stdout
    assert "judging: 4 calls" in done.stderr
    assert "judged: 'B'" in (place / "run" / "report.html").read_text().replace("\\u0027", "'")


def test_scoring_again_needs_no_call_and_gives_the_same_bytes(place: Path) -> None:
    with serving(Judge({"to the right": "B"})) as url:
        assert tolman(place, *RUN, *judged(url)).returncode == 0
    before = {
        name: (place / "run" / name).read_bytes() for name in ("scores.json", "scores.parquet", "judgements.json")
    }
    (place / "s.sqlite").unlink()
    tolman(place, "score", "run", code=0)
    assert before == {name: (place / "run" / name).read_bytes() for name in before}


def test_a_run_can_be_judged_later_and_judgements_are_found_in_the_store(place: Path) -> None:
    assert tolman(place, *RUN).returncode == 0
    assert "judge" not in figures(place)
    server = Judge({"to the right": "B"})
    with serving(server) as url:
        for _ in range(2):
            done = tolman(place, "score", "run", *judged(url), code=0)
    assert server.requests == 4
    assert "judging: 0 calls, 4 answers from the store" in done.stderr
    assert figures(place)["judge"]["judged"] == 4


def test_a_file_of_responses_can_be_judged(place: Path) -> None:
    with serving(Judge({"to the right": "B"})) as url:
        tolman(place, "score", "script.jsonl", "--benchmark", "./bench", "--out", "run", *judged(url), code=0)
    assert figures(place)["judge"]["judged"] == 4


def test_nonsense_is_asked_for_again_and_then_a_failure_of_the_judgement(place: Path) -> None:
    server = Judge({"to the right": "Well, B or C, depending.", "right!": "B"})
    with serving(server) as url:
        done = tolman(place, *RUN, *judged(url))
    assert server.asked["released", "to the right"] == 3
    assert server.asked["released", "right!"] == 1
    assert done.returncode == 1
    first = next(line for line in done.stdout.splitlines() if line.startswith("INCOMPLETE"))
    assert first.startswith("INCOMPLETE: scripted/script.jsonl: 1 judgement of openai/judge failed")
    assert "Well, B or C, depending." in first
    found = figures(place)
    assert (found["judge"]["judged"], found["judge"]["failed"]) == (3, 1)
    cell = found["rule_sets"]["judged"]["cells"]["average"]
    assert (cell["n"], cell["unanswered"]) == (6, 1)  # neither right nor wrong
    assert found["rule_sets"]["official"]["cells"]["average"]["n"] == 7
    again = tolman(place, "score", "run", "--json", code=1)
    rows = {row["rules"]: row for row in json.loads(again.stdout)["rows"] if row["group"] == "run"}
    assert (rows["judged"]["incomplete"], rows["official"]["incomplete"]) == (True, False)


@pytest.mark.full
def test_a_judge_that_fails_is_tried_again_and_what_stays_lost_is_shown(place: Path) -> None:
    write = {"to the right": "B"}
    with serving(Judge(write, faults={"500": 0.3, "429": 0.2, "cut": 0.1}, seed=3, retry_after=0.01)) as url:
        done = tolman(place, *RUN, *judged(url), "--retries", "12", code=0)
    assert figures(place)["judge"]["judged"] == 4
    assert "tried again" in done.stderr


def test_a_judge_that_breaks_down_loses_its_own_judgements_only(place: Path) -> None:
    class BreaksDown(Judge):
        def _draw(self, pictures: list[str]) -> str | None:
            return "500" if self.requests > 2 else None

    server = BreaksDown({"to the right": "B"})
    with serving(server) as url:
        tolman(place, *RUN, *judged(url), "--retries", "1", "--concurrency", "1", code=1)
        found = figures(place)
        assert (found["judge"]["judged"], found["judge"]["failed"]) == (2, 2)
        assert "server: item" in found["judge"]["example"]
        server.requests = -100
        mended = tolman(place, *RUN, *judged(url), code=0)
    assert figures(place)["judge"]["judged"] == 4
    assert "judging: 2 calls, 2 answers from the store" in mended.stderr


def test_a_judge_that_cannot_be_asked_leaves_the_run_scored(place: Path) -> None:
    done = tolman(place, *RUN, *judged("http://127.0.0.1:9/v1"), code=2)
    assert "tolman: the judge openai/judge: http://127.0.0.1:9/v1 can't be reached" in done.stderr
    assert figures(place)["rule_sets"].keys() == {"official", "careful"}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--judge", "baseline/random"), "--judge takes a model that reads, and baseline/random doesn't."),
        (("--judge", "nobody/x"), "there is no model family 'nobody'"),
        (("--judge-body", "{}"), "name it with --judge"),
        (("--judge", "openai/x", "--judge-base-url", "localhost"), "write http://localhost, not 'localhost'"),
    ],
)
def test_a_judge_that_is_none_is_told_before_the_first_question(
    place: Path, arguments: tuple[str, ...], sentence: str
) -> None:
    assert sentence in refused(place, *RUN, *arguments)
    assert not (place / "run").exists()


def test_repeats_that_said_the_same_are_judged_once_and_others_apart(tmp_path: Path) -> None:
    write_bench(tmp_path, ["x"])
    lines = [{"id": "0", "response": text, "repeat": i} for i, text in enumerate(["right", "left", "right"])]
    write_script(tmp_path, lines)
    server = Judge({"right": "B", "left": "A"})
    with serving(server) as url:
        tolman(tmp_path, *RUN, "--repeats", "3", *judged(url), code=0)
    assert server.asked == {("released", "right"): 1, ("released", "left"): 1}
    assert figures(tmp_path)["judge"]["judged"] == 3
    assert figures(tmp_path)["rule_sets"]["judged"]["cells"]["average"]["value"] == pytest.approx(100 * 2 / 3)
    stored = judgements(tmp_path)
    assert [j["response"] for j in stored["judgements"]] == [
        hashlib.sha256(t.encode()).hexdigest() for t in ("right", "left")
    ]


def test_a_judge_may_be_a_script_and_numbers_are_extracted(tmp_path: Path) -> None:
    folder = tmp_path / "bench"
    folder.mkdir()
    (folder / "benchmark.json").write_text(json.dumps({"title": "Mine", "like": "vsi-bench"}))
    item = Item(id="0", question="How many?", kind="number", answer="4", unit="count", task="object_counting")
    write_items(folder / "items.parquet", [item])
    (tmp_path / "script.jsonl").write_text('{"id": "0", "response": "as many as a chair has legs"}')
    (tmp_path / "judge.jsonl").write_text('{"id": "0", "response": "4"}')
    done = tolman(tmp_path, *RUN, "--judge", "scripted/judge.jsonl", "--notes", code=0)
    cells = {name: entry["cells"]["object_count"]["value"] for name, entry in figures(tmp_path)["rule_sets"].items()}
    assert cells == {"official": 0.0, "careful": 0.0, "judged": 100.0}
    assert "Tolman's own: where the careful parser reads nothing." in done.stdout


def test_broken_judgements_are_named(place: Path) -> None:
    assert tolman(place, *RUN).returncode == 0
    (place / "run" / "judgements.json").write_text("{")
    assert "judgements.json: holds no judgements" in refused(place, "score", "run")


def by_sight(body: dict[str, Any]) -> str:
    """The letter that the option 'right' has in the options that the judge is shown."""
    question, answer = body["messages"][0]["content"].rsplit("Options: ", 1)[-1].split("\n", 1)
    letter = next(entry[0] for entry in question.split(", ") if entry.endswith(": right"))
    return "B or D" if "I think" in answer else letter


@pytest.mark.full
@pytest.mark.parametrize("protocol", ["circular", "shuffle", "direct"])
def test_the_judge_reads_against_the_options_as_they_were_presented(tmp_path: Path, protocol: str) -> None:
    write_bench(tmp_path, ["right"] * 6)
    lines = [{"id": f"{i}{turn}", "response": "right"} for i in range(6) for turn in ("", "@1", "@2", "@3")]
    write_script(tmp_path, lines)
    server = Server(reply=by_sight)
    with serving(server) as url:
        tolman(tmp_path, *RUN, "--protocol", protocol, *judged(url), code=0)
    assert server.requests == (24 if protocol == "circular" else 6)
    orders = {body["messages"][0]["content"].rsplit("Options: ", 1)[-1].splitlines()[0] for body in server.bodies}
    assert len(orders) > 2 or protocol == "direct"
    cells = {name: entry["cells"]["average"] for name, entry in figures(tmp_path)["rule_sets"].items()}
    assert (cells["official"]["value"], cells["judged"]["value"], cells["judged"]["n"]) == (0.0, 100.0, 6)
    before = figures(tmp_path)
    assert tolman(tmp_path, "score", "run").returncode == 0
    assert figures(tmp_path) == before


def test_a_circle_with_a_failed_judgement_is_without_one(tmp_path: Path) -> None:
    write_bench(tmp_path, ["right"] * 2)
    lines = [{"id": f"{i}{turn}", "response": "right"} for i in range(2) for turn in ("", "@1", "@2", "@3")]
    lines[2]["response"] = "right, I think"
    write_script(tmp_path, lines)
    with serving(Server(reply=by_sight)) as url:
        done = tolman(tmp_path, *RUN, "--protocol", "circular", *judged(url), code=1)
    assert "1 judgement of openai/judge failed" in done.stdout
    assert "the judge's reply is no answer: 'B or D'" in done.stdout
    cell = figures(tmp_path)["rule_sets"]["judged"]["cells"]["average"]
    assert (cell["value"], cell["n"], cell["unanswered"]) == (100.0, 1, 1)


def test_what_a_judge_costs_is_counted_and_stays(place: Path) -> None:
    prices = {"openai/judge": {"input": 0, "output": 1000}, "scripted/script.jsonl": {"input": 0, "output": 0}}
    (place / "prices.json").write_text(json.dumps(prices))
    server = Judge({"to the right": "B", "right!": "(B)"})
    with serving(server) as url:
        done = tolman(place, *RUN, *judged(url), "--prices", "prices.json", code=0)
        again = tolman(place, "score", "run", *judged(url), "--prices", "prices.json")
    cost = (len("B") + len("(B)") + 2 * len("Z")) * 1000 / 1e6
    assert figures(place)["judge"]["cost"] == pytest.approx(cost)
    assert "judging: 0 calls, 4 answers from the store" in again.stderr
    assert f"cost {cost:.2f}" in done.stderr
    (place / "prices.json").write_text("{}")
    said = refused(place, *RUN[:-1], "other", *judged(url), "--prices", "prices.json")
    assert "prices.json: has no price for openai/judge" in said
    assert not (place / "other").exists()


def test_one_model_may_answer_in_turns_and_judge_itself(place: Path) -> None:
    def reply(body: dict[str, Any]) -> str:
        prompt = body["messages"][0]["content"]
        return "B" if "match an answer" in prompt else "to the right"

    server = Server(reply=reply)
    with serving(server) as url:
        tolman(
            place, "run", "./bench", "--model", "openai/judge", "--base-url", url, "--protocol", "self-explanation",
            "--out", "run", *judged(url), code=0,
        )  # fmt: skip
    lines = [json.loads(line) for line in (place / "run" / "responses.jsonl").read_text().splitlines()]
    assert {len(line["turns"]) for line in lines} == {2}
    assert server.requests == 2 * len(TEXTS) + len(TEXTS)
    found = figures(place)
    assert found["judge"]["judged"] == len(TEXTS)
    assert found["rule_sets"]["judged"]["cells"]["average"]["value"] == 100.0
    assert found["judge"]["output_tokens"] == len(TEXTS)  # the judge's own, not the model's
