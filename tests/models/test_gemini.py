"""Gemini's wire: the upload of a video, what is sent, and what each answer becomes."""

import asyncio
import base64
import hashlib
import json
import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from PIL import Image

pytest.importorskip("google.genai", reason="needs the extra 'providers'")
pytest.importorskip("av", reason="making videos needs the extra 'media'")

from loopback import serving
from terminal import tolman
from tolman import benchmarks
from tolman.errors import UsageError
from tolman.items import Item, Media
from tolman.media.frame_store import FrameStore
from tolman.messages import Joined, KeyFrames, Message, Picture, Sampling, Video
from tolman.models import gemini
from tolman.models.gemini import Gemini
from tolman.models.model import CallError, ModelOptions, Request
from tolman.protocols import Ask as Turn, Conversation
from tolman.responses import FailureKind, Response
from tolman.runs.engine import Engine
from tolman.runs.response_store import ResponseStore
from videos import write_video
from wires import Google, asked_once, failure, generated

# The package derives from a class of aiohttp's that doesn't like it.
pytestmark = pytest.mark.filterwarnings("ignore:Inheritance class AiohttpClientSession")

Ask = Callable[..., list[Response]]


@pytest.fixture
def ask(choice: Callable[..., Item], monkeypatch: pytest.MonkeyPatch) -> Ask:
    monkeypatch.setattr(gemini, "FILE_PAUSE", 0.01)

    def call(
        server: Google,
        *conversations: tuple[Message, ...],
        sampling: Sampling | None = None,
        url: str = "",
        **options: Any,
    ) -> list[Response]:
        async def go(address: str) -> list[Response]:
            model = Gemini("m", ModelOptions(base_url=url or address, api_key="secret", **options))
            asked = conversations or ((Message(parts=("Hello?",)),),)
            try:
                requests = [Request(choice(), messages, sampling or Sampling()) for messages in asked]
                return list(await asyncio.gather(*(model.answer(request) for request in requests)))
            finally:
                await model.close()

        with serving(server) as address:
            return asyncio.run(go(address.removesuffix("/v1")))

    return call


@pytest.fixture
def video(tmp_path: Path) -> Video:
    path = write_video(tmp_path / "clip.mp4", 30)
    return Video(path=str(path), sha256=hashlib.sha256(path.read_bytes()).hexdigest())


def test_every_turn_is_sent_as_the_endpoint_wants_it(ask: Ask, tmp_path: Path) -> None:
    path = tmp_path / "a.jpg"
    path.write_bytes(b"\xff\xd8\xff jpeg")
    server = Google()
    conversation = (
        Message(role="system", parts=("Be brief.",)),
        Message(parts=("before", Picture(path=str(path), sha256="x"), "after")),
        Message(role="assistant", parts=("B",)),
        Message(parts=("Sure?",)),
    )
    sampling = Sampling(temperature=0.7, top_p=0.9, top_k=40, max_tokens=16, seed=3)
    ask(server, conversation, sampling=sampling, body={"generationConfig": {"thinkingConfig": {"thinkingBudget": 0}}})
    encoded = base64.urlsafe_b64encode(path.read_bytes()).decode()
    assert server.bodies == [
        {
            "systemInstruction": {"parts": [{"text": "Be brief."}], "role": "user"},
            "contents": [
                {
                    "role": "user",
                    "parts": [
                        {"text": "before"},
                        {"inlineData": {"mimeType": "image/jpeg", "data": encoded}},
                        {"text": "after"},
                    ],
                },
                {"role": "model", "parts": [{"text": "B"}]},
                {"role": "user", "parts": [{"text": "Sure?"}]},
            ],
            "generationConfig": {
                "temperature": 0.7, "topP": 0.9, "topK": 40, "maxOutputTokens": 16, "seed": 3,
                "thinkingConfig": {"thinkingBudget": 0},
            },
        }
    ]  # fmt: skip
    assert server.keys == {"secret"}


def test_a_video_is_uploaded_once_waited_for_shown_and_deleted(ask: Ask, video: Video) -> None:
    server = Google()
    conversations = [(Message(parts=(video, f"Question {i}?")),) for i in range(5)]
    found = ask(server, *conversations, sampling=Sampling(max_tokens=16))
    assert [response.response for response in found] == ["A"] * 5
    content = Path(video.path).read_bytes()
    assert server.started == [{"Length": str(len(content)), "Type": "video/mp4"}]
    assert server.received == {"f1": content}
    assert server.looks["f1"] == 2  # PROCESSING twice, then ACTIVE
    assert server.log == ["upload f1", *["ask m:generateContent"] * 5, "delete f1"]
    shown = {"fileData": {"fileUri": "https://files.test/v1beta/files/f1", "mimeType": "video/mp4"}}
    assert [body["contents"][0]["parts"][0] for body in server.bodies] == [shown] * 5
    assert {body["contents"][0]["parts"][1]["text"] for body in server.bodies} == {f"Question {i}?" for i in range(5)}


@pytest.mark.filterwarnings("ignore:Sending a large body directly")  # the package's own way of sending a piece
def test_a_large_video_is_uploaded_in_pieces(ask: Ask, tmp_path: Path) -> None:
    path = tmp_path / "large.mp4"
    path.write_bytes(os.urandom(9 << 20))
    server = Google()
    ask(server, (Message(parts=(Video(path=str(path), sha256="l"), "?")),))
    assert server.received == {"f1": path.read_bytes()}
    assert server.log.count("upload f1") == 2


def test_a_part_of_a_video_is_named_by_its_seconds(ask: Ask, video: Video) -> None:
    server = Google()
    ask(server, (Message(parts=(video.model_copy(update={"start": 2.5, "end": 10.0}), "?")),))
    assert server.bodies[0]["contents"][0]["parts"][0]["videoMetadata"] == {"startOffset": "2.5s", "endOffset": "10s"}


def test_a_video_that_the_endpoint_cannot_read_is_a_failure_for_good(ask: Ask, video: Video, tmp_path: Path) -> None:
    with pytest.raises(CallError, match=r"can't read .*clip\.mp4: no video stream") as caught:
        ask(Google(states=("PROCESSING", "FAILED")), (Message(parts=(video, "?")),))
    assert (caught.value.kind, caught.value.retry) == (FailureKind.MEDIA, False)
    with pytest.raises(CallError, match="can't be read") as caught:
        ask(Google(), (Message(parts=(Video(path=str(tmp_path / "gone.mp4"), sha256="x"), "?")),))
    assert (caught.value.kind, caught.value.retry) == (FailureKind.MEDIA, False)


def test_a_file_that_is_never_taken_in_is_a_timeout(ask: Ask, video: Video) -> None:
    with pytest.raises(CallError, match=r"no answer within 0\.5 s") as caught:
        ask(Google(states=("PROCESSING",)), (Message(parts=(video, "?")),), timeout=0.5)
    assert caught.value.kind == FailureKind.TIMEOUT


def test_an_answer_keeps_its_tokens_thoughts_and_reason(ask: Ask) -> None:
    (found,) = ask(
        Google(generated({"text": "Well.", "thought": True}, {"text": "B"}, {"text": "!"}, reason="MAX_TOKENS"))
    )
    assert (found.id, found.response, found.reasoning, found.finish_reason) == ("1", "B!", "Well.", "MAX_TOKENS")
    assert (found.usage.input_tokens, found.usage.output_tokens) == (100, 7)


def test_of_several_candidates_that_of_index_0_counts(ask: Ask) -> None:
    said = [
        {"index": n, "content": {"parts": [{"text": text}]}, "finishReason": "STOP"} for n, text in ((1, "Z"), (0, "A"))
    ]
    assert ask(Google({"candidates": said}))[0].response == "A"


def test_an_empty_answer_is_a_response(ask: Ask) -> None:
    assert ask(Google(generated(reason="MAX_TOKENS")))[0].response == ""
    assert ask(Google({"candidates": [{"finishReason": "STOP"}]}))[0].response == ""
    (filtered,) = ask(Google(generated(reason="SAFETY")))  # what becomes of it is decided where all models are called
    assert (filtered.response, filtered.finish_reason) == ("", "SAFETY")


RETRY = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "7s"}


@pytest.mark.parametrize(
    ("content", "status", "kind", "retry"),
    [
        ("{not json", 200, FailureKind.MALFORMED, True),
        ("<html>the answer is A</html>", 200, FailureKind.MALFORMED, True),
        ({"candidates": []}, 200, FailureKind.MALFORMED, True),
        ({"candidates": "A"}, 200, FailureKind.MALFORMED, True),
        ({"candidates": [{}]}, 200, FailureKind.MALFORMED, True),
        ({"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}}, 200, FailureKind.FILTERED, False),
        (generated({"functionCall": {"name": "look", "args": {}}}), 200, FailureKind.NO_TEXT, False),
        (generated({"inlineData": {"mimeType": "image/png", "data": "QQ=="}}), 200, FailureKind.MALFORMED, False),
        (failure(400, "API key not valid.", "INVALID_ARGUMENT"), 400, FailureKind.REFUSED, False),
        (failure(404, "models/m is not found", "NOT_FOUND"), 404, FailureKind.REFUSED, False),
        (failure(429, "quota", "RESOURCE_EXHAUSTED", RETRY), 429, FailureKind.RATE_LIMIT, True),
        (failure(503, "The model is overloaded.", "UNAVAILABLE", RETRY), 503, FailureKind.RATE_LIMIT, True),
        (failure(500, "oops", "INTERNAL"), 500, FailureKind.SERVER, True),
        ("<html>down</html>", 502, FailureKind.SERVER, True),
    ],
)
def test_what_brought_no_text_is_an_error_and_is_asked_once(
    ask: Ask, content: object, status: int, kind: FailureKind, retry: bool
) -> None:
    asked_once(ask, Google(content, status), kind, retry=retry)


def test_a_retry_after_header_counts_as_well(ask: Ask) -> None:
    with pytest.raises(CallError) as caught:
        ask(Google(failure(429, "quota", "RESOURCE_EXHAUSTED"), 429, {"Retry-After": "3"}))
    assert caught.value.after == 3


def test_a_stall_is_a_timeout_and_a_closed_port_a_network_error(ask: Ask) -> None:
    with pytest.raises(CallError, match=r"no answer within 0\.3 s") as caught:
        ask(Google("stall"), timeout=0.3)
    assert caught.value.kind == FailureKind.TIMEOUT
    with pytest.raises(CallError, match="can't be reached") as caught:
        ask(Google(), url="http://127.0.0.1:9")
    assert (caught.value.kind, caught.value.retry) == (FailureKind.NETWORK, True)


def test_a_wrong_address_or_a_missing_key_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GEMINI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(UsageError, match="GEMINI_API_KEY is not set"):
        Gemini("m", ModelOptions())
    model = Gemini("m", ModelOptions(base_url="http://x", api_key="secret"))
    assert "secret" not in json.dumps(dict(model.settings))


@pytest.mark.full
def test_vsi_bench_is_asked_as_its_gemini_preset_says_whole_videos_retries_and_resume(
    shared_data: Path, tmp_path: Path
) -> None:
    """The whole run: six real questions on two clips, an upload refused once, a file lost once."""
    bench = benchmarks.get("vsi-bench")
    items = bench.load(shared_data / "vsi-bench", "full")
    clips = sorted({item.media[0].path for item in items})[:2]
    asked = [item for path in clips for item in [i for i in items if i.media[0].path == path][:3]]
    for i, path in enumerate(clips):
        write_video(tmp_path / path, 30 + i)
    (tmp_path / "ids.txt").write_text("\n".join(item.id for item in asked))
    command = [
        "run", "vsi-bench", "--data", str(shared_data / "vsi-bench"), "--media", ".",
        "--ids", "ids.txt", "--model", "gemini/some-model", "--preset", "gemini", "--out", "run", "--store", "s.sqlite",
    ]  # fmt: skip
    server = Google(generated({"text": "2"}), states=("PROCESSING", "ACTIVE"), refuse=1, lost=1)

    def run(url: str) -> str:
        done = tolman(tmp_path, *command, "--base-url", url.removesuffix("/v1"), GEMINI_API_KEY="none", code=0)
        return done.stderr

    with serving(server) as url:
        first = run(url)
        sent = len(server.log)
        second = run(url)
    assert "8 calls, 0 answers from the store, 2 tried again" in first
    assert "0 calls, 6 answers from the store" in second
    assert len(server.log) == sent  # nothing is uploaded for answers that are there
    assert len(server.bodies) == 7  # one for each question, and the one whose file was lost
    preset = next(p for p in bench.presets if p.name == "gemini")
    assert {body["contents"][0]["parts"][1]["text"] for body in server.bodies} == {
        bench.prompt(i, preset).text for i in asked
    }
    assert all("fileData" in body["contents"][0]["parts"][0] for body in server.bodies)
    assert server.bodies[0]["generationConfig"] == {"temperature": 0.0, "topP": 1.0, "maxOutputTokens": 16}
    # Both clips, the one that was asked about first twice: its file was lost.
    contents = [(tmp_path / path).read_bytes() for path in clips]
    assert sorted(Counter(contents.index(c) for c in server.received.values()).values()) == [1, 2]


@pytest.mark.full
def test_a_protocol_of_two_turns_keeps_the_video_in_both(shared_data: Path, tmp_path: Path) -> None:
    bench = benchmarks.get("vsi-bench")
    item = bench.load(shared_data / "vsi-bench", "full")[0]
    write_video(tmp_path / item.media[0].path, 30)

    class Thinks(Google):
        async def generate(self, request: web.Request) -> web.StreamResponse:
            self.content = generated({"text": "4" if len(self.bodies) % 2 else "There are four of them."})
            return await super().generate(request)

    server = Thinks()
    with serving(server) as url:
        tolman(
            tmp_path, "run", "vsi-bench", "--data", str(shared_data / "vsi-bench"), "--media", ".", "--ids", item.id,
            "--model", "gemini/m", "--preset", "gemini", "--protocol", "cot", "--out", "run", "--base-url",
            url.removesuffix("/v1"), GEMINI_API_KEY="none", code=0,
        )  # fmt: skip
    assert len(server.started) == 1
    first, second = server.bodies
    assert [turn["role"] for turn in second["contents"]] == ["user", "model", "user"]
    assert second["contents"][0] == first["contents"][0]
    assert "fileData" in first["contents"][0]["parts"][0]
    assert second["contents"][1]["parts"] == [{"text": "There are four of them."}]
    (line,) = (tmp_path / "run" / "responses.jsonl").read_text().splitlines()
    response = json.loads(line)
    assert (response["response"], response["usage"]) == (
        "4",
        {"input_tokens": 200, "output_tokens": 14, "reasoning_tokens": 10},
    )
    assert [(t["purpose"], t["response"]) for t in response["turns"]] == [
        ("reasoning", "There are four of them."), ("extraction", "4"),
    ]  # fmt: skip


def test_only_videos_as_such_are_sent_whole(choice: Callable[..., Item], tmp_path: Path) -> None:
    """Key frames of an example and joined images stay pictures under a preset of whole videos."""
    write_video(tmp_path / "v.mp4", 30)
    for name in "ab":
        Image.new("RGB", (20, 10)).save(tmp_path / f"{name}.png")
    images = tuple(Media(kind="image", path=f"{name}.png") for name in "ab")
    keys = KeyFrames(kind="video", path="v.mp4", numbers=(3, 9))
    joined = Joined(kind="image", path="a.png", members=images)
    shown = Message(parts=(keys, joined, Media(kind="video", path="v.mp4"), "Which?"))

    def converse(item: Item) -> Conversation:
        response: Response = yield Turn((shown,))
        return response.response

    server = Google()
    store = ResponseStore(tmp_path / "s.sqlite")
    bench = benchmarks.get("vsi-bench")
    with serving(server) as url:
        engine = Engine(
            model=Gemini("m", ModelOptions(base_url=url.removesuffix("/v1"), api_key="k")), converse=converse,
            preset=next(p for p in bench.presets if p.name == "gemini"), data=tmp_path,
            frames=FrameStore(tmp_path / "frames"), store=store,
        )  # fmt: skip
        asyncio.run(engine.run([choice()]))
    store.close()
    assert isinstance(engine.outcomes["1", 0], Response)
    parts = server.bodies[0]["contents"][0]["parts"]
    assert [next(iter(part)) for part in parts] == ["inlineData", "inlineData", "inlineData", "fileData", "text"]


def test_an_empty_answer_to_an_earlier_question_is_left_out(ask: Ask) -> None:
    server = Google()
    ask(server, (Message(parts=("First?",)), Message(role="assistant", parts=("",)), Message(parts=("And now?",))))
    assert [(turn["role"], turn["parts"]) for turn in server.bodies[0]["contents"]] == [
        ("user", [{"text": "First?"}]), ("user", [{"text": "And now?"}]),
    ]  # fmt: skip
