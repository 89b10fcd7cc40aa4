"""Composition of a benchmark: questions by kind, the facts that papers print, and the diversity of wording.

Source of the diversity: MMSI-Bench paper, Table 6 (distinct words, unique 3-grams and 5-grams, syntactic structures).
The paper doesn't write its recipe down. The one here gives 397, 4,485 and 12,975 on VSI-Bench where the paper prints
398, 4,482 and 12,972.

- tokens: each question in lower case, split into words by the rules of the Penn Treebank (`words`); punctuation
  marks are tokens
- n-grams: runs of n tokens within a question, across its sentences
- structures: the dependency tree of a question's sentences as spaCy's small English model parses them, with labels on
  the edges and without the words. The paper doesn't name its parser, and its counts (473 for VSI-Bench) can't be
  compared with these. Counts by two versions of the model can't be compared either.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from tolman.analyze.labels import in_order, label_frame, label_names
from tolman.benchmarks.published import PublishedTable
from tolman.errors import UsageError
from tolman.items import Item

MOST_VALUES = 24
"""Values of a label that are counted by name; those of fewer questions are counted together."""

OTHERS = "others"

COUNTED = ("task", "kind", "answer", "options", "media_count", "question_words")
"""Labels of any question that a figure counts by, if nothing else is asked for; then those that questions carry."""


@dataclass(frozen=True)
class Counts:
    """Questions by a label.

    Attributes:
        by: the label.
        counts: its value → questions; in the order of a figure.
    """

    by: str
    counts: dict[str, int]


@dataclass(frozen=True)
class BenchmarkFact:
    """A figure about a benchmark.

    Attributes:
        name: as papers call it.
        value: the figure; lengths are in characters.
    """

    name: str
    value: float


def differing(items: Sequence[Item]) -> list[str]:
    """The labels in which questions differ, but for those that have a value for each few of them."""
    counts = label_names(items)
    carried = {name for item in items for name in item.labels}
    most = max(2, min(2 * MOST_VALUES, len(items) // 2))
    names = [*(name for name in COUNTED if name in counts), *(n for n in counts if n in carried and n not in COUNTED)]
    return [name for name in names if counts[name] <= most]


def count(items: Sequence[Item], by: str) -> Counts:
    """Count items by a label; where it has very many values, those of the fewest items together.

    Raises:
        UsageError: no item has such a label.
    """
    found = Counter(label_frame(items, [by])[by])
    ordered = in_order(found)
    if not any(value[:1].isdigit() for value in ordered) and by != "answer":
        ordered = [name for name, _ in sorted(found.items(), key=lambda pair: -pair[1])]
    kept = set(ordered)
    if len(ordered) > MOST_VALUES:
        kept = {name for name, _ in found.most_common(MOST_VALUES - 1)}
    counts = {name: found[name] for name in ordered if name in kept}
    if len(kept) < len(ordered):
        counts[f"{len(ordered) - len(kept)} {OTHERS}"] = sum(found[name] for name in ordered if name not in kept)
    return Counts(by, counts)


def cross(items: Sequence[Item], rows: str, columns: str) -> dict[tuple[str, str], int]:
    """Count items by two labels: (value of the first, value of the second) → questions, 0 included.

    Raises:
        UsageError: no item has such a label, or one has more values than a table can show.
    """
    frame = label_frame(items, [rows, columns])
    found = Counter(zip(frame[rows], frame[columns], strict=True))
    names = [in_order(set(frame[name])) for name in (rows, columns)]
    for by, own in zip((rows, columns), names, strict=True):
        if len(own) > 2 * MOST_VALUES:
            raise UsageError(f"'{by}' has {len(own):,} values; a table shows {2 * MOST_VALUES} at most.")
    return {(a, b): found[a, b] for a in names[0] for b in names[1]}


def facts(items: Sequence[Item]) -> list[BenchmarkFact]:
    """Return the facts that papers print of a benchmark: MMSI-Bench's Table 2 and SITE's Table 2. Lengths are in
    characters."""
    reasons = [item.reasoning for item in items if item.reasoning]
    questions = [len(item.question) for item in items]
    pictures = [len([m for m in item.media if m.kind == "image"]) for item in items]
    media = {(m.kind, m.path, m.part) for item in items for m in item.media}
    found = [
        BenchmarkFact("Total questions", len(items)),
        BenchmarkFact("Question types", len({item.task for item in items})),
        BenchmarkFact("Scenes", len({item.scene for item in items if item.scene})),
        BenchmarkFact("Number of unique images", sum(kind == "image" for kind, *_ in media)),
        BenchmarkFact("Number of unique videos", sum(kind == "video" for kind, *_ in media)),
        BenchmarkFact("Average question length", _mean(questions)),
        BenchmarkFact("Maximum question length", max(questions, default=0)),
        BenchmarkFact("Average image count per question", _mean(pictures)),
        BenchmarkFact("Maximum image count per question", max(pictures, default=0)),
    ]
    if reasons:
        lengths = [len(text) for text in reasons]
        found += [
            BenchmarkFact("Questions with a reasoning process", len(reasons)),
            BenchmarkFact("Average reasoning process length", _mean(lengths)),
            BenchmarkFact("Maximum reasoning process length", max(lengths)),
        ]
    options = Counter(len(item.options) for item in items if item.options)
    return [*found, *(BenchmarkFact(f"{number}-choice questions", options[number]) for number in sorted(options))]


def _mean(values: Sequence[int]) -> float:
    return sum(values) / len(values) if values else 0.0


Tokens = tuple[str, ...]

PARSER = "en_core_web_sm"
"""The model of spaCy that parses questions."""


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
        published: a paper's counts in benchmarks' questions, a column for each benchmark.
    """

    label: str
    tasks: dict[str, Diversity]
    published: tuple[PublishedTable, ...] = ()


def diversity(questions: Sequence[str], structures: Iterable[str] | None = None) -> Diversity:
    """Count.

    Args:
        questions: their texts, without options.
        structures: the output of `dependency_structures` for them, or None.
    """
    tokenized = [tuple(words(question.lower())) for question in questions]
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


def dependency_structures(questions: Sequence[str], done: Callable[[int], None] = lambda count: None) -> list[str]:
    """The dependency tree of each question, as a text without its words.

    Args:
        questions: their texts; equal ones are parsed once.
        done: called with how many texts were parsed.

    Raises:
        UsageError: spaCy or its model isn't installed.
    """
    try:
        import spacy

        parser = spacy.load(PARSER, exclude=["ner", "lemmatizer", "attribute_ruler"])
    except (ImportError, OSError):
        raise UsageError(
            f"Parsing questions needs spaCy and its model '{PARSER}', which no extra installs: "
            f"pip install spacy && python -m spacy download {PARSER}."
        ) from None
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


_SENTENCE_END = re.compile(
    r"""
      (?<= [?!] ) \s+
    | (?<= \. ) (?<! \b\w\. ) (?<! \b\d\d\. ) \s+  # "1. Go to the door": the number of a step ends no sentence,
    | (?<= \. ) \s+ (?= [^\w\s] )                  # "2. [please fill in]": but before a bracket it does
    | (?<= [.?!]["'”’)\]] ) \s+
    | (?<= [.?!] ) (?= ["'”’)\]]+ [:;,] )
    """,
    re.VERBOSE,
)
"""Where a sentence ends, as Punkt (Kiss and Strunk, 2006) finds it in the questions of VSI-Bench."""

_RULES = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        # Opening quotes.
        (r"([«“‘„]|`+)", r" \1 "),
        (r'^"', " `` "),
        (r"([ (\[{<])(\"|'{2})", r"\1 `` "),
        (r"(?i)(?<!\w)'(?!(?:re|ve|ll|m|t|s|d|n)\b)(?=\w)", "' "),
        # Punctuation. Of single dots, only that at the end of the sentence.
        (r"([^.])(\.)([\])}>\"'»”’ ]*)$", r"\1 \2 \3 "),
        (r"([:,])(?!\d)", r" \1 "),
        (r"(\.{2,}|[;@#$%&?!*‒–—―]|--)", r" \1 "),
        (r"([^'])' ", r"\1 ' "),
        (r"([\[\](){}<>])", r" \1 "),
        # Closing quotes, and what is contracted with an apostrophe.
        (r"([»”’])", r" \1 "),
        (r"''|\"", " '' "),
        (r"$", " "),
        (r"([^'\s])('[sSmMdD]|')(?=\s)", r"\1 \2"),
        (r"([^'\s])('ll|'LL|'re|'RE|'ve|'VE|n't|N'T)(?=\s)", r"\1 \2"),
        # Two words that are written as one.
        (
            r"(?i)\b(can(?=not\b)|d(?='ye\b)|(?:gim|lem)(?=me\b)|got(?=ta\b)|gon(?=na\b)|wan(?=na\s)|more(?='n\b))",
            r"\1 ",
        ),
        (r"(?i) ('t)(is|was)\b", r" \1 \2"),
    )
)


def words(text: str) -> list[str]:
    """Split a text into its words and punctuation marks, sentence by sentence."""
    return [word for sentence in _SENTENCE_END.split(text.strip()) for word in _of_sentence(sentence)]


def _of_sentence(text: str) -> list[str]:
    for pattern, replacement in _RULES:
        text = pattern.sub(replacement, text)
    return text.split()
