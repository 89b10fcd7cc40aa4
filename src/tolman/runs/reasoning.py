"""Judging of the reasoning behind a run's responses by a model: through the same engine and store as its questions.

Each reasoning of an item is judged once, even if several repeats brought it. A reply that names no category is asked
for again and is then a failure of that judgement. All turns are in the response store, so that the same analysis goes
on where it was stopped and a second one costs nothing. The steps of a human reasoning are typed in a turn of their own,
which is the same for every model's response to that item.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tolman.benchmarks.spec import PromptPreset
from tolman.errors import UsageError
from tolman.items import Item
from tolman.media.integrity import refuse_missing
from tolman.media.sampling import Frames
from tolman.messages import Message, Sampling
from tolman.models.model import Model
from tolman.protocols import Answer, Ask, Conversation
from tolman.responses import Failure, Outcome, Response, Usage
from tolman.runs.engine import Tally
from tolman.runs.judging import TRIES, Consultation, JudgeRequest, until_stopped, usage_of
from tolman.scoring.error_types import (
    ErrorTaxonomy,
    judge_text,
    read_categories,
    read_steps,
    steps_of,
    typed_already,
    types_steps,
    typing_text,
)

LEAST_WORDS = 5
"""A shorter text is an answer without reasoning."""
_UNTYPED = "steps not typed"
_SHOWN = 60  # characters of a reply in a failure


@dataclass(frozen=True)
class Reasoned:
    """A response's reasoning, to be judged.

    Attributes:
        item: that was asked.
        repeat: of the response.
        text: the reasoning.
    """

    item: Item
    repeat: int
    text: str


@dataclass(frozen=True)
class ErrorJudgement:
    """The judgement of one response's reasoning.

    Attributes:
        id, repeat: of the response.
        categories: keys of the taxonomy; None where the judgement failed.
        reply: of the judge, exactly as it came.
        reference: the human reasoning as the judge was shown it.
        failure: why there are no categories.
    """

    id: str
    repeat: int
    categories: frozenset[str] | None
    reply: str | None = None
    reference: str | None = None
    failure: str | None = None


def reasoning_of(response: Response) -> str | None:
    """Return the reasoning behind a response.

    The turn 'explanation' with the answer that it explains, else the turn 'reasoning', else the endpoint's reasoning
    field with the text, else the text.

    Returns:
        None where that is shorter than `LEAST_WORDS` words: an answer and no reasoning.
    """
    answer = response.response.strip()
    if explained := response.turn("explanation"):
        text, parts = explained.response, [answer, explained.response.strip()]
    elif thought := response.turn("reasoning"):
        text, parts = thought.response, [thought.response.strip(), answer]
    else:
        text = f"{response.reasoning or ''}\n{answer}"
        parts = [(response.reasoning or "").strip(), answer]
    if len(text.split()) < LEAST_WORDS:
        return None
    return "\n\n".join(dict.fromkeys(part for part in parts if part))


def judge_reasoning(
    reasoned: Sequence[Reasoned],
    taxonomy: ErrorTaxonomy,
    request: JudgeRequest,
    judge: Model,
    *,
    reference: bool,
    media: Path | None,
    frames: Frames,
    started: Callable[[int, Tally, bool], None] = lambda calls, tally, remote: None,
    done: Callable[[Outcome], None] = lambda outcome: None,
) -> tuple[list[ErrorJudgement], Usage, float | None]:
    """Ask a judge which errors the reasonings make.

    Args:
        reasoned: responses to judge; repeats with the same text are judged once.
        taxonomy: the categories.
        request: the user's.
        judge: from `request.open()`.
        reference: whether the judge is shown the items' human reasoning.
        media: the folder that media are relative to; None where the judge is to be shown none.
        frames: which frames of a video it is shown.
        started, done: as in `runs.judging.Consultation.ask`.

    Returns:
        A judgement for each of `reasoned`, in order; the tokens of all replies; their cost where the user gave prices.

    Raises:
        UsageError: an item has no human reasoning to be shown, or the judge can't look at the media to be shown.
        InputError: the media to be shown are not there.
        EndpointError: the first call showed that none can succeed.
        RunInterruptedError: the user stopped it; judgements so far are kept.
    """
    check_judge(reasoned, judge, reference=reference, media=media, frames=frames)
    jobs: dict[str, Reasoned] = {}
    names: dict[tuple[str, str], str] = {}
    texts: Counter[str] = Counter()
    for one in reasoned:
        key = one.item.id, one.text
        if key not in names:
            texts[one.item.id] += 1
            number = texts[one.item.id]
            names[key] = one.item.id if number == 1 else f"{one.item.id}, text {number}"
            jobs[names[key]] = one
    asked = Consultation(
        judge,
        request,
        [job.item.model_copy(update={"id": name}) for name, job in jobs.items()],
        converse=lambda item: _converse(taxonomy, jobs[item.id], reference=reference, shows_media=media is not None),
        preset=PromptPreset("error-judge", taxonomy.source, frames=frames, sampling=Sampling(temperature=0.0)),
        data=media or Path(),
    )
    outcomes, cost = until_stopped(asked.ask(started=started, done=done), asked)
    found = [_judgement(taxonomy, one, outcomes[names[one.item.id, one.text]], reference=reference) for one in reasoned]
    return found, usage_of(outcomes.values()), cost


def check_judge(
    reasoned: Sequence[Reasoned], judge: Model, *, reference: bool, media: Path | None, frames: Frames
) -> None:
    """Refuse reasonings that can't be judged, before the first call.

    Raises:
        UsageError: see `judge_reasoning`.
    """
    lacking = [one.item for one in reasoned if not (one.item.reasoning or "").strip()]
    if reference and lacking:
        raise UsageError(
            f"item {lacking[0].id} has no human reasoning to show to the judge (none in {len(lacking):,} of "
            f"{len(reasoned):,}); judge without it: --reference without."
        )
    shown = [one.item for one in reasoned if one.item.media] if media is not None and judge.remote else []
    if shown and not getattr(judge, "takes_pictures", True):
        raise UsageError(f"{judge.name} reads text only; let it judge without the pictures: --text-only.")
    if media is not None:
        refuse_missing(media, shown)
    videos = any(medium.kind == "video" for item in shown for medium in item.media)
    if videos and frames.whole and not getattr(judge, "takes_videos", False):
        raise UsageError(f"the run showed whole videos, which {judge.name} doesn't take; give --frames N.")


def _converse(taxonomy: ErrorTaxonomy, job: Reasoned, *, reference: bool, shows_media: bool) -> Conversation:
    """The human reasoning's steps typed where that is needed, then the judgement."""
    shown: str | None = None
    if reference:
        shown = human = (job.item.reasoning or "").strip()
        steps, typed = steps_of(human), None
        if steps and types_steps(taxonomy) and not typed_already(taxonomy, human):
            message = Message(parts=(typing_text(taxonomy, steps),))
            for draw in range(TRIES):
                said: Response = yield Ask((message,), draw=draw, purpose="steps")
                typed = read_steps(taxonomy, steps, said.response)
                if typed is not None:
                    break
            if typed is None:
                return Answer(said.response, {_UNTYPED: 1})
            shown = typed
    text = judge_text(taxonomy, job.item, job.text, shown)
    message = Message(parts=(*(job.item.media if shows_media else ()), text))
    for draw in range(TRIES):
        response: Response = yield Ask((message,), draw=draw, purpose="judgement")
        if read_categories(taxonomy, response.response) is not None:
            break
    return response.response


def _judgement(taxonomy: ErrorTaxonomy, one: Reasoned, outcome: Outcome, *, reference: bool) -> ErrorJudgement:
    if isinstance(outcome, Failure):
        return ErrorJudgement(one.item.id, one.repeat, None, failure=f"{outcome.kind}: {outcome.message}")
    said = " ".join(outcome.response.split())[:_SHOWN]
    if _UNTYPED in outcome.notes:
        reason = f"the judge's types of the human steps can't be read: {said!r}"
        return ErrorJudgement(one.item.id, one.repeat, None, outcome.response, failure=reason)
    categories = read_categories(taxonomy, outcome.response)
    failure = None if categories is not None else f"the judge's reply names no category: {said!r}"
    shown = _shown_reference(taxonomy, one.item, outcome) if reference else None
    return ErrorJudgement(one.item.id, one.repeat, categories, outcome.response, shown, failure)


def _shown_reference(taxonomy: ErrorTaxonomy, item: Item, outcome: Response) -> str:
    human = (item.reasoning or "").strip()
    turn = outcome.turn("steps")
    return human if turn is None else read_steps(taxonomy, steps_of(human), turn.response) or human
