"""Answers belong to what is served, not to where: runs that go on at other addresses, and weights that are others."""

import hashlib
import json
import sqlite3
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from fleet import Endpoint, free_port, in_turn
from loopback import serving
from runs.letters import write_letters
from terminal import tolman

ITEMS = 40
_CLOCK = count(1_763_800_000)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return write_letters(tmp_path / "bench", ITEMS)


def vllm(root: str, name: str = "m", **more: Any) -> Endpoint:
    created = next(_CLOCK)  # the time of the call, not of the model
    entry = {"id": name, "object": "model", "created": created, "owned_by": "vllm", "root": root, "parent": None}
    return Endpoint(listed=[entry], routes={"/version": {"version": "0.33.0"}}, **more)


def ask(place: Path, server: Endpoint, *more: str, model: str = "openai/m", out: str = "run", code: int = 0) -> str:
    """A command at an address of its own; what it said."""
    with serving(server) as url:
        done = tolman(place, *command(url, *more, model=model, out=out))
    assert done.returncode == code, done.stderr
    return done.stderr


def command(url: str, *more: str, model: str = "openai/m", out: str = "run") -> tuple[str, ...]:
    return ("run", "./bench", "--model", model, "--base-url", url, "--out", out, "--store", "s.sqlite", *more)


def record(place: Path, out: str = "run") -> dict[str, Any]:
    found: dict[str, Any] = json.loads((place / out / "run.json").read_text())
    return found


def test_a_run_goes_on_at_another_address_with_nothing_asked_twice(place: Path) -> None:
    first, second, third = vllm("/ckpt/a"), vllm("/ckpt/a"), vllm("/ckpt/a")
    ask(place, first, "--limit", "30", out="part")
    said = ask(place, second)
    assert (first.requests, second.requests) == (30, ITEMS - 30)
    assert "label" not in said
    ask(place, third)  # the same folder, at another port again
    assert third.requests == 0
    found = record(place)
    assert found["settings"]["model_settings"] == {"served": "/ckpt/a"}
    assert found["endpoint"]["weights"] == "/ckpt/a"
    assert found["endpoint"]["server"] == "vllm 0.33.0"
    assert len(found["endpoint"]["addresses"]) == 2
    rows = sqlite3.connect(place / "s.sqlite").execute("SELECT request FROM responses").fetchall()
    assert len(rows) == ITEMS
    assert not any("base_url" in request or "127.0.0.1" in request for (request,) in rows)


def test_two_checkpoints_under_one_name_do_not_share_answers(place: Path) -> None:
    port = free_port()
    for root, out in (("/ckpt/a", "one"), ("/ckpt/b", "two")):
        server = vllm(root)
        with serving(server, port) as url:
            tolman(place, *command(url, out=out), code=0)
        assert server.requests == ITEMS
    refused = ask(place, vllm("/ckpt/b"), out="one", code=2)
    assert refused.startswith("tolman: one holds a run of /ckpt/a, and http://127.0.0.1:")
    assert refused.endswith("/v1 serves /ckpt/b; give another folder with --out.\n")


@pytest.mark.parametrize("name", ["Qwen/Qwen2.5-VL-3B-Instruct", "./checkpoints/step-200"])
def test_a_name_that_says_it_all_needs_no_address(place: Path, name: str) -> None:
    first, second = Endpoint(models=(name,)), Endpoint(models=(name,))
    for server, out in ((first, "one"), (second, "two")):
        said = ask(place, server, model=f"openai/{name}", out=out)
        assert "label" not in said
    assert (first.requests, second.requests) == (ITEMS, 0)
    assert record(place, "two")["settings"]["model_settings"] == {}


def test_an_endpoint_that_says_nothing_is_its_address_and_a_label_takes_its_place(place: Path) -> None:
    first, second, third = Endpoint(), Endpoint(), Endpoint()
    said = ask(place, first, "--limit", "30")
    assert "doesn't say which weights it serves, so answers are kept for this address; with --label NAME" in said
    moved = ask(place, second, "--limit", "30", code=2)
    assert "no record shows whether http://127.0.0.1:" in moved
    assert "say so with --label NAME" in moved
    # In the same folder, a label says that it is the same.
    said = ask(place, second, "--limit", "30", "--label", "step-200")
    assert second.requests == 0
    assert "label" not in said
    ask(place, third, "--limit", "30", "--label", "step-200")
    assert third.requests == 0
    assert record(place)["settings"]["model_settings"] == {"label": "step-200"}
    forgot = ask(place, third, "--limit", "30", code=2)
    assert "run holds a run with label step-200, not none; give another folder with --out." in forgot


def test_a_fingerprint_identifies_nothing(place: Path) -> None:
    """vLLM's is a hash of the path and the configuration: other weights at that path have the same."""
    servers = [Endpoint(fingerprint=lambda number: "vllm-0.33.0-0a1b2c3d") for _ in range(2)]
    for server, out in zip(servers, ("one", "two"), strict=True):
        ask(place, server, "--limit", "4", out=out)
    assert [server.requests for server in servers] == [4, 4]


def test_the_same_weights_on_more_devices_share_answers_and_other_media_options_do_not(place: Path) -> None:
    """The fingerprint says the number of devices, and nothing of what requests carry for pictures and videos."""
    counts = []
    for number, (devices, edge) in enumerate([("", 9), ("tp2-", 9), ("", 99)]):
        server = vllm("/ckpt/a", fingerprint=lambda _, devices=devices: f"vllm-0.33.0-{devices}0a1b2c3d")
        body = json.dumps({"mm_processor_kwargs": {"size": {"longest_edge": edge}}})
        ask(place, server, "--limit", "4", "--body", body, out=f"run-{number}")
        counts.append(server.requests)
    assert counts == [4, 0, 4]


def test_a_label_is_found_from_everywhere_and_not_by_another(place: Path) -> None:
    servers = [Endpoint() for _ in range(3)]
    for server, label, out in zip(servers, ("a", "a", "b"), ("one", "two", "three"), strict=True):
        ask(place, server, "--label", label, out=out)
    assert [server.requests for server in servers] == [ITEMS, 0, ITEMS]


def test_two_models_under_one_label_are_refused(place: Path) -> None:
    ask(place, vllm("/ckpt/a"), "--label", "mine", out="one")
    server = vllm("/ckpt/b")
    said = ask(place, server, "--label", "mine", out="two", code=2)
    assert said.splitlines()[-1].startswith("tolman: --label mine stands for /ckpt/a, and http://127.0.0.1:")
    assert "serves /ckpt/b; give that another label" in said
    assert server.requests == 0
    tolman(place, "store", "prune", "--model", "openai/m", "--store", "s.sqlite")
    ask(place, server, "--label", "mine", out="three")


def older(place: Path, settings: dict[str, Any]) -> None:
    """Make the store one of an earlier version, whose answers were kept under these settings."""
    db = sqlite3.connect(place / "s.sqlite", isolation_level=None)
    rows = db.execute("SELECT key, request FROM responses").fetchall()
    for key, request in rows:
        changed = json.dumps(json.loads(request) | {"settings": settings}, sort_keys=True)
        db.execute(
            "UPDATE responses SET key = ?, request = ? WHERE key = ?",
            (hashlib.sha256(changed.encode()).hexdigest(), changed, key),
        )
    db.execute("PRAGMA user_version=0")
    db.execute("DROP TABLE names")
    db.close()


def test_answers_of_earlier_versions_are_found(place: Path) -> None:
    port = free_port()
    server = vllm("/ckpt/a")
    with serving(server, port) as url:
        assert tolman(place, *command(url)).returncode == 0
        older(place, {"base_url": url})
        path = place / "run" / "run.json"
        old = json.loads(path.read_text())
        del old["endpoint"]
        old["settings"]["model_settings"] = {"base_url": url}
        path.write_text(json.dumps(old))
        assert tolman(place, *command(url)).returncode == 0
        assert tolman(place, *command(url, out="new")).returncode == 0
    assert server.requests == ITEMS
    elsewhere = vllm("/ckpt/a")
    ask(place, elsewhere)  # the run's own folder knows where it was asked
    assert elsewhere.requests == 0


def test_without_its_endpoint_all_comes_from_the_store(place: Path) -> None:
    port = free_port()
    with serving(vllm("/ckpt/a"), port) as url:
        assert tolman(place, *command(url)).returncode == 0
    done = tolman(place, *command(url, out="new"), code=0)
    assert f"0 calls, {ITEMS} answers from the store" in done.stderr


def test_a_server_that_comes_back_with_other_weights_ends_the_run(place: Path) -> None:
    other = vllm("/ckpt/b")
    with in_turn(vllm("/ckpt/a", latency=0.05), other, after=10, pause=0.5) as url:
        done = tolman(place, *command(url, "--concurrency", "4"), code=1)
    assert 0 < other.requests <= 4  # its weights are looked at once it answers
    said = " ".join(done.stderr.split())
    assert "was away, and it serves /ckpt/b now, and /ckpt/a before: the run ends." in said
    assert "of 40 answered and kept in its folder." in said
    assert "INCOMPLETE" in done.stdout


def test_a_change_in_the_middle_of_a_run_is_told(place: Path) -> None:
    server = Endpoint(fingerprint=lambda number: "fp_a" if number < 20 else "fp_b")
    said = ask(place, server, "--label", "x")
    assert said.count("m fp_b answers now, and m fp_a did before: what is served has changed") == 1


@pytest.mark.parametrize("stops", [False, True])
def test_a_mixture_of_two_models_is_kept_and_marked_in_every_report(place: Path, stops: bool) -> None:
    server = Endpoint(fingerprint=lambda number: "fp_a" if number <= 30 else "fp_b")
    if stops:  # the change falls between two starts of the run
        (place / "prices.json").write_text(json.dumps({"openai/m": {"input": 0, "output": 1_000_000}}))
        ask(place, server, "--label", "x", "--prices", "prices.json", "--max-cost", "30", code=1)
        assert "served" not in json.loads((place / "run" / "scores.json").read_text())
    ask(place, server, "--label", "x", "--concurrency", "1")
    served = {"m fp_a": 30, "m fp_b": 10}
    assert json.loads((place / "run" / "scores.json").read_text())["served"] == served
    assert record(place)["endpoint"]["served"] == served
    sentence = "30 answers by m fp_a, 10 answers by m fp_b"
    for form in ("terminal", "markdown", "latex", "json"):
        done = tolman(place, "report", "run", "--format", form, COLUMNS="300")
        said = done.stdout + done.stderr
        assert "MIXED: openai/m" in said, form
        assert sentence.replace("_", "\\_") in said or sentence in said, form
    assert sentence in (place / "run" / "report.html").read_text()


@pytest.mark.full
def test_a_folder_without_an_answer_binds_nothing(place: Path) -> None:
    """Mistakes of a first try: the corrected command works in the same folder, without --label."""
    server = Endpoint(models=("m",), key="right")
    with serving(server) as url:
        for wrong in (
            command(f"http://127.0.0.1:{free_port()}/v1"),  # port
            command(url.removesuffix("/v1")),
            command(url, "--label", "wrong"),  # and no key
            command(url, model="openai/wrong"),
            command(url, "--protocol", "blind", "--temperature", "0.5"),
        ):
            done = tolman(place, *wrong, OPENAI_API_KEY="wrong", code=2)
            assert "holds a run" not in done.stderr, done.stderr
        done = tolman(place, *command(url), OPENAI_API_KEY="right", code=0)
        found = record(place)
        assert found["settings"]["model_settings"] == {"base_url": url}
        assert found["endpoint"]["addresses"] == [url]
        bound = tolman(place, *command(url, "--temperature", "0.5"), OPENAI_API_KEY="right", code=2)
    assert "run holds a run with sampling" in bound.stderr


def test_a_folder_with_failures_alone_binds_nothing(place: Path) -> None:
    (place / "model.py").write_text(
        "def fails(messages):\n    raise ValueError('no')\n\ndef works(messages):\n    return 'A'"
    )
    run = ("run", "./bench", "--out", "run", "--protocol", "blind", "--model")
    tolman(place, *run, "python/model.py:fails", code=2)
    tolman(place, *run, "python/model.py:works", "--limit", "3", code=0)
    assert len((place / "run" / "responses.jsonl").read_text().splitlines()) == 3


def test_a_label_stands_for_weights_from_their_first_answer_on(place: Path) -> None:
    ask(place, vllm("/ckpt/a", key="right"), "--label", "mine", code=2)
    ask(place, vllm("/ckpt/b"), "--label", "mine")
    refused = ask(place, vllm("/ckpt/a"), "--label", "mine", out="two", code=2)
    assert "--label mine stands for /ckpt/b" in refused
