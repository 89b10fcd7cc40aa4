"""MMSI-Bench's rule sets: its released parser (`scoring.readers.mmsi_bench`), and its model fallback.

What the parser doesn't find scores 0. The paper's fallback (section 4.1, Appendix E.2) stands in the same file of the
release (`extract_single_choice_with_llm`) and is not called. With a judge it is: its prompt is the released one.
"""

from __future__ import annotations

from tolman.items import Item
from tolman.scoring.judged import Judging
from tolman.scoring.readers import easi
from tolman.scoring.readers.mmsi_bench import read as read_official
from tolman.scoring.readers.mmsi_bench import read_lmms_eval
from tolman.scoring.rules import RuleSet, careful, kind_and_answer, score_exactly

RULE_SETS = (
    RuleSet("official", read_official, score_exactly, alike=kind_and_answer),
    careful(score=score_exactly),
    RuleSet("lmms-eval", read_lmms_eval, score_exactly),
    RuleSet("vlmevalkit", easi.read, score_exactly),
)


def judge_prompt(item: Item, text: str) -> str:
    """What the released fallback tells its model."""
    return (
        "You are an AI assistant who will help me to match an answer with several options of a single-choice question. "
        "You are provided with a question and an answer, and you need to find which option is most similar to the "
        "answer. If the meaning of all options are significantly different from the answer, output Z. "
        "Your should output a single uppercase character in A, B, C, D (if they are valid options), and Z. "
        "Do not explain your reasoning, just output the letter directly.\n"
        "Example 1: \n"
        "Question: What is the main object in image?\nOptions: A. teddy bear B. rabbit C. cat D. dog\n"
        "Answer: a cute teddy bear\nYour output: A\n"
        "Example 2: \n"
        "Question: What is the main object in image?\nOptions: A. teddy bear B. rabbit C. cat D. dog\n"
        "Answer: Spider\nYour output: Z\n"
        "Example 3: \n"
        f"Question: {item.verbatim or item.question}\nAnswer: {text}\nYour output: "
    )


JUDGING = Judging(
    source="MMSI-Bench's fallback (section 4.1, released prompt): where the official parser reads nothing",
    base="official",
    asks=lambda item, text, own: own.value is None,
    prompt=judge_prompt,
)
