"""Exclusion: whose answers don't count, by rules that were stated before anybody answered.

Gold questions are in no run: who is left out by their answers would otherwise be left out by what is scored.
"""

from __future__ import annotations

from dataclasses import dataclass

from tolman.review.studies.spec import Exclude


@dataclass(frozen=True)
class Conduct:
    """What the rules look at.

    Attributes:
        asked: questions of the sample.
        answered, skipped, fast: of them; reported ones count as skipped.
        gold, gold_right: answers to gold questions, and how many were right.
        attention_wrong: wrong answers to attention questions.
        seconds: with a visible question.
        complete: whether they came to the end.
        screened: whether practice ended it.
    """

    asked: int
    answered: int
    skipped: int
    fast: int
    gold: int
    gold_right: int
    attention_wrong: int
    seconds: float
    complete: bool
    screened: bool = False


def reasons(did: Conduct, rules: Exclude) -> list[str]:
    """Why somebody's answers don't count; none where they do."""
    if did.screened:
        return ["too few right answers in practice"]
    found = []
    if rules.incomplete and not did.complete:
        found.append(f"not complete ({did.answered + did.skipped} of {did.asked})")
    if rules.gold_below is not None and did.gold and did.gold_right / did.gold < rules.gold_below:
        found.append(f"{did.gold_right} of {did.gold} gold questions right")
    if rules.attention_wrong is not None and did.attention_wrong >= rules.attention_wrong:
        found.append(f"{did.attention_wrong} attention questions wrong")
    if rules.fast_above is not None and did.answered and did.fast / did.answered > rules.fast_above:
        found.append(f"{did.fast} of {did.answered} answers too fast")
    if rules.skipped_above is not None and did.asked and did.skipped / did.asked > rules.skipped_above:
        found.append(f"{did.skipped} of {did.asked} questions skipped")
    if rules.minutes_below is not None and did.seconds < 60 * rules.minutes_below:
        found.append(f"{did.seconds / 60:.1f} minutes in all")
    return found


def stated(rules: Exclude, least_seconds: int) -> list[str]:
    """The rules in words, as people are told them before they agree."""
    told = []
    if rules.incomplete:
        told.append("You don't come to the end.")
    if rules.gold_below is not None:
        told.append(f"Of some questions whose answer is sure, fewer than {100 * rules.gold_below:.0f} % are right.")
    if rules.attention_wrong is not None:
        told.append(f"You answer {rules.attention_wrong} or more questions wrongly that only ask for attention.")
    if rules.fast_above is not None:
        told.append(
            f"More than {100 * rules.fast_above:.0f} % of the answers are given in under {least_seconds} seconds."
        )
    if rules.skipped_above is not None:
        told.append(f"You skip more than {100 * rules.skipped_above:.0f} % of the questions.")
    if rules.minutes_below is not None:
        told.append(f"You look at the questions for less than {rules.minutes_below:g} minutes in all.")
    return told
