"""Numbers that a response announces as its answer."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tolman.items import Unit
from tolman.scoring.parse.agreement import VERB_FINAL, agreed, is_estimated, restatements
from tolman.scoring.parse.announcements import cues_in_front
from tolman.scoring.parse.commitments import CONCLUDED, DECLARED, SEVERAL, Commitment
from tolman.scoring.parse.lexicon import Cue, longest
from tolman.scoring.parse.measures import Quantity
from tolman.scoring.parse.number_lines import MEASURED, NumberLine
from tolman.scoring.parse.segments import Segment
from tolman.scoring.parse.words import words_of

MAX_ANSWER_REACH = 120
"""Characters between "the answer is" and the number that it announces, at most."""
MAX_CHOOSE_REACH = 40
"""Characters between "I choose" and the number, at most."""
MAX_BEFORE_REACH = 24
"""Characters between a number and "is the answer", at most."""
MAX_COPULA_GAP = 6
"""Characters between "is" and a number, at most."""

_ANOTHER = re.compile(r"[^,.;:(]{0,40}\b(?:and|or|und|oder|y|o|et|ou|e|и|или)\s+", re.IGNORECASE)


def announced_numbers(line: NumberLine, text: str, unit: Unit | None) -> list[Commitment]:
    """Find the numbers that a line announces, behind the announcement or before it.

    Args:
        line: the sentence or line; it states a quantity.
        text: without markup.
        unit: of the item.

    Returns:
        A commitment for each announcement that holds a quantity.
    """
    segment, stated = line.segment, line.stated
    found = []
    cues = [
        c for c in segment.having("answer", "choose") if next(cues_in_front(segment, c, text, "suppose"), None) is None
    ]
    for cue in longest(cues):
        declares = cue.role == "answer"
        behind = _behind(cue, stated, unit)
        if behind and not any(cue.end <= c.start < behind[0].start for c in segment.having("premise")):
            strength = DECLARED if declares else CONCLUDED
            results = [q for q in behind if q.result]
            if results:
                found.append(agreed(results[-1:], unit, strength, "declared" if declares else "chosen"))
                continue
            behind = _pointed_at(behind, cue, segment, text)
            group = restatements(behind, text)
            if all(q.note for q in group) and any(not q.note for q in behind):
                group = behind  # "between 35 and 45, most likely 40"
            last = group[-1]
            following = next((q for q in behind if q.start > last.end), None)
            if (
                following is not None
                and following.kind == last.kind
                and _ANOTHER.fullmatch(text[last.end : following.start])
            ):
                found.append(Commitment(None, strength, group[0].start, following.end, "declared", SEVERAL))
            else:
                found.append(agreed(group, unit, strength, "declared" if declares else "chosen"))
            continue
        before = [q for q in stated if q.end <= cue.start and cue.start - q.end <= MAX_BEFORE_REACH]
        if (
            before
            and declares
            and segment.language.is_only("copula", text[before[-1].end : cue.start])
            and not any(q.start >= cue.end for q in stated)
        ):
            found.append(agreed(before[-1:], unit, DECLARED, "declared"))
    return found


def _behind(cue: Cue, stated: Sequence[Quantity], unit: Unit | None) -> list[Quantity]:
    """The quantities behind an announcement; weak ones only where nothing else could be meant."""
    reach = MAX_ANSWER_REACH if cue.role == "answer" else MAX_CHOOSE_REACH
    behind = [q for q in stated if 0 <= q.start - cue.end <= reach]
    strong = [q for q in behind if not q.weak]
    if strong or cue.role == "choose" or (unit in MEASURED and len(stated) > 1):
        return strong
    return behind


def _pointed_at(behind: list[Quantity], cue: Cue, segment: Segment, text: str) -> list[Quantity]:
    """The quantities behind an announcement from the one that "is" or "about" points at."""
    if not words_of(text[cue.end : behind[0].start]):
        return behind
    if len(behind) > 1 and segment.language.names & VERB_FINAL:
        return behind[-1:]
    for i, quantity in enumerate(behind):
        if is_estimated(quantity, segment, text) or _is_behind_copula(quantity, segment, text):
            return behind[i:]
    return behind


def _is_behind_copula(quantity: Quantity, segment: Segment, text: str) -> bool:
    """Whether a copula stands right before a quantity: "the answer to … is 7"."""
    return any(
        0 <= quantity.start - c.end <= MAX_COPULA_GAP and not words_of(text[c.end : quantity.start])
        for c in segment.having("copula")
    )
