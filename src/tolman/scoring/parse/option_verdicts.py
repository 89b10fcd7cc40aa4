"""Verdicts of a response on the options that it goes through: right, best, or wrong.

The statements of a response that goes through the options one by one are not yet its answer, nor are options that it
names for one case each or only deems possible.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from tolman.items import LETTERS
from tolman.scoring.parse.asked import Asked
from tolman.scoring.parse.commitments import CONCLUDED, DECLARED, JUDGED, SEVERAL, Commitment
from tolman.scoring.parse.lexicon import Languages, is_in_longer, is_inside, same_word, words_of
from tolman.scoring.parse.option_lines import OptionLine
from tolman.scoring.parse.option_mentions import Mention, are_joined, commit, options_in
from tolman.scoring.parse.option_texts import OptionTexts
from tolman.scoring.parse.response_segments import is_supposed, replies

MAX_AFFIRMING_GAP = 60
"""Characters between an option and the words that call it right, at most."""

MARKS = re.compile(r"\[[ x]\]|[✗✘❌✕❎✖]")
"""Boxes, ticked or not, and crosses: a line with a mark is one of several."""
_TICKS = re.compile(r"[✓✔✅☑○◯⭕]|\[x\]|(?<![A-Za-z])(?:YES|TRUE)(?![A-Za-z])")
_CROSSES = re.compile(r"[✗✘❌✕❎×✖]|\[ \]|(?<![A-Za-z])(?:NO|FALSE)(?![A-Za-z])")


def superlative(line: OptionLine, text: str) -> Mention | None:
    """Find the option of several in a line that is called the nearest, last, largest and so on.

    Args:
        line: the sentence or line.
        text: without markup.

    Returns:
        Its mention; None where no option or more than one is called so.
    """
    cues = line.segment.having("superlative")
    affirmed = [m for m in line.affirmed if not m.weak]
    if not cues or not affirmed or are_joined(affirmed[:2], text, line.segment.language):
        return None
    cue = cues[0]
    before = [m for m in affirmed if m.end <= cue.start]
    if before and not re.search(r"[,;]", text[before[0].end : cue.start]):
        return before[0]
    last = cues[-1]
    behind = [m for m in affirmed if m.start >= last.end and not re.search(r"[,;]", text[last.end : m.start])]
    return behind[-1] if len(options_in(behind)) == 1 else None


def affirmation(line: OptionLine, text: str) -> Mention | None:
    """Find the one option that a line calls right: "B fits best".

    Args:
        line: the sentence or line.
        text: without markup.

    Returns:
        Its mention; None where no option or more than one is called right.
    """
    by_text = [m for m in line.mentions if m.by == "text"]
    cues = [
        c
        for c in line.segment.having("affirm")
        if not is_inside(c, by_text)
        and not is_in_longer(c, line.segment.having("estimate"))  # "works out at 90 cm"
        and not text[: c.start].endswith(" to ")  # "to match the red one"
    ]
    found = []
    for mention in line.affirmed:
        if mention.weak and mention.by == "letter" and not any(0 <= c.start - mention.end <= 1 for c in cues):
            continue  # "A peça que encaixa", not "A is correct"
        others = [m.start for m in line.mentions if m.start >= mention.end and m.option != mention.option]
        nearest = min(others, default=line.segment.end)
        if any(mention.end <= c.start < nearest and c.start - mention.end <= MAX_AFFIRMING_GAP for c in cues):
            found.append(mention)
    return found[0] if len(options_in(found)) == 1 else None


def verdicts(lines: Sequence[OptionLine], text: str, options: OptionTexts) -> list[Commitment]:
    """Find the one option that a response calls right while it goes through them, or the one that it leaves.

    Args:
        lines: of the response.
        text: without markup.
        options: of the item.

    Returns:
        At most one commitment.
    """
    said = _said_of_each(lines, text)
    right = [option for option, (verdict, _) in said.items() if verdict]
    wrong = [option for option, (verdict, _) in said.items() if not verdict]
    if len(right) == 1 and len(said) >= 2:
        line = lines[said[right[0]][1]]
        return [commit(line.mentions[0], JUDGED, "judged")]
    left = [option for option in range(options.count) if option not in wrong]
    if not right and len(left) == 1 and len(wrong) == options.count - 1:
        at = lines[max(i for _, i in said.values())].segment
        return [Commitment(LETTERS[left[0]], JUDGED, at.start, at.end, "eliminated")]
    return []


def _said_of_each(lines: Sequence[OptionLine], text: str) -> dict[int, tuple[bool, int]]:
    """For each option that a response judges whether it is right, and the line that names it."""
    said: dict[int, tuple[bool, int]] = {}
    following: dict[int, bool | None] = {}
    for i, line in enumerate(lines):
        head = line.mentions[0] if line.mentions else None
        if head is None or head.option < 0 or head.weak or not _is_about(line, head, text):
            continue
        verdict = _marked(line, text)
        if verdict is None:
            verdict = _verdict(line, head, text)
        k = i + 1
        while (
            verdict is None and k < len(lines) and (not lines[k].segment.line_start or (line.question and k == i + 1))
        ):
            if lines[k].mentions:
                other = lines[k].mentions[0]
                if other.option != head.option and (other.label or other.marked):
                    break
            if k not in following:
                following[k] = _verdict(lines[k], None, text)
            verdict = following[k]
            k += 1
        if verdict is not None:
            said[head.option] = verdict, i
    for i, line in enumerate(lines):
        for mention in line.mentions:
            if mention.negated and mention.option >= 0 and mention.by == "letter":
                said.setdefault(mention.option, (False, i))
    return said


def _is_about(line: OptionLine, head: Mention, text: str) -> bool:
    """Check whether a line is about the option that it begins with, and no other."""
    if len(options_in([m for m in line.mentions if m.by == "letter"])) > 1:
        return False
    if head.label or head.marked or line.question or heads_line(line, head, text):
        return True
    part = text[line.segment.start : line.segment.end]
    return bool(MARKS.search(part) or _TICKS.search(part))


def heads_line(line: OptionLine, mention: Mention, text: str) -> bool:
    """Check whether an option opens a line and is set off: "**front left:** …".

    Args:
        line: the sentence or line.
        mention: one of its mentions.
        text: without markup.
    """
    before = text[line.segment.start : mention.start].strip(" \t*_`-•·–>#.0123456789)▶►‣◆■□●○※")
    behind = text[mention.end : mention.end + 8].lstrip(" \t*_`")
    return line.segment.line_start and not before and behind[:1] in (":", "–", "—", "-", "(", ".", "|", ",")


def _marked(line: OptionLine, text: str) -> bool | None:
    """Check whether a tick or a cross ends the text line of a sentence; None without either."""
    end = text.find("\n", line.segment.start)
    last = text[line.segment.start : end if end >= 0 else len(text)].rstrip(" *_`|")[-1:]
    return True if _TICKS.match(last) else False if _CROSSES.match(last) else None


def _verdict(line: OptionLine, head: Mention | None, text: str) -> bool | None:
    """Check whether a line calls an option right or wrong; None where it does neither."""
    segment = line.segment
    part = text[segment.start : segment.end]
    if _TICKS.search(part):
        return True
    if _CROSSES.search(part):
        return False
    begin = head.end if head else segment.start
    marks = [
        c for c in segment.concepts if c.role in ("yes", "no") and not text[begin : c.start].strip(" \t*_`:.-–—)|,")
    ]
    cues = sorted(
        (c.start, c.role in ("affirm", "yes")) for c in [*segment.having("affirm", "deny"), *marks] if c.start >= begin
    )
    if not cues:
        return None
    if head is not None and head.negated:
        return False
    return cues[0][1] if len({right for _, right in cues}) == 1 or marks or head else None


MIN_ELIMINATED = 2
"""Options that a response rules out before it leaves one, at least."""
LAST_LINES = 3
"""Lines at the end of a response in which it says that one is left, or all."""


def left_over(lines: Sequence[OptionLine], text: str, options: OptionTexts, asked: Asked) -> list[Commitment]:
    """Find the option that a response leaves: the only one that it doesn't rule out, or doesn't name and says is left.

    Args:
        lines: of the response.
        text: without markup.
        options: of the item.
        asked: by the item.

    Returns:
        At most one commitment. If each thing is ruled out, it is to the option that says so: "none of the above".
    """
    named = [m for line in lines if not line.question for m in line.mentions if m.option >= 0]
    denied = {m.option for m in named if m.negated}
    everything = set(range(options.count))
    kept = everything - denied
    affirmed = {m.option for m in named if not m.negated and not m.weak}
    none = _meaning(options, "none")
    if len(denied) < MIN_ELIMINATED or not lines:
        return _unnamed(lines, text, options, asked)
    at = max((line for line in lines if any(m.negated for m in line.mentions)), key=lambda x: x.segment.start).segment
    if len(kept) == 1 and (not affirmed & kept or none in kept):
        return [Commitment(LETTERS[kept.pop()], JUDGED, at.start, at.end, "left over")]
    said = _says_left(lines, text)
    if said is not None and len(kept) == 1:
        return [_left_at(said, kept.pop())]
    return _unnamed(lines, text, options, asked)


def _left_at(line: OptionLine, option: int) -> Commitment:
    """A commitment to the option that a line says is left."""
    return Commitment(LETTERS[option], CONCLUDED, line.segment.words[-1].start, line.segment.end, "left over")


def _unnamed(lines: Sequence[OptionLine], text: str, options: OptionTexts, asked: Asked) -> list[Commitment]:
    """The only option that a response doesn't name by any of its words, where it says that one is left, or tells what
    holds of all others for a question with "not"."""
    said = _says_left(lines, text)
    if said is None and asked.negated and options.count > 2 and len(lines) == 1:
        lettered = any(m.by == "letter" for m in lines[0].mentions)
        denied = lines[0].segment.having("negate", "unknown", "answer", "choose", "suppose")
        said = lines[0] if lines[0].segment.language.names == {"en"} and not (lettered or denied) else None
    if said is None:
        return []
    words = {w.folded for line in lines for w in line.segment.words}
    named = options_in([m for line in lines for m in line.mentions if not m.weak])
    named |= {i for i, key in enumerate(options.keys) if any(same_word(w, k) for w in words for k in key)}
    unnamed = set(range(options.count)) - named
    other = "other" in text[said.segment.start : said.segment.end].casefold()
    return [_left_at(said, unnamed.pop())] if len(unnamed) == 1 and (options.count > 2 or other) else []


def _says_left(lines: Sequence[OptionLine], text: str) -> OptionLine | None:
    """The line near the end that says that one option is left, and names none."""
    for line in lines[-LAST_LINES:]:
        if (
            any(c.role == "left_over" for c in replies(line.segment, text))
            and not line.question
            and all(m.weak for m in line.mentions)
        ):
            return line
    return None


def _meaning(options: OptionTexts, role: str) -> int:
    """The option that means all of the others, or none of them; -1 without one."""
    starts = {"all": _ALL_OPTION, "none": _NONE_OPTION}[role]
    return next((i for i, option in enumerate(options.texts) if starts.match(option)), -1)


_ALL_OPTION = re.compile(
    r"\s*(?:all (?:of|the|three|four)\b|both\b|every one|each of|alle\b|tous\b|toutes\b|todos\b|todas\b)", re.IGNORECASE
)
_NONE_OPTION = re.compile(r"\s*(?:none\b|neither\b|nothing\b|keine\b|aucun|ningun|nenhum)", re.IGNORECASE)


def all_of_them(lines: Sequence[OptionLine], text: str, options: OptionTexts) -> list[Commitment]:
    """Find that a response says that all options hold, where one option says so.

    Args:
        lines: of the response.
        text: without markup.
        options: of the item.

    Returns:
        A commitment where one of the last lines says it and denies nothing, and the response affirms no single option.
    """
    option = _meaning(options, "all")
    affirmed = {m.option for line in lines for m in line.affirmed if not m.weak and m.option >= 0}
    if option < 0 or len(affirmed - {option}) == 1:
        return []
    for line in reversed(lines[-LAST_LINES:]):
        segment = line.segment
        cues = [c for c in replies(segment, text) if c.role == "all"]
        strong = [m for m in line.affirmed if not m.weak and m.option != option]
        other = segment.having("negate", "none_of", "unknown") or is_supposed(segment, text) or line.question
        if cues and not other and not strong:
            return [Commitment(LETTERS[option], CONCLUDED, cues[-1].start, cues[-1].end, "left over")]
    return []


_ABSENCE = re.compile(
    r"(?:there(?:['’]s|[ ]is|[ ]are)[ ])?no[ ](?:such[ ])?(?P<thing>[\w' -]{2,40}?)"
    r"(?:[ ](?:there|present|visible|shown|in the \w+))?[.]?",
    re.IGNORECASE,
)
_NONE_OF = re.compile(r"\b(?:no|not any)(?:[ ][\w-]+){0,2}[ ]\Z", re.IGNORECASE)
_THERE_IS_NONE = re.compile(r"\bthere(?:['’]s|[ ]is|[ ]are|[ ]was|[ ]were|[ ]isn['’]t|[ ]aren['’]t)\b", re.IGNORECASE)
_SEEN = re.compile(
    r"[ ](?:(?:is|are|was|were|can be|could be)[ ])?(?:visible|present|shown|seen"
    r"|in the (?:video|image|scene|picture|clip|frames?))\b",
    re.IGNORECASE,
)
_ALL_SAID = re.compile(r"[*_`'\")]*(?:[.,;:!]|\s*\Z|[ ](?:there|at all|to \w+|so|and|or)\b)", re.IGNORECASE)
"""Behind the thing: nothing says where it isn't, as "on the left" would."""
_UNSEEN = re.compile(
    r"[ ](?:is|are|was|were)(?:[ ]not|n['’]t)[ ](?:visible|present|shown|seen|there\b"
    r"|in the (?:video|image|scene|picture|clip|frames?)\b)",
    re.IGNORECASE,
)


def absent(lines: Sequence[OptionLine], text: str, options: OptionTexts) -> list[Commitment]:
    """Find that a response says that a thing isn't there, where one option says so: "no dog there".

    Args:
        lines: of the response.
        text: without markup.
        options: of the item.

    Returns:
        The statements in order; empty where no option or several say that a thing isn't there.
    """
    named = {i: _ABSENCE.fullmatch(options.texts[i].strip()) for i in options.denying}
    things = {i: words_of(match["thing"])[-1:] for i, match in named.items() if match}
    if len(things) != 1:
        return []
    ((option, (thing,)),) = things.items()
    found = []
    for line in lines:
        segment = line.segment
        if line.question or is_supposed(segment, text):
            continue
        for word in segment.words:
            before, behind = text[segment.start : word.start], text[word.end : segment.end]
            if not same_word(word.folded, thing.folded):
                continue
            unseen = _UNSEEN.match(behind)
            there = _THERE_IS_NONE.search(before) and _ALL_SAID.match(behind)
            none = _NONE_OF.search(before) and (there or _SEEN.match(behind))
            if unseen or none:
                end = word.end + (unseen.end() if unseen else 0)
                found.append(Commitment(LETTERS[option], CONCLUDED, end - 1, end, "absent"))
    return found


def without_cases(lines: Sequence[OptionLine], text: str) -> list[Commitment]:
    """Leave out the options that a response names for one case each: "if it is metal, the cup; if it is clay, the mug".

    Args:
        lines: of the response; the mentions of those that name a case are taken out.
        text: without markup.

    Returns:
        A commitment to several options; empty where fewer than two cases name different options, or where a line behind
        them names one for every case.
    """
    cases = [line for line in lines if not line.question and is_case(line, text)]
    options = {m.option for line in cases for m in line.affirmed}
    named = [line for line in lines if line.mentions and not line.question]
    if all(line in cases or _is_hedged(line, text) for line in named):
        cases, options = named, options_in([m for line in named for m in _possible(line, text)])
    tabled = [line for line in named if _is_case_row(line, text)]
    if len(tabled) == len(named):
        cases, options = tabled, options_in([m for line in tabled for m in line.affirmed])
    if _DEPENDS.match(text):
        cases, options = named, options_in([m for line in named for m in line.affirmed])
    either = [
        i for i, line in enumerate(lines) if [w.folded for w in line.segment.words] in (["or"], ["oder"], ["ou"], ["o"])
    ]
    if either and 0 < either[-1] < len(lines) - 1:
        cases = [line for line in lines if line.affirmed]
        options = {m.option for line in cases for m in line.affirmed}
    if len(options) < 2:
        return []
    begin = cases[0].segment.start
    if any(line.segment.start > begin and line not in cases and line.affirmed and not line.question for line in lines):
        return []
    for line in cases:
        line.mentions = []
    return [Commitment(None, DECLARED, begin, cases[-1].segment.end, "stated", SEVERAL)]


_DEPENDS = re.compile(r"[\W_]*(?:well,? )?(?:it|that|this)(?: all)? depends\b", re.IGNORECASE)


def _is_case_row(line: OptionLine, text: str) -> bool:
    """Check whether a row of a table names its only option in the last cell, behind a cell that names none."""
    part = text[line.segment.start : line.segment.end].strip()
    cells = [words_of(cell) for cell in part.strip("|").split("|")]
    first = line.mentions[0]
    behind = words_of(text[line.mentions[-1].end : line.segment.end])
    ahead = words_of(text[line.segment.start : first.start])
    return part.startswith("|") and len(cells) > 1 and bool(cells[0]) and bool(ahead) and not behind


def _is_hedged(line: OptionLine, text: str) -> bool:
    """Check whether a line only deems its options possible: "it might be the cup"."""
    segment = line.segment
    said = _MAYBE.search(text, segment.start, segment.end)
    if said is None or any(c.start >= said.end() for c in segment.having("contrast")):
        return False  # "the cup may be larger, but the mug is closer"
    return not segment.having("choose", "conclude", "answer", "estimate")


def _possible(line: OptionLine, text: str) -> list[Mention]:
    """The options that a line leaves possible."""
    kept = _NOT_OUT.search(text, line.segment.start, line.segment.end)
    return [m for m in line.mentions if not m.weak] if kept else line.affirmed


_MAYBE = re.compile(
    r"\b(?:might|may|could)[ ](?:well[ ])?(?:be|also)\b|\b(?:perhaps|maybe|possibly|possible)\b", re.IGNORECASE
)
_NOT_OUT = re.compile(
    r"\b(?:isn['’]t|not|can['’]t|cannot|couldn['’]t)[ ](?:be[ ])?(?:out of the question|ruled? out|excluded?)",
    re.IGNORECASE,
)


def is_case(line: OptionLine, text: str) -> bool:
    """Check whether a line names an option for one case: it begins with "if", or one follows each option.

    Args:
        line: the sentence or line.
        text: without markup.
    """
    segment = line.segment
    cases = [c for c in segment.having("suppose", "premise") if text[c.start : c.end].casefold() in _CASE_WORDS]
    chosen = [c for c in segment.having("choose") if text[c.start : c.end].casefold() != "that's"]
    if not cases or not line.affirmed or chosen:
        return False
    if not words_of(text[segment.start : cases[0].start]):
        return True
    return len(cases) >= 2 and all(
        any(0 <= c.start - m.end <= MAX_CASE_GAP and "(" in text[m.end : c.start] for c in cases) for m in line.affirmed
    )


MAX_CASE_GAP = 4
"""Characters between an option and the case for which it is named, at most."""
_CASE_WORDS = frozenset(("if", "assuming", "supposing", "wenn", "falls", "si", "se", "если", "in case"))


MIN_OPTIONS = 3
"""Options that head a line of their own in a response that goes through them, at least."""
_VERDICTS = frozenset({"judged", "eliminated", "order", "route", "first", "alone"})
"""Rules that hold within an enumeration too."""


def behind_enumeration(commitments: Sequence[Commitment], lines: Sequence[OptionLine], text: str) -> list[Commitment]:
    """Leave out the statements of a response on single options while it goes through them.

    Args:
        commitments: of the response.
        lines: of the response.
        text: without markup.

    Returns:
        All commitments, if fewer than three options head a line of their own. Otherwise those behind the last such line
        or in the last line of all, verdicts on the options, and letters that are declared.
    """
    heading = [line for line in lines if line.mentions and _is_heading(line, text)]
    if len({line.mentions[0].option for line in heading}) < MIN_OPTIONS:
        return list(commitments)
    end = min(lines[-1].segment.start, heading[-1].segment.end)
    if heading[-1] is lines[-1] and len(heading) == len(lines):  # nothing but a list of them
        end = heading[-1].segment.end
    letters = {m.start for line in lines for m in line.mentions if m.by == "letter"}
    return [
        c
        for c in commitments
        if c.start >= end or c.rule in _VERDICTS or (c.strength >= DECLARED and c.start in letters)
    ]


def _is_heading(line: OptionLine, text: str) -> bool:
    head = line.mentions[0]
    return head.label or heads_line(line, head, text)


MIN_RANKED = 3
"""Options that are ranked, at least."""
_CHAIN = re.compile(r"(?P<less>[ ]*[<＜≺][ ]*)|(?P<more>[ ]*[>＞≻][ ]*)")
_FROM_TO = re.compile(
    r"\bfrom[ ](?:the[ ])?(?P<first>\w+)[ ]to[ ](?:the[ ])?(?P<last>\w+)\b[^:\n]{0,24}:", re.IGNORECASE
)


def ranked(lines: Sequence[OptionLine], text: str, count: int, asked: Asked) -> list[Commitment]:
    """Find the option asked for in a ranking of all: "a < c < b", "from the nearest to the farthest: a, c, b".

    Args:
        lines: of the response, with the options that they name.
        text: without markup.
        count: of the options.
        asked: by the item.

    Returns:
        At most one commitment, to the option at the end, or the rank, that the question asks for.
    """
    larger = asked.larger()
    for i, line in reversed(list(enumerate(lines))) if larger is not None and count >= MIN_RANKED else ():
        first = _FIRST.search(text, line.segment.start, line.segment.end)
        rows = lines[i:] if first or _FROM_TO.search(text, line.segment.start, line.segment.end) else lines[i : i + 1]
        run = [m for row in rows for m in row.mentions if m.option >= 0 and not m.weak]
        if len(run) != count or len({m.option for m in run}) < count:
            continue
        gaps = [_CHAIN.fullmatch(text, a.end, b.start) for a, b in itertools.pairwise(run)]
        signs = {gap.lastgroup for gap in gaps if gap}
        said = _FROM_TO.search(text, line.segment.start, run[0].start)
        poles = [_pole(said[name], line.segment.language) for name in ("first", "last")] if said else []
        poles = [_pole(first["pole"], line.segment.language)] * 2 if first and first.start() < run[0].start else poles
        if all(gaps) and len(signs) == 1:
            falling = signs == {"more"}
        elif len(poles) == 2 and {pole[:-1] for pole in poles} & {pole[:-1] for pole in asked.poles}:
            falling = poles[0][-1] == "+"
        else:
            continue
        best = (run if falling == larger else run[::-1])[asked.rank - 1]
        return [Commitment(LETTERS[best.option], CONCLUDED, best.start, best.end, "measured")]
    return []


_FIRST = re.compile(r"\b(?P<pole>\w+)[ ]first\b[^:\n]{0,24}:", re.IGNORECASE)
"""The heading of a ranking: "sorted by distance, nearest first:"."""


def _pole(word: str, language: Languages) -> str:
    """Return the quality that a word names, with its sign; a space without one."""
    return next((c.role for c in language.opposites.find(words_of(word), word)), " ")
