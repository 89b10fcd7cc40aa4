"""Options that a response announces as its answer, or corrects it to."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from tolman.scoring.parse.announcements import cues_in_front, opening_denials
from tolman.scoring.parse.commitments import CONCLUDED, DECLARED, DISAGREE, FOREIGN, NO_OPTION, Commitment
from tolman.scoring.parse.lexicon import Cue, is_in_longer
from tolman.scoring.parse.mentions import (
    Mention,
    are_joined,
    commit,
    commit_to_several,
    is_alternative,
    options_in,
)
from tolman.scoring.parse.option_lines import LineContext, OptionLine
from tolman.scoring.parse.segments import Segment
from tolman.scoring.parse.words import is_inside, words_of

MAX_ANSWER_REACH = 160
"""Characters between "the answer is" and the option that it announces, at most."""
MAX_CHOOSE_REACH = 48
"""Characters between "I choose" and the option, at most."""
MAX_NEXT_ANNOUNCEMENT = 60
"""Characters within which a second announcement takes the place of the first."""
MAX_BEFORE_REACH = 48
"""Characters between an option and "is the answer", at most."""
MAX_LINKING_WORDS = 7
"""Words between an option and "is the answer", at most."""
MAX_PAIR_GAP = 8
"""Characters between a letter and a text that are one answer, at most."""
MAX_CORRECTION_WORDS = 8
"""Words between a correction and an option that was named before, at most."""
FINAL_CHARS = 60
"""Characters at the end of a response in which an announcement is final."""

_COLON = re.compile(r"[\s*_`\"']*(?::|：|=|→|is\b|would be\b|es\b|est\b|ist\b|é\b|是|为)[\s*_`\"':]*")


def announced(line: OptionLine, text: str) -> list[Commitment]:
    """Find the options that a line announces, behind the announcement or before it ("C is the answer").

    Args:
        line: the sentence or line.
        text: without markup.

    Returns:
        A commitment for each announcement that holds an option, several, or none where one must be.
    """
    segment = line.segment
    found = []
    cues = segment.having("answer", "choose")
    for k, cue in enumerate(cues):
        if (
            is_in_longer(cue, [*cues, *segment.having("option")])
            or is_inside(cue, line.mentions)
            or _is_supposed(segment, cue, text)
        ):
            continue
        following = cues[k + 1].start if k + 1 < len(cues) else segment.end
        reach = MAX_ANSWER_REACH if cue.role == "answer" else MAX_CHOOSE_REACH
        behind = [m for m in line.affirmed if m.start >= cue.end and m.start - cue.end <= reach]
        if cue.role == "choose":
            if behind:
                group = named_first(behind, text, segment)
                if group.value is None and any(c.start == cue.start for c in segment.having("remaining")):
                    continue  # "two are left, A and B"
                named = next((m for m in behind if m.start == group.start), None)
                plainly = named is None or named.by == "letter" or named.marked
                found.append(replace(group, strength=DECLARED if plainly else CONCLUDED, rule="chosen"))
        elif behind:
            if behind[0].start < following or following - cue.end >= MAX_NEXT_ANNOUNCEMENT:
                found.append(named_first(behind, text, segment))
        else:
            found += _announced_before(line, cue, text)
    return found


def _is_an_option(cue: Cue, line: OptionLine) -> bool:
    """Whether an announcement is a part of an option's name, or holds one: "the right one"."""
    return is_inside(cue, line.mentions) or any(
        m.by == "text" and cue.start <= m.start < cue.end for m in line.mentions
    )


def _is_supposed(segment: Segment, cue: Cue, text: str) -> bool:
    """Whether an announcement is only supposed: "whether the answer is A", "if it is absent, choose D"."""
    first = next(cues_in_front(segment, cue, text, "suppose", "negate"), None)
    if first is not None and (
        first.role == "suppose" or segment.language.is_only("copula", text[first.end : cue.start])
    ):
        return True
    return (
        cue.role == "choose"
        and any(c.start - segment.start <= 8 and c.end <= cue.start for c in segment.having("suppose"))
        and not segment.having("conclude")
    )


def _announced_before(line: OptionLine, cue: Cue, text: str) -> list[Commitment]:
    """The option before "is the answer"; no option where the announcement goes on with something else."""
    segment = line.segment
    near = [
        m
        for m in line.mentions
        if m.end <= cue.start
        and cue.start - m.end <= MAX_BEFORE_REACH
        and not m.negated
        and not m.weak
        and _is_linked(text[m.end : cue.start])
    ]
    if near and not any(m.start >= cue.end for m in line.affirmed):
        last = near[-1]
        if len({m.option for m in near if m.by == last.by}) > 1 and are_joined(near, text, segment.language):
            return [commit_to_several(near, DECLARED, "declared")]
        denied = any(last.end <= c.start < cue.start for c in segment.having("negate"))
        return [] if denied else [commit(last, DECLARED, "declared")]
    if not _is_void(line, cue, text):
        return []
    final = (
        text[cue.end : cue.end + 8].lstrip(" *_`").startswith((":", "is:"))
        and segment.end >= len(text.rstrip()) - FINAL_CHARS
    )
    return [Commitment(None, DECLARED, cue.start, segment.end, "declared", FOREIGN if final else NO_OPTION)]


def _is_linked(gap: str) -> bool:
    """Whether the text between an option and "the answer" ties them together."""
    return not re.search(r"[;!?\n]", gap) and (not gap.strip(" .,*_`'\")]") or len(words_of(gap)) <= MAX_LINKING_WORDS)


def _is_void(line: OptionLine, cue: Cue, text: str) -> bool:
    """Whether an announcement goes on with something that is no option."""
    segment = line.segment
    if segment.having("none_of", "unknown"):
        return True
    rest = text[cue.end : segment.end]
    match = _COLON.match(rest)
    return bool(match and rest[match.end() :].strip(" *_`.$")) and not line.mentions


def named_first(mentions: Sequence[Mention], text: str, segment: Segment) -> Commitment:
    """Take the first of some options that are announced, unless it is joined with another by "or" or "and".

    Args:
        mentions: that aren't denied, in order; at least one.
        text: without markup.
        segment: in which they stand.

    Returns:
        A commitment to the first option; without a value where it is one of several or its letter and text disagree.
    """
    first = next((m for m in mentions if not m.weak), mentions[0])
    rest = [m for m in mentions if m.start >= first.end]
    last = first
    if rest and rest[0].by != first.by and _are_side_by_side(text[first.end : rest[0].start]):
        last, *rest = rest
        if last.option != first.option:
            if first.option < 0 or last.option < 0:
                return Commitment(None, DECLARED, first.start, last.end, "declared", FOREIGN)
            if _is_restated(last, text, segment):
                return Commitment(None, DECLARED, first.start, last.end, "declared", DISAGREE)
    for mention in rest:
        if mention.option == first.option:
            last = mention
            continue
        if is_alternative(text[last.end : mention.start], segment.language):
            return commit_to_several([first, mention], DECLARED, "declared")
        break
    return commit(first, DECLARED, "declared")


def _are_side_by_side(gap: str) -> bool:
    """Whether a letter and a text with a gap between them are one answer, or contradict each other."""
    return len(gap) <= MAX_PAIR_GAP and not re.search(r"\n.*\n", gap) and not words_of(gap)


def _is_restated(mention: Mention, text: str, segment: Segment) -> bool:
    """Whether an option's text is all there is in its clause, so that it restates the letter in front of it."""
    if mention.by == "letter":
        return True
    clause = re.split(r"[.,;:(\n]|\bbecause\b|\bsince\b|\bas\b", text[mention.end : segment.end], maxsplit=1)[0]
    return not words_of(clause) and not mention.weak


def corrected(context: LineContext) -> list[Commitment]:
    """Find the option that a line corrects an earlier one to: "wait, actually C".

    Args:
        context: the line and those before it.

    Returns:
        At most one commitment.
    """
    line, text = context.line, context.text
    cues = line.segment.having("correct")
    opening = opening_denials(line.segment, text)[:1]
    if not cues and not opening:
        return []
    said = {m.option for other in context.earlier for m in other.affirmed}
    if said:
        cues = [*cues, *opening]
    if not cues:
        return []
    begin, end = min(c.start for c in cues), max(c.end for c in cues)
    behind = [m for m in line.affirmed if m.start >= end]
    said |= {m.option for m in line.affirmed if m.end <= begin}
    fresh = [m for m in behind if m.option not in said]
    if len(options_in(behind)) > 1 and len(options_in(fresh)) == 1:
        return [commit(fresh[-1], DECLARED, "corrected")]
    strong = [m for m in behind if not m.weak]
    if not said or len(options_in(strong)) != 1:
        return []
    chosen = strong[0]
    if chosen.option in said and len(words_of(text[end : chosen.start])) > MAX_CORRECTION_WORDS:
        return []
    return [commit(chosen, DECLARED, "corrected")]
