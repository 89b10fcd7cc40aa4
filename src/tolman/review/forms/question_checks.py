"""Live checks of a question that is being written (MMSI-Bench paper, sections 3.2 and F.3).

Problems that stop a question are errors in any case; warnings are for the writer to judge.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from tolman.analyze.duplicates import BITS, FILLERS, comparable, say_the_same
from tolman.benchmarks.mmsi_bench.mmsi_rows import TASKS
from tolman.ingest.media_pool import PoolMedium
from tolman.items import LETTERS, MEDIA_MARK, Item, Media
from tolman.kinds.written_kinds import in_ascii_digits
from tolman.review.forms import AnswerError, QuestionFormat, is_number, read_answer
from tolman.review.forms.question_form import Chosen, Written
from tolman.review.store.pool import kept_name

LONGER = 1.6
"""By this factor the right option's length may differ from the mean of the others'."""
_SHORT = 12
"""Letters by which it may differ in any case."""
_NEARLY = 0.7
"""The share of two questions' words that both have, from which on they are shown to the writer."""
_WORD = re.compile(r"[^\W_]+")
_MASHED = re.compile(r"[bcdfghjklmnpqrstvwxz]{6,}|(.)\1{3,}", re.IGNORECASE)
"""Runs of letters that no word of a language in Latin letters has: six consonants, or four times the same."""
_LONGEST_WITHOUT_VOWEL = 4
_LEAST_TO_BALANCE = 4
"""Questions before the letters of right answers are compared."""


@dataclass(frozen=True)
class CheckProblem:
    """A problem that a check found.

    Attributes:
        level: 'stop' (the question can't be submitted) or 'warn'.
        text: one sentence.
    """

    level: Literal["stop", "warn"]
    text: str


@dataclass(frozen=True)
class Around:
    """Surroundings that a question is checked against.

    Attributes:
        pool: key → medium.
        categories: category → how many pictures a question of it needs at least.
        quota: how many questions a category may have; 0 for any number.
        taken: how many it has.
        letters: how often each letter is right in the project, for choices with as many options.
        others: the project's questions, with a name for the media of each.
        looks: key → perceptual hash of each image that is chosen.
        format: that a study requires of every question.
        copies: (key, key) → how the second is a copy of the first which is turned, mirrored or cut, in words.
    """

    pool: Mapping[str, PoolMedium]
    categories: Mapping[str, int]
    quota: int = 0
    taken: Mapping[str, int] = field(default_factory=dict)
    letters: Mapping[int, Counter[str]] = field(default_factory=dict)
    others: Sequence[tuple[Item, str]] = ()
    looks: Mapping[str, int] = field(default_factory=dict)
    copies: Mapping[tuple[str, str], str] = field(default_factory=dict)
    format: QuestionFormat | None = None


def check(written: Written, around: Around) -> list[CheckProblem]:
    """Return all problems of a question, with those that stop it first."""
    media = [around.pool[one.key] for one in written.media if one.key in around.pool]
    found = [
        *_media(written, media, around),
        *_texts(written, len(media)),
        *_ANSWERS[written.control](written),
        *_category(written, around),
        *_format(written, media, around),
        *_reasoning(written),
        *_alike(written, around),
        *(_letters(written, around) if written.control == "choice" else []),
    ]
    return sorted(found, key=lambda finding: finding.level != "stop")


def least_media(items: Sequence[Item]) -> dict[str, int]:
    """Least number of pictures of a question of each category of a benchmark, a video counting for two.

    Those of a benchmark without questions are MMSI-Bench's eleven, which need two each.
    """
    found: dict[str, int] = {}
    for item in items:
        count = sum(2 if medium.kind == "video" else 1 for medium in item.media)
        found[item.task] = min(count, found.get(item.task, 2), 2)
    return found or dict.fromkeys(TASKS, 2)


def about(media: Sequence[Media]) -> str:
    """Return a name for the media of a question, independent of their order."""
    return "|".join(sorted(f"{one.path}#{one.part}@{one.start}-{one.end}" for one in media))


def media_of(written: Written, pool: Mapping[str, PoolMedium]) -> tuple[Media, ...]:
    """Media of a question, as its item will name them; spans that can't be read left out."""
    found = []
    for chosen in written.media:
        if chosen.key in pool:
            medium = pool[chosen.key]
            try:
                start, end = span_of(chosen, medium)
            except ValueError:
                start, end = None, None
            found.append(Media(kind=medium.kind, path=kept_name(medium), start=start, end=end))
    return tuple(found)


def span_of(chosen: Chosen, medium: PoolMedium) -> tuple[float | None, float | None]:
    """The span of a video that is meant, in seconds.

    Raises:
        ValueError: it is none; the text is the rest of a sentence.
    """
    if medium.kind != "video":
        return None, None
    ends: list[float | None] = []
    for text in (chosen.start, chosen.end):
        plain = in_ascii_digits(text.strip()).replace(",", ".")
        if plain and not is_number(plain):
            raise ValueError(f"'{text}' is no number of seconds")
        ends.append(float(plain) if plain else None)
    start, end = ends
    length = medium.duration or 0.0
    if any(value is not None and not 0 <= value <= length + 0.5 for value in ends):
        raise ValueError(f"the video is {length:.1f} s long")
    if start is not None and end is not None and end <= start:
        raise ValueError("it ends before it starts")
    return start, end


def _media(written: Written, media: Sequence[PoolMedium], around: Around) -> list[CheckProblem]:
    if not media:
        return [CheckProblem("stop", "Choose what the question is about.")]
    found = []
    if len(media) < len(written.media):
        found.append(CheckProblem("stop", "Something that you chose has gone from the pool. Take it away."))
    seen: dict[str, int] = {}
    for number, medium in enumerate(media, start=1):
        if medium.sha256 in seen and medium.kind == "image":
            found.append(CheckProblem("stop", f"Pictures {seen[medium.sha256]} and {number} are the same."))
        seen.setdefault(medium.sha256, number)
    for one, other in itertools.combinations(
        [i for i, c in enumerate(written.media) if c.key in around.looks and len(media) == len(written.media)], 2
    ):
        a, b = (around.looks[written.media[i].key] for i in (one, other))
        if (a ^ b).bit_count() <= BITS and media[one].sha256 != media[other].sha256:
            found.append(CheckProblem("warn", f"Pictures {one + 1} and {other + 1} look the same."))
        elif how := around.copies.get((written.media[one].key, written.media[other].key)):
            told = f"Picture {other + 1} looks like a copy of picture {one + 1} that is {how}."
            found.append(CheckProblem("warn", told))
    for number, (chosen, medium) in enumerate(zip(written.media, media, strict=False), start=1):
        try:
            span_of(chosen, medium)
        except ValueError as error:
            found.append(CheckProblem("stop", f"Video {number}: {error}."))
    need = around.categories.get(written.category, 1)
    shown = sum(2 if medium.kind == "video" else 1 for medium in media)
    if shown < need and (around.format is None or around.format.pictures is None):
        found.append(CheckProblem("stop", "A question of this category needs two pictures or more, or a video."))
    open_ones = [str(i) for i, one in enumerate(written.media, start=1) if not one.needed]
    if open_ones:
        which = ("picture " if len(open_ones) == 1 else "pictures ") + ", ".join(open_ones)
        found.append(CheckProblem("stop", f"Say that the question can't be answered without {which}, or take it away."))
    return found


def _texts(written: Written, media: int) -> list[CheckProblem]:
    if not written.question.strip():
        return [CheckProblem("stop", "Write the question.")]
    found = []
    marks = written.question.count(MEDIA_MARK)
    if written.control == "choice":
        marks += sum(option.count(MEDIA_MARK) for option in written.options)
    if marks not in (0, media):
        found.append(
            CheckProblem(
                "stop", f"There are {marks} {MEDIA_MARK} marks and {media} media: give each its mark, or none."
            )
        )
    strange = [word for word in _WORD.findall(written.question) if is_mashed(word)]
    if strange:
        told = ", ".join(f"“{word[:30]}”" for word in strange[:3])
        found.append(CheckProblem("warn", f"The question has what looks like no words: {told}."))
    if not written.question.rstrip().endswith(("?", ".", "!", ":", MEDIA_MARK)):
        found.append(CheckProblem("warn", "The question has no question mark."))
    return found


def is_mashed(word: str) -> bool:
    """Check whether a word in Latin letters was typed without meaning: 'asdfghjkl', 'qwrtz', 'aaaaa'.

    Short words without vowels may be abbreviations ('TV', 'cm', 'LED').
    """
    if not word.isascii() or not word.isalpha():
        return False
    without = (
        len(word) > _LONGEST_WITHOUT_VOWEL and not word.isupper() and not re.search("[aeiouy]", word, re.IGNORECASE)
    )
    return without or _MASHED.search(word) is not None


def _options(written: Written) -> list[CheckProblem]:
    found = []
    texts = [" ".join(option.split()) for option in written.options]
    empty = [LETTERS[i] for i, text in enumerate(texts) if not text]
    if empty:
        found.append(CheckProblem("stop", f"Option {', '.join(empty)} is empty."))
    first: dict[str, int] = {}
    for i, text in enumerate(texts):
        plain = text.casefold().rstrip(".")
        if plain and plain != MEDIA_MARK and plain in first:
            found.append(CheckProblem("stop", f"Options {LETTERS[first[plain]]} and {LETTERS[i]} are the same."))
        first.setdefault(plain, i)
    right = LETTERS.find(written.answer) if written.answer else len(texts)
    if right >= len(texts):
        return [*found, CheckProblem("stop", "Mark the right option.")]
    others = [len(text) for i, text in enumerate(texts) if i != right and text]
    if others and texts[right]:
        own, mean = len(texts[right]), sum(others) / len(others)
        if abs(own - mean) > _SHORT and not 1 / LONGER <= own / max(mean, 1) <= LONGER:
            told = "longer" if own > mean else "shorter"
            found.append(
                CheckProblem("warn", f"The right option is much {told} than the others, which gives it away to some.")
            )
    return found


def _number(written: Written) -> list[CheckProblem]:
    plain = written.number.strip()
    if not plain:
        return [CheckProblem("stop", "Give the right number.")]
    if not is_number(plain):
        return [CheckProblem("stop", f"'{plain}' is no number in digits, such as 3 or 2.5.")]
    return _answer(written)


def _words(written: Written) -> list[CheckProblem]:
    if not written.words.strip():
        return [CheckProblem("stop", "Give the right answer.")]
    return _answer(written)


def _answer(written: Written) -> list[CheckProblem]:
    """Return the kind's objections to the right answer."""
    try:
        right_answer(written)
    except AnswerError as error:
        return [CheckProblem("stop", str(error))]
    return []


_ANSWERS: Mapping[str, Callable[[Written], list[CheckProblem]]] = {
    "choice": _options,
    "number": _number,
    "text": _words,
}
"""Control of the right answer → its checks."""


def right_answer(written: Written) -> str:
    """The right answer as the item will have it.

    Raises:
        AnswerError: it is none.
    """
    if written.control == "choice":
        return written.answer
    entered = written.number if written.control == "number" else written.words
    asked = Item.model_construct(
        id="", question=written.question, kind=written.kind, answer="", task=written.category,
        unit="count" if (written.control, written.unit) == ("number", "count") else None,
    )  # fmt: skip
    answer = read_answer(asked, entered)
    if asked.unit and float(answer) % 1:
        raise AnswerError(f"A count is a whole number, not {answer}.")
    return answer


def _category(written: Written, around: Around) -> list[CheckProblem]:
    if written.category not in around.categories:
        return [CheckProblem("stop", "Choose a category.")]
    if around.quota and around.taken.get(written.category, 0) >= around.quota:
        return [CheckProblem("stop", f"There are enough questions of “{written.category}”: choose another category.")]
    return []


def _format(written: Written, media: Sequence[PoolMedium], around: Around) -> list[CheckProblem]:
    """The sentence of a study whose format the question doesn't have."""
    if around.format is None:
        return []
    options = written.options if written.control == "choice" else ()
    problem = around.format.problem(written.category, options, [medium.kind for medium in media])
    return [] if problem is None else [CheckProblem("stop", problem)]


def _reasoning(written: Written) -> list[CheckProblem]:
    if not written.reasoning:
        return [CheckProblem("stop", "Write down the reasoning, step by step.")]
    found = []
    told = set(_WORD.findall(written.reasoning.casefold())) - FILLERS
    asked = " ".join([written.question, *written.options, written.words, written.number]).casefold()
    if not told & (set(_WORD.findall(asked)) - FILLERS):
        found.append(CheckProblem("warn", "The reasoning names nothing that the question or its answers name."))
    if written.category == "MSR" and sum(bool(step.text.strip()) for step in written.steps) < 3:
        found.append(CheckProblem("warn", "Multi-step reasoning takes three steps or more (MMSI-Bench: 3 to 11)."))
    return found


def _alike(written: Written, around: Around) -> list[CheckProblem]:
    text, name = comparable(written.question), about(media_of(written, around.pool))
    if not text:
        return []
    found = []
    for item, shown in around.others:
        other = comparable(item.question)
        if say_the_same(other, text):
            if shown == name:
                return [CheckProblem("stop", f"The same question about the same media is there already ({item.id}).")]
            told = f"A question with these words is there already, about other media ({item.id})."
            found.append(CheckProblem("warn", told))
        elif shown == name and _shared(other, text) > _NEARLY:
            told = f"A question about the same media says nearly the same: “{item.question[:120]}”"
            found.append(CheckProblem("warn", told))
    return found[:1]


def _letters(written: Written, around: Around) -> list[CheckProblem]:
    """Warn if a letter is right too often in the project."""
    letter, count = written.answer, len(written.options)
    if not letter or letter not in LETTERS[:count]:
        return []
    so_far = around.letters.get(count, Counter())
    total = so_far.total()
    rarest = min(LETTERS[:count], key=lambda one: so_far[one])
    if total < _LEAST_TO_BALANCE or so_far[letter] - so_far[rarest] < 2 or so_far[letter] <= total / count:
        return []
    told = f"{letter} is right in {so_far[letter]} of {total} questions so far, {rarest} in {so_far[rarest]}"
    return [CheckProblem("warn", f"{told}: move the right option if its place doesn't matter.")]


def _shared(one: str, other: str) -> float:
    a, b = set(one.split()), set(other.split())
    return len(a & b) / max(len(a | b), 1)
