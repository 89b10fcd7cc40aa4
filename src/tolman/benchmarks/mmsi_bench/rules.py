"""MMSI-Bench's released parser.

Source: InternRobotics/MMSI-Bench, vlmeval/dataset/mmsi_bench.py (`extract_single_choice_with_word_boundary`): what
stands in double backticks, then in single ones, then the first A–D between word boundaries that isn't followed by
white space and a letter. What isn't found scores 0; the paper's model fallback (section 4.1, Appendix E.2) stands in
the same file (`extract_single_choice_with_llm`) and is not called. With a judge it is: its prompt is the released one.
"""

from __future__ import annotations

import re

from tolman.items import Item
from tolman.scoring.judged import Judging
from tolman.scoring.reading import ParsedAnswer, nothing
from tolman.scoring.rules import RuleSet, careful, kind_and_answer, score_exactly

_DOUBLE = re.compile(r"``([^`]*)``")
_SINGLE = re.compile(r"`([^`]*)`")
_LETTER = re.compile(r"\b[A-D]\b(?!\s[a-zA-Z])")


def read_official(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """The released patterns in their order."""
    rule, start = "letter between word boundaries", 0
    for wrapper, name in ((_DOUBLE, "double backticks"), (_SINGLE, "single backticks")):
        wrapped = wrapper.search(text)
        if wrapped:
            text, start, rule = wrapped[1], start + wrapped.start(1), name
    letter = _LETTER.search(text)
    if letter is None:
        return nothing("no letter between word boundaries")
    return ParsedAnswer(letter[0], span=(start + letter.start(), start + letter.end()), rule=rule)


RULE_SETS = (
    RuleSet("official", read_official, score_exactly, alike=kind_and_answer),
    careful(score=score_exactly),
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
