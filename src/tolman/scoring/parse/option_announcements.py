"""Options that a response announces, corrects its answer to, opens with, or leaves alone in their line."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import replace

from tolman.items import LETTERS
from tolman.scoring.parse.commitments import (
    ALONE,
    CONCLUDED,
    DECLARED,
    DISAGREE,
    FOREIGN,
    NO_OPTION,
    SEVERAL,
    STATED,
    Commitment,
    Value,
)
from tolman.scoring.parse.lexicon import Cue, Span, is_in_longer, is_inside, words_of
from tolman.scoring.parse.option_lines import LineContext, OptionLine
from tolman.scoring.parse.option_mentions import (
    Mention,
    are_joined,
    commit,
    commit_to_several,
    is_alternative,
    options_in,
)
from tolman.scoring.parse.option_texts import ARTICLES
from tolman.scoring.parse.option_verdicts import MARKS
from tolman.scoring.parse.response_segments import Segment, cues_in_front, opening_denials, opens
from tolman.scoring.parse.yes_no import opening_verdict

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
MAX_NAMELY_GAP = 16
"""The same with "which is" or "namely" between them."""
MAX_CORRECTION_WORDS = 8
"""Words between a correction and an option that was named before, at most."""
FINAL_CHARS = 60
"""Characters at the end of a response in which an announcement is final."""

_NAMELY = frozenset(("which", "is", "that", "i", "e", "namely", "being"))
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
            or any(0 <= c.start - cue.end <= 1 for c in segment.having("unknown"))  # "the answer depends on"
        ):
            continue
        following = cues[k + 1].start if k + 1 < len(cues) else segment.end
        reach = MAX_ANSWER_REACH if cue.role == "answer" else MAX_CHOOSE_REACH
        reach = min(reach, next((i for i in (text.find(";", cue.end, segment.end) - cue.end,) if i >= 0), reach))
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


def _is_supposed(segment: Segment, cue: Cue, text: str) -> bool:
    """Check whether an announcement is only supposed: "whether the answer is A", "if it is absent, choose D"."""
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
    """Check whether the text between an option and "the answer" ties them together."""
    return not re.search(r"[;!?\n]", gap) and (not gap.strip(" .,*_`'\")]") or len(words_of(gap)) <= MAX_LINKING_WORDS)


def _is_void(line: OptionLine, cue: Cue, text: str) -> bool:
    """Check whether an announcement goes on with something that is no option."""
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
        segment: that contains them.

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


def relabelled(lines: Sequence[OptionLine], text: str, count: int) -> None:
    """Read letters as a response defines them: "my own list: (A) lamp, (B) bed" where the lamp is option B.

    Args:
        lines: of the response; their mentions are replaced.
        text: without markup.
        count: number of options.
    """
    own: dict[int, set[int]] = {}
    for line in lines:
        for letter, named in itertools.pairwise(line.mentions):
            gap = text[letter.end : named.start]
            if (
                letter.by == "letter"
                and named.by == "text"
                and (not letter.weak or "=" in gap)
                and not re.search(r"\w\W+\w|\n", gap)
            ):
                own.setdefault(letter.option, set()).add(named.option)
    pairs = {letter: named.copy().pop() for letter, named in own.items() if len(named) == 1 and letter >= 0}
    moved = [letter for letter, named in pairs.items() if letter != named]
    if len(pairs) < min(3, count) or len(set(pairs.values())) < len(pairs) or len(moved) < 2 or len(pairs) < len(own):
        return
    for line in lines:
        line.mentions = [replace(m, option=pairs.get(m.option, -1)) if m.by == "letter" else m for m in line.mentions]


def settled(found: Sequence[Commitment], lines: Sequence[OptionLine], text: str) -> list[Commitment]:
    """Give an answer whose letter and text disagree its text's option, where the rest of the response speaks for that.

    Args:
        found: commitments of a response.
        lines: of the response.
        text: without markup.

    Returns:
        The commitments; one whose letter no option has means the option that its text names, and one with another
        option's letter does if the response names the text's option elsewhere, and the letter's nowhere.
    """
    result = []
    for commitment in found:
        commitment = _with_text_behind(commitment, lines, text)
        if commitment.note not in (DISAGREE, FOREIGN):
            result.append(commitment)
            continue
        named = [m for line in lines for m in line.mentions]
        within = [m for m in named if commitment.start <= m.start < commitment.end and not m.weak]
        texts = options_in([m for m in within if m.by == "text" and m.option >= 0])
        letters = options_in([m for m in within if m.by == "letter"])
        elsewhere = [m for m in named if m.by == "text" and m not in within]
        outside = options_in([m for m in elsewhere if not m.weak]) - options_in([m for m in elsewhere if m.negated])
        words = {text[m.start : m.end].casefold() for m in within if m.by == "text"}
        repeated = any(text[m.start : m.end].casefold() in words for m in elsewhere)
        if len(texts) == 1 and (letters == {-1} or (repeated and texts <= outside and not letters & outside)):
            strength = max(commitment.strength, CONCLUDED)
            commitment = replace(commitment, value=LETTERS[texts.pop()], strength=strength, note="")
        result.append(commitment)
    return result


def _with_text_behind(commitment: Commitment, lines: Sequence[OptionLine], text: str) -> Commitment:
    """Give up a letter that the whole text of another option follows: "(D) the book"."""
    own = [line for line in lines if line.segment.start <= commitment.start < line.segment.end]
    for line in own:
        for letter, named in itertools.pairwise(line.mentions):
            if letter.start != commitment.start or letter.by != "letter" or commitment.value is None:
                continue
            gap = text[letter.end : named.start]
            beside = (
                named.by == "text"
                and ";" not in gap
                and _are_side_by_side(gap)
                and _is_restated(named, text, line.segment)
            )
            if beside and named.option != letter.option and not named.weak:
                return replace(commitment, value=None, end=named.end, note=DISAGREE)
    return commitment


def _are_side_by_side(gap: str) -> bool:
    """Check whether a letter and a text with a gap between them are one answer, or contradict each other."""
    if re.search(r"\n.*\n", gap) or len(gap) > MAX_NAMELY_GAP:
        return False
    words = {w.folded for w in words_of(gap)}
    return (len(gap) <= MAX_PAIR_GAP or bool(words)) and words <= ARTICLES | _NAMELY


def _is_restated(mention: Mention, text: str, segment: Segment) -> bool:
    """Check whether an option's text is all there is in its clause, so that it restates the letter in front of it."""
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
    rejects = any(_REJECTS.search(text, c.start, c.end) for c in cues)  # "Blue… wait no, the blue one is by the door."
    if chosen.option in said and rejects:
        return [Commitment(None, DECLARED, chosen.start, chosen.end, "corrected", SEVERAL)]
    if chosen.option in said and len(words_of(text[end : chosen.start])) > MAX_CORRECTION_WORDS:
        return []
    return [commit(chosen, DECLARED, "corrected")]


_REJECTS = re.compile(r"\bno\b", re.IGNORECASE)
MAX_LONE_MENTIONS = 12
"""Mentions in a line that holds nothing else, at most; of more none is the answer."""
MIN_LABELS = 3
"""Labelled letters from which on a line holds all options."""

_TICK_WORDS = "→✓✅☑✔"


def alone(context: LineContext) -> list[Commitment] | None:
    """Find the commitments of a line that holds an option and nothing else.

    Args:
        context: the line and those around it.

    Returns:
        None for any other line; empty where the option is the next of a list.
    """
    line, segment = context.line, context.segment
    found = _lone_option(line, context.text)
    if found is None:
        return None
    if _continues_listing(context, found.value) or len(line.mentions) > MAX_LONE_MENTIONS:
        return []
    if _is_beside_another(context, found.value):
        strength = DECLARED if context.awaited else ALONE if context.is_last else STATED
        return [Commitment(None, strength, found.start, found.end, "alone", SEVERAL)]
    if context.awaited:
        return [replace(found, strength=DECLARED, rule="declared")]
    plain = (segment.line_start and segment.line_end) or context.is_first or context.is_last
    return [replace(found, strength=ALONE if plain else STATED)]


def _lone_option(line: OptionLine, text: str) -> Commitment | None:
    """A segment that holds an option and nothing else."""
    segment = line.segment
    mentions = [m for m in line.mentions if not m.weak] or line.mentions
    if not mentions or any(m.negated for m in mentions):
        return None
    if MARKS.search(text[segment.start : segment.end]):
        return None  # one of several that are ticked or crossed
    known: list[Span] = [*mentions, *segment.having("option", "answer", "copula")]
    for word in segment.words:
        if not (is_inside(word, known) or word.folded in segment.language.skip or word.folded in _TICK_WORDS):
            return None
    mentions = [m for m in mentions if m.option >= 0] or mentions
    if len(options_in(mentions)) == 1:
        return commit(mentions[0], ALONE, "alone")
    texts = [m for m in mentions if m.by == "text"]
    if len(options_in(texts)) == 1 and all(m.weak for m in mentions if m.by == "letter"):
        return commit(texts[0], ALONE, "alone")
    if len(mentions) == 2 and (mentions[0].by, mentions[1].by) == ("letter", "text"):
        first, second = mentions
        if first.weak and text[first.end : second.start] == " ":
            return commit(second, ALONE, "alone")
        return Commitment(None, ALONE, first.start, second.end, "alone", DISAGREE)
    return commit_to_several(mentions, ALONE, "alone")


def _continues_listing(context: LineContext, value: Value) -> bool:
    """Check whether the last line is the next of a list that was cut off."""
    if not context.is_last or context.is_first or not context.earlier[-1].listing or value is None:
        return False
    segment = context.segment
    label = context.earlier[-1].mentions[0]
    signs = re.search(r"[^\w\s]", context.text[segment.start : segment.end])
    return signs is None and label.option == LETTERS.index(str(value)) - 1


def _is_beside_another(context: LineContext, value: Value) -> bool:
    """Check whether a neighbouring line holds another option and nothing else: a list of options, not an answer."""
    if value is None:
        return False
    for i in (context.number - 1, context.number + 1):
        if 0 <= i < len(context.lines):
            line = context.lines[i]
            if line.segment.line_start and line.segment.line_end and not line.listing and not line.question:
                other = _lone_option(line, context.text)
                if other is not None and other.value != value:
                    return True
    return False


def opening_yes(context: LineContext) -> list[Commitment] | None:
    """Find the "yes" or "no" that opens a response.

    Args:
        context: the line and those around it.

    Returns:
        A commitment to it; None where the options are others or the line doesn't begin so.
    """
    line = context.line
    answers = {concept for concepts in context.options.concepts for concept in concepts}
    if not context.is_first or answers != {"yes", "no"} or not line.mentions:
        return None
    opening = line.mentions[0]
    if opening.by != "text" or not opens(context.segment, opening.start, context.text):
        return None
    if opening_verdict(context.segment, context.text) is not None:
        return []  # "no doubt about it"
    if _WAIT.match(context.text, opening.end):
        return []
    return [commit(opening, ALONE, "first")]


_WAIT = re.compile(r"[ ,.;:…—–-]+(?:wait|hold on|hang on|hmm|scratch that)\b", re.IGNORECASE)


def opening_letter(context: LineContext) -> list[Commitment] | None:
    """Find the letter that opens a response: "B. Because …".

    Args:
        context: the line and those around it.

    Returns:
        A commitment to its option, without a value where others contradict it; empty where all options follow;
        None where the line doesn't begin with a letter that is set off.
    """
    line, text = context.line, context.text
    opening = line.mentions[0] if line.mentions else None
    if (
        not context.is_first
        or line.listing
        or opening is None
        or opening.by != "letter"
        or not opening.label
        or opening.weak
        or opening.negated
        or text[opening.end : opening.end + 2].strip()[:1] not in (".", ")", ":", "*", "]", ",")
    ):
        return None
    labels = [m for m in line.mentions if m.by == "letter" and re.match(r"[.:)]\s", text[m.end : m.end + 2])]
    if len(options_in(labels)) >= MIN_LABELS:
        return []  # all options in one line
    following = next((m for m in line.mentions if m.start >= opening.end and m.option != opening.option), None)
    if (
        following is not None
        and following.by == "letter"
        and is_alternative(text[opening.end : following.start], context.segment.language)
    ):
        return [commit_to_several([opening, following], ALONE, "first")]
    whole = context.lines[1] if len(context.lines) == 2 and len(context.segment.words) == 1 else line
    if (whole is not line or len(context.lines) == 1) and _restates_another(whole, opening):
        return [Commitment(None, ALONE, opening.start, context.segment.end, "first", DISAGREE)]
    return [commit(opening, ALONE, "first")]


def _restates_another(line: OptionLine, opening: Mention) -> bool:
    """Check whether a letter is followed by the whole text of another option and nothing else."""
    others = [m for m in line.mentions if m.by == "text" and m.start >= opening.end]
    if len(options_in(others)) != 1 or others[0].option == opening.option or others[0].weak:
        return False
    return all(
        w.folded in line.segment.language.skip or w.folded in ("meaning", "side", "inside", "namely")
        for w in line.segment.words
        if w.start >= opening.end and not any(m.start <= w.start < m.end for m in others)
    )
