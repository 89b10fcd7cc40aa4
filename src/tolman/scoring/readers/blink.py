"""BLINK's released parser, as far as it is one: what it can't tell, it asks gpt-3.5-turbo.

A token is what white space separates, so that "(B)." is no "(B)". Without the judge such a reply has no answer.
"""

from __future__ import annotations

from tolman.items import Item
from tolman.scoring.reader import Reader
from tolman.scoring.reading import ParsedAnswer, nothing

_LETTERS = "ABCDE"


def read(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
    """A letter alone, with or without parentheses; else the one option that is a token of the whole reply or, where
    that has several, of its last paragraph."""
    if text in tuple(_LETTERS):
        return ParsedAnswer(text, span=(0, 1), rule="letter alone")
    if len(text) == 3 and text[0] + text[2] == "()" and text[1] in _LETTERS:
        return ParsedAnswer(text[1], span=(1, 2), rule="letter alone, in parentheses")
    forms = {f"({letter})": letter for letter in _LETTERS[: len(item.options)]}
    anywhere = forms.keys() & text.split()
    at_end = forms.keys() & text.split("\n\n")[-1].split()
    if anywhere and len(at_end) == 1:
        return ParsedAnswer(forms[at_end.pop()], rule="the one option of the last paragraph")
    if len(anywhere) == 1:
        return ParsedAnswer(forms[anywhere.pop()], rule="the one option of the reply")
    return nothing("left to a model by the released code")


READER = Reader(
    name="blink",
    title="BLINK, the authors' parser without its judge",
    source="zeyofu/BLINK_Benchmark, eval/test_benchmark.py, analyze_answer",
    read=read,
    kinds=("choice",),
)
