"""VSI-Bench's rule sets: its released parser (`scoring.readers.first_token`) and metric, quirks included.

lmms-eval and VLMEvalKit (and EASI, which runs either) have the same metric and other parsers.
"""

from __future__ import annotations

from tolman.items import Item
from tolman.scoring.readers import easi, lmms_eval_vsi
from tolman.scoring.readers.first_token import read as read_official
from tolman.scoring.relative_accuracy import mra_vsi_bench
from tolman.scoring.rules import RuleSet, careful, kind_and_answer, score_exactly, score_in_floats


def undefined(item: Item) -> str | None:
    """Why the released metric has no score for an item: it divides by the answer."""
    return "the released metric divides by it" if item.kind == "number" and not item.exact_answer else None


RULE_SETS = (
    RuleSet("official", read_official, score_in_floats(mra_vsi_bench), undefined=undefined, alike=kind_and_answer),
    careful(score=score_exactly),
    RuleSet("lmms-eval", lmms_eval_vsi.read, score_in_floats(mra_vsi_bench), undefined=undefined),
    RuleSet("vlmevalkit", easi.read, score_in_floats(mra_vsi_bench), undefined=undefined),
)
