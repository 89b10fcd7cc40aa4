"""Python callables as models: with and without async, in batches, and raising."""

import asyncio
import os
import sys
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import terminal
import tolman
from tolman.items import Item
from tolman.messages import Message, Picture, Video
from tolman.models.python import PythonModel, chat_of, qualified_name

Make = Callable[..., Item]
Chat = list[dict[str, Any]]


@pytest.fixture(autouse=True)
def at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOLMAN_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def items(choice: Make) -> list[Item]:
    return [choice(id=str(i), question=f"Question {i}?", answer="ABCD"[i % 4], scene=str(i)) for i in range(20)]


def text_of(messages: Chat) -> str:
    return "".join(part["text"] for part in messages[-1]["content"] if part["type"] == "text")


def right(messages: Chat) -> str:
    return "ABCD"[int(text_of(messages).split()[1].rstrip("?")) % 4]


def responses(run: tolman.Run) -> dict[str, str]:
    return dict(run.samples().select("id", "response").iter_rows())


def test_a_function_is_called_in_one_thread_and_a_coroutine_function_many_times_at_once(items: list[Item]) -> None:
    threads: set[int] = set()
    running = peak = 0

    def one(messages: Chat) -> str:
        threads.add(threading.get_ident())
        return right(messages)

    async def many(messages: Chat) -> str:
        nonlocal running, peak
        running += 1
        peak = max(peak, running)
        await asyncio.sleep(0.01)
        running -= 1
        return right(messages)

    class Answerer:
        async def __call__(self, messages: Chat) -> str:
            return right(messages)

    for model in (one, many, Answerer(), partial(one), lambda messages: many(messages)):
        assert tolman.evaluate(items, model).scores.headline.value == 100
    assert len(threads) <= 2
    assert threading.get_ident() not in threads
    assert peak == len(items)


def test_several_threads_where_the_user_says_so(items: list[Item]) -> None:
    together = threading.Barrier(4, timeout=120)

    def model(messages: Chat) -> str:
        together.wait()
        return "A"

    assert set(responses(tolman.evaluate(items, model, concurrency=4)).values()) == {"A"}


def test_batches_come_in_the_order_of_the_questions(items: list[Item]) -> None:
    batches: list[list[str]] = []

    class Batched:
        def batch(self, conversations: list[Chat]) -> list[str]:
            batches.append([text_of(one).split()[1] for one in conversations])
            return [right(one) for one in conversations]

    run = tolman.evaluate(items, Batched(), batch_size=8)
    assert run.scores.headline.value == 100
    assert run.record.settings.model == "python/" + qualified_name(Batched())
    assert [len(one) for one in batches] == [8, 8, 4]
    assert [name for one in batches for name in one] == [f"{i}?" for i in range(20)]


def test_batches_may_be_coroutines(items: list[Item]) -> None:
    class Batched:
        async def batch(self, conversations: list[Chat]) -> list[str]:
            await asyncio.sleep(0)
            return [right(one) for one in conversations]

    assert tolman.evaluate(items, Batched()).scores.headline.value == 100


def raising(messages: Chat) -> str:
    raise ValueError("no\n  luck")


def stopping(messages: Chat) -> str:
    raise StopIteration


def of_none(messages: Chat) -> Any:
    return None


def of_number(messages: Chat) -> Any:
    return 7


async def late(messages: Chat) -> str:
    await asyncio.sleep(600)
    return "A"


class OneShort:
    def batch(self, conversations: list[Chat]) -> list[str]:
        return ["A"] * (len(conversations) - 1)


def leaving(conversation: Chat) -> str:
    sys.exit(3)


def interrupting(conversation: Chat) -> str:
    raise KeyboardInterrupt


async def leaving_later(conversation: Chat) -> str:
    raise SystemExit("done")


class Leaving:
    def batch(self, conversations: list[Chat]) -> list[str]:
        sys.exit()


class LeavingLater:
    async def batch(self, conversations: list[Chat]) -> list[str]:
        raise SystemExit(0)


class Raising:
    def batch(self, conversations: list[Chat]) -> list[str]:
        raise MemoryError


@pytest.mark.parametrize(
    ("model", "kind", "sentence"),
    [
        (raising, "server", "python/raising raised ValueError: no luck"),
        (stopping, "server", "python/stopping raised RuntimeError: StopIteration"),
        (of_none, "malformed", "python/of_none returned None, no text"),
        (of_number, "malformed", "python/of_number returned a value of type int, no text"),
        (late, "timeout", "python/late: no answer within 0.1 s"),
        (OneShort(), "malformed", "python/OneShort: batch() must return a list of 3 texts, not 2 of them"),
        (Raising(), "server", "python/Raising raised MemoryError"),
        (leaving, "server", "python/leaving raised SystemExit: 3"),
        (leaving_later, "server", "python/leaving_later raised SystemExit: done"),
        (Leaving(), "server", "python/Leaving raised SystemExit"),
        (LeavingLater(), "server", "python/LeavingLater raised SystemExit: 0"),
        (interrupting, "server", "python/interrupting raised KeyboardInterrupt"),
    ],
)
def test_what_brings_no_text_is_a_failure(items: list[Item], model: Any, kind: str, sentence: str) -> None:
    run = tolman.evaluate(items[:3], model, timeout=0.1)
    assert run.scores.incomplete == 3
    assert run.scores.headline.value is None
    failures = run.failures()
    assert set(failures["kind"]) == {kind}
    assert all(sentence in message for message in failures["message"])
    assert set(failures["attempts"]) == {1}


def test_a_failure_of_the_first_question_ends_nothing(items: list[Item]) -> None:
    calls = 0

    def model(messages: Chat) -> str:
        nonlocal calls
        calls += 1
        if calls == 1:
            raise OSError("once")
        return "A"

    assert tolman.evaluate(items, model).failures().height == 1


@pytest.mark.parametrize("form", ["function", "coroutine function", "batch", "coroutine batch"])
def test_a_function_that_raises_as_if_it_was_cancelled_fails_for_its_question(items: list[Item], form: str) -> None:
    """A library that is used inside may cancel a task of its own."""

    def answer(messages: Chat) -> str:
        if "Question 3?" in text_of(messages):
            raise asyncio.CancelledError
        return "A"

    async def answer_later(messages: Chat) -> str:
        return answer(messages)

    class Batch:
        def batch(self, chats: list[Chat]) -> list[str]:
            return [answer(chat) for chat in chats]

    class BatchLater:
        async def batch(self, chats: list[Chat]) -> list[str]:
            return [answer(chat) for chat in chats]

    model = {"function": answer, "coroutine function": answer_later, "batch": Batch(), "coroutine batch": BatchLater()}
    run = tolman.evaluate(items, model[form], batch_size=1, out="run")
    assert run.failures()["id"].to_list() == ["3"]
    assert "raised CancelledError" in run.failures()["message"][0]


def test_nothing_is_kept_for_later_runs(items: list[Item]) -> None:
    answers = iter("AB")

    def model(messages: Chat) -> str:
        return answer

    for answer in answers:
        run = tolman.evaluate(items, model, out="run")
        assert set(responses(run).values()) == {answer}
    assert not list(Path("cache").rglob("responses.sqlite"))


def test_messages_are_lists_and_dictionaries() -> None:
    system = Message(role="system", parts=("Be brief.",))
    asked = Message(
        parts=(
            Picture(path="/frames/1.jpg", sha256="x"),
            Picture(path="/frames/2.jpg", sha256="y", frame=12, seconds=0.4),
            Video(path="/v.mp4", sha256="z", start=1.5),
            "How many?",
        )
    )
    assert chat_of([system, asked]) == [
        {"role": "system", "content": [{"type": "text", "text": "Be brief."}]},
        {
            "role": "user",
            "content": [
                {"type": "image", "path": "/frames/1.jpg"},
                {"type": "image", "path": "/frames/2.jpg", "frame": 12, "seconds": 0.4},
                {"type": "video", "path": "/v.mp4", "start": 1.5, "end": None},
                {"type": "text", "text": "How many?"},
            ],
        },
    ]


def test_a_callable_is_shown_frames_and_images(choice: Make) -> None:
    image = pytest.importorskip("PIL.Image", reason="images need the extra 'media'")
    pytest.importorskip("av", reason="reading videos needs the extra 'media'")
    from videos import write_video

    write_video(Path("clip.mp4"), 60)
    image.new("RGB", (32, 24), "red").save("a.jpg")
    media = [{"kind": "video", "path": "clip.mp4"}, {"kind": "image", "path": "a.jpg"}]
    seen: list[dict[str, Any]] = []

    def model(messages: Chat) -> str:
        seen.extend(messages[0]["content"])
        return "A"

    run = tolman.evaluate([choice(media=media)], model, frames=3)
    assert run.scores.headline.value == 100
    assert [part["type"] for part in seen] == ["image"] * 4 + ["text"]
    assert [part.get("frame") for part in seen[:3]] == sorted({part["frame"] for part in seen[:3]})
    assert all(Path(part["path"]).read_bytes().startswith(b"\xff\xd8") for part in seen[:4])


def test_a_callable_is_shown_frames_with_their_times_as_one_video(choice: Make) -> None:
    pytest.importorskip("av", reason="reading videos needs the extra 'media'")
    from videos import write_video

    write_video(Path("clip.mp4"), 60)
    seen: list[dict[str, Any]] = []

    def model(messages: Chat) -> str:
        seen.extend(messages[0]["content"])
        return "A"

    item = choice(media=[{"kind": "video", "path": "clip.mp4"}])
    run = tolman.evaluate([item], model, frames=3, input_form=("video",))
    assert run.scores.headline.value == 100
    assert [part["type"] for part in seen] == ["clip", "text"]
    assert seen[0]["duration"] == pytest.approx(2.0)
    assert [frame["seconds"] for frame in seen[0]["frames"]] == pytest.approx([0, 29 / 30, 59 / 30])
    assert all(Path(frame["path"]).read_bytes().startswith(b"\xff\xd8") for frame in seen[0]["frames"])


def test_a_function_of_a_file_is_a_model_of_the_command_line(items: list[Item], tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "def answer(messages):\n    return 'ABCD'[int(messages[0]['content'][0]['text'].split()[1].rstrip('?')) % 4]\n"
    )
    folder = tolman.load(items).save(tmp_path / "bench")
    done = terminal.tolman(tmp_path, "run", "./bench", "--model", "python/mine.py:answer", "--out", "run", code=0)
    assert "python/mine.py:answer" in done.stdout
    assert tolman.open_run("run").scores.headline.value == 100
    wrong = terminal.tolman(tmp_path, "run", str(folder), "--model", "python/mine.py:anser", "--out", "other", code=2)
    assert "mine.py has no function 'anser'; did you mean 'answer'?" in wrong.stderr


def test_what_cannot_be_called_is_told() -> None:
    with pytest.raises(tolman.errors.UsageError, match="not int"):
        PythonModel(7)  # type: ignore[arg-type]


def test_a_function_may_change_the_working_directory(items: list[Item], tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()

    def model(messages: list[dict[str, Any]]) -> str:
        os.chdir(tmp_path / "elsewhere")
        return "A"

    run = tolman.evaluate(items, model, out="run")
    assert len(run.samples()) == len(items)
    assert (tmp_path / "run" / "scores.json").is_file()
    assert not [*(tmp_path / "elsewhere").iterdir()]
