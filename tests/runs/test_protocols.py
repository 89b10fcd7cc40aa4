"""Protocols through the command line: whole runs, stopped and gone on with, replayed, swept, refused."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import terminal
from dialogues import said
from loopback import Server, serving
from runs.letters import committed, serving_process, write_letters
from tolman.item_table import write_items
from tolman.items import Item, Media

ITEMS = 60
CAPTIONS = ("--protocol", "caption-then-answer", "--captioner", "openai/c", "--frames", "2", "--captioner-url")
Tolman = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A benchmark of 60 questions with four options."""
    return write_letters(
        tmp_path / "bench", ITEMS, card={"title": "Mine"}, answer=lambda i: "ABCD"[i % 4], scene=lambda i: str(i % 10),
        options=("north", "east", "south", "west"),
    )  # fmt: skip


@pytest.fixture
def tolman(place: Path) -> Tolman:
    def run(*arguments: str, code: int | None = None) -> subprocess.CompletedProcess[str]:
        return terminal.tolman(place, *arguments, code=code, COLUMNS="200")

    return run


@pytest.fixture
def ask(tolman: Tolman) -> Tolman:
    """Run the benchmark's questions at an address."""

    def run(url: str, *arguments: str, out: str = "r", code: int | None = None) -> subprocess.CompletedProcess[str]:
        asked = ("run", "./bench", "--model", "openai/m", "--base-url", url, "--out", out, *arguments)
        return tolman(*asked, code=code)

    return run


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.fixture
def slow_server() -> Iterator[str]:
    with serving_process(0.05) as url:
        yield url


@pytest.mark.full
def test_a_killed_run_of_many_turns_goes_on_where_each_item_stopped(slow_server: str, place: Path) -> None:
    import urllib.request

    def requests() -> int:
        with urllib.request.urlopen(slow_server.replace("/v1", "/stats")) as reply:
            return int(json.load(reply)["requests"])

    command = [
        sys.executable, "-m", "tolman", "run", "./bench", "--model", "openai/m", "--base-url", slow_server, "--out", "run",
        "--store", "store.sqlite", "--concurrency", "8", "--protocol", "self-consistency+shuffle",
    ]  # fmt: skip
    environment = {**os.environ, "TOLMAN_CACHE": str(place / "cache"), "OPENAI_API_KEY": "none"}
    generator = random.Random(1)
    lost = 0
    for _ in range(2):
        before, asked = committed(place / "store.sqlite"), requests()
        goal = before + generator.randrange(40, 150)
        process = subprocess.Popen(
            command, cwd=place, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        while committed(place / "store.sqlite") < goal:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait()
        time.sleep(0.2)
        lost += requests() - asked - (committed(place / "store.sqlite") - before)
    done = subprocess.run(command, cwd=place, env=environment, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert requests() == ITEMS * 10 + lost  # five thoughts and five extractions each, none asked twice
    assert 0 <= lost <= 16
    outcomes = lines(place / "run" / "responses.jsonl")
    assert [o["id"] for o in outcomes] == [str(i) for i in range(ITEMS)]
    assert all(len(o["turns"]) == 10 and o["usage"]["output_tokens"] == 10 for o in outcomes)
    again = subprocess.run(
        command, cwd=place, env=environment, capture_output=True, text=True, check=False, timeout=120
    )
    assert f"0 calls, {ITEMS * 10} answers from the store" in again.stderr
    assert lines(place / "run" / "responses.jsonl") == outcomes


@pytest.mark.full
def test_a_runs_own_file_replays_it_turn_by_turn(ask: Tolman, tolman: Tolman, place: Path) -> None:
    server = Server(reply=lambda body: "B" if len(body["messages"]) > 1 else "East, I think.")
    with serving(server) as url:
        ask(url, "--protocol", "cot+blind", out="a", code=0)
    script = str(place / "a" / "responses.jsonl")
    tolman("run", "./bench", "--model", f"scripted/{script}", "--protocol", "cot+blind", "--out", "b", code=0)
    a, b = lines(place / "a" / "responses.jsonl"), lines(place / "b" / "responses.jsonl")
    assert [(o["id"], o["response"], [t["response"] for t in o["turns"]]) for o in a] == [
        (o["id"], o["response"], [t["response"] for t in o["turns"]]) for o in b
    ]
    third = tolman("run", "./bench", "--model", f"scripted/{script}", "--protocol", "tree-of-thoughts", "--out", "c")
    assert third.returncode == 1
    assert "the script has no turn 'plans' for this item" in third.stdout


def test_responses_with_turns_are_scored_again_and_imported(ask: Tolman, tolman: Tolman, place: Path) -> None:
    with serving(Server(answer="B")) as url:
        ask(url, "--protocol", "cot+shuffle", "--seed", "3", out="a")
    before = json.loads((place / "a" / "scores.json").read_text())
    (place / "a" / "scores.json").unlink()
    assert tolman("score", "a").returncode == 0
    assert json.loads((place / "a" / "scores.json").read_text()) == before
    assert tolman("score", "a/responses.jsonl", "--benchmark", "./bench", "--name", "n", "--out", "b").returncode == 0
    imported = json.loads((place / "b" / "scores.json").read_text())
    # The same letters against the unshuffled options are other answers.
    value = [r["rule_sets"]["careful"]["cells"]["average"]["value"] for r in (before, imported)]
    assert value[1] == pytest.approx(25.0)
    assert value[0] != value[1]


def test_a_shuffled_run_is_scored_against_what_was_asked(ask: Tolman, tolman: Tolman, place: Path) -> None:
    def reply(body: dict[str, Any]) -> str:
        """Always the option 'south', wherever it stands."""
        text = said(body)[0][1][0]
        return next(line[0] for line in text.splitlines() if line.endswith(". south"))

    with serving(Server(reply=reply)) as url:
        for protocol in ("direct", "shuffle", "circular"):
            ask(url, "--protocol", protocol, out=protocol, code=0)
    for protocol in ("direct", "shuffle", "circular"):
        figures = json.loads((place / protocol / "scores.json").read_text())
        cell = figures["rule_sets"]["careful"]["cells"]["average"]
        assert (cell["value"], cell["n"]) == (pytest.approx(25.0), ITEMS)
    assert len(lines(place / "circular" / "responses.jsonl")) == 4 * ITEMS
    tolman("compare", "direct", "circular", "--json", code=0)


def test_a_model_that_always_says_a_fails_every_circle(ask: Tolman, place: Path) -> None:
    with serving(Server(answer="A")) as url:
        done = ask(url, "--protocol", "circular", "--limit", "10", code=0)
    assert "40 of 240 items (--limit 10)" in done.stdout
    cell = json.loads((place / "r" / "scores.json").read_text())["rule_sets"]["careful"]["cells"]["average"]
    assert (cell["value"], cell["n"]) == (0.0, 10)


def test_a_baseline_goes_around_in_circles_too(tolman: Tolman, place: Path) -> None:
    tolman("run", "./bench", "--model", "baseline/random", "--protocol", "circular", "--out", "r", code=0)
    before = (place / "r" / "scores.json").read_text()
    assert tolman("score", "r").returncode == 0
    assert (place / "r" / "scores.json").read_text() == before


def test_tokens_and_cost_are_summed_for_each_item_and_the_run(ask: Tolman, place: Path) -> None:
    (place / "prices.json").write_text(json.dumps({"openai/m": {"input": 1.0, "output": 1000.0}}))
    arguments = ("--protocol", "cot", "--limit", "5", "--prices", "prices.json")
    with serving(Server(answer="B" * 10)) as url:
        ask(url, *arguments, code=0)
        usage = json.loads((place / "r" / "usage.json").read_text())
        outcomes = lines(place / "r" / "responses.jsonl")
        assert usage["called"] == 10
        assert usage["output_tokens"] == 100 == sum(o["usage"]["output_tokens"] for o in outcomes)
        assert usage["cost"] == pytest.approx(sum(o["cost"] for o in outcomes))
        assert outcomes[0]["cost"] == pytest.approx(outcomes[0]["usage"]["input_tokens"] / 1e6 + 20 * 1000 / 1e6)
        again = ask(url, *arguments)
    assert "0 calls, 10 answers from the store" in again.stderr
    assert lines(place / "r" / "responses.jsonl") == outcomes  # an item's cost stays what it was


def test_ties_are_counted_in_the_report(ask: Tolman, place: Path) -> None:
    seen: dict[str, int] = {}

    def reply(body: dict[str, Any]) -> str:
        text = said(body)[0][1][0]
        seen[text] = seen.get(text, 0) + 1
        return "AB"[seen[text] % 2] if len(body["messages"]) > 1 else f"Thought {seen[text]}"

    with serving(Server(reply=reply)) as url:
        done = ask(url, "--notes", "--protocol", "self-consistency", "--samples-per-vote", "2", "--limit", "3", code=0)
    assert json.loads((place / "r" / "scores.json").read_text())["notes"] == {"tied vote": 3}
    assert "openai/m (self-consistency): 3 × tied vote." in done.stdout
    assert "openai/m (self-consistency): draws 2." in done.stdout
    assert json.loads((place / "r" / "run.json").read_text())["settings"]["protocol_settings"] == {"draws": 2}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--protocol", "cot+dance"), "there is no protocol 'dance'; known: "),
        (("--protocol", "blind+repeated-media"), "make no sense together"),
        (("--protocol", "cot", "--grid", "20"), "--grid is of no use to the protocol cot; it belongs to cognitive-map, true-map."),
        (("--draws", "3"), "--samples-per-vote is of no use to the protocol direct; it belongs to self-consistency."),
        (("--protocol", "true-map"), "give their folder with --scenes"),
        (("--protocol", "true-map", "--scenes", "nowhere"), "nowhere"),
        (("--protocol", "cognitive-map"), "60 of 60 questions name no category to map"),
        (("--protocol", "caption-then-answer"), "name it with --captioner MODEL"),
        (("--protocol", "caption-then-answer", "--captioner", "ghost/x"), "there is no model family 'ghost'"),
        (("--captioner", "openai/x"), "--captioner is of no use to the protocol direct; it belongs to caption-then-answer."),
        (("--protocol", "one-shot"), "one-shot needs solved examples, and Mine has none"),
        (("--protocol", "correspondence"), "needs at least two images"),
        (("--protocol", "question-first"), "question-first changes nothing"),
        (("--protocol", "repeated-media"), "nothing to repeat"),
        (("--frames", "8,x"), "--frames takes a whole number, not 'x'."),
        (("--frames", "8,8"), "--frames names a number twice"),
    ],
)  # fmt: skip
def test_what_cannot_be_served_is_said_before_the_first_call(
    place: Path, arguments: tuple[str, ...], sentence: str
) -> None:
    server = Server()
    with serving(server) as url:
        asked = ("run", "./bench", "--model", "openai/m", "--base-url", url, "--out", "r")
        assert sentence in terminal.refused(place, *asked, *arguments)
    assert server.requests == 0
    assert not (place / "r").exists()


def test_a_baseline_that_looks_at_no_words_is_told_so(place: Path) -> None:
    said = terminal.refused(place, "run", "./bench", "--model", "baseline/random", "--protocol", "cot", "--out", "r")
    assert "looks at items and never at words, so the protocol cot changes nothing for it" in said


def test_another_protocols_settings_need_another_folder(ask: Tolman, place: Path) -> None:
    with serving(Server(answer="B")) as url:
        common = ("--limit", "2", "--protocol", "self-consistency", "--draws")
        ask(url, *common, "2", code=0)
        done = ask(url, *common, "3", code=2)
    assert "protocol settings {'draws': 2}, not {'draws': 3}; give another folder with --out" in done.stderr


@pytest.fixture
def clip(place: Path) -> Path:
    pytest.importorskip("av", reason="reading videos needs the extra 'media'")
    from videos import write_video

    write_video(place / "bench" / "v.mp4", 60)
    media = (Media(kind="video", path="v.mp4"),)
    items = [
        Item(id=str(i), question=f"Which {i}?", kind="choice", answer="A", options=("x", "y"), task="t", media=media)
        for i in range(3)
    ]
    write_items(place / "bench" / "items.parquet", items)
    return place


def test_several_numbers_of_frames_are_several_runs_and_one_table(ask: Tolman, tolman: Tolman, clip: Path) -> None:
    server = Server(answer="A")
    with serving(server) as url:
        done = ask(url, "--frames", "2,4,8", out="sweep", code=0)
        pictures = sorted(sum(part == "<picture>" for part in said(body)[0][1]) for body in server.bodies)
        assert pictures == [2] * 3 + [4] * 3 + [8] * 3
        for count in (2, 4, 8):
            assert f"openai/m ({count} frames)" in done.stdout
            settings = json.loads((clip / "sweep" / f"frames-{count}" / "run.json").read_text())["settings"]
            assert settings["frames"]["count"] == count
        assert "4 frames" in (clip / "sweep" / "frames.html").read_text()
        ask(url, "--frames", "2,4,8", out="sweep", code=0)
        assert server.requests == 9  # a second start asks nothing
        table = json.loads(ask(url, "--frames", "2,4,8", "--json", out="sweep").stdout)
    names = [row["name"] for row in table["rows"] if row["rules"] == "careful"]
    assert names == ["openai/m (2 frames)", "openai/m (4 frames)", "openai/m (8 frames)"]
    single = tolman("report", "sweep/frames-2")
    assert "openai/m" in single.stdout
    assert "openai/m (2 frames)" not in single.stdout


def test_a_sweep_has_folders_of_its_own_by_default(tolman: Tolman, clip: Path) -> None:
    with serving(Server(answer="A")) as url:
        tolman(
            "run", "./bench", "--model", "openai/m", "--base-url", url, "--frames", "2,4", "--protocol", "cot", code=0
        )
    (parent,) = (clip / "runs").iterdir()
    assert {path.name for path in parent.iterdir()} == {
        "openai-m-cot-frames-2", "openai-m-cot-frames-4", "openai-m-cot-frames.html",
    }  # fmt: skip


def test_a_captioner_of_its_own_endpoint_and_price(ask: Tolman, clip: Path) -> None:
    (clip / "prices.json").write_text(
        json.dumps({"openai/m": {"input": 0, "output": 1}, "openai/c": {"input": 0, "output": 1000}})
    )
    eyes, mind = Server(answer="A chair."), Server(answer="A")
    with serving(eyes) as seeing, serving(mind) as thinking:
        ask(thinking, *CAPTIONS, seeing, "--prices", "prices.json", code=0)
    assert (eyes.requests, mind.requests) == (2, 3)
    assert not mind.pictures
    usage = json.loads((clip / "r" / "usage.json").read_text())
    assert usage["cost"] == pytest.approx((2 * 8 * 1000 + 3) / 1e6)
    settings = json.loads((clip / "r" / "run.json").read_text())["settings"]
    assert settings["protocol_settings"]["captioner"] == "openai/c"
    first = lines(clip / "r" / "responses.jsonl")[0]
    assert [(t["purpose"], t.get("model")) for t in first["turns"]] == [
        ("caption 1", "openai/c"), ("caption 2", "openai/c"), ("answer", None),
    ]  # fmt: skip
    assert first["cost"] == pytest.approx((2 * 8 * 1000 + 1) / 1e6)


def test_a_model_that_is_down_behind_a_captioner_is_told_as_it_is(ask: Tolman, clip: Path) -> None:
    with serving(Server(answer="A chair.")) as seeing:
        done = ask("http://127.0.0.1:9/v1", *CAPTIONS, seeing, code=2)
    assert "can't be reached" in done.stderr
    assert "Nothing else was sent to openai/m." in done.stderr


def test_the_time_limit_ends_conversations_too(ask: Tolman, place: Path) -> None:
    with serving(Server(answer="B", latency=0.4)) as url:
        ask(url, "--protocol", "self-consistency", "--concurrency", "4", "--time-limit", "2", code=1)
    kinds = {o["failure"]["kind"] for o in lines(place / "r" / "responses.jsonl") if "failure" in o}
    assert kinds == {"interrupted"}


def test_the_list_of_protocols_is_printed(tolman: Tolman) -> None:
    done = tolman("protocols", code=0)
    assert "tree-of-thoughts" in done.stdout
    assert {row["name"] for row in json.loads(tolman("protocols", "--json").stdout)} >= {"cot", "blind", "joined"}
