"""Answers that were stopped: a model that thinks longer than it may, filters, tools, unknown content. Over HTTP."""

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

import terminal
from loopback import Server, serving
from runs.letters import write_directions
from tolman.responses import FailureKind, Response
from tolman.runs.calling import failure_of
from tolman.runs.response_store import ResponseStore

ITEMS = 12
THINKS = 50
Go = Callable[..., dict[str, Any]]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return write_directions(tmp_path / "bench", ITEMS)


@pytest.fixture
def go(place: Path) -> Go:
    """Run the questions against a server; gives exit code, what was printed, and what is in the folder."""

    def run(server: Server, *more: str, out: str = "run") -> dict[str, Any]:
        with serving(server) as url:
            # The address is part of an answer's key; that of the next server may be another.
            done = terminal.tolman(
                place, "run", "./bench", "--model", "openai/m", "--protocol", "blind", "--base-url", url, "--out", out,
                "--store", "s.sqlite", "--json", *more,
            )  # fmt: skip
        assert done.returncode in (0, 1), done.stderr
        lines = [json.loads(line) for line in (place / out / "responses.jsonl").read_text().splitlines()]
        report = json.loads(done.stdout)
        (row,) = (row for row in report["rows"] if row["headline"])
        return {
            "code": done.returncode,
            "warnings": [text for text in report["warnings"] if not text.startswith("PART")],
            "row": row,
            "endings": report.get("endings"),
            "lines": lines,
            "page": (place / out / "report.html").read_text(),
        }

    return run


def stored(place: Path) -> int:
    db = sqlite3.connect(place / "s.sqlite")
    count = int(db.execute("SELECT COUNT(*) FROM responses").fetchone()[0])
    db.close()
    return count


def test_a_thinking_model_that_is_cut_off_is_no_zero_and_scores_right_with_enough_tokens(go: Go, place: Path) -> None:
    server = Server(answer="B", thinks=THINKS)
    found = go(server, "--ask-again", "0")
    assert found["code"] == 1
    assert found["row"]["figures"] == {}  # no score at all, rather than one of 0
    assert found["row"]["incomplete"]
    (warning,) = found["warnings"]
    assert warning.startswith(f"INCOMPLETE: openai/m (blind): {ITEMS} failed of {ITEMS} items, not in the figures.")
    assert "× cut off: item 0: the token limit of 16 ended the answer while the model was reasoning" in warning
    assert "--reasoning-budget" in warning
    assert "the token limit of 16" in found["page"]
    assert {line["failure"]["kind"] for line in found["lines"]} == {"cut off"}
    assert stored(place) == 0
    assert server.requests == ITEMS  # none is tried again with the same limit
    usage = json.loads((place / "run" / "usage.json").read_text())
    assert usage["output_tokens"] == 16 * ITEMS  # they are paid for all the same

    enough = go(Server(answer="B", thinks=THINKS), "--max-tokens", "200", out="enough")
    assert (enough["code"], enough["warnings"]) == (0, [])
    assert enough["row"]["figures"]["route_plan"]["value"] == 100.0
    assert enough["lines"][0]["reasoning"].startswith("Hmm. Hmm.")


def test_a_partial_answer_stays_a_response_and_is_counted_above_the_table(go: Go) -> None:
    found = go(Server(answer="I would say that it must be B", thinks=THINKS), "--max-tokens", str(THINKS + 3))
    assert found["code"] == 1
    assert {line["response"] for line in found["lines"]} == {"I would say"}
    (warning,) = found["warnings"]
    assert warning == (
        "CUT OFF: openai/m (blind): 12 of 12 answers were ended by the token limit (53 tokens), 12 of them before an "
        "answer that every rule set can read; give more with --max-tokens."
    )
    assert warning.replace("'", "&#39;") in found["page"]
    assert found["endings"] == [{"run": "openai/m (blind)", "cut off": {"count": 12, "unread": 12}}]
    assert found["row"]["figures"]["route_plan"]["value"] == 0.0  # as the released rules score what came


def test_a_comparison_says_which_run_was_cut_off(go: Go, place: Path) -> None:
    go(Server(answer="I would say that it must be B", thinks=THINKS), "--max-tokens", str(THINKS + 3), out="short")
    go(Server(answer="B"), out="whole")
    done = terminal.tolman(place, "compare", "short", "whole", code=0)
    assert done.stdout.startswith("CUT OFF: openai/m (blind, ")
    assert "max_tokens 53): 12 of 12 answers were ended by the token limit (53 tokens), 12 of them" in done.stdout
    found = json.loads(terminal.tolman(place, "compare", "short", "whole", "--json").stdout)
    assert found["endings"] == {"cut off": {"count": 12, "unread": 12}}
    assert found["comparisons"][0]["endings"] == {}


def test_an_answer_that_can_be_read_before_the_limit_is_counted_and_no_failure(go: Go) -> None:
    found = go(Server(answer="B. Turn right at the sofa and", thinks=THINKS), "--max-tokens", str(THINKS + 3))
    assert found["code"] == 0
    assert found["warnings"] == [
        "CUT OFF: openai/m (blind): 12 of 12 answers were ended by the token limit (53 tokens), and all can be read."
    ]
    assert found["row"]["figures"]["route_plan"]["value"] == 100.0


class Says(Server):
    """A server that gives a third of the questions a message of its own, and answers the others."""

    def __init__(self, message: dict[str, Any], reason: str | None = "stop") -> None:
        super().__init__(answer="B")
        self.message, self.reason = {"role": "assistant", **message}, reason

    async def complete(self, request: web.Request) -> web.StreamResponse:
        said = (await request.json())["messages"][0]["content"]
        if any(f"sofa {i}?" in said for i in (0, 3, 6, 9)):
            self.requests += 1
            return web.json_response({"choices": [{"message": self.message, "finish_reason": self.reason}]})
        return await super().complete(request)


TOOL = {"id": "1", "type": "function", "function": {"name": "look", "arguments": "{}"}}


@pytest.mark.full
@pytest.mark.parametrize(
    ("message", "reason", "kind", "sentence"),
    [
        ({"content": None}, "length", "cut off", "the token limit of 16 ended the answer before its first word"),
        ({"content": ""}, "length", "cut off", "the token limit of 16"),
        ({"content": None}, "repetition", "no text", "finish reason 'repetition'"),
        ({"content": None}, "content_filter", "filtered", "the answer was filtered out"),
        ({"content": None, "tool_calls": [TOOL]}, "tool_calls", "no text", "called a tool instead of answering"),
        ({"content": "", "tool_calls": [TOOL]}, "stop", "no text", "called a tool instead of answering"),
        ({"content": "", "reasoning": "It is B."}, "stop", "no text", "gave reasoning and no answer"),
        ({"content": None}, "eaten", "no text", "finish reason 'eaten'"),
    ],
)  # fmt: skip
def test_what_brought_no_text_is_a_failure_even_if_it_is_the_first_answer(
    go: Go, message: dict[str, Any], reason: str, kind: str, sentence: str
) -> None:
    found = go(Says(message, reason), "--ask-again", "0", "--retries", "0")
    lost = {line["id"]: line["failure"] for line in found["lines"] if "failure" in line}
    assert found["code"] == 1
    assert sorted(lost) == ["0", "3", "6", "9"]
    assert {failure["kind"] for failure in lost.values()} == {kind}
    assert all(sentence in failure["message"] for failure in lost.values())
    (warning,) = found["warnings"]
    assert f"4 × {kind}: item 0: " in warning
    assert found["row"]["figures"]["route_plan"]["value"] == 100.0
    assert found["row"]["figures"]["route_plan"]["n"] == 8


def test_answers_that_rest_on_reasoning_that_was_cut_off_are_counted(go: Go) -> None:
    """The reasoning takes six words, and its turn five tokens; the turn that extracts the answer is whole."""

    def reply(body: dict[str, Any]) -> str:
        return "B" if len(body["messages"]) > 1 else "The sofa is on the right."

    found = go(
        Server(reply=reply, thinks=THINKS),
        "--protocol",
        "cot",
        "--reasoning-tokens",
        str(THINKS + 5),
        "--max-tokens",
        "99",
    )
    assert found["code"] == 0
    assert found["warnings"] == [
        "CUT OFF EARLIER: openai/m (cot): 12 of 12 answers were built on an earlier turn that the token limit ended; give "
        "such turns more with --reasoning-tokens."
    ]
    assert found["row"]["figures"]["route_plan"]["value"] == 100.0


def test_text_that_a_filter_ended_is_counted(go: Go) -> None:
    found = go(Says({"content": "I think"}, "content_filter"))
    assert found["code"] == 1
    assert found["warnings"] == [
        "FILTERED: openai/m (blind): 4 of 12 answers were ended by a filter of the endpoint, 4 of them before an answer "
        "that every rule set can read."
    ]


@pytest.mark.parametrize(
    ("message", "reason", "begin"),
    [
        ({"content": None, "refusal": "I won't."}, "stop", "REFUSED: openai/m (blind): 4 of 12 answers were refused by"),
        (
            {"content": "left left left"}, "repetition",
            "REPETITION: openai/m (blind): 4 of 12 answers were ended by the endpoint because they repeated themselves",
        ),
    ],
)  # fmt: skip
def test_refusals_and_repetitions_are_counted_apart(go: Go, message: dict[str, Any], reason: str, begin: str) -> None:
    found = go(Says(message, reason))
    (warning,) = found["warnings"]
    assert warning.startswith(begin)
    assert next(iter(found["endings"][0].keys() - {"run"})) == begin.partition(":")[0].lower()


def test_reasoning_that_ends_by_itself_is_said_of_no_token_limit(go: Go, place: Path) -> None:
    go(Server(answer="B"))
    path = place / "run" / "responses.jsonl"
    lines = path.read_text().splitlines()
    for number, reason in ((0, "stop"), (1, "length")):
        text = "<think>It is left or it is left or it is left"
        lines[number] = json.dumps({"id": str(number), "response": text, "finish_reason": reason})
    path.write_text("\n".join(lines) + "\n")
    done = terminal.tolman(place, "score", "run", code=1)
    assert (
        "UNFINISHED: openai/m (blind): 1 of 12 answer was ended within the reasoning, and the endpoint names no token limit"
        in done.stdout
    )
    assert "CUT OFF: openai/m (blind): 1 of 12 answer was ended by the token limit (16 tokens)" in done.stdout


@pytest.mark.parametrize("kind", ["output_text", "text"])
def test_parts_that_hold_text_are_read(go: Go, kind: str) -> None:
    parts = [{"type": "thinking", "thinking": [{"type": "text", "text": "Well."}]}, {"type": kind, "text": "B"}]
    found = go(Says({"content": parts}))
    assert (found["code"], found["warnings"]) == (0, [])
    assert found["row"]["figures"]["route_plan"]["value"] == 100.0
    assert found["lines"][0]["reasoning"] == "Well."


def test_a_dialect_that_cannot_be_read_is_told_by_the_first_answer(place: Path) -> None:
    server = Says({"content": [{"type": "answer_v2", "value": "B"}]})
    with serving(server) as url:
        done = terminal.tolman(
            place, "run", "./bench", "--model", "openai/m", "--protocol", "blind", "--base-url", url, "--out", "run",
            "--concurrency", "1", code=2,
        )  # fmt: skip
    assert "sent content of the type 'answer_v2', which can't be read. Nothing else was sent." in done.stderr
    assert server.requests == 1


def test_an_empty_answer_of_an_earlier_version_is_asked_again(place: Path) -> None:
    server = Server(answer="B")
    with serving(server) as url:
        command = (
            "run", "./bench", "--model", "openai/m", "--protocol", "blind", "--base-url", url, "--out", "run", "--store",
            "s.sqlite",
        )  # fmt: skip
        assert terminal.tolman(place, *command).returncode == 0
        db = sqlite3.connect(place / "s.sqlite")
        cut_off = Response(id="x", response="", finish_reason="length").model_dump_json(exclude_defaults=True)
        with db:
            db.execute("UPDATE responses SET response = ? WHERE key IN (SELECT key FROM responses LIMIT 5)", [cut_off])
        db.close()
        done = terminal.tolman(place, *command, code=0)
    assert server.requests == ITEMS + 5
    assert "5 calls, 7 answers from the store" in done.stderr
    store = ResponseStore(place / "s.sqlite")
    assert {row["response"]["response"] for row in store.export()} == {"B"}
    store.close()


def test_empty_answers_in_an_earlier_run_folder_are_counted_when_it_is_scored_again(go: Go, place: Path) -> None:
    go(Server(answer="B"))
    path = place / "run" / "responses.jsonl"
    lines = path.read_text().splitlines()
    lines[0] = json.dumps({"id": "0", "response": "", "finish_reason": "length"})
    path.write_text("\n".join(lines) + "\n")
    done = terminal.tolman(place, "score", "run", code=1)
    assert (
        "CUT OFF: openai/m (blind): 1 of 12 answer was ended by the token limit (16 tokens), 1 of them" in done.stdout
    )


@pytest.mark.parametrize(
    ("text", "reason", "reasoning", "kind"),
    [
        ("", "stop", None, None),
        ("", None, None, None),
        ("A", "length", "Because", None),
        ("", "STOP", None, None),
        (" \n", "MAX_TOKENS", None, FailureKind.CUT_OFF),
        ("", "max_tokens", None, FailureKind.CUT_OFF),
        ("", "refusal", None, FailureKind.FILTERED),
        ("", "SAFETY", None, FailureKind.FILTERED),
        ("", "UNEXPECTED_TOOL_CALL", None, FailureKind.NO_TEXT),
        ("", "OTHER", None, FailureKind.NO_TEXT),
        ("", "end_turn", "Because", FailureKind.NO_TEXT),
    ],
)
def test_an_empty_text_is_an_answer_only_where_the_model_was_done(
    text: str, reason: str | None, reasoning: str | None, kind: FailureKind | None
) -> None:
    found = failure_of(Response(id="1", response=text, finish_reason=reason, reasoning=reasoning))
    assert (None if found is None else found.kind) == kind
