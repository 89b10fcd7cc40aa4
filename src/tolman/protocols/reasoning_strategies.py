"""Strategies from the direct answer to chains of thought, majorities of them, and trees of thoughts.

- Direct: the released prompt; the reply is the answer.
- Zero-shot chain of thought: the model thinks step by step, then a second turn extracts its answer. Source: VSI-Bench
  paper, Appendix B.3 (the phrase, temperature 0, and the extra turn); MMSI-Bench paper, Table 7, whose prompt asks for
  steps and answer at once, so that there is no second turn. The words of the second turn are not published and are
  Tolman's, followed by the benchmark's own sentence that asks for the answer alone.
- Self-explanation: after the answer the model is asked for the steps behind it. Source: VSI-Bench paper, Appendix B.2.
  The explanation is kept with the response, in the turn 'explanation'; the answer before it is scored.
- Self-consistency: several independent chains of thought, and the majority of their answers. Source: VSI-Bench paper,
  Appendix B.3: 5 runs of zero-shot chain of thought with its extraction turn, temperature 0.7, top-p 1, top-k 40.
- Tree of thoughts: 3 plans, 3 votes for a plan, 3 answers by that plan, 3 votes for an answer. Source: VSI-Bench paper,
  Appendix B.3, after the creative writing of Yao et al., 2024; sampling as in self-consistency. The plans come in one
  response; every vote and answer is a new dialogue with the media. The words of the prompts are Tolman's.

Majorities, and the reading of votes, are pure functions.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Generic, TypeVar

from tolman.benchmarks.spec import BenchmarkSpec, PromptPreset
from tolman.errors import UsageError
from tolman.items import Item
from tolman.messages import Message, Sampling
from tolman.protocols import Answer, Ask, Conversation, Modifier, ProtocolOptions, Question, Step, Strategy, reply
from tolman.responses import Response
from tolman.scoring.parse import read_careful


def converse_directly(question: Question) -> Conversation:
    """One turn with the benchmark's own prompt."""
    response: Response = yield Ask((question.prompt,))
    return response.response


DIRECT = Strategy("direct", converse_directly, summary="the released prompt; what comes back is the answer")


PHRASE = "Let's think step by step."
EXTRACT = "Now state your final answer to the question."


def thinking(question: Question) -> Message:
    """The first turn's message."""
    ask = question.benchmark.step_by_step
    if ask is not None:
        return ask(question.item, question.preset, question.sees)
    return question.open(PHRASE)


def extracts(question: Question) -> bool:
    """Check whether a second turn extracts the answer."""
    return question.benchmark.step_by_step is None


def extraction(question: Question, messages: Sequence[Message], thought: Response) -> tuple[Message, ...]:
    """The second turn's messages."""
    return reply(messages, thought, f"{EXTRACT}\n{question.demand}")


def converse_in_steps(question: Question) -> Conversation:
    """Thinking, then the answer."""
    messages = (thinking(question),)
    thought: Response = yield Ask(messages, question.sampling(long=True), purpose="reasoning")
    if not extracts(question):
        return thought.response
    answer: Response = yield Ask(extraction(question, messages, thought), purpose="extraction")
    return answer.response


CHAIN_OF_THOUGHT = Strategy(
    "cot",
    converse_in_steps,
    uses=("reasoning_tokens",),
    summary="think step by step, then a turn that extracts the answer",
)


EXPLAIN = "Please explain your answer step by step."


def explained(conversation: Conversation, question: Question) -> Conversation:
    """The conversation, and one more turn in its last dialogue."""
    last: tuple[Ask, Response] | None = None
    received: Any = None
    while True:
        try:
            step: Step = conversation.send(received)
        except StopIteration as finished:
            if last is not None:
                ask, response = last
                messages = reply(ask.messages, response, EXPLAIN)
                yield Ask(messages, question.sampling(long=True), purpose="explanation", role=ask.role)
            answer: str | Answer = finished.value
            return answer
        received = yield step
        last = (step, received) if isinstance(step, Ask) else None


SELF_EXPLANATION = Modifier(
    "self-explanation", after=explained, uses=("reasoning_tokens",), summary="after the answer, the steps behind it"
)


T = TypeVar("T", bound=Hashable)

TIED = "tied vote"
UNREAD = "vote or draw without an answer"
NO_DIALOGUE = {"self-explanation": "the answer is a vote over several dialogues, none of which could go on"}
"""Modifiers that a protocol ending with a vote refuses, with the reason."""
_CHOICE = re.compile(r"\b(?:best|choice|choose|vote|select)\w*[^\d\n]{0,40}?(\d{1,2})(?![\d.]\d)", re.IGNORECASE)
_NUMBER = re.compile(r"(?<![\d.])(\d{1,2})(?![\d.]*\d)")
_HEADING = re.compile(r"^[ \t]*[#*_>\-]{0,6}[ \t]*plan[ \t]*#?(\d{1,2})[ \t]*[*_]{0,3}[ \t]*[:.)\-–]?", re.I | re.M)
_LISTED = re.compile(r"^[ \t]*[*_]{0,3}(\d{1,2})[.)][ \t]", re.MULTILINE)


@dataclass(frozen=True)
class Majority(Generic[T]):
    """The most frequent of some votes.

    Attributes:
        winner: None without votes.
        votes: how many it has.
        tied: whether another has as many.
    """

    winner: T | None
    votes: int
    tied: bool


def majority(votes: Sequence[T | None], seed: str) -> Majority[T]:
    """The most frequent vote; a tie is broken by a draw among those that are tied.

    Neither the order of the votes nor timing has a part in it. A vote of None is none.

    Args:
        votes: anything that can be counted and has a distinct `repr`.
        seed: of the draw.
    """
    counts = Counter(vote for vote in votes if vote is not None)
    if not counts:
        return Majority(None, 0, tied=False)
    most = max(counts.values())
    first = sorted((vote for vote, count in counts.items() if count == most), key=repr)
    winner = random.Random(seed).choice(first) if len(first) > 1 else first[0]
    return Majority(winner, most, tied=len(first) > 1)


def value_of(item: Item, text: str) -> str | None:
    """Read the answer of a response, as text: a letter, or a number in the item's unit; None where it holds no answer.

    Read by the careful parser, so that "A", "(A)" and "A. chair" are one vote.
    """
    value = read_careful(item, text).value
    if isinstance(value, Fraction):
        return str(value.numerator) if value.denominator == 1 else repr(float(value))
    return None if value is None else str(value)


def choose_proposal(text: str, count: int) -> int | None:
    """Find the numbered proposal that a vote is for, from 0; None where it names none or several.

    The last "best … N" counts; without one, the last line if it names a single number.

    Args:
        text: of the voter.
        count: how many proposals there are.
    """
    said = [int(number) for number in _CHOICE.findall(text[-20_000:])]
    if not said:
        lines = [line for line in text[-20_000:].splitlines() if line.strip()]
        said = [int(number) for number in _NUMBER.findall(lines[-1])] if lines else []
        said = said if len(set(said)) == 1 else []
    return said[-1] - 1 if said and 1 <= said[-1] <= count else None


def proposals(text: str, count: int) -> list[str]:
    """The numbered plans of a text ("Plan 1: …", or "1. …"), in the order of their numbers.

    Returns:
        `count` texts without their headings; empty where the text doesn't hold just these.
    """
    for pattern in (_HEADING, _LISTED):
        found = list(pattern.finditer(text[:50_000]))
        # A plan's own steps may be numbered too: the headings are the first 1, then the next 2 …
        heads: list[re.Match[str]] = []
        for match in found:
            if int(match[1]) == len(heads) + 1:
                heads.append(match)
        if pattern is _LISTED and len(found) != len(heads):
            continue
        if len(heads) == count:
            ends = [head.start() for head in heads[1:]] + [len(text)]
            parts = [text[head.end() : end].strip(" \n*_") for head, end in zip(heads, ends, strict=True)]
            return parts if all(parts) else []
    return []


SAMPLING: Mapping[str, Any] = {"temperature": 0.7, "top_p": 1.0, "top_k": 40}


def converse_several_times(question: Question) -> Conversation:
    """So many chains side by side, then their extractions, then the majority."""
    messages = (thinking(question),)
    long, short = question.sampling(long=True, **SAMPLING), question.sampling(**SAMPLING)
    draws = range(question.options.draws)
    thoughts: list[Response] = yield tuple(Ask(messages, long, i, "reasoning") for i in draws)
    answers = thoughts
    if extracts(question):
        answers = yield tuple(
            Ask(extraction(question, messages, thought), short, i, "extraction") for i, thought in enumerate(thoughts)
        )
    return vote(question, [answer.response for answer in answers])


def vote(question: Question, texts: Sequence[str]) -> Answer:
    """The majority of some answers; where none of them can be read, the first as it is."""
    values = [value_of(question.item, text) for text in texts]
    found = majority(values, f"{question.options.seed}:{question.item.id}")
    text = texts[0] if found.winner is None else found.winner
    return Answer(text, {TIED: int(found.tied), UNREAD: values.count(None)})


def _check_draws(
    benchmark: BenchmarkSpec, items: Sequence[Item], preset: PromptPreset, options: ProtocolOptions
) -> None:
    if options.draws < 2:
        raise UsageError(
            f"a majority takes at least 2 samples, not {options.draws}; give another number with --samples-per-vote."
        )
    if options.sampling.get("temperature") == 0:
        raise UsageError("self-consistency draws different chains of thought, which --temperature 0 doesn't give.")


SELF_CONSISTENCY = Strategy(
    "self-consistency",
    converse_several_times,
    uses=("draws", "reasoning_tokens"),
    check=_check_draws,
    refuses=NO_DIALOGUE,
    summary="the majority of several chains of thought",
)


BRANCHES = 3
UNREAD_PLANS = "plans not distinguished"
PLAN = (
    "Don't answer the question yet. Make 3 distinct plans for answering it. Write each plan on one paragraph that "
    'begins with "Plan 1:", "Plan 2:" and "Plan 3:".'
)
VOTE = (
    "Don't answer the question yet. Compare these plans for answering it step by step and decide which is the most "
    'promising. Conclude in the last line with "The best plan is N", where N is the number of the plan.'
)
FOLLOW = "Follow this plan to answer the question:"
JUDGE = (
    "These answers to the question were proposed. Examine each of them step by step and decide which is the most "
    'likely to be right. Conclude in the last line with "The best answer is number N", where N is the number of the '
    "proposal."
)


def converse_by_plans(question: Question) -> Conversation:
    """Plans, votes, answers, votes."""
    long, short = question.sampling(long=True, **SAMPLING), question.sampling(**SAMPLING)
    seed = f"{question.options.seed}:{question.item.id}"
    notes = {TIED: 0, UNREAD: 0, UNREAD_PLANS: 0}
    planned: Response = yield Ask((question.open(PLAN),), long, purpose="plans")
    plans = proposals(planned.response, BRANCHES)
    plan = planned.response
    if plans:
        listed = _listed_for_vote("Plan", plans)
        votes: list[Response] = yield _each((question.open(VOTE, listed),), long, "plan vote")
        best = majority([choose_proposal(vote.response, BRANCHES) for vote in votes], f"{seed}:plan")
        plan = plans[best.winner or 0]
        notes[TIED] += best.tied
        notes[UNREAD] += len(votes) - sum(choose_proposal(vote.response, BRANCHES) is not None for vote in votes)
    else:
        notes[UNREAD_PLANS] += 1
    answers: list[Response] = yield _each((question.open(f"{FOLLOW}\n{plan}", question.demand),), short, "answer")
    texts = [answer.response for answer in answers]
    judged: list[Response] = yield _each(
        (question.open(JUDGE, _listed_for_vote("Proposal", texts)),), long, "answer vote"
    )
    # Proposals that answer the same are one candidate: votes for either are votes for it.
    names = [value_of(question.item, text) or f"unread {i}" for i, text in enumerate(texts)]
    picks = [choose_proposal(vote.response, BRANCHES) for vote in judged]
    final = majority([None if pick is None else names[pick] for pick in picks], f"{seed}:answer")
    if final.winner is None:  # no vote can be read: the answers themselves decide
        final = majority([value_of(question.item, text) for text in texts], f"{seed}:answer")
    notes[TIED] += final.tied
    notes[UNREAD] += picks.count(None)
    return Answer(texts[names.index(final.winner)] if final.winner in names else texts[0], notes)


def _each(messages: tuple[Message, ...], sampling: Sampling, purpose: str) -> tuple[Ask, ...]:
    return tuple(Ask(messages, sampling, draw, purpose) for draw in range(BRANCHES))


def _listed_for_vote(head: str, texts: Sequence[str]) -> str:
    return "\n\n".join(f"{head} {number}: {text}" for number, text in enumerate(texts, start=1))


TREE_OF_THOUGHTS = Strategy(
    "tree-of-thoughts",
    converse_by_plans,
    uses=("reasoning_tokens",),
    refuses=NO_DIALOGUE,
    summary="3 plans, 3 votes, 3 answers, 3 votes",
)


PROTOCOLS = {
    "direct": DIRECT,
    "cot": CHAIN_OF_THOUGHT,
    "self-explanation": SELF_EXPLANATION,
    "self-consistency": SELF_CONSISTENCY,
    "tree-of-thoughts": TREE_OF_THOUGHTS,
}
