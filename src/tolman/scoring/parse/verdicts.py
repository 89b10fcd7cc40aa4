"""Options that a response calls right, best or wrong, in a sentence or while it goes through them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tolman.items import LETTERS
from tolman.scoring.parse.commitments import JUDGED, Commitment
from tolman.scoring.parse.mentions import Mention, are_joined, commit, options_in
from tolman.scoring.parse.option_lines import OptionLine
from tolman.scoring.parse.option_texts import OptionTexts
from tolman.scoring.parse.words import is_inside

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


def affirmation(line: OptionLine) -> Mention | None:
    """Find the one option that a line calls right: "B fits best".

    Args:
        line: the sentence or line.

    Returns:
        Its mention; None where no option or more than one is called right.
    """
    by_text = [m for m in line.mentions if m.by == "text"]
    cues = [c for c in line.segment.having("affirm") if not is_inside(c, by_text)]
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
    """Whether a line is about the option that it begins with, and no other."""
    if len(options_in([m for m in line.mentions if m.by == "letter"])) > 1:
        return False
    if head.label or head.marked or line.question or heads_line(line, head, text):
        return True
    part = text[line.segment.start : line.segment.end]
    return bool(MARKS.search(part) or _TICKS.search(part))


def heads_line(line: OptionLine, mention: Mention, text: str) -> bool:
    """Whether an option opens a line and is set off: "**front left:** …".

    Args:
        line: the sentence or line.
        mention: one of its mentions.
        text: without markup.
    """
    before = text[line.segment.start : mention.start].strip(" \t*_`-•·–>#.0123456789)▶►‣◆■□●○※")
    behind = text[mention.end : mention.end + 8].lstrip(" \t*_`")
    return line.segment.line_start and not before and behind[:1] in (":", "–", "—", "-", "(", ".", "|", ",")


def _marked(line: OptionLine, text: str) -> bool | None:
    """Whether a tick or a cross ends the line of the text in which a sentence stands; None without either."""
    end = text.find("\n", line.segment.start)
    last = text[line.segment.start : end if end >= 0 else len(text)].rstrip(" *_`|")[-1:]
    return True if _TICKS.match(last) else False if _CROSSES.match(last) else None


def _verdict(line: OptionLine, head: Mention | None, text: str) -> bool | None:
    """Whether a line calls an option right or wrong; None where it does neither."""
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
