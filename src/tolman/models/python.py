"""`python/FILE.py:FUNCTION`, or any callable of a Python program: messages in, a text out.

```python
def answer(messages):                      # or async def
    content = messages[-1]["content"]
    images = [part["path"] for part in content if part["type"] == "image"]
    text = "\\n".join(part["text"] for part in content if part["type"] == "text")
    return my_model(images, text)
```

Messages are those of chat interfaces, the oldest first: `{"role": "user", "content": [part, …]}`, where the role is
`system`, `user` or `assistant`, and a part is one of

```
{"type": "text", "text": …}
{"type": "image", "path": …}                                      a JPEG file
{"type": "image", "path": …, "frame": 12, "seconds": 0.4}         the same, of a video: number of the frame from 0, time
{"type": "video", "path": …, "start": 1.5, "end": 9.0}            a whole video (presets that show whole videos); the
                                                                  part that is meant in seconds, None for an open end
{"type": "clip", "frames": […], "duration": 60.0}                 sampled frames as one video (`--as video`), each
                                                                  {"path": …, "seconds": 0.4}
```

A function is called in a thread, a coroutine function on the event loop. An object with a method `batch` (a list of
conversations in, a list of as many texts out) is given those that wait together, up to `batch_size`, in the order in
which they are asked. An exception, None or anything but a text is a failure of that question and never an answer.
Nothing is kept in the response store, as a program's answers may change whenever its code does; a run that was stopped
goes on from its own folder (`runs.response_store`).
"""

from __future__ import annotations

import asyncio
import contextvars
import functools
import inspect
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import Any

from tolman.errors import UsageError, hint
from tolman.messages import Clip, Message, Part, Picture, Video
from tolman.models.code import mark_function
from tolman.models.model import CallError, ModelOptions, Request
from tolman.plugins import load_plugin
from tolman.responses import FailureKind, Response

FAMILY = "python"
Chat = list[dict[str, Any]]
"""A conversation as a callable gets it."""
ASYNC_CONCURRENCY, SYNC_CONCURRENCY = 32, 1
"""Calls in flight where the user names no number."""
BATCH_WAIT = 0.02
"""Seconds that a batch which isn't full waits for more."""
RAISED = (Exception, SystemExit, asyncio.CancelledError)
"""Errors of a function that are failures of the question."""


class PythonModel:
    """A callable as a model.

    Args:
        function: messages → text, with or without `async`, or an object with `batch`.
        name: of the model in runs and tables; 'python/' and the callable's qualified name where None.
        concurrency: the most calls in flight; None: one of a function at a time, 32 of a coroutine function. A `batch`
            is never called twice at once.
        batch_size: the most conversations in one call of `batch`.
        timeout: seconds for one call of a coroutine function; a function can't be stopped.
        module: in which the user named the callable; None where a program hands it over.

    Raises:
        UsageError: it can't be called.
    """

    remote = True
    stored = False
    takes_videos = True
    takes_clips = True

    def __init__(
        self,
        function: Callable[..., Any],
        name: str | None = None,
        *,
        concurrency: int | None = None,
        batch_size: int = 8,
        timeout: float = 600.0,
        module: ModuleType | None = None,
    ) -> None:
        self._batch: Callable[[list[Chat]], Any] | None = getattr(function, "batch", None)
        if self._batch is None and not callable(function):
            raise UsageError(f"a model is a name, or something that can be called, not {type(function).__name__}.")
        self._function, self._timeout, self._batch_size = function, timeout, batch_size
        qualified = qualified_name(function)
        self.name = name or f"{FAMILY}/{qualified}"
        self.settings: Mapping[str, Any] = {"callable": qualified}
        is_async = any(map(inspect.iscoroutinefunction, (function, getattr(function, "__call__", None))))  # noqa: B004
        self._is_async = is_async and self._batch is None
        if self._batch is not None:
            self.concurrency = 2 * batch_size  # the next batch gets ready while one is answered
        else:
            self.concurrency = concurrency or (ASYNC_CONCURRENCY if is_async else SYNC_CONCURRENCY)
        threads = 1 if self._batch is not None else self.concurrency
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="tolman-model")
        self._queue: deque[_Waiting] = deque()
        self._batching: asyncio.Task[None] | None = None
        mark_function(self, function, module)

    async def answer(self, request: Request) -> Response:
        """Return the callable's answer.

        Raises:
            CallError: it raised, or returned no text.
        """
        chat = chat_of(request.messages)
        try:
            if self._batch is not None:
                found = await self._batched(chat)
            elif self._is_async:
                async with asyncio.timeout(self._timeout):
                    found = await self._function(chat)
            else:
                found = await self._in_thread(self._function, chat)
                if isinstance(found, Awaitable):  # what a function made of functools.partial or a lambda gives
                    found = await found
        except CallError:
            raise
        except TimeoutError as error:
            what = str(error) or f"no answer within {self._timeout:g} s"
            raise CallError(FailureKind.TIMEOUT, f"{self.name}: {what}", retry=False) from error
        except RAISED as error:
            if _is_cancelled(error):
                raise
            raise self._raised(error) from error
        if not isinstance(found, str):
            raise CallError(FailureKind.MALFORMED, f"{self.name} returned {_kind(found)}, no text", retry=False)
        return Response(id=request.item.id, response=found, repeat=request.repeat)

    async def close(self) -> None:
        """Let go of the threads; a call that goes on in one is not waited for."""
        if self._batching is not None:
            self._batching.cancel()
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def _in_thread(self, function: Callable[..., Any], *arguments: Any) -> Any:
        def call() -> Any:
            try:
                return function(*arguments)
            except StopIteration as error:  # which no future can hold
                raise RuntimeError("StopIteration") from error
            except (SystemExit, KeyboardInterrupt) as error:  # the function's own: Ctrl-C comes to the main thread
                raise self._raised(error) from error

        run = functools.partial(contextvars.copy_context().run, call)
        return await asyncio.get_running_loop().run_in_executor(self._threads, run)

    def _raised(self, error: BaseException) -> CallError:
        return CallError(FailureKind.SERVER, f"{self.name} raised {_described(error)}", retry=False)

    async def _batched(self, chat: Chat) -> Any:
        waiting = _Waiting(chat, asyncio.get_running_loop().create_future())
        self._queue.append(waiting)
        if self._batching is None or self._batching.done():
            self._batching = asyncio.create_task(self._answer_batches())
        return await waiting.text

    async def _answer_batches(self) -> None:
        """Answer waiting requests, batch after batch."""
        while self._queue:
            if len(self._queue) < self._batch_size:
                await asyncio.sleep(BATCH_WAIT)
            batch = [self._queue.popleft() for _ in range(min(self._batch_size, len(self._queue)))]
            try:
                texts = await self._texts([waiting.chat for waiting in batch])
            except RAISED as error:
                if _is_cancelled(error):
                    raise
                for waiting in batch:
                    waiting.fail(error)
            else:
                for waiting, text in zip(batch, texts, strict=True):
                    waiting.succeed(text)

    async def _texts(self, chats: list[Chat]) -> Sequence[Any]:
        assert self._batch is not None
        if inspect.iscoroutinefunction(self._batch):
            found = await self._batch(chats)
        else:
            found = await self._in_thread(self._batch, chats)
        if isinstance(found, str) or not isinstance(found, Sequence) or len(found) != len(chats):
            held = (
                f"{len(found)} of them" if isinstance(found, Sequence) and not isinstance(found, str) else _kind(found)
            )
            sentence = f"{self.name}: batch() must return a list of {len(chats)} texts, not {held}"
            raise CallError(FailureKind.MALFORMED, sentence, retry=False)
        return found


@dataclass
class _Waiting:
    """A conversation that waits for its batch."""

    chat: Chat
    text: asyncio.Future[Any]

    def succeed(self, text: Any) -> None:
        if not self.text.done():
            self.text.set_result(text)

    def fail(self, error: BaseException) -> None:
        if not self.text.done():
            self.text.set_exception(error)


def _is_cancelled(error: BaseException) -> bool:
    """Check whether an error cancels this task. A CancelledError may also be one that the user's function raised."""
    task = asyncio.current_task()
    return isinstance(error, asyncio.CancelledError) and task is not None and task.cancelling() > 0


def chat_of(messages: Sequence[Message]) -> Chat:
    """Messages as lists and dictionaries; see the module's docstring."""
    return [{"role": message.role, "content": [_part(part) for part in message.parts]} for message in messages]


def _part(part: Part) -> dict[str, Any]:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    if isinstance(part, Video):
        return {"type": "video", "path": part.path, "start": part.start, "end": part.end}
    if isinstance(part, Clip):
        shown = zip(part.frames, part.ticks, strict=True)
        frames = [{"path": picture.path, "seconds": tick / part.fps} for picture, tick in shown]
        return {"type": "clip", "frames": frames, "duration": part.duration}
    if isinstance(part, Picture) and part.seconds is not None:
        return {"type": "image", "path": part.path, "frame": part.frame, "seconds": part.seconds}
    return {"type": "image", "path": part.path}


def qualified_name(function: Any) -> str:
    """Return the name of a callable: a function's qualified name, or an object's class."""
    while isinstance(function, functools.partial):
        function = function.func
    name = getattr(function, "__qualname__", type(function).__qualname__)
    return name.rpartition("<locals>.")[2].replace("<lambda>", "lambda")


def create(name: str, options: ModelOptions) -> PythonModel:
    """The function of a file, or of a module that can be imported: 'FILE.py:FUNCTION', 'package.module:FUNCTION'.

    Raises:
        UsageError: there is no such module or function.
        InputError: the file can't be executed.
    """
    place, colon, attribute = name.rpartition(":")
    if not colon or not attribute:
        raise UsageError(f"'{FAMILY}/{name}' names no function; write {FAMILY}/FILE.py:FUNCTION.")
    if place.endswith(".py"):
        module = load_plugin(place)
    else:
        try:
            module = import_module(place)
        except ImportError as error:
            raise UsageError(f"'{FAMILY}/{name}': {error}.") from None
    if not hasattr(module, attribute):
        known = [one for one, value in vars(module).items() if callable(value) and not one.startswith("_")]
        raise UsageError(f"{place} has no function '{attribute}'; {hint(attribute, known)}.")
    return PythonModel(
        getattr(module, attribute),
        f"{FAMILY}/{name}",
        concurrency=None if options.concurrency == ModelOptions.concurrency else options.concurrency,
        batch_size=options.batch_size,
        timeout=options.timeout,
        module=module,
    )


def _described(error: BaseException) -> str:
    said = " ".join(str(error).split())
    return f"{type(error).__name__}: {said}" if said else type(error).__name__


def _kind(value: Any) -> str:
    return "None" if value is None else f"a value of type {type(value).__name__}"
