"""BenchmarkSpec: the description of a benchmark, which other packages can add, with its frame budgets.

Some truths hold for some numbers of frames only, as ReVSI's do: a model isn't asked about things that it can't have
seen. Such a benchmark has a subset for each number. The requested number picks the subset, a named subset brings its
number, and other combinations are refused. So responses to 16 frames are never scored by the truths of 32.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from tolman.benchmarks.published import (
    CUTS_FILE as CUTS_FILE,
    PublishedCut,
    PublishedRow,
    read_published,
    read_published_cuts,
)
from tolman.errors import UsageError, hint
from tolman.items import MEDIA_MARK, Item, Media
from tolman.media.sampling import Frames
from tolman.messages import Message, Part, Sampling
from tolman.scoring.item_kind import kind_of
from tolman.scoring.judged import BY_ITSELF, EXTRACTION, NAME as JUDGED, Judging
from tolman.scoring.rule_sets import RuleSet, further_rule_sets, with_metric_of
from tolman.scoring.score_table import Table

Counts = tuple[int | None, ...]
"""Numbers of frames, the default first; None is all frames of a video."""


def subset_for(title: str, counts: Mapping[str, Counts], asked: int) -> str:
    """The subset whose truths hold for a number of frames.

    Args:
        title: the benchmark's.
        counts: subset → the numbers that its truths hold for.
        asked: the number.

    Raises:
        UsageError: there is none.
    """
    for subset, known in counts.items():
        if asked in known:
            return subset
    numbers = [count for known in counts.values() for count in known if count is not None]
    raise UsageError(
        f"{title} has truths for {_listed(numbers)} frames of a video and none for {asked}, with which other things "
        "are visible; choose one of these with --frames."
    )


def with_frames_of(preset: PromptPreset, benchmark: BenchmarkSpec, subset: str) -> PromptPreset:
    """The preset with the number of frames that the subset's truths hold for; as it is where they hold for any."""
    known = benchmark.frame_counts.get(subset)
    if known is None:
        return preset
    shown = {"count": known[0], "per_second": None, "cap": None, "whole": False}
    return replace(preset, frames=preset.frames.model_copy(update=shown))


def check_frames(benchmark: BenchmarkSpec, subset: str, frames: Frames) -> None:
    """Refuse frames for which a subset's truths don't hold.

    Raises:
        UsageError: saying for which they do.
    """
    known = benchmark.frame_counts.get(subset)
    if known is None or _fits(frames, known):
        return
    numbers = [count for count in known if count is not None]
    said = " or ".join(
        [*([f"{_listed(numbers)} frames"] if numbers else []), *(["all frames"] if None in known else [])]
    )
    other = any(frames.count in counts for counts in benchmark.frame_counts.values()) and not _is_otherwise(frames)
    how = "leave out --subset" if other else f"ask for --frames {numbers[0]}" if numbers else "show all frames"
    raise UsageError(
        f"the truths of {benchmark.title}'s subset '{subset}' hold for {said} of a video, and this run would show "
        f"{frames.describe()}; {how}."
    )


def _fits(frames: Frames, known: Counts) -> bool:
    if frames.whole:
        return None in known
    return not _is_otherwise(frames) and frames.count in known


def _is_otherwise(frames: Frames) -> bool:
    """Check whether something but the number decides how many frames are shown."""
    capped = frames.cap is not None and (frames.count is None or frames.cap < frames.count)
    return frames.whole or frames.per_second is not None or capped


def _listed(numbers: Sequence[int]) -> str:
    *first, last = map(str, sorted(numbers))
    return f"{', '.join(first)} or {last}" if first else last


OFFICIAL = "official"
"""The rule set that does what the authors' released code does."""


@dataclass(frozen=True)
class PromptPreset:
    """Settings under which the authors evaluate one kind of model.

    Attributes:
        name: its name for `--preset`.
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
    """The place of the released data on the Hugging Face hub.

    Attributes:
        repository: 'owner/name' of the data set.
        patterns: the files that hold questions; 'A|B|C' are other names of the same, and the first that is there is
            fetched.
        media: the archives that hold videos and images, fetched only when a run shows them; or the files themselves;
            only those that questions name are fetched.
        revision: the commit that is asked for; `--revision` asks for another. The resolved commit is written into the
            run, with a hash over the questions.
        questions_of: of a subset that needs fewer, the patterns of its questions.
        media_of: of a subset that needs fewer, the patterns of its media.
    """

    repository: str
    patterns: tuple[str, ...]
    revision: str = "main"
    media: tuple[str, ...] = ()
    questions_of: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    media_of: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class OneShot:
    """Solved examples that a question is put behind.

    Attributes:
        load: (data folder, seed) → question type → an item with its reasoning; empty where there is none.
        task: item → the question type whose example it is put behind.
        prompt: (example, item, preset) → the message that the released code sends.
        holds_out_scenes: whether no question of a scene is asked that an example is of.
    """

    load: Callable[[Path, int], Mapping[str, Item]]
    task: Callable[[Item], str]
    prompt: Callable[[Item, Item, PromptPreset], Message]
    holds_out_scenes: bool = False


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


def plain_question(item: Item, preset: PromptPreset, sees: bool) -> Message:
    """The media, the question and its options: the prompt of a benchmark that has none of its own."""
    message = media_first(item, "\n".join([item.verbatim or item.question, *item.lettered_options]))
    return message if sees else without_media(message)


def plain_demand(item: Item, preset: PromptPreset) -> str:
    """One sentence that asks for the answer alone."""
    return kind_of(item).demand(item)


def no_system(item: Item, preset: PromptPreset, sees: bool, demands: bool) -> str:
    """No system text."""
    return ""


def as_it_is(item: Item, text: str) -> str:
    """A response that is the answer alone."""
    return text


@dataclass(frozen=True)
class BenchmarkSpec:
    """A named set of items with its prompts, rule sets, table and published rows.

    Attributes:
        name: its name on the command line.
        title: as its authors write it.
        paper: authors and year; of a folder where its questions come from, as benchmark.json says.
        licence: of the released data.
        subsets: name → its description; the first is the default.
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
        subset_ids: of subsets that are named questions of the default one, the function that gives their ids.
        frame_counts: of a subset whose truths hold for some numbers of frames only, those numbers, the default first;
            None is all frames.
        question: (item, preset, whether the model sees) → the prompt without the sentence that asks for the answer
            alone, for protocols in which the model thinks first.
        demand: (item, preset) → that sentence.
        step_by_step: (item, preset, whether the model sees) → the released prompt that asks for steps and answer at
            once, or None where there is none.
        reorder: (item, order) → the item with its options in another order, or None where they can't be separated.
        one_shot: solved examples, or None.
        needs_positive_truths: whether the metric for numbers is meaningless for a true value of 0 or below, so that
            such items are refused when they are loaded.
        system: (item, preset, whether the model sees, whether the answer's form is asked for) → the text of the system
            message before the prompt; '' where there is none.
        written: (item, answer) → a response that gives it in the form that the released parser looks for; baselines
            answer so.
        sources: where its facts were read, with revisions; '' where its module says it.
        scored_like: of a folder with a scoring profile, the title of the benchmark that it names: that one lends its
            prompts, parsers and table, and has no part in the questions.

    Raises:
        UsageError: a preset names a rule set that there isn't, or two rule sets have one name.
    """

    name: str
    title: str
    paper: str
    licence: str
    subsets: Mapping[str, str]
    load: Callable[[Path, str], Sequence[Item]]
    prompt: Callable[[Item, PromptPreset], Message]
    blind_prompt: Callable[[Item, PromptPreset], Message]
    presets: tuple[PromptPreset, ...]
    rule_sets: tuple[RuleSet, ...]
    table: Table
    published: Path | None = None
    hub: HubSource | None = None
    judging: Judging = EXTRACTION
    sizes: Mapping[str, int] = field(default_factory=dict)
    subset_ids: Mapping[str, Callable[[], Collection[str]]] = field(default_factory=dict)
    frame_counts: Mapping[str, Counts] = field(default_factory=dict)
    question: Callable[[Item, PromptPreset, bool], Message] = plain_question
    demand: Callable[[Item, PromptPreset], str] = plain_demand
    step_by_step: Callable[[Item, PromptPreset, bool], Message] | None = None
    reorder: Callable[[Item, Sequence[int]], Item | None] = Item.reordered
    one_shot: OneShot | None = None
    needs_positive_truths: bool = False
    system: Callable[[Item, PromptPreset, bool, bool], str] = no_system
    written: Callable[[Item, str], str] = as_it_is
    sources: str = ""
    scored_like: str = ""

    def __post_init__(self) -> None:
        own = [rules.name for rules in self.rule_sets]
        if len(set(own)) < len(own):
            raise UsageError(f"{self.title} has the scorers {', '.join(own)}; give it one of each name.")
        for preset in self.presets if own else ():  # what has no rule sets is asked and never scored
            for name in preset.rule_sets:
                if name not in own:
                    raise UsageError(
                        f"the prompt preset '{preset.name}' of {self.title} has the scorer '{name}', which there "
                        f"isn't; {hint(name, own)}."
                    )
        if OFFICIAL in own:
            object.__setattr__(self, "rule_sets", tuple(map(self._with_metric, self.rule_sets)))

    def whole_prompt(self, item: Item, preset: PromptPreset, sees: bool = True) -> Message:
        """The released prompt with the system text at its head, for programs that take one message."""
        message = (self.prompt if sees else self.blind_prompt)(item, preset)
        system = self.system(item, preset, sees, True)
        texts = [i for i, part in enumerate(message.parts) if isinstance(part, str)]
        if not system or not texts:
            return message
        parts = list(message.parts)
        parts[texts[0]] = f"{system}\n\n{parts[texts[0]]}"
        return message.model_copy(update={"parts": tuple(parts)})

    @cached_property
    def published_rows(self) -> list[PublishedRow]:
        """The rows of the papers' tables."""
        if self.published is None:
            return []
        return read_published(self.published, [column.key for column in self.table.columns])

    @cached_property
    def published_cuts(self) -> list[PublishedCut]:
        """Return the papers' figures for parts of the questions: `published_cuts.csv` next to the file of published
        rows."""
        path = None if self.published is None else self.published.with_name(CUTS_FILE)
        if path is None or not path.exists():
            return []
        return read_published_cuts(path, [column.key for column in self.table.columns])

    def rule_sets_of(self, preset: str) -> list[RuleSet]:
        """The rule sets of a preset, the headline's first; those of the first preset where it is unknown."""
        chosen = next((p for p in self.presets if p.name == preset), self.presets[0])
        return [self.rule_set(name) for name in chosen.rule_sets]

    def rule_set(self, name: str) -> RuleSet:
        """The rule set of that name.

        Raises:
            UsageError: there is none.
        """
        for rules in self.rule_sets:
            if rules.name == name:
                return rules
        further = self.further_rule_sets()
        for rules in further:
            if rules.name == name:
                return rules
        known = [rules.name for rules in (*self.rule_sets, *further)]
        raise UsageError(f"{self.title} has no scorer '{name}'; {hint(name, known)}.")

    def further_rule_sets(self) -> list[RuleSet]:
        """The rule sets of plugins that apply to the benchmark, but for names that it has itself; with the metric of
        `official` where they state none."""
        own = [rules.name for rules in self.rule_sets]
        return [self._with_metric(rules) for rules in further_rule_sets(self.name) if rules.name not in own]

    def _with_metric(self, rules: RuleSet) -> RuleSet:
        """A rule set with the metric of `official` where it states none."""
        official = next((one for one in self.rule_sets if one.name == OFFICIAL), None)
        return rules if rules.metric_stated or official is None else with_metric_of(rules, official)

    @property
    def credits(self) -> str:
        """Return the source of the questions, a folder's scoring profile, and the licence."""
        origin = f"{self.paper}." if self.paper else "Where the questions come from is not written in benchmark.json."
        lent = f" Prompts, parsers and table as of {self.scored_like}." if self.scored_like else ""
        return f"{origin}{lent} Data: {self.licence or 'no licence named'}."

    @property
    def headline_rules(self) -> RuleSet:
        """The rule set of the headline: `official`, or else the first of the first preset."""
        names = [rules.name for rules in self.rule_sets]
        return self.rule_set(OFFICIAL if OFFICIAL in names else self.presets[0].rule_sets[0])

    def table_of(self, rules: str) -> Table:
        """The table as a rule set forms its figures: with weights renormalised over the parts that have items, or with
        such parts as the released code has them.

        Args:
            rules: the name of a rule set, or 'judged'.
        """
        name = self.judging.base if rules == JUDGED else rules
        return self._renormalised if self.rule_set(name).renormalises else self.table

    @cached_property
    def _renormalised(self) -> Table:
        return self.table.renormalised()

    def asks_judge(self, rules: str) -> bool:
        """Check whether the released code asks a model about responses that a rule set can't read."""
        return bool(self.judging.model) and rules == self.judging.base


def read_by_itself(benchmark: BenchmarkSpec) -> BenchmarkSpec:
    """Return the benchmark with the run's own model as the judge of responses that the careful parser can't read.

    Raises:
        UsageError: the benchmark's metric is the mark of a judge that sees the right answers.
    """
    if benchmark.judging.score is not None:
        raise UsageError(
            f"{benchmark.title} is scored by the marks of a judge that sees the right answers, and no model marks "
            "itself; name another one with --judge."
        )
    return replace(benchmark, judging=BY_ITSELF)
