"""Tokens: words, pairs of words and runs of letters of questions and options, as texts to be counted."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, pairwise

from tolman.analyze.outside.learner import BlindQuestion
from tolman.guessing.words import parts, words

LETTERS_IN_RUN = 3
MAX_LETTERS = 60
"""Letters of an option whose runs are counted."""
MAX_NAMED_WORDS = 12
"""Words of the question that are crossed with those of an option."""
BEFORE, PART = "before:", "part "
"""What a token begins with that says which of two things a list has first, and which thing it has where."""


def named_words(question: BlindQuestion) -> list[str]:
    """The words that set a question apart from others of its type, each once."""
    return list(dict.fromkeys(word for name in question.names for word in name.split()))[:MAX_NAMED_WORDS]


def question_tokens(question: BlindQuestion) -> list[str]:
    """The words of a question, pairs of them, its names and their letters."""
    own = words(question.text)
    found = [*own, *(f"{a} {b}" for a, b in pairwise(own)), *(f"name:{name}" for name in question.names)]
    found.append("names:" + "|".join(question.names))
    for name in question.names:
        found += _runs(name)
    return found


def option_tokens(question: BlindQuestion, place: int) -> list[str]:
    """The words and letters of an option, crossed with its place and with the question's names."""
    option = question.options[place].lower()
    own = words(option) or [option]
    asked = named_words(question)
    found = [f"place:{place}", f"option:{option}", *own, *(f"{a} {b}" for a, b in pairwise(own)), *_runs(option)]
    found += [f"{place}:{word}" for word in own]
    found += order_tokens(option)
    for other in asked:
        found += [f"{other}|place:{place}", f"{other}|option:{option}", *(f"{other}|{word}" for word in own)]
    return found


def order_tokens(option: str) -> list[str]:
    """Of an option that lists several things: which of them is where, and which comes before which."""
    listed = parts(option)
    if len(listed) < 2:
        return []
    return [
        *(f"{PART}{number}:{part}" for number, part in enumerate(listed)),
        *(f"{BEFORE}{a}|{b}" for a, b in combinations(listed, 2)),
    ]


def all_option_tokens(questions: list[BlindQuestion]) -> Iterator[list[str]]:
    """Tokens of every option, one question behind the other."""
    return (option_tokens(question, place) for question in questions for place in range(len(question.options)))


def _runs(text: str) -> list[str]:
    padded = f" {text[:MAX_LETTERS]} "
    return [f"letters:{padded[i : i + LETTERS_IN_RUN]}" for i in range(len(padded) - LETTERS_IN_RUN + 1)]
