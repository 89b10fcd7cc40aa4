"""Asking a model about many candidates: through the engine and store of the runs, several questions in one call.

A reply is read strictly. If a call was about several candidates, those whose part can't be read are asked about again
alone. Those still unreadable after `TRIES` calls are left for people. All calls are kept in the response store under
the hash of the request, so that resumed work asks nothing twice.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from tolman import models
from tolman.benchmarks.spec import PromptPreset
from tolman.curate.candidates import Candidate
from tolman.errors import RunInterruptedError, UsageError
from tolman.items import Item
from tolman.media.frame_store import FrameStore, default_root
from tolman.media.integrity import refuse_missing
from tolman.media.sampling import Frames
from tolman.messages import Message, Sampling
from tolman.models.model import KnowsTheTruth, Model, ModelOptions
from tolman.protocols import Answer, Ask, Conversation
from tolman.responses import Failure, FailureKind, Response
from tolman.runs.calling import ANSWERED
from tolman.runs.engine import Engine, Limits, Tally
from tolman.runs.prices import read_price
from tolman.runs.response_store import open_store
from tolman.runtime import run_until_stopped

TRIES = 3
"""Number of times a candidate is asked about alone until the reply can be read, as for judges."""
_LASTING = {FailureKind.MEDIA, FailureKind.REFUSED, *ANSWERED}
"""Failures that the same call would meet again."""
_NUMBERED = re.compile(r"^[ \t]*(\d{1,4})[.)][ \t]+", re.MULTILINE)


class AskedModel(BaseModel):
    """A model in a recipe.

    Attributes:
        model: its name: openai/NAME, gemini/NAME, hf/NAME, scripted/FILE …
        base_url, body, concurrency, timeout, retries: as for `tolman run`.
        max_tokens, temperature: of its replies.
        frames: how many of a video it is shown.
        prices: a file with the price of tokens.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str
    base_url: str | None = None
    body: dict[str, Any] = {}
    concurrency: int = Field(default=32, ge=1)
    timeout: float = Field(default=600.0, gt=0)
    retries: int = Field(default=8, ge=0)
    max_tokens: int | None = None
    temperature: float | None = 0.0
    frames: int = Field(default=8, ge=1)
    prices: Path | None = None


@dataclass(frozen=True)
class ModelTask:
    """One thing to ask about candidates.

    Attributes:
        name: becomes the purpose of the calls.
        messages: the request about some candidates.
        read: (the part of a reply that belongs to a candidate, the candidate) → a JSON value, or None where it
            can't be read.
        batch: how many candidates one call is about.
        shows_media: whether the messages have the candidates' media in them.
    """

    name: str
    messages: Callable[[Sequence[Candidate]], tuple[Message, ...]]
    read: Callable[[str, Candidate], Any]
    batch: int = 1
    shows_media: bool = False


@dataclass(frozen=True)
class Reply:
    """Reply about a candidate.

    Attributes:
        value: the reading; None if the reply can't be read.
        failure: why there is no value.
        lasting: whether the same call would end the same way, so that people must decide.
    """

    value: Any = None
    failure: str | None = None
    lasting: bool = False


class Asker:
    """A model that is asked about many candidates, one part of a pool after the other.

    Args:
        asked: the model and its settings.
        store: of responses, other than the user's own.
        data: the folder that media are relative to.
        done: called with the number of candidates that are answered.

    Raises:
        UsageError: there is no such model, or it is a baseline.
    """

    def __init__(
        self,
        asked: AskedModel,
        store: Path | str | None = None,
        data: Path = Path(),
        done: Callable[[int], None] = lambda count: None,
    ) -> None:
        options = {name: getattr(asked, name) for name in ("base_url", "body", "concurrency", "timeout")}
        self.model: Model = models.create(asked.model, ModelOptions(**options))
        if isinstance(self.model, KnowsTheTruth) or asked.model.startswith("baseline/"):
            raise UsageError(f"curation needs a model that reads, and {asked.model} doesn't.")
        self.tally = Tally()
        self._asked, self._data, self._done = asked, data, done
        self._store = open_store(store) if self.model.remote else None
        self._runner = asyncio.Runner()
        self._price = read_price(asked.prices, self.model.name) if asked.prices else None

    def ask(self, candidates: Sequence[Candidate], task: ModelTask) -> dict[str, Reply]:
        """Put one task to the model for each candidate.

        Returns:
            Candidate's id → reply.

        Raises:
            EndpointError: the first call showed that none can succeed.
            RunInterruptedError: the user stopped it; all answers so far are kept.
            UsageError: media are to be shown to a model that sees none.
            InputError: media are to be shown and are not there.
        """
        if task.shows_media and not getattr(self.model, "takes_pictures", True):
            raise UsageError(
                f"{self.model.name} reads text only and can't be shown media; name a model that sees, or set "
                "media = false where the recipe has that setting."
            )
        groups = [candidates[i : i + task.batch] for i in range(0, len(candidates), task.batch)]
        jobs = {f"{task.name}:{group[0].id}": group for group in groups}
        items = [_item(key, group, task) for key, group in jobs.items()]
        if task.shows_media and self.model.remote:
            refuse_missing(self._data, items)
        engine = Engine(
            model=self.model,
            converse=lambda item: _converse(task, jobs[item.id]),
            preset=self._preset(),
            data=self._data,
            frames=FrameStore(default_root()),
            store=self._store,
            limits=Limits(retries=self._asked.retries),
            done=lambda outcome: self._done(len(jobs[outcome.id])),
            prices={"model": self._price} if self._price else {},
            tally=self.tally,
        )
        try:
            run_until_stopped(self._asked_all(engine, items), self._runner.run)
        except KeyboardInterrupt:
            raise RunInterruptedError(
                "Stopped: all answers so far are kept; run the same command again to resume."
            ) from None
        found: dict[str, Reply] = {}
        for key, group in jobs.items():
            outcome = engine.outcomes[key, 0]
            if isinstance(outcome, Failure):
                reply = Reply(failure=f"{outcome.kind}: {outcome.message}", lasting=outcome.kind in _LASTING)
                found.update({candidate.id: reply for candidate in group})
                continue
            for candidate, value in zip(group, json.loads(outcome.response), strict=True):
                failure = None if value is not None else f"no reply of {TRIES} can be read"
                found[candidate.id] = Reply(value, failure, lasting=failure is not None)
        return found

    async def _asked_all(self, engine: Engine, items: list[Item]) -> None:
        await engine.identify()
        await engine.run(items, close=False)

    def close(self) -> None:
        """Let go of the model and the store."""
        self._runner.run(self.model.close())
        self._runner.close()
        if self._store is not None:
            self._store.close()

    def _preset(self) -> PromptPreset:
        sampling = Sampling(temperature=self._asked.temperature, max_tokens=self._asked.max_tokens)
        return PromptPreset("curation", "curation", Frames(count=self._asked.frames), sampling, rule_sets=())

    def __enter__(self) -> Asker:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def number_lines(text: str, count: int) -> list[str] | None:
    """The parts of a reply that are numbered 1, 2, 3 …; None where they aren't exactly so many, in order."""
    marks = list(_NUMBERED.finditer(text))
    if [int(mark[1]) for mark in marks] != list(range(1, count + 1)) or text[: marks[0].start()].strip():
        return None
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    return [text[mark.end() : end].strip() for mark, end in zip(marks, ends, strict=True)]


def question_text(candidate: Candidate, *, answer: bool = True) -> str:
    """A candidate as text: question, options and, if wanted, the answer, as in the paper's examples."""
    lines = [f"Question: {candidate.question}"]
    if candidate.options:
        letters = candidate.item().letters if candidate.has_letters else ""
        marks = [f"{letter}: " for letter in letters] or [""] * len(candidate.options)
        lines += ["Options:", *(f"{mark}{text}" for mark, text in zip(marks, candidate.options, strict=True))]
    if answer:
        letter = f"{candidate.answer}: " if candidate.has_letters else ""
        lines.append(f"Answer: {letter}{candidate.answer_text}")
    return "\n".join(lines)


def _converse(task: ModelTask, group: Sequence[Candidate]) -> Conversation:
    """All of a group in one call; those that can't be read alone."""
    values: list[Any] = [None] * len(group)
    if len(group) > 1:
        response: Response = yield Ask(task.messages(group), purpose=f"{task.name} of {len(group)}")
        parts = number_lines(response.response, len(group))
        if parts is not None:
            values = [task.read(part, candidate) for part, candidate in zip(parts, group, strict=True)]
    for draw in range(TRIES):
        left = [i for i, value in enumerate(values) if value is None]
        if not left:
            break
        responses: list[Response] = yield tuple(
            Ask(task.messages([group[i]]), draw=draw, purpose=f"{task.name} {i + 1}") for i in left
        )
        for i, response in zip(left, responses, strict=True):
            values[i] = task.read(response.response.strip(), group[i])
    return Answer(json.dumps(values))


def _item(key: str, group: Sequence[Candidate], task: ModelTask) -> Item:
    """Return the engine's item for a group; its media bring groups about one video together."""
    media = group[0].media if task.shows_media else ()
    return Item(id=key, question=key, kind="number", answer="0", task=task.name, media=media)
