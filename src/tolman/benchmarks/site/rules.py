"""SITE's rule sets: its released parser, its random fallback included (`scoring.readers.site`), and a judge.

The paper (section 5.1) has GPT-4o assess all responses instead, with a prompt that isn't published. With a judge that
is done, in Tolman's own words and without telling it the right answer; only a letter alone needs nobody to read it.
"""

from __future__ import annotations

import re

from tolman.scoring.judged import Judging, extraction_prompt
from tolman.scoring.readers import easi
from tolman.scoring.readers.site import read as read_official
from tolman.scoring.rules import RuleSet, careful, kind_and_answer, score_exactly

_ALONE = re.compile(r"\s*(?:\([A-Z]\)|[A-Z][.:]?)\s*")

RULE_SETS = (
    RuleSet("official", read_official, score_exactly, alike=kind_and_answer),
    careful(score=score_exactly),
    RuleSet("lmms-eval", read_official, score_exactly),
    RuleSet("vlmevalkit", easi.read, score_exactly),
)
JUDGING = Judging(
    source="SITE's judge (section 5.1; its prompt is not published, this one is Tolman's): all but a letter alone",
    base="official",
    asks=lambda item, text, own: own.guessed or not _ALONE.fullmatch(text),
    prompt=extraction_prompt,
)
