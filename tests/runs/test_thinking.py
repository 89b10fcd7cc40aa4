"""Runs of a model that thinks, at servers of every dialect: score, tokens, cost, what is sent, and what is said."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import terminal
import thinkers
from loopback import serving
from runs.letters import write_directions
from thinkers import CACHED, INPUT, MEDIA, LlamaCpp, Mind, OpenAI, Sglang, Thinker, Vllm
from tolman.messages import Sampling, Thinking
from tolman.runs.response_store import request_key

ITEMS = 4
NEEDS = 50
Go = Callable[..., dict[str, Any]]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    prices = {
        name: {"input": 1000, "output": 10_000, "cached": 100}
        for name in ("openai/m", "anthropic/m", "gemini/gemini-2.5-m")
    }
    (tmp_path / "prices.json").write_text(json.dumps(prices))
    return write_directions(tmp_path / "bench", ITEMS)


@pytest.fixture
def go(place: Path) -> Go:
    """Run the questions against a server; gives exit code, what was printed, and what is in the folder."""

    def run(server: Thinker, *more: str, model: str = "openai/m", out: str = "run") -> dict[str, Any]:
        with serving(server) as url:  # type: ignore[arg-type]
            address = url if model.startswith("openai/") else url.removesuffix("/v1")
            done = terminal.tolman(
                place, "run", "./bench", "--model", model, "--protocol", "blind", "--base-url", address, "--out", out,
                "--store", "s.sqlite", "--json", "--prices", "prices.json", "--retries", "0", *more,
                ANTHROPIC_API_KEY="k", GEMINI_API_KEY="k",
            )  # fmt: skip
        assert done.returncode in (0, 1), done.stderr
        report = json.loads(done.stdout)
        figures = [row["figures"].get("route_plan", {"value": None}) for row in report["rows"] if row["headline"]]
        lines = place / out / "responses.jsonl"
        return {
            "code": done.returncode,
            "said": done.stderr,
            "score": figures[0]["value"] if figures else None,
            "warnings": [text for text in report["warnings"] if not text.startswith("PART")],
            "notes": report["notes"],
            "report": report,
            "lines": [json.loads(line) for line in lines.read_text().splitlines()] if lines.exists() else [],
            "usage": json.loads((place / out / "usage.json").read_text()) if lines.exists() else {},
        }

    return run


def spent(calls: int, reasoning: int, answers: int, *, media: int = MEDIA, told: bool = True) -> dict[str, int]:
    """Tokens as usage.json has them."""
    return {
        "input_tokens": calls * INPUT,
        "output_tokens": reasoning + answers,
        "reasoning_tokens": reasoning if told else 0,
        "cached_tokens": calls * CACHED,
        "media_tokens": calls * media,
    }


def cost(calls: int, output: int) -> float:
    return calls * (1000 * (INPUT - CACHED) + 100 * CACHED) / 1e6 + 10_000 * output / 1e6


SERVERS: dict[str, tuple[Callable[[], Thinker], str, dict[str, Any]]] = {
    "vllm": (Vllm, "openai/m", {}),
    "vllm without a parser": (lambda: Vllm(parser=False), "openai/m", {"told": False}),
    "sglang": (Sglang, "openai/m", {}),
    "llama.cpp": (LlamaCpp, "openai/m", {"media": 0, "told": False}),
    "openai": (OpenAI, "openai/m", {}),
    "anthropic": (thinkers.Anthropic, "anthropic/m", {"media": 0}),
    "gemini": (thinkers.Gemini, "gemini/gemini-2.5-m", {}),
}
QUICK = ("vllm", "openai", "gemini")
KINDS = tuple(pytest.param(kind, marks=() if kind in QUICK else pytest.mark.full) for kind in SERVERS)


def has(model: str) -> None:
    """Skip where the family's package isn't installed."""
    family = model.partition("/")[0]
    if family != "openai":
        pytest.importorskip({"anthropic": "anthropic", "gemini": "google.genai"}[family])


@pytest.mark.parametrize("kind", KINDS)
def test_a_model_told_to_think_is_right_and_its_tokens_and_cost_are_counted(go: Go, kind: str) -> None:
    make, model, counted = SERVERS[kind]
    has(model)
    found = go(make(), "--effort", "high", model=model)
    assert (found["code"], found["score"], found["warnings"]) == (0, 100.0, [])
    usage = found["usage"]
    wanted = spent(ITEMS, ITEMS * NEEDS, ITEMS, **counted)
    assert {name: usage[name] for name in wanted} == wanted
    assert usage["cost"] == pytest.approx(cost(ITEMS, ITEMS * (NEEDS + 1)))
    assert sum(line["cost"] for line in found["lines"]) == pytest.approx(usage["cost"])
    assert {line["response"] for line in found["lines"]} == {"B"}  # the reasoning is no part of it
    if kind != "openai":
        assert all(line["reasoning"].startswith("Hmm. Hmm.") for line in found["lines"])
    (note,) = (text for text in found["notes"] if " tokens" in text and "cost" in text)
    assert f"cost {usage['cost']:.2f}" in note
    assert f"{ITEMS} of {ITEMS} answers came after reasoning" in note
    assert f"{ITEMS * CACHED:,} cached" in found["said"]
    assert "reasons before it answers" in found["said"]


@pytest.mark.full
@pytest.mark.parametrize("kind", KINDS)
def test_a_thinking_model_cut_off_by_the_presets_16_tokens_is_asked_again_alone_with_more(go: Go, kind: str) -> None:
    make, model, counted = SERVERS[kind]
    if kind == "anthropic" or "parser" in kind:
        pytest.skip("it doesn't think by itself, or nothing tells that it does")
    has(model)
    server = make()
    found = go(server, model=model)
    assert (found["code"], found["score"], found["warnings"]) == (0, 100.0, [])
    usage = found["usage"]
    wanted = spent(2 * ITEMS, ITEMS * (16 + NEEDS), ITEMS, **counted)
    assert {name: usage[name] for name in wanted} == wanted
    assert (usage["called"], usage["again"]) == (2 * ITEMS, ITEMS)
    assert usage["cost"] == pytest.approx(sum(line["cost"] for line in found["lines"]))
    assert all("asked again with room for 4,096 tokens of reasoning" in line["notes"] for line in found["lines"])
    assert any(f"{ITEMS} × asked again with room for 4,096 tokens" in note for note in found["notes"])
    assert f"{ITEMS} asked again with more room for reasoning" in found["said"]
    assert "--reasoning-budget 8k gives" in found["said"]
    again = go(server, model=model, out="other")  # the answers are found under the same key
    assert again["usage"]["reused"] in (0, ITEMS)  # another port is another address


@pytest.mark.parametrize("kind", KINDS)
def test_thinking_off_reaches_the_model(go: Go, kind: str) -> None:
    make, model, _ = SERVERS[kind]
    has(model)
    found = go(make(), "--thinking", "off", model=model)
    assert found["code"] == 0
    assert found["score"] == 0.0  # without reasoning the scripted model is wrong
    assert found["usage"]["output_tokens"] == ITEMS
    assert not any("reasoning" in line for line in found["lines"])
    assert "reasons" not in found["said"]


def test_a_switch_that_the_template_does_not_know_is_told_by_the_first_reply(go: Go) -> None:
    """vLLM filters it out without a word."""

    class Deaf(Vllm):
        def answer(self, body: dict[str, Any]) -> dict[str, Any]:
            return super().answer({name: value for name, value in body.items() if name != "chat_template_kwargs"})

    found = go(Deaf(), "--thinking", "off", "--max-tokens", "200")
    assert found["score"] == 100.0
    assert "openai/m reasons before it answers (in a field of its own), although it was told not to" in found["said"]


@pytest.mark.full
@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("vllm", {"max_completion_tokens": 16 + 2048, "thinking_token_budget": 2048}),
        ("sglang", {"max_completion_tokens": 16 + 2048, "custom_params": {"thinking_budget": 2048}}),
        ("llama.cpp", {"max_tokens": 16 + 2048}),
        ("openai", {"max_completion_tokens": 16 + 2048}),
        ("anthropic", {"max_tokens": 16 + 2048, "thinking": {"type": "enabled", "budget_tokens": 2048}}),
        ("gemini", {"maxOutputTokens": 16 + 2048, "thinkingConfig": {"includeThoughts": True, "thinkingBudget": 2048}}),
    ],
)
def test_a_budget_of_reasoning_is_sent_beside_the_answers_limit(go: Go, kind: str, fields: dict[str, Any]) -> None:
    make, model, _ = SERVERS[kind]
    has(model)
    server = make()
    found = go(server, "--reasoning-budget", "2k", model=model)
    assert (found["code"], found["score"]) == (0, 100.0)
    body = server.bodies[-1].get("generationConfig", server.bodies[-1])
    assert {name: body.get(name) for name in fields} == fields
    within = "reasoning budget of 2,048 tokens sent within the token limit only"
    assert any(within in note for note in found["notes"]) == (kind in ("llama.cpp", "openai"))


def test_a_word_sent_as_a_number_is_recorded_with_the_number(go: Go) -> None:
    has("gemini/m")
    found = go(thinkers.Gemini(), "--effort", "high", model="gemini/gemini-2.5-m")
    assert any(f"{ITEMS} × effort 'high' sent as a budget of 16,000 tokens" in note for note in found["notes"])
    assert found["lines"][0]["notes"] == {"effort 'high' sent as a budget of 16,000 tokens": 1}


def test_an_older_model_of_anthropics_gets_a_number_and_no_temperature(go: Go) -> None:
    has("anthropic/m")
    server = thinkers.Anthropic(types=("enabled", "disabled"))
    found = go(server, "--effort", "low", model="anthropic/m")
    assert (found["code"], found["score"]) == (0, 100.0)
    assert server.bodies[-1]["thinking"] == {"type": "enabled", "budget_tokens": 4096}
    assert "temperature" not in server.bodies[-1]
    assert server.pages == ["/v1/models/m"]  # one look
    for note in ("effort 'low' sent as a budget of 4,096 tokens", "temperature not sent: refused by the endpoint"):
        assert any(f"{ITEMS} × {note}" in text for text in found["notes"]), note


def test_a_refused_temperature_is_left_out_once_and_for_all_and_told(go: Go) -> None:
    server = OpenAI()
    found = go(server, "--thinking", "on")
    assert (found["code"], found["score"]) == (0, 100.0)
    refused = [body for body in server.bodies if "temperature" in body]
    assert len(refused) == 1  # the first call's
    assert any(f"{ITEMS} × temperature not sent: refused by the endpoint" in note for note in found["notes"])
    assert found["lines"][0]["served"] == "m-2026-11-01 fp_1"


def test_an_answer_cut_off_behind_a_template_that_opened_the_thoughts_is_not_scored(go: Go) -> None:
    """No tag shows that the text is reasoning; the model was told to reason, so it is asked again."""
    found = go(
        Vllm(Mind(needs=3000), parser=False), "--reasoning-budget", "1k", "--body", '{"thinking_token_budget": null}'
    )
    assert (found["code"], found["score"]) == (0, 100.0)
    assert found["usage"]["again"] == ITEMS
    assert {line["response"] for line in found["lines"]} == {"B"}


def test_reasoning_without_any_tag_that_nobody_asked_for_is_counted_above_the_table(go: Go) -> None:
    """Nothing tells it from an answer but that the token limit ended it."""
    found = go(Vllm(parser=False))
    assert found["code"] == 1
    (warning,) = found["warnings"]
    assert warning.startswith(
        f"CUT OFF: openai/m (blind): {ITEMS} of {ITEMS} answers were ended by the token limit (16 tokens), {ITEMS} of them"
    )


def test_what_stays_cut_off_is_a_failure_that_names_what_was_tried(go: Go) -> None:
    server = Vllm(Mind(needs=100_000))
    found = go(server)
    assert found["code"] == 1
    assert len(server.bodies) == 3 * ITEMS
    limits = sorted({body["max_tokens"] for body in server.bodies})
    assert limits == [16, 16 + 4096, 16 + 16_384]
    assert {line["failure"]["kind"] for line in found["lines"]} == {"cut off"}
    message = found["lines"][0]["failure"]["message"]
    assert "while the model was reasoning; give more with --reasoning-budget" in message
    assert "(asked again with room for 4,096 and 16,384 tokens of reasoning)" in message
    assert found["usage"]["output_tokens"] == ITEMS * sum(limits)  # they are paid for

    once = go(Vllm(Mind(needs=100_000)), "--ask-again", "0", out="once")
    assert once["usage"]["called"] == ITEMS


def test_a_limit_that_is_not_the_requests_ends_the_asking(go: Go) -> None:
    """The model's context ends the answer, so more room would change nothing."""

    class Narrow(Vllm):
        def answer(self, body: dict[str, Any]) -> dict[str, Any]:
            return super().answer({**body, "max_tokens": min(1000, body["max_tokens"])})

    server = Narrow(Mind(needs=100_000))
    found = go(server)
    assert found["usage"]["called"] == 3 * ITEMS  # 16, then 1000 twice
    assert go(Narrow(Mind(needs=100_000)), "--max-tokens", "1000", out="b")["usage"]["called"] == 2 * ITEMS


def test_a_server_that_refuses_a_field_ends_the_run_with_the_field_and_how_to_leave_it_out(place: Path) -> None:
    server = Vllm(parser=False)
    with serving(server) as url:  # type: ignore[arg-type]
        done = terminal.tolman(
            place, "run", "./bench", "--model", "openai/m", "--protocol", "blind", "--base-url", url, "--out", "run",
            "--reasoning-budget", "2k", code=2,
        )  # fmt: skip
    assert "thinking_token_budget needs a reasoning parser (reasoning is set by thinking_token_budget, " in done.stderr
    assert "--body '{\"thinking_token_budget\": null}' takes that out)." in done.stderr
    assert len(server.bodies) <= 5


def test_the_score_against_the_budget_is_a_table_with_paired_intervals(go: Go, place: Path) -> None:
    found = go(Vllm(), "--reasoning-budget", "0,32,2k")
    assert [row["figures"]["route_plan"]["value"] for row in found["report"]["rows"] if row["headline"]] == [
        0.0,
        0.0,
        100.0,
    ]
    steps = found["report"]["budgets"][0]
    assert [(step["budget"], step["reasoning_tokens"], step["cut_off"]) for step in steps] == [
        (0, 0.0, 0), (32, 32.0, 0), (2048, 50.0, 0),
    ]  # fmt: skip
    assert steps[0]["difference"] is None
    assert steps[2]["difference"]["value"] == steps[2]["value"] - steps[0]["value"]
    assert steps[2]["difference"]["n"] == ITEMS
    assert {path.name for path in (place / "run").iterdir() if path.is_dir()} == {
        "reasoning-0", "reasoning-32", "reasoning-2048",
    }  # fmt: skip


def test_several_budgets_ask_nothing_again_and_find_no_answer_that_needed_more(go: Go, place: Path) -> None:
    def sweep(server: Thinker) -> str:
        with serving(server) as url:  # type: ignore[arg-type]
            command = (
                "run", "./bench", "--model", "openai/m", "--protocol", "blind", "--base-url", url, "--store", "s.sqlite",
            )  # fmt: skip
            alone = terminal.tolman(place, *command, "--reasoning-budget", "32", "--out", "alone", code=0)
            assert "4 asked again with more room" in alone.stderr
            several = terminal.tolman(place, *command, "--reasoning-budget", "32,2k", "--out", "several", code=1)
        return several.stdout

    printed = sweep(LlamaCpp(Mind(needs=60)))  # it obeys the limit of 16 + 32 tokens only
    assert re.search(r"^reasoning budget ", printed, re.MULTILINE)
    assert re.search(r"^ +32 .* 4 *$", printed, re.MULTILINE)  # cut off
    assert re.search(r"^ +2,048 +100.0", printed, re.MULTILINE)
    assert "--count-failures-as-wrong scores them 0" in printed


def test_without_settings_of_reasoning_an_answers_key_says_nothing_of_it() -> None:
    _, asked = request_key("openai/m", {"base_url": "http://x/v1"}, (), Sampling(max_tokens=16), 0, 0)
    assert json.loads(asked)["sampling"] == {"temperature": 0.0, "max_tokens": 16}
    _, asked = request_key("openai/m", {}, (), Sampling(thinking=Thinking(budget=2048)), 0, 0)
    assert json.loads(asked)["sampling"] == {"temperature": 0.0, "thinking": {"budget": 2048}}
