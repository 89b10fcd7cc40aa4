"""The judge of a scorer of a data file: when it is asked, what it is told, and how its reply is read."""

from __future__ import annotations

import re
from functools import partial

from tolman.benchmarks.declaring.schema import Declaration, ScorerJudge
from tolman.benchmarks.declaring.templates import fill, placeholders
from tolman.errors import UsageError
from tolman.items import Item
from tolman.names import hint
from tolman.scoring.judged import EXTRACTION, Judging, read_reply
from tolman.scoring.reading import ParsedAnswer, nothing

PLACES = ("question", "options", "response")
"""Placeholders of a judge's prompt."""


def judging_of(declared: Declaration) -> Judging:
    """When and how a model reads responses: as the scorer with a judge says, else in Tolman's own words.

    Raises:
        UsageError: two scorers have a judge, or a prompt has a placeholder that there isn't.
    """
    found = [(name, scorer.judge) for name, scorer in declared.scorers.items() if scorer.judge is not None]
    if not found:
        return EXTRACTION
    if len(found) > 1:
        names = " and ".join(f"'{name}'" for name, _ in found)
        raise UsageError(f"the scorers {names} have a judge each; leave one, as a run has one scorer 'judged'.")
    ((scorer, judge),) = found
    for place in placeholders(judge.prompt):
        if place not in PLACES:
            raise UsageError(f"the judge's prompt has the placeholder {{{place}}}; {hint(place, PLACES)}.")
    return Judging(
        source=f"{judge.source}: where '{scorer}' reads nothing; the released code asks {judge.model}",
        base=scorer,
        asks=lambda item, text, own: own.value is None,
        prompt=partial(_prompt, judge),
        model=judge.model,
        read=read_reply if judge.reply is None else partial(_read, re.compile(judge.reply)),
    )


def _prompt(judge: ScorerJudge, item: Item, text: str) -> str:
    lettered = zip(item.letters, item.options, strict=True)
    options = judge.between.join(fill(judge.option, {"letter": letter, "text": one}) for letter, one in lettered)
    return fill(judge.prompt, {"question": item.question, "options": options, "response": text})


def _read(form: re.Pattern[str], item: Item, reply: str) -> ParsedAnswer:
    found = form.fullmatch(reply)
    if found is None or not found[1]:
        return nothing("the judge's reply is not in the form of an answer")
    return ParsedAnswer(found[1], span=found.span(1), rule="judge")
