"""Tree of thoughts: 3 plans, 3 votes for a plan, 3 answers by that plan, 3 votes for an answer.

Source: VSI-Bench paper, Appendix B.3, after the creative writing of Yao et al., 2024; sampling as in self-consistency.
The plans come in one response; every vote and answer is a new dialogue with the media. The words of the prompts are not
published and are Tolman's.
"""

from __future__ import annotations

from collections.abc import Sequence

from tolman.messages import Message, Sampling
from tolman.protocols.base import Answer, Ask, Conversation, Question, Strategy
from tolman.protocols.self_consistency import SAMPLING
from tolman.protocols.votes import NO_DIALOGUE, TIED, UNREAD, choose_proposal, majority, proposals, value_of
from tolman.responses import Response

BRANCHES = 3
UNREAD_PLANS = "plans not told apart"
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


def converse(question: Question) -> Conversation:
    """Plans, votes, answers, votes."""
    long, short = question.sampling(long=True, **SAMPLING), question.sampling(**SAMPLING)
    seed = f"{question.options.seed}:{question.item.id}"
    notes = {TIED: 0, UNREAD: 0, UNREAD_PLANS: 0}
    planned: Response = yield Ask((question.open(PLAN),), long, purpose="plans")
    plans = proposals(planned.response, BRANCHES)
    plan = planned.response
    if plans:
        listed = _listed("Plan", plans)
        votes: list[Response] = yield _each((question.open(VOTE, listed),), long, "plan vote")
        best = majority([choose_proposal(vote.response, BRANCHES) for vote in votes], f"{seed}:plan")
        plan = plans[best.winner or 0]
        notes[TIED] += best.tied
        notes[UNREAD] += len(votes) - sum(choose_proposal(vote.response, BRANCHES) is not None for vote in votes)
    else:
        notes[UNREAD_PLANS] += 1
    answers: list[Response] = yield _each((question.open(f"{FOLLOW}\n{plan}", question.demand),), short, "answer")
    texts = [answer.response for answer in answers]
    judged: list[Response] = yield _each((question.open(JUDGE, _listed("Proposal", texts)),), long, "answer vote")
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


def _listed(head: str, texts: Sequence[str]) -> str:
    return "\n\n".join(f"{head} {number}: {text}" for number, text in enumerate(texts, start=1))


PROTOCOL = Strategy(
    "tree-of-thoughts",
    converse,
    uses=("reasoning_tokens",),
    refuses=NO_DIALOGUE,
    summary="3 plans, 3 votes, 3 answers, 3 votes",
)
