"""Commitments of a response to an option."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tolman.scoring.parse.alone import alone, opening_letter, opening_yes
from tolman.scoring.parse.announcements import announces_next
from tolman.scoring.parse.commitments import (
    CONCLUDED,
    DECLARED,
    FOREIGN,
    JUDGED,
    NO_OPTION,
    STATED,
    Commitment,
)
from tolman.scoring.parse.enumeration import behind_enumeration
from tolman.scoring.parse.left_over import left_over
from tolman.scoring.parse.lexicon import Languages
from tolman.scoring.parse.mentions import Mention, are_joined, commit, commit_to_several, options_in
from tolman.scoring.parse.opposites import asked_sides, turned
from tolman.scoring.parse.option_announcements import announced, corrected, named_first
from tolman.scoring.parse.option_lines import LineContext, OptionLine, option_lines
from tolman.scoring.parse.option_statements import SHORT_WORDS, is_whole, stated
from tolman.scoring.parse.option_texts import option_texts
from tolman.scoring.parse.option_values import by_value, counts
from tolman.scoring.parse.orders import by_order
from tolman.scoring.parse.ranking import asks_for_first, first_of_chain
from tolman.scoring.parse.routes import by_route
from tolman.scoring.parse.verdicts import affirmation, superlative, verdicts

MAX_AWAITED_CHARS = 60
"""Characters in front of an option that an earlier line announces, at most."""

_EITHER = {"either", "both", "entweder", "beide", "soit", "tanto", "ambas", "إما", "كلا", "либо", "оба"}


def choice_commitments(
    text: str, options: tuple[str, ...], language: Languages, option_language: Languages
) -> list[Commitment]:
    """Find every place where a text commits itself to an option.

    Args:
        text: without markup.
        options: the options' texts.
        language: of the text.
        option_language: of the options.

    Returns:
        The commitments in order.
    """
    return choice_found(text, options, language, option_language)[0]


def choice_found(
    text: str, options: tuple[str, ...], language: Languages, option_language: Languages, question: str = ""
) -> tuple[list[Commitment], list[OptionLine]]:
    """Find every place where a text commits itself to an option, and the lines with all mentions of options.

    Args:
        text: without markup.
        options: the options' texts.
        language: of the text.
        option_language: of the options.
        question: of the item; empty where it is not to be looked at.

    Returns:
        The commitments in order, and the lines.
    """
    prepared = option_texts(options, option_language)
    ranked = asks_for_first(question, option_language)
    lines = option_lines(text, prepared, language, ranked)
    sides = asked_sides(question, option_language)
    rivals = [i for i, c in enumerate(prepared.concepts) if not c & {"same", "none"}]
    found: list[Commitment] = []
    awaited = False
    for i, line in enumerate(lines):
        new = _line_commitments(LineContext(lines, i, text, prepared, awaited, question))
        found += turned(new, line, sides, rivals)
        awaited = _announces_next(line, new, text, awaited)
    found += verdicts(lines, text, prepared) + left_over(lines, text, prepared.count)
    if ranked:
        chains = [c for line in lines if (c := first_of_chain(text, line.segment, line.affirmed)) is not None]
        found = [c for c in found if c.value or not any(c.start <= k.start < c.end for k in chains)] + chains
    parts = [line.segment for line in lines]
    said = [*by_order(text, parts, options), *by_route(text, parts, options, option_language)]
    if not prepared.places or counts(options, option_language):
        said += by_value(text, options, language, option_language)
    found = [c for c in found if not _is_explained(c, said)]
    return sorted(behind_enumeration([*found, *said], lines, text), key=lambda c: (c.start, c.end)), lines


def _is_explained(commitment: Commitment, said: Sequence[Commitment]) -> bool:
    """Whether an announcement of no option announces an order of options or the value of an option."""
    return (
        commitment.value is None
        and commitment.note in (NO_OPTION, FOREIGN)
        and any(commitment.start <= other.start < commitment.end and other.value for other in said)
    )


def _announces_next(line: OptionLine, found: Sequence[Commitment], text: str, awaited: bool) -> bool:
    """Whether an answer is still to come behind a line."""
    if awaited and not line.segment.words:
        return True
    if line.mentions or any(c.value is not None or c.note != NO_OPTION for c in found):
        return False
    return announces_next(line.segment, text, "answer", "choose", "conclude")


def _line_commitments(context: LineContext) -> list[Commitment]:
    """The commitments of a line, by the first rule that says anything about it."""
    if context.line.question:
        return []
    for rule in _RULES:
        found = rule(context)
        if found is not None:
            return found
    return []


def _announced(context: LineContext) -> list[Commitment] | None:
    return announced(context.line, context.text) or corrected(context) or None


def _listed(context: LineContext) -> list[Commitment] | None:
    """Nothing for a line of a list, unless it is the only line of the list that an announcement leads to."""
    if not context.line.listing:
        return None
    neighbours = (*context.earlier[-1:], *context.lines[context.number + 1 : context.number + 3])
    leads = context.awaited and not context.is_first and not any(line.listing for line in neighbours)
    return None if leads else []


def _awaited(context: LineContext) -> list[Commitment] | None:
    """The option that an earlier line announces."""
    if not context.awaited or not context.line.affirmed:
        return None
    found = named_first(context.line.affirmed, context.text, context.segment)
    return [found] if found.start - context.segment.start <= MAX_AWAITED_CHARS else None


def _undecided(context: LineContext) -> list[Commitment] | None:
    """No option for "either A or B"."""
    line, segment = context.line, context.segment
    letters = [m for m in line.mentions if m.by == "letter" and not m.negated]
    if len(options_in(letters)) < 2 or segment.having("choose", "contrast"):
        return None
    if not any(context.text[c.start : c.end].casefold() in _EITHER for c in segment.having("alternative", "suppose")):
        return None
    return [commit_to_several(line.mentions, CONCLUDED, "stated")]


def _unknown(context: LineContext) -> list[Commitment] | None:
    """The option that a line leans to although it says that none fits or can be told."""
    line, segment = context.line, context.segment
    unknown = [
        c
        for c in segment.having("unknown", "none_of")
        if not any(m.by == "text" and m.start < c.end and c.start < m.end for m in line.mentions)
    ]
    if not unknown:
        return None
    last = unknown[-1]
    turns = segment.having("contrast", "choose")
    leaned: list[Mention] = []
    if turns and turns[-1].start > last.start:
        leaned = [m for m in line.affirmed if m.start >= turns[-1].start]
    if not leaned and any(c.role == "choose" and c.start > last.end for c in turns):
        leaned = [m for m in line.affirmed if m.start > last.end]
    return [commit(leaned[-1], CONCLUDED, "leaned")] if len(options_in(leaned)) == 1 else []


def _contrasted(context: LineContext) -> list[Commitment] | None:
    """The option behind the last "but" or "I choose" of a last line that names several."""
    affirmed = context.line.affirmed
    turns = context.segment.having("contrast", "choose")
    if not turns or not context.is_last or len(options_in(affirmed)) < 2:
        return None
    behind = [m for m in affirmed if m.start >= turns[-1].end]
    if len(options_in(behind)) != 1 or behind[0].weak:
        return None
    return [commit(behind[-1], CONCLUDED, "contrasted")]


def _concluded(context: LineContext) -> list[Commitment] | None:
    """The option behind "so" or "therefore"."""
    segment, affirmed = context.segment, context.line.affirmed
    conclusions = segment.having("conclude")
    reasoned = [c for c in segment.having("reason_before") if any(m.start >= c.end for m in affirmed)]
    if not (conclusions or reasoned) or not affirmed:
        return None
    cut_off = (
        context.is_last
        and len(context.lines) >= 3
        and len(segment.words) >= SHORT_WORDS
        and not is_whole(segment, context.text)
    )
    if cut_off:
        return None
    begin = max(c.end for c in reasoned) if reasoned else conclusions[0].end
    behind = [m for m in affirmed if m.start >= begin] or affirmed
    chosen = _only_one([m for m in behind if not m.weak] or behind)
    if chosen is None:
        return [commit_to_several(behind, CONCLUDED, "concluded")]
    letter = any(m.by == "letter" and m.option == chosen.option >= 0 and not m.weak for m in behind)
    return [commit(chosen, DECLARED if letter else CONCLUDED, "concluded")]


def _only_one(mentions: Sequence[Mention]) -> Mention | None:
    """The option that some mentions name, or the only one that they name by a letter that is set off."""
    if len(options_in(mentions)) == 1:
        return mentions[0]
    letters = [m for m in mentions if m.by == "letter"]
    return letters[0] if len(options_in(letters)) == 1 and letters[0].marked else None


def _judged(context: LineContext) -> list[Commitment] | None:
    """The option that is called the nearest, last, largest, or right."""
    line, segment = context.line, context.segment
    supposed = bool(segment.having("suppose"))
    best = superlative(line, context.text)
    if best is not None and len(options_in(line.mentions)) > 1 and not supposed:
        ends = not any(later.mentions for later in context.lines[context.number + 1 :])
        return [commit(best, CONCLUDED if ends else STATED, "superlative")]
    letters = [m for m in line.affirmed if m.by == "letter"]
    if segment.having("affirm") and are_joined(letters, context.text, segment.language):
        return [commit_to_several(line.affirmed, CONCLUDED, "judged")]
    right = affirmation(line)
    if right is None or supposed:
        return None
    ends = context.number >= len(context.lines) - 2
    return [commit(right, CONCLUDED if ends else JUDGED, "judged")]


_RULES: tuple[Callable[[LineContext], list[Commitment] | None], ...] = (
    _announced,
    _listed,
    alone,
    _awaited,
    opening_yes,
    opening_letter,
    _undecided,
    _unknown,
    _contrasted,
    _concluded,
    _judged,
    stated,
)
"""Rules for a line, the most certain first; a rule that returns None leaves the line to the next."""
