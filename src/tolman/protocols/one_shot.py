"""One-shot: each question behind a solved example of its type, with reasoning and key frames.

Source: SpatialBench paper, section 5.3, and its released "deep guide" on QA_fewshot.txt. The paper has one example for
each task, and fifteen are released; the released code takes the first of each answer format, which are two. Here it is
one for each task, as the paper says. The examples themselves are not asked.

A benchmark folder whose questions carry their reasoning and key frames, as generated ones do, has examples of its own:
from scenes that are held out, so that no question is asked about a place that an example shows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from tolman.benchmarks.base import BenchmarkSpec, OneShot, PromptPreset
from tolman.errors import UsageError
from tolman.items import Item
from tolman.protocols.base import Ask, Conversation, ProtocolOptions, Question, Strategy
from tolman.responses import Response

_LAID_OUT = "the released layout has the example's frames first, then its text, then the question, then its frames"


def converse(question: Question) -> Conversation:
    """One turn with the example in front."""
    how = question.benchmark.one_shot
    assert how is not None  # `check` has seen to it
    example = _examples(how, question.options)[how.task(question.item)]
    response: Response = yield Ask((how.prompt(example, question.item, question.preset),))
    return response.response


@lru_cache(maxsize=4)
def _load(how: OneShot, data: Path, seed: int) -> Mapping[str, Item]:
    return how.load(data, seed)


def _examples(how: OneShot | None, options: ProtocolOptions) -> Mapping[str, Item]:
    return _load(how, options.data, options.seed) if how is not None and options.data is not None else {}


def _others(benchmark: BenchmarkSpec, items: Sequence[Item], options: ProtocolOptions) -> list[Item]:
    """The questions that are no example, nor of a scene that is held out for one."""
    examples = _examples(benchmark.one_shot, options).values()
    used = {example.id for example in examples}
    if benchmark.one_shot is not None and benchmark.one_shot.holds_out_scenes:
        held = {example.cluster for example in examples}
        return [item for item in items if item.cluster not in held]
    return [item for item in items if item.id not in used]


def _check(benchmark: BenchmarkSpec, items: Sequence[Item], preset: PromptPreset, options: ProtocolOptions) -> None:
    how, examples = benchmark.one_shot, _examples(benchmark.one_shot, options)
    if how is None or (how.holds_out_scenes and not examples):
        raise UsageError(
            f"one-shot needs solved examples, and {benchmark.title} has none; SpatialBench does, and so does a "
            "benchmark of 'tolman generate' with question types of two scenes or more."
        )
    if not items:
        raise UsageError("only the examples themselves are left after the selection, and they are not asked.")
    lacking = sorted({item.task for item in items if how.task(item) not in examples})
    if lacking:
        why = ", as an example is of a scene that is held out" if how.holds_out_scenes else ""
        others = ",".join(sorted({item.task for item in items} - {*lacking}))
        fix = f"leave them out with --tasks {others}" if others else "choose others with --tasks"
        raise UsageError(f"there is no solved example for the question types {', '.join(lacking)}{why}; {fix}.")


PROTOCOL = Strategy(
    "one-shot",
    converse,
    check=_check,
    present=_others,
    refuses={
        "blind": "an example of looking at frames doesn't help without frames",
        **dict.fromkeys(("question-first", "repeated-media", "correspondence", "joined"), _LAID_OUT),
    },
    summary="behind a solved example of the same type",
)
