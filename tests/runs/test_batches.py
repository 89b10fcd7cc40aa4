"""Runs whose questions are left in batches at a provider: answered once, whatever happens in between."""

import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from batches import AnthropicBatchServer, OpenAIBatchServer
from loopback import serving
from runs.letters import write_letters
from terminal import refused
from tolman.items import Media

ITEMS = 40
COMMAND = """
import sys
from functools import partial
from tolman.models import batching
from tolman.models.batching.providers import {kind}
batching.Pace = partial(batching.Pace, quiet=0.4, look=0.1, longest_look=0.2, retry=0.1)
{kind}.most_requests = {most}
from tolman.cli import main
main()
"""
Batched = OpenAIBatchServer | AnthropicBatchServer


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Forty questions about ten pictures; the right answer is B."""
    pillow = pytest.importorskip("PIL.Image", reason="images need the extra 'media'")
    write_letters(
        tmp_path / "bench", ITEMS, question="Question <{}>?", answer="B",
        media=lambda i: (Media(kind="image", path=f"{i % 10}.png"),),
    )  # fmt: skip
    for number in range(10):
        pillow.new("RGB", (16, 16), (20 * number, 0, 0)).save(tmp_path / "bench" / f"{number}.png")
    prices = {name: {"input": 100.0, "output": 1000.0} for name in ("openai/m", "anthropic/m")}
    (tmp_path / "prices.json").write_text(json.dumps(prices))
    return tmp_path


def started(place: Path, url: str, *more: str, provider: str = "openai", most: int = 15) -> subprocess.Popen[str]:
    """The command, whose batches are small and whose looks are frequent."""
    kind = {"openai": "OpenAIBatches", "anthropic": "AnthropicBatches"}[provider]
    script = COMMAND.format(kind=kind, most=most)
    address = url if provider == "openai" else url.removesuffix("/v1")
    words = [
        "run", "./bench", "--model", f"{provider}/m", "--batch", "--base-url", address, "--out", "run", "--store",
        "s.sqlite", "--label", "x", "--frame-store", "frames", "--prices", "prices.json", *more,
    ]  # fmt: skip
    environment = {"TOLMAN_CACHE": str(place / "cache"), "OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "k"}
    return subprocess.Popen(
        [sys.executable, "-c", script, *words], cwd=place, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={"PATH": "/usr/bin:/bin", **environment},
    )  # fmt: skip


def ran(place: Path, url: str, *more: str, **settings: Any) -> subprocess.CompletedProcess[str]:
    process = started(place, url, *more, **settings)
    out, err = process.communicate(timeout=120)
    return subprocess.CompletedProcess([], process.returncode, out, err)


def openai(**more: Any) -> OpenAIBatchServer:
    return OpenAIBatchServer(answer="B", **more)


def anthropic(**more: Any) -> AnthropicBatchServer:
    pytest.importorskip("anthropic", reason="needs the extra 'providers'")
    return AnthropicBatchServer(answer=lambda text: "B", **more)


MAKERS: dict[str, Callable[..., Batched]] = {"openai": openai, "anthropic": anthropic}
PROVIDERS = ["openai", pytest.param("anthropic", marks=pytest.mark.full)]


def left_with_three_batches(
    server: Batched, place: Path, url: str, how: signal.Signals = signal.SIGKILL, *, looks: int = 1, **settings: Any
) -> tuple[int, str]:
    """Start a command and stop it when each of three batches has been looked at; its exit code and what it said."""
    process = started(place, url, **settings)
    for _ in range(400):
        if len(server.batches) == 3 and all(batch.looks >= looks for batch in server.batches.values()):
            break
        time.sleep(0.1)
    process.send_signal(how)
    _, said = process.communicate(timeout=60)
    return process.returncode, said


def lines_of(place: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (place / "run" / "responses.jsonl").read_text().splitlines()]


def usage_of(place: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((place / "run" / "usage.json").read_text())
    return found


def about(number: int) -> Callable[[str], bool]:
    return lambda text: f"<{number}>" in text


@pytest.mark.parametrize("provider", PROVIDERS)
def test_the_first_is_asked_alone_and_the_others_in_batches_at_half_the_price(place: Path, provider: str) -> None:
    server = MAKERS[provider]()
    with serving(server) as url:  # type: ignore[arg-type]
        done = ran(place, url, "--json", provider=provider)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["rows"][0]["figures"]["average"]["value"] == 100
    assert sum(server.alone.values()) == 1
    assert sum(server.asked.values()) == ITEMS - 1
    assert max((server.alone + server.asked).values()) == 1
    assert [len(batch.requests) for batch in server.batches.values()] == [15, 15, 9]
    assert "which may take a day. Ctrl-C leaves them there, and the same command comes back" in done.stderr
    usage = usage_of(place)
    (counts,) = usage["addresses"].values()
    assert counts == {"batches": 3, "questions": ITEMS - 1}
    assert sum("answered in a batch" in line.get("notes", {}) for line in lines_of(place)) == ITEMS - 1
    if provider == "openai":
        each = (100 * 100 + 1000 * 10) / 1e6
        assert usage["cost"] == pytest.approx((ITEMS - 1) * each / 2, rel=0.1)


@pytest.mark.full
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_run_that_is_left_comes_back_and_asks_nothing_twice(place: Path, provider: str, how: signal.Signals) -> None:
    server = MAKERS[provider](looks=10_000)
    with serving(server) as url:  # type: ignore[arg-type]
        code, said = left_with_three_batches(server, place, url, how, looks=2, provider=provider)
        assert len(server.batches) == 3
        if how == signal.SIGINT:
            assert code == 130
            assert "39 questions are at" in said
            assert "in 3 batches; the same command comes back for their answers." in said
        assert not list((place / "run" / "batches").glob("*.jsonl"))  # the provider has read them
        server.end_after = 1
        done = ran(place, url, provider=provider)
    assert done.returncode == 0, done.stderr
    assert max((server.alone + server.asked).values()) == 1
    assert sum((server.alone + server.asked).values()) == ITEMS
    assert sum("response" in line for line in lines_of(place)) == ITEMS


def test_one_that_is_killed_while_it_sends_finds_what_arrived(place: Path) -> None:
    server = openai(looks=10_000)
    with serving(server) as url:
        left_with_three_batches(server, place, url)
        # As if it had been killed before it could write down what the provider said, and before one was sent.
        first, second = sorted((place / "run" / "batches").glob("*.json"))[:2]
        for path in (first, second):
            record = json.loads(path.read_text())
            path.write_text(json.dumps(record | {"name": None, "stage": "sending"}))
        lost = json.loads(second.read_text())
        name = next(name for name, batch in server.batches.items() if batch.metadata["tolman"] == lost["token"])
        unsent = server.batches.pop(name)
        second.with_suffix(".jsonl").write_text("".join(json.dumps(one) + "\n" for one in unsent.requests))
        server.end_after = 1
        done = ran(place, url)
    assert done.returncode == 0, done.stderr
    assert len(server.batches) == 3  # one was sent anew
    assert sum("response" in line for line in lines_of(place)) == ITEMS


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_batch_whose_name_was_never_heard_is_not_sent_twice(place: Path, provider: str) -> None:
    server = MAKERS[provider](lost=1)
    with serving(server) as url:  # type: ignore[arg-type]
        done = ran(place, url, provider=provider)
    assert done.returncode == 0, done.stderr
    assert max((server.alone + server.asked).values()) == 1
    assert len(server.batches) == 3


@pytest.mark.parametrize("provider", PROVIDERS)
def test_what_fails_in_a_batch_is_no_answer_and_is_asked_again_by_the_next_start(place: Path, provider: str) -> None:
    fates = {"<7>": "expired", "<8>": "error", "<9>": "invalid"}

    def fate(text: str) -> str | None:
        return next((what for number, what in fates.items() if number in text), None)

    server = MAKERS[provider](fate=fate)
    with serving(server) as url:  # type: ignore[arg-type]
        done = ran(place, url, provider=provider)
        assert done.returncode == 1, done.stderr
        assert "INCOMPLETE" in done.stdout
        failures = {line["id"]: line["failure"] for line in lines_of(place) if "failure" in line}
        assert set(failures) == {"7", "8", "9"}
        assert [failures[i]["kind"] for i in ("7", "8", "9")] == ["interrupted", "server", "refused"]
        assert "the same command asks again" in failures["7"]["message"]
        fates.clear()
        again = ran(place, url, provider=provider)
    assert again.returncode == 0, again.stderr
    counts = server.alone + server.asked
    assert {text for text, count in counts.items() if count > 1} == {
        text for text in counts if any(f"<{number}>" in text for number in (7, 8, 9))
    }


def test_a_batch_for_which_there_is_no_room_yet_is_sent_again(place: Path) -> None:
    server = openai(full=2)
    with serving(server) as url:
        done = ran(place, url)
    assert done.returncode == 0, done.stderr
    assert len(server.batches) == 5
    assert max(server.asked.values()) == 1


def test_what_the_provider_refuses_ends_the_run_in_a_sentence(place: Path) -> None:
    server = openai(refused="The model m is not available for batches.")
    with serving(server) as url:
        done = ran(place, url)
    assert done.returncode == 1
    assert re.search(r"refused the batch batch_\d: The model m is not available for batches\.", done.stderr)
    assert "1 of 40 answered and kept; run the same command again to resume." in done.stderr


def test_an_endpoint_without_batches_ends_the_run_in_a_sentence(place: Path) -> None:
    from loopback import Server

    server = Server(answer="B")
    with serving(server) as url:
        done = ran(place, url)
    assert done.returncode == 1
    assert "answered HTTP 404" in done.stderr
    assert "has this endpoint a batch interface?" in done.stderr
    assert server.requests == 1


def test_a_wrong_key_at_the_second_start_loses_no_batch(place: Path) -> None:
    server = openai(looks=10_000)
    with serving(server) as url:
        left_with_three_batches(server, place, url)
        kept = server.batches
        server.batches = {}
        server.retrieve = refuse  # type: ignore[method-assign, assignment]
    with serving(server) as url:
        done = ran(place, url)
        assert done.returncode == 1
        assert "HTTP 401" in done.stderr
    del server.retrieve
    server.batches, server.end_after = kept, 1
    with serving(server) as url:
        done = ran(place, url)
    assert done.returncode == 0, done.stderr
    assert max((server.alone + server.asked).values()) == 1


async def refuse(request: Any) -> Any:
    from aiohttp import web

    return web.json_response({"error": {"message": "Incorrect API key provided"}}, status=401)


@pytest.mark.full
def test_a_batch_that_is_gone_is_asked_anew_by_the_next_start(place: Path) -> None:
    server = openai(looks=10_000)
    with serving(server) as url:
        left_with_three_batches(server, place, url, looks=2)
        server.batches.clear()
        server.end_after = 1
        done = ran(place, url)
        assert done.returncode == 1
        assert "knows no batch" in json.dumps(lines_of(place))
        again = ran(place, url)
    assert again.returncode == 0, again.stderr
    assert sum("response" in line for line in lines_of(place)) == ITEMS


def test_a_damaged_record_is_one_sentence(place: Path) -> None:
    with serving(openai()) as url:
        assert ran(place, url).returncode == 0
        (place / "run" / "batches" / "0001.json").write_text("{")
        done = ran(place, url)
    assert done.returncode == 2
    assert "0001.json: is no record of a batch" in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ("--model", "baseline/random"),
            "--batch is for models of the families openai and anthropic, not for baseline/random.",
        ),
        (
            ("--model", "openai/m", "--base-url", "http://127.0.0.1:9/v1,http://127.0.0.1:8/v1"),
            "--batch takes one address",
        ),
        (("--model", "openai/m", "--stream"), "leave out --stream and --serve"),
        (("--model", "openai/m", "--serve", "vllm:m"), "leave out --stream and --serve"),
    ],
)
def test_what_can_not_go_together_is_one_sentence(place: Path, words: tuple[str, ...], sentence: str) -> None:
    assert sentence in refused(place, "run", "./bench", "--batch", *words)
