"""Commitments of a response to an option: all rules for choices, in their order.

One of the rules is in this module. It finds options that a sentence states without announcing, concluding or judging
them.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from tolman.items import LETTERS
from tolman.scoring.parse.asked import asked_in, opposite
from tolman.scoring.parse.commitments import (
    ALONE,
    CONCLUDED,
    DECLARED,
    DISAGREE,
    FOREIGN,
    JUDGED,
    NO_OPTION,
    SEVERAL,
    STATED,
    Commitment,
)
from tolman.scoring.parse.lexicon import Cue, Languages, is_glued, is_inside, same_word, words_of
from tolman.scoring.parse.option_announcements import (
    alone,
    announced,
    corrected,
    named_first,
    opening_letter,
    opening_yes,
    relabelled,
    settled,
)
from tolman.scoring.parse.option_comparisons import read_against
from tolman.scoring.parse.option_descriptions import described
from tolman.scoring.parse.option_lines import LineContext, OptionLine, option_lines
from tolman.scoring.parse.option_measures import by_range, by_value, measured
from tolman.scoring.parse.option_mentions import (
    Mention,
    are_joined,
    asks_for_first,
    commit,
    commit_to_several,
    options_in,
)
from tolman.scoring.parse.option_sequences import by_order, by_route
from tolman.scoring.parse.option_texts import counts, option_texts
from tolman.scoring.parse.option_verdicts import (
    absent,
    affirmation,
    all_of_them,
    behind_enumeration,
    left_over,
    ranked,
    superlative,
    verdicts,
    without_cases,
)
from tolman.scoring.parse.response_segments import Segment, announces_next, is_conceded
from tolman.scoring.parse.yes_no import yes_or_no
from tolman.scoring.parse.yes_no_facts import asks_ability

SHORT_WORDS = 6
"""Words of a sentence that may be whole without a full stop."""
MAX_REVISED_LINES = 5
"""Lines of a response whose last line doesn't outweigh an option named in the first, at most."""
MAX_WHETHER_GAP = 8
"""Characters between "whether" and an option, at most."""
MIN_SHARED_CHARS = 4
"""Letters of a word of the question that counts where a sentence repeats it, at least."""
MAX_PARTS = 12
"""Parts of a sentence, and statements, that are compared with the question, at most."""
MIN_SHARED_WORDS = 2
"""Words of the question that a sentence repeats where it says what is asked for, at least."""


def stated(context: LineContext) -> list[Commitment] | None:
    """The options that a line states without any announcement."""
    text, affirmed = context.text, context.line.affirmed
    options = options_in(affirmed)
    if not options:
        return None
    if len(options) == 1:
        return _single(context)
    contradicted = named_first(affirmed, text, context.segment)
    if contradicted.note == DISAGREE:
        return [replace(contradicted, strength=STATED)]  # "(A), the piano"
    outside = [m for m in affirmed if not _is_bracketed(m, text, context.segment)]
    if len(options_in(outside)) == 1:
        return [commit(outside[0], STATED, "stated")]
    joined = are_joined(affirmed, text, context.segment.language)
    marked = [m for m in affirmed if m.by == "letter" and m.marked]
    if len(options_in(marked)) == 1 and not joined:
        return [commit(marked[0], STATED, "stated")]
    about = [] if joined else _in_clause_asked(context, [m for m in outside if not m.weak])
    return [commit(about[0], STATED, "stated") if about else commit_to_several(affirmed, STATED, "stated")]


def _in_clause_asked(context: LineContext, named: Sequence[Mention]) -> list[Mention]:
    """The mentions in the one clause that shares most words with the question; none where that isn't one option."""
    segment, text = context.segment, context.text
    marks = [m.start() for m in _CLAUSE.finditer(text, segment.start, segment.end)]
    if len(marks) > MAX_PARTS:
        return []
    parts = [segment.part(a, b) for a, b in itertools.pairwise([segment.start, *marks, segment.end])]
    of_part = [[m for m in named if p.start <= m.start < p.end] for p in parts]
    shares = [
        len(words_shared(p, context.question, context.line.mentions)) if found or p.having("superlative") else -1
        for p, found in zip(parts, of_part, strict=True)
    ]
    best = shares.index(max(shares))
    sure = shares[best] > 0 and shares.count(shares[best]) == 1 and len(options_in(of_part[best])) == 1
    return of_part[best] if sure else []


_CLAUSE = re.compile(r"[,;:(—–]")


def words_shared(segment: Segment, question: str, named: Sequence[Mention]) -> set[str]:
    """Find the words of a question that a part of a response repeats outside of its options.

    Args:
        segment: the part.
        question: of the item.
        named: the options that it names.
    """
    said = [w.folded for w in segment.words if not is_inside(w, named)]
    return {a for a in asked_in(question, segment.language).words if any(same_word(w, a) for w in said)}


def _is_bracketed(mention: Mention, text: str, segment: Segment) -> bool:
    """Check whether a mention is in brackets: an aside."""
    before = text[segment.start : mention.start]
    return before.count("(") > before.count(")")


def _single(context: LineContext) -> list[Commitment]:
    """The only option that a line names, as plainly as its place says."""
    text, segment, affirmed = context.text, context.segment, context.line.affirmed
    chosen = affirmed[0]
    supposed = bool(segment.having("suppose"))
    if chosen.label and chosen.by == "letter" and segment.line_start:
        if context.is_first:
            return [commit(chosen, ALONE, "first")]
        whole = len(segment.words) <= SHORT_WORDS or is_whole(segment, text)
        return [commit(chosen, CONCLUDED if context.is_last and whole else STATED, "labelled")]
    if context.is_last and not chosen.weak and not supposed:
        if len(context.lines) == 2 and segment.having("superlative"):
            return [commit(chosen, CONCLUDED, "superlative")]
        if (
            len(context.lines) >= 3
            and is_whole(segment, text)
            and not segment.having("negate")
            and not _opens_otherwise(context, chosen)
        ):
            return [commit(affirmed[-1], CONCLUDED, "last")]
    if len(context.lines) == 1 and _ON_CONDITION.match(text, segment.start):
        return []
    if _WOULD.match(text, chosen.end) and not asks_ability(context.question) and not segment.having("superlative"):
        return []  # "a balcony would show a railing"
    if any(0 <= chosen.start - c.end <= MAX_WHETHER_GAP and _is_whether(c, text) for c in segment.having("suppose")):
        return []
    refused = any(line.segment.having("unknown") for line in context.earlier)
    if chosen.weak and (chosen.by == "letter" or len(context.lines) > 3 or refused):
        return []
    if _is_paired(affirmed):
        return [commit(chosen, JUDGED, "named")]
    if context.options.count == 2 and chosen.by == "text" and _OTHER_ONE.search(text, segment.start):
        return []  # "the left one is dim; the other one blinds you"
    if _is_about_else(context, chosen):
        return []
    if _ends_in(segment, affirmed[-1], text):
        return [commit(affirmed[-1], DECLARED if context.is_last else JUDGED, "named")]
    if context.is_first and len(context.lines) > 1 and chosen.by == "text":
        lead = text[segment.start : chosen.start]
        bare = not lead.strip(" *_`\"'(") or (
            segment.language.is_only("copula", lead) and bool(segment.having("superlative"))
        )
        if bare and len(words_of(text[chosen.start : chosen.end])) > 1 and not _opens_another(context, chosen):
            return [commit(chosen, ALONE, "first")]
    return [commit(chosen, STATED, "stated")]


_ON_CONDITION = re.compile(
    r"[\W_]*(?:if|provided(?: that)?|unless)[ ]"
    r"(?!(?:i|i['’]m|you|we|one|anything|my|not|so|pushed|pressed|forced|asked|in doubt|need|memory)\b)",
    re.IGNORECASE,
)
"""The beginning of a response that answers for one case only: "if both were filmed alike, then B"."""
_WOULD = re.compile(r"[ ](?:would|could|might)[ ](?!be\b|have to be\b|seem\b|appear\b|come\b|win\b)")


_SEES = re.compile(
    r"[\W_]*(?:(?:i|we|you|one)(?:[ ]can|[ ]could)?[ ](?:see|spot|notice|make out)"
    r"|there(?:['’]s|[ ]is|[ ]are|[ ]was))\b",
    re.IGNORECASE,
)


def _is_about_else(context: LineContext, chosen: Mention) -> bool:
    """Check whether a response of one sentence only tells something of an option, where the question asks for an end:
    "I see a toaster", "a man on a bicycle crosses the street"."""
    segment, text = context.segment, context.text
    asked = asked_in(context.question, segment.language)
    is_english = "en" in segment.language.names and text[segment.start : segment.end].isascii()
    if len(context.lines) > 1 or chosen.by == "letter" or asked.larger() is None or not is_english:
        return False
    lead = text[segment.start : chosen.start]
    set_off = len(words_of(lead)) <= MAX_LEAD_WORDS and re.match(r"\s*[,;:.!(—–-]", text[chosen.end : segment.end])
    if not _SEES.match(text, segment.start) and (set_off or len(segment.words) <= SHORT_WORDS):
        return False
    told = segment.having("superlative", "choose", "conclude", "answer", "affirm")
    if told or segment.language.is_only("copula", lead):
        return False
    poles = {c.role for c in segment.language.opposites.find(segment.words, text)}
    related = poles & asked.poles or any(opposite(pole) in asked.poles for pole in poles)
    return not related and not words_shared(segment, context.question, context.line.mentions)


MAX_LEAD_WORDS = 3
"""Words in front of an option that is set off from the rest of its sentence, at most: "probably the sofa, as …"."""

_OTHER_ONE = re.compile(
    r"(?:[;.]|\b(?:but|while|whereas))[ ]+the other(?:[ ]one)?(?:['’]s)?[ ](?!side|end|way|hand|two)", re.IGNORECASE
)


def _is_whether(cue: Cue, text: str) -> bool:
    """Check whether a word asks if the following clause is so: "to see whether the vase is there"."""
    return text[cue.start : cue.end].casefold() in ("whether", "ob")


def _opens_otherwise(context: LineContext, chosen: Mention) -> bool:
    """Check whether a short response begins with another option than it ends with."""
    first = context.lines[0]
    opening = options_in([m for m in first.affirmed if not m.weak])
    return (
        len(opening) == 1
        and chosen.option not in opening
        and not first.question
        and len(context.lines) <= MAX_REVISED_LINES
    )


def _opens_another(context: LineContext, chosen: Mention) -> bool:
    """Check whether a later sentence begins with another option, as where a response goes through them."""
    return any(
        line.mentions
        and line.mentions[0].option != chosen.option
        and line.mentions[0].by == "text"
        and not line.mentions[0].negated
        and not context.text[line.segment.start : line.mentions[0].start].strip(" *_`\"'(-")
        for line in context.lines[1:]
    ) and not _shares_words(context)


def _shares_words(context: LineContext) -> bool:
    """Check whether a line repeats two longer words of the question, or two neighbouring characters without spaces."""
    asked = words_of(context.question)
    pairs = {a.folded + b.folded for a, b in itertools.pairwise(asked) if is_glued(a.folded[0])}
    long = [w.folded for w in asked if len(w.folded) >= MIN_SHARED_CHARS]
    said = [w for w in context.segment.words if not is_inside(w, context.line.mentions)]
    if any(a.folded + b.folded in pairs for a, b in itertools.pairwise(said)):
        return True
    return len({a for a in long if any(same_word(w.folded, a) for w in said)}) >= MIN_SHARED_WORDS


def is_whole(segment: Segment, text: str) -> bool:
    """Check whether a sentence comes to its end."""
    return (
        re.search(r"[.!。।)*\"'$\]~♪\u2600-\u27bf\U0001f000-\U0001faff\ufe0f]\s*\Z", text[segment.start : segment.end])
        is not None
    )


def _is_paired(mentions: Sequence[Mention]) -> bool:
    """Check whether a letter is next to the text of its option: "(C) the sofa"."""
    return any(
        a.by == "letter" and a.marked and b.by == "text" and a.option == b.option and b.start - a.end <= 6
        for a, b in itertools.pairwise(mentions)
    )


def _ends_in(segment: Segment, mention: Mention, text: str) -> bool:
    """Check whether a segment ends in "is A." or ": A"."""
    if mention.by != "letter" or text[mention.end : segment.end].strip(" *_`'\").!"):
        return False
    if text[segment.start : mention.start].rstrip(" *_`'\"(").endswith(":"):
        return True
    return any(
        c.end <= mention.start and not text[c.end : mention.start].strip(" *_`'\"(") for c in segment.having("copula")
    )


MAX_AWAITED_CHARS = 60
"""Characters in front of an option that an earlier line announces, at most."""

_EITHER = {"either", "both", "entweder", "beide", "soit", "tanto", "ambas", "إما", "كلا", "либо", "оба"}


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
    prepared = option_texts(options, option_language, question)
    asked = asked_in(question, option_language)
    lines = option_lines(text, prepared, language, asks_for_first(question, option_language))
    relabelled(lines, text, prepared.count)
    winners = ranked(lines, text, prepared.count, asked) or measured(lines, text, prepared, asked)
    read_against(lines, text, prepared, asked)
    found: list[Commitment] = without_cases(lines, text)
    awaited = False
    for i, line in enumerate(lines):
        new = _line_commitments(LineContext(lines, i, text, prepared, awaited, question))
        found += new
        awaited = _announces_next(line, new, text, awaited)
    found += verdicts(lines, text, prepared)
    found += absent(lines, text, prepared)
    found += yes_or_no(lines, text, prepared, asked)
    parts = [line.segment for line in lines]
    said = [*by_order(text, parts, options), *by_route(text, parts, options, option_language)]
    if not prepared.places or counts(options, option_language):
        said += _by_value_of_lines(by_value(text, options, language, option_language, question), lines)
    within = by_range(text, options, language, option_language, question)
    if within:
        found = [*(c for c in found if c.strength >= ALONE and c.value is not None), *within]
    told = [c for c in found if c.rule in ("absent", "judged")]
    found = [c for c in found if not _is_explained(c, [*said, *winners, *told])]
    against = [*winners, *left_over(lines, text, prepared, asked), *all_of_them(lines, text, prepared)]
    found = [*behind_enumeration([*found, *said], lines, text), *against]
    found = _last_corrected(found, lines)
    if not any(c.value is not None or c.note == SEVERAL for c in found):
        found += described(lines, text, prepared, asked)
    if not any(concepts & {"same", "none"} for concepts in prepared.concepts):
        found = _most_asked(found, lines, question)
    return sorted(settled(found, lines, text), key=lambda c: (c.start, c.end)), lines


def _most_asked(found: list[Commitment], lines: Sequence[OptionLine], question: str) -> list[Commitment]:
    """Prefer, of several options stated in passing, the one whose sentence shares most words with the question."""
    several = len({c.value for c in found}) >= 2 and len(found) <= MAX_PARTS
    if not several or any(c.strength > STATED or c.value is None for c in found):
        return found
    own = [next((x for x in lines if x.segment.start <= c.start < x.segment.end), None) for c in found]
    shares = [len(words_shared(x.segment, question, x.mentions)) if x else 0 for x in own]
    best, second = sorted(shares, reverse=True)[:2]
    if (best < MIN_SHARED_WORDS or best - 1 <= second) and not (second == 0 and best == len(_content(lines, question))):
        return found
    return [found[shares.index(best)]]


def _last_corrected(found: list[Commitment], lines: Sequence[OptionLine]) -> list[Commitment]:
    """Leave out what a response says in front of a correction, where its last line states another option."""
    begin = min((c.end for c in found if c.value is not None), default=-1)
    corrects = [x for x in lines if begin >= 0 and any(c.start >= begin for c in x.segment.having("correct"))]
    if (
        not corrects
        or corrects[-1] is lines[-1]
        or any(c.strength == DECLARED and c.rule != "corrected" for c in found)
    ):
        return found
    last = [c for c in found if c.start >= lines[-1].segment.start]
    if len({c.value for c in last}) != 1 or last[0].value is None:
        return found
    # Where the text breaks off, "corrected" statements commit to nothing.
    return [
        replace(c, strength=max(c.strength, CONCLUDED), rule="corrected" if c.strength == STATED else c.rule)
        for c in last
    ]


def _content(lines: Sequence[OptionLine], question: str) -> tuple[str, ...]:
    """The words of a question that carry something."""
    return asked_in(question, lines[0].segment.language).words


def _by_value_of_lines(found: Sequence[Commitment], lines: Sequence[OptionLine]) -> list[Commitment]:
    """Return the values of options outside lists of all options; none where a letter in front is another's."""
    result = []
    for commitment in found:
        line = next((x for x in lines if x.segment.start <= commitment.start < x.segment.end), None)
        if line is None or not line.mentions or not line.mentions[0].label or line.mentions[0].by != "letter":
            result.append(commitment)
        elif not line.listing and LETTERS.find(str(commitment.value)) != line.mentions[0].option:
            start = line.mentions[0].start
            result.append(replace(commitment, value=None, start=start, strength=DECLARED, note=DISAGREE))
        elif not line.listing:
            result.append(commitment)
    return result


def _is_explained(commitment: Commitment, said: Sequence[Commitment]) -> bool:
    """Check whether an announcement of no option announces an order of options, the value of an option, or a statement
    that means one, or several options are named with their measures."""
    return (
        commitment.value is None
        and (commitment.note in (NO_OPTION, FOREIGN) or (commitment.note == SEVERAL and commitment.strength <= ALONE))
        and any(
            commitment.start < other.end
            and other.start < commitment.end
            and other.value
            and (commitment.note != SEVERAL or other.rule == "measured")
            for other in said
        )
    )


def _announces_next(line: OptionLine, found: Sequence[Commitment], text: str, awaited: bool) -> bool:
    """Check whether an answer is still to come behind a line."""
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
    """Return the option that a line leans to although it says that none fits or can be determined."""
    line, segment = context.line, context.segment
    unknown = [
        c
        for c in segment.having("unknown", "none_of")
        if not any(m.by == "text" and m.start < c.end and c.start < m.end for m in line.mentions)
        and not is_conceded(c, context.text)
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
    before = [m for m in affirmed if m not in behind and not m.weak]
    if _CONCEDES.match(context.text, turns[-1].start, context.segment.end) and len(options_in(before)) == 1:
        return [commit(before[0], CONCLUDED, "contrasted")]
    if len(options_in(behind)) != 1 or behind[0].weak:
        return None
    return [commit(behind[-1], CONCLUDED, "contrasted")]


_CONCEDES = re.compile(r"(?:al)?though\b[^.;]*\b(?:would|could|might)\b", re.IGNORECASE)
"""Behind an answer: "though a full cabinet would come close"."""


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
    best = None if _is_of_other_end(context) else superlative(line, context.text)
    if best is not None and len(options_in(line.mentions)) > 1 and not supposed:
        ends = not any(later.mentions for later in context.lines[context.number + 1 :])
        return [commit(best, CONCLUDED if ends else STATED, "superlative")]
    letters = [m for m in line.affirmed if m.by == "letter"]
    if segment.having("affirm") and are_joined(letters, context.text, segment.language):
        return [commit_to_several(line.affirmed, CONCLUDED, "judged")]
    right = affirmation(line, context.text)
    if right is None or supposed:
        return None
    ends = context.number >= len(context.lines) - 2
    return [commit(right, CONCLUDED if ends else JUDGED, "judged")]


def _is_of_other_end(context: LineContext) -> bool:
    """Check whether a line's superlatives are of the other end than the question's: "the farthest first"."""
    segment = context.segment
    poles = {c.role for c in segment.language.opposites.find(segment.words, context.text)}
    asked = asked_in(context.question, segment.language).poles
    return bool(poles) and not poles & asked and any(opposite(pole) in asked for pole in poles)


_RULES: tuple[Callable[[LineContext], list[Commitment] | None], ...] = (
    _announced, _listed, alone, _awaited, opening_yes, opening_letter, _undecided, _unknown, _contrasted,
    _concluded, _judged, stated,
)  # fmt: skip
"""Rules for a line, the most certain first; a rule that returns None leaves the line to the next."""
