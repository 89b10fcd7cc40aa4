"""Benchmark: what one folder of this package describes, and what other packages can add."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from tolman.benchmarks.published import PublishedRow, read_published
from tolman.items import MEDIA_MARK, Item, Media
from tolman.media.sampling import Frames
from tolman.messages import Message, Part, Sampling
from tolman.scoring.judged import EXTRACTION, Judging
from tolman.scoring.rules import RuleSet
from tolman.scoring.table import Table


@dataclass(frozen=True)
class Preset:
    """How the authors put the benchmark to one kind of model.

    Attributes:
        name: what `--preset` takes.
        source: where this is written.
        frames: which frames of a video are shown.
        sampling: how the model draws.
        texts: the parts of the prompt that differ between presets.
        rule_sets: which rule sets apply, the headline's first.
    """

    name: str
    source: str
    frames: Frames = Frames()
    sampling: Sampling = Sampling()
    texts: Mapping[str, str] = field(default_factory=dict)
    rule_sets: tuple[str, ...] = ("official", "careful")


@dataclass(frozen=True)
class HubSource:
    """Where the released data is on the Hugging Face hub.

    Attributes:
        repository: 'owner/name' of the data set.
        patterns: the files that hold questions.
        media: the archives that hold videos and images, fetched only when a run shows them.
        revision: the commit that is asked for; `--revision` asks for another. Whatever it resolves to is
            written into the run, with a hash over the questions.
    """

    repository: str
    patterns: tuple[str, ...]
    revision: str = "main"
    media: tuple[str, ...] = ()


@dataclass(frozen=True)
class OneShot:
    """Solved examples that a question is put behind.

    Attributes:
        load: data folder → question type → an item with its reasoning.
        task: item → the question type whose example it is put behind.
        prompt: (example, item, preset) → the message that the released code sends.
    """

    load: Callable[[Path], Mapping[str, Item]]
    task: Callable[[Item], str]
    prompt: Callable[[Item, Item, Preset], Message]


def media_first(item: Item, text: str) -> Message:
    """All media, then the text; or the media inside the text, where the item has marks for them."""
    if not item.interleaved:
        return Message(parts=(*item.media, text))
    return Message(parts=tuple(_fill_marks(text, item.media)))


def without_media(message: Message) -> Message:
    """The same turn with its media and their marks taken out."""
    return Message(
        role=message.role, parts=tuple(p.replace(MEDIA_MARK, "") for p in message.parts if isinstance(p, str))
    )


def _fill_marks(text: str, media: tuple[Media, ...]) -> list[Part]:
    parts: list[Part] = []
    pieces = text.split(MEDIA_MARK)
    for i, piece in enumerate(pieces):
        if piece.strip():
            parts.append(piece)
        if i < len(media) and i < len(pieces) - 1:
            parts.append(media[i])
    return parts


def plain_question(item: Item, preset: Preset, sees: bool) -> Message:
    """The media, the question and its options: the prompt of a benchmark that has none of its own."""
    message = media_first(item, "\n".join([item.verbatim or item.question, *item.lettered_options]))
    return message if sees else without_media(message)


def plain_demand(item: Item, preset: Preset) -> str:
    """One sentence that asks for the answer alone."""
    if item.kind == "choice":
        return "Answer with the option's letter only."
    return f"Answer with a single number{_UNIT_NAMES.get(item.unit or '', '')} only."


_UNIT_NAMES = {"m": " of metres", "cm": " of centimetres", "m2": " of square metres"}


@dataclass(frozen=True)
class Benchmark:
    """A named set of items with its prompts, rule sets, table and published rows.

    Attributes:
        name: what the command line takes.
        title: as its authors write it.
        paper: authors and year.
        licence: of the released data.
        subsets: name → what it is; the first is the default.
        load: (data folder, subset) → items.
        prompt: (item, preset) → the message that the released code sends.
        blind_prompt: the same without media, for a model that is not to see any.
        presets: the first is the default.
        rule_sets: by name.
        table: the paper's main table.
        published: a CSV file of the papers' rows, or None.
        hub: where the data is, or None.
        judging: how a model reads responses where the user names one (`--judge`).
        sizes: how many questions each subset has as released; a run on fewer is marked.
        question: (item, preset, whether the model sees) → the prompt without the sentence that asks for the answer
            alone, for protocols in which the model thinks first.
        demand: (item, preset) → that sentence.
        step_by_step: (item, preset, whether the model sees) → the released prompt that asks for steps and answer at
            once, or None where there is none.
        reorder: (item, order) → the item with its options in another order, or None where they can't be told apart.
        one_shot: solved examples, or None.
    """

    name: str
    title: str
    paper: str
    licence: str
    subsets: Mapping[str, str]
    load: Callable[[Path, str], list[Item]]
    prompt: Callable[[Item, Preset], Message]
    blind_prompt: Callable[[Item, Preset], Message]
    presets: tuple[Preset, ...]
    rule_sets: tuple[RuleSet, ...]
    table: Table
    published: Path | None = None
    hub: HubSource | None = None
    judging: Judging = EXTRACTION
    sizes: Mapping[str, int] = field(default_factory=dict)
    question: Callable[[Item, Preset, bool], Message] = plain_question
    demand: Callable[[Item, Preset], str] = plain_demand
    step_by_step: Callable[[Item, Preset, bool], Message] | None = None
    reorder: Callable[[Item, Sequence[int]], Item | None] = Item.reordered
    one_shot: OneShot | None = None

    @cached_property
    def published_rows(self) -> list[PublishedRow]:
        """The rows of the papers' tables."""
        if self.published is None:
            return []
        return read_published(self.published, [column.key for column in self.table.columns])

    def rule_set(self, name: str) -> RuleSet:
        """The rule set of that name."""
        return next(rules for rules in self.rule_sets if rules.name == name)
