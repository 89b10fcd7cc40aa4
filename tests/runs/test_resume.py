"""A run that is killed, stopped or repeated: nothing done is lost, nothing is asked twice. Whole processes."""

import json
import random
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

import terminal
from runs import letters
from runs.letters import serving_process, write_letters
from tolman.item_table import write_items
from tolman.items import Item

ITEMS = 400
IN_FLIGHT = 16


@pytest.fixture
def server() -> Iterator[str]:
    with serving_process(0.05) as url:
        yield url


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return write_letters(tmp_path / "bench", ITEMS, scene=lambda i: str(i % 40))


def command(url: str, *more: str) -> list[str]:
    return [
        sys.executable, "-m", "tolman", "run", "./bench", "--model", "openai/m", "--base-url", url, "--out", "run",
        "--store", "store.sqlite", "--concurrency", str(IN_FLIGHT), *more,
    ]  # fmt: skip


def quick(place: Path, line: list[str], code: int | None = None) -> subprocess.CompletedProcess[str]:
    """A whole command where neither its start nor a signal is what is tested."""
    return terminal.tolman(place, *line[3:], code=code)


def refused(place: Path, line: list[str]) -> str:
    return terminal.refused(place, *line[3:])


def requests(url: str) -> int:
    with urllib.request.urlopen(url.replace("/v1", "/stats")) as reply:
        return int(json.load(reply)["requests"])


def committed(place: Path) -> int:
    return letters.committed(place / "store.sqlite")


@pytest.mark.parametrize("moments", [1, pytest.param(3, marks=pytest.mark.full)])
def test_killed_at_random_moments_every_committed_answer_is_reused(server: str, place: Path, moments: int) -> None:
    generator = random.Random(20261121)
    lost = 0
    for _ in range(moments):
        before, asked = committed(place), requests(server)
        goal = before + generator.randrange(20, 100)
        process = subprocess.Popen(command(server), cwd=place, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while committed(place) < goal:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait()
        time.sleep(0.2)  # answers that were on their way arrive nowhere
        kept, sent = committed(place) - before, requests(server) - asked
        assert kept >= goal - before
        assert sent - kept <= IN_FLIGHT
        lost += sent - kept
    quick(place, command(server), code=0)
    assert requests(server) == ITEMS + lost
    lines = [json.loads(line) for line in (place / "run" / "responses.jsonl").read_text().splitlines()]
    assert [line["id"] for line in lines] == [str(i) for i in range(ITEMS)]
    again = quick(place, command(server))
    assert requests(server) == ITEMS + lost
    assert f"0 calls, {ITEMS} answers from the store" in again.stderr


def test_ctrl_c_stops_cleanly_and_says_how_to_go_on(server: str, place: Path) -> None:
    process = subprocess.Popen(command(server), cwd=place, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while committed(place) < 50:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "of 400 answered and kept; run the same command again to resume." in errors
    assert "Traceback" not in errors
    kept = len((place / "run" / "responses.jsonl").read_text().splitlines())
    assert 50 <= kept < ITEMS
    quick(place, command(server), code=0)
    assert requests(server) <= ITEMS + IN_FLIGHT


@pytest.mark.parametrize(
    ("number", "code", "background"),
    [
        (signal.SIGTERM, 143, True),
        pytest.param(signal.SIGTERM, 143, False, marks=pytest.mark.full),
        pytest.param(signal.SIGHUP, 129, False, marks=pytest.mark.full),
    ],
)
def test_a_batch_system_that_stops_it_finds_a_partial_table(
    server: str, place: Path, number: signal.Signals, code: int, background: bool
) -> None:
    """A shell that starts a job in the background has it ignore Ctrl-C; SIGTERM reaches it all the same."""
    process = subprocess.Popen(
        command(server), cwd=place, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=(lambda: signal.signal(signal.SIGINT, signal.SIG_IGN)) if background else None,
    )  # fmt: skip
    while committed(place) < 50:
        time.sleep(0.01)
    process.send_signal(number)
    process.send_signal(number)  # as `timeout` does
    _, errors = process.communicate(timeout=120)
    assert process.returncode == code, errors
    assert "of 400 answered and kept; run the same command again to resume." in errors
    assert "Traceback" not in errors
    kept = len((place / "run" / "responses.jsonl").read_text().splitlines())
    assert 50 <= kept < ITEMS
    scores = json.loads((place / "run" / "scores.json").read_text())
    assert scores["unanswered"] == {"failed": 0, "missing": ITEMS - kept}
    assert not (place / "run" / ".lease").exists()
    assert (place / "run" / "tolman.toml").read_text().startswith("# tolman")
    quick(place, command(server), code=0)
    assert requests(server) <= ITEMS + IN_FLIGHT


def _ended(process: subprocess.Popen[str]) -> str:
    """What a command said on standard error; where it hangs, also what each of its threads waits for."""
    try:
        return process.communicate(timeout=120)[1]
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGABRT)
        return process.communicate(timeout=20)[1]


@pytest.mark.full
def test_two_runs_of_the_same_at_once_ask_nothing_twice(server: str, place: Path) -> None:
    folders = ("one", "two", "three")
    commands = [[*command(server), "--out", folder] for folder in folders]
    started = [
        subprocess.Popen(
            [line[0], "-X", "faulthandler", *line[1:]],
            cwd=place,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for line in commands
    ]
    said = [_ended(process) for process in started]
    assert [process.returncode for process in started] == [0, 0, 0], said
    assert requests(server) == ITEMS
    for folder in folders:
        lines = [json.loads(line) for line in (place / folder / "responses.jsonl").read_text().splitlines()]
        assert [(line["id"], line["response"]) for line in lines] == [(str(i), "A") for i in range(ITEMS)]
    called = [json.loads((place / folder / "usage.json").read_text()) for folder in folders]
    assert sum(usage["called"] for usage in called) == ITEMS
    assert all(usage["called"] + usage["reused"] == ITEMS for usage in called)


@pytest.mark.full
def test_a_second_run_in_the_same_folder_is_refused_until_the_first_is_killed(server: str, place: Path) -> None:
    first = subprocess.Popen(command(server), cwd=place, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while committed(place) < 20:
        time.sleep(0.01)
    first.send_signal(signal.SIGSTOP)  # it would be done before the second has begun
    second = quick(place, command(server), code=2)
    assert f"tolman: run: process {first.pid} on " in second.stderr
    assert "is at work in this folder; wait for its end, or give another with --out." in second.stderr
    first.kill()
    first.wait()
    quick(place, command(server), code=0)
    assert requests(server) <= ITEMS + IN_FLIGHT


@pytest.mark.full
def test_a_killed_run_frees_what_another_waits_for(server: str, place: Path) -> None:
    lines = [[*command(server), "--out", folder] for folder in ("one", "two")]
    first, second = (
        subprocess.Popen(line, cwd=place, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for line in lines
    )
    while committed(place) < 50:
        time.sleep(0.01)
    first.kill()
    first.wait()
    assert second.wait(timeout=60) == 0
    assert committed(place) == ITEMS
    assert requests(server) <= ITEMS + IN_FLIGHT


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        (
            "responses.jsonl",
            '{"id": "0", "response": "A"}\n{"id": "1", "resp',
            "run/responses.jsonl, row 2: is no JSON",
        ),
        ("responses.jsonl", '{"id": "0", "said": "A"}\n', "run/responses.jsonl, row 1, field"),
        ("judgements.json", "{}", "run/judgements.json: holds no judgements"),
        ("run.json", "{", "run/run.json: is not a run's"),
    ],
)
def test_a_broken_file_of_an_earlier_start_is_told_before_anything_is_asked(
    server: str, place: Path, name: str, content: str, sentence: str
) -> None:
    quick(place, command(server, "--limit", "5"), code=0)
    (place / "run" / name).write_text(content)
    (place / "store.sqlite").unlink()
    said = refused(place, command(server, "--limit", "5"))
    assert sentence in said
    assert "\n" not in said
    assert requests(server) == 5
    assert (place / "run" / name).read_text() == content


def test_responses_of_no_run_are_not_taken_for_this_ones(server: str, place: Path) -> None:
    (place / "run").mkdir()
    (place / "run" / "responses.jsonl").write_text('{"id": "0", "response": "B"}\n')
    assert "run holds a responses.jsonl and no run.json" in refused(place, command(server, "--limit", "5"))
    assert requests(server) == 0


def test_a_damaged_store_is_told_before_anything_is_asked(server: str, place: Path) -> None:
    assert quick(place, command(server)).returncode == 0
    path = place / "store.sqlite"
    content = bytearray(path.read_bytes())
    content[8192:20480] = b"\x5a" * 12288
    path.write_bytes(content)
    for arguments in (command(server), [sys.executable, "-m", "tolman", "store", "show", "--store", "store.sqlite"]):
        done = quick(place, arguments, code=2)
        assert done.stderr.startswith("tolman: store.sqlite: is damaged (")
        assert done.stderr.endswith("; put a copy in its place, or name another with --store.\n")
        assert done.stderr.count("\n") == 1
    assert requests(server) == ITEMS


def test_the_same_data_under_another_spelling_is_the_same_run(server: str, place: Path) -> None:
    for spelling in ("./bench", "bench/../bench", str(place / "bench"), "bench"):
        line = [spelling if part == "./bench" else part for part in command(server, "--limit", "5")]
        quick(place, line, code=0)
    assert requests(server) == 5
    write_items(
        place / "bench" / "items.parquet",
        [
            Item(id=str(i), question="Another?", kind="choice", answer="A", options=("x", "y"), task="t")
            for i in range(9)
        ],
    )
    assert "run holds a run with data hash" in refused(place, command(server, "--limit", "5"))
    assert requests(server) == 5


@pytest.mark.full
def test_a_stopped_repetition_loses_nothing_that_was_there(server: str, place: Path) -> None:
    assert quick(place, command(server)).returncode == 0
    (place / "store.sqlite").unlink()
    process = subprocess.Popen(command(server), cwd=place, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while committed(place) < 50:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=120)
    assert len((place / "run" / "responses.jsonl").read_text().splitlines()) == ITEMS


def test_other_settings_in_the_same_folder_are_refused_with_the_difference(server: str, place: Path) -> None:
    first = quick(place, command(server, "--limit", "5"), code=0)
    assert "PART: openai/m: 5 of 400 items (--limit 5)." in first.stdout
    for more, difference in (
        (["--limit", "6"], "selection --limit 5, not --limit 6"),
        (["--limit", "5", "--temperature", "0.7"], "temperature"),
        (["--limit", "5", "--protocol", "direct", "--repeats", "2"], "repeats 1, not 2"),
    ):
        assert difference in refused(place, command(server, *more))
    assert requests(server) == 5


@pytest.mark.full
def test_the_store_is_shown_exported_and_pruned(server: str, place: Path) -> None:
    quick(place, command(server, "--limit", "7"))

    def store(*arguments: str) -> subprocess.CompletedProcess[str]:
        return terminal.tolman(place, "store", *arguments, "--store", "store.sqlite")

    assert json.loads(store("show", "--json").stdout)["models"][0]["answers"] == 7
    assert "openai/m" in store("show").stdout
    store("export", "all.jsonl")
    rows = [json.loads(line) for line in (place / "all.jsonl").read_text().splitlines()]
    assert len(rows) == 7
    assert rows[0]["response"]["response"] == "A"
    assert rows[0]["request"]["messages"]
    assert store("prune").returncode == 2
    assert "Deleted: 0 answers" in store("prune", "--older-than", "1").stdout
    assert "Deleted: 7 answers" in store("prune", "--model", "openai/m").stdout
    quick(place, command(server, "--limit", "7"))
    assert requests(server) == 14


def test_a_file_that_is_no_store_is_named(place: Path) -> None:
    (place / "store.sqlite").write_text("not a database at all, but long enough to look at")
    assert "store.sqlite: is no response store" in refused(place, command("http://127.0.0.1:9/v1"))
