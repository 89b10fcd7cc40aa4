"""Types of errors in a model's reasoning: the papers' categories, the judge's instructions, and how its reply is read.

Sources: VSI-Bench paper, section 5 and Appendix B.2; MMSI-Bench paper, section 5 and Tables 8 and 9. Asking the judge
is `runs.reasoning`'s.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files

from tolman.items import Item
from tolman.scoring.parse.plain_text import without_reasoning

CORRECT = "correct"
"""The key of the category of a reasoning without error, in every taxonomy."""


@dataclass(frozen=True)
class ErrorType:
    """One category.

    Attributes:
        key: short and unique in its taxonomy.
        title: as the paper calls it.
        step: name of the step of reasoning that such an error belongs to; '' where there is none.
        means: the rest of the judge's line about it.
    """

    key: str
    title: str
    means: str
    step: str = ""


@dataclass(frozen=True)
class ErrorTaxonomy:
    """The categories of one paper.

    Attributes:
        name: value of `--taxonomy`.
        source: where it is written.
        types: of errors, in the paper's order; 'correct' comes after them.
        several: whether several may apply to one reasoning, each with an equal part of it.
        groups: title → the keys that are also shown together.
        prompt: the instructions to a judge without and with a reference reasoning.
    """

    name: str
    source: str
    types: tuple[ErrorType, ...]
    several: bool
    prompt: str
    prompt_with_reference: str
    groups: tuple[tuple[str, tuple[str, ...]], ...] = ()

    @property
    def all_types(self) -> tuple[ErrorType, ...]:
        """The errors, then 'correct'; a judge knows them by their number, from 1."""
        return (*self.types, _CORRECT)

    @property
    def keys(self) -> tuple[str, ...]:
        """Return the keys of all categories."""
        return tuple(kind.key for kind in self.all_types)

    def instructions(self, *, reference: bool) -> str:
        """Return the judge's instructions, which follow the material to judge."""
        return self.prompt_with_reference if reference else self.prompt

    def find(self, name: str) -> str | None:
        """The key of a category by its key, title or number, however it is spelled; None where there is none."""
        plain = _plain(name)
        for number, kind in enumerate(self.all_types, start=1):
            if plain and plain in (str(number), _plain(kind.key), _plain(kind.title), _plain(kind.step)):
                return kind.key
        return None


_CORRECT = ErrorType(CORRECT, "Completely correct reasoning", "")


def _taxonomy(name: str) -> ErrorTaxonomy:
    text = files("tolman.scoring").joinpath("error_taxonomies", f"{name}.toml").read_text(encoding="utf-8")
    table = tomllib.loads(text)
    types = tuple(ErrorType(**one) for one in table["types"])
    lines = (
        f"{i}. {kind.title}{f': {kind.means}' if kind.means else '.'}" for i, kind in enumerate((*types, _CORRECT), 1)
    )
    head, listed, tail = table["head"], "\n".join(lines) + "\n\n", table["tail"]
    return ErrorTaxonomy(
        name,
        table["source"],
        types,
        several=table["several"],
        prompt=head.format(given="") + listed + tail,
        prompt_with_reference=head.format(given=table["given"]) + listed + table["note"] + tail,
        groups=tuple((title, tuple(keys)) for title, keys in table.get("groups", ())),
    )


VSI, MMSI = _taxonomy("vsi"), _taxonomy("mmsi")
TAXONOMIES = {taxonomy.name: taxonomy for taxonomy in (VSI, MMSI)}

_NUMBER = r"[*`'\"(\[{]*([1-9])[*`'\")\]}]*"
_LEAD = r"(?:the\s+)?(?:relevant\s+)?(?:error\s+)?(?:answer|category|categories|type|number|output|reply)"
_CHOICE = re.compile(
    rf"\W*(?:{_LEAD}(?:\s+(?:number|is))*\s*[:=]?\s*)*{_NUMBER}((?:\s*(?:,|;|/|&|\band\b|\+)\s*{_NUMBER})*)\W*",
    re.IGNORECASE,
)
_WITH_TITLE = re.compile(rf"\W*(?:{_LEAD}\s*:?\s*)?([1-9])\s*[.:)–-]\s*(.+?)\W*", re.IGNORECASE)
_MAX_CHARS = 20_000


def read_categories(taxonomy: ErrorTaxonomy, reply: str) -> frozenset[str] | None:
    """The categories that a judge's reply names.

    Numbers alone are read ('3', 'Category 3.', '1, 4' where several may apply), a number with the title it belongs to,
    or a title; of a longer reply its last line.

    Returns:
        Keys; None where the reply is no answer: other words, a number that no category has, several where one is asked
        for, or 'correct' next to an error.
    """
    text = without_reasoning(reply[-_MAX_CHARS:]).strip()
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    for candidate in dict.fromkeys([" ".join(text.split()), *lines[-1:]]):
        found = _categories(taxonomy, candidate)
        if found is not None:
            return found if valid(taxonomy, found) else None
    return None


def valid(taxonomy: ErrorTaxonomy, categories: frozenset[str]) -> bool:
    """Check whether these can be one judgement: something, one where only one may apply, 'correct' on its own."""
    if not categories or not categories <= set(taxonomy.keys):
        return False
    return len(categories) == 1 or (taxonomy.several and CORRECT not in categories)


def _categories(taxonomy: ErrorTaxonomy, text: str) -> frozenset[str] | None:
    if match := _CHOICE.fullmatch(text):
        numbers = [match[1], *re.findall(r"[1-9]", match[2] or "")]
        return frozenset(taxonomy.find(number) or number for number in numbers)
    if match := _WITH_TITLE.fullmatch(text):
        named = taxonomy.find(match[2])
        return frozenset((named,)) if named is not None and named == taxonomy.find(match[1]) else None
    named = None if text.strip().isdigit() else taxonomy.find(text)
    return None if named is None else frozenset((named,))


def judge_text(taxonomy: ErrorTaxonomy, item: Item, reasoning: str, reference: str | None) -> str:
    """Return the judge's text after the pictures: question, reasoning, right answer, reference, instructions.

    Args:
        taxonomy: the categories.
        item: that was asked.
        reasoning: of the model, with its answer.
        reference: a person's reasoning, its steps typed where the taxonomy types steps; or None.
    """
    whole = item.verbatim is not None and all(option in item.verbatim for option in item.options)
    question = item.verbatim if whole else "\n".join([item.question, *item.lettered_options])
    right = item.answer if whole or not item.options else f"{item.answer}. {item.answer_text}"
    parts = [
        f"Question:\n{question}",
        f"Reasoning process to be evaluated:\n<reasoning>\n{reasoning.strip()}\n</reasoning>",
        f"Correct answer: {right}",
    ]
    if reference is not None:
        parts.append(f"Human-annotated reference reasoning process:\n<reference>\n{reference.strip()}\n</reference>")
    return "\n\n".join([*parts, taxonomy.instructions(reference=reference is not None)])


def types_steps(taxonomy: ErrorTaxonomy) -> bool:
    """Check whether a reference reasoning is given to the judge with the type of each step."""
    return any(kind.step for kind in taxonomy.types)


_STEP_END = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[\"'(\[]*[A-Z0-9])|\s*\n+\s*")
_BULLET = re.compile(r"\A(?:step\s*)?\d{1,2}\s*[.):]\s*|\A[-*•]\s*", re.IGNORECASE)
_ONLY_NUMBER = re.compile(r"(?:step\s*)?\d{1,2}\s*[.):]?", re.IGNORECASE)


def steps_of(reasoning: str) -> tuple[str, ...]:
    """The steps of a free reasoning: its sentences and lines, without numbers or bullets before them."""
    pieces = (_BULLET.sub("", piece.strip()) for piece in _STEP_END.split(reasoning))
    return tuple(piece for piece in pieces if piece and not _ONLY_NUMBER.fullmatch(piece))


def typed_already(taxonomy: ErrorTaxonomy, reasoning: str) -> bool:
    """Check whether every step of a reasoning already names its type in brackets, as the paper's example does."""
    steps, names = steps_of(reasoning), [kind.step.casefold() for kind in taxonomy.types if kind.step]
    return bool(steps) and all(any(f"({name})" in step.casefold() for name in names) for step in steps)


def typing_text(taxonomy: ErrorTaxonomy, steps: Sequence[str]) -> str:
    """Return the instructions of a judge that types the steps of a reasoning. The words are Tolman's."""
    kinds = "\n".join(f"{i}. {kind.step}: {_STEP_MEANS[kind.key]}" for i, kind in enumerate(taxonomy.types, start=1))
    listed = "\n".join(f"Step {i}: {step}" for i, step in enumerate(steps, start=1))
    return (
        "Below are the steps of a person's reasoning about a spatial question. Each step is of one of these types:\n\n"
        f"{kinds}\n\n{listed}\n\n"
        f"Reply with {len(steps)} line{'s' if len(steps) > 1 else ''}, one for each step in order: the step's number, "
        "a colon, the number of its type. Nothing else."
    )


_STEP_MEANS = {
    "grounding": "it says what is in an image, and where in it.",
    "reconstruction": "it finds what several images share, or puts the place together from them.",
    "transformation": "it changes the point of view, or between relative directions and points of the compass.",
    "logic": "it draws a conclusion from relations that are already established.",
}
_STEP_LINE = re.compile(r"\W*(?:step\s*)?(\d{1,3})\s*[:=.)–-]+\s*(?:type\s*)?[*`(]*([1-9])\b.*", re.IGNORECASE)


def read_steps(taxonomy: ErrorTaxonomy, steps: Sequence[str], reply: str) -> str | None:
    """The reasoning in the paper's structured format: each step with its type in brackets.

    Returns:
        The text; None where the reply doesn't give each step one type.
    """
    found: dict[int, str] = {}
    for line in without_reasoning(reply[-_MAX_CHARS:]).splitlines():
        match = _STEP_LINE.fullmatch(line.strip())
        if match is None:
            continue
        number, kind = int(match[1]), int(match[2])
        if number in found or not 1 <= kind <= len(taxonomy.types):
            return None
        found[number] = taxonomy.types[kind - 1].step
    if set(found) != set(range(1, len(steps) + 1)):
        return None
    return " ".join(with_type(step, found[i]) for i, step in enumerate(steps, start=1))


def with_type(step: str, kind: str) -> str:
    """A step with its type in brackets before its full stop."""
    end = step[-1] if step[-1] in ".!?" else "."
    return f"{step.rstrip('.!?')} ({kind}){end}"


def _plain(name: str) -> str:
    words = re.sub(r"[^a-z0-9]+", " ", name.casefold()).split()
    return " ".join(word for word in words if word not in ("error", "errors", "reasoning")) or " ".join(words)
