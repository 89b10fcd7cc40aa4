"""A benchmark's data file as a BenchmarkSpec: its prompts, rule sets, judges and table.

Prompts are templates filled with the parts of a question. A rule set is a reader and a metric by their names. A
scorer's judge has a condition for its calls, a prompt, and a way to read its replies.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from tolman.benchmarks.declaring.data_file import (
    ColumnOfTable,
    Declaration,
    Prompt,
    Scorer,
    ScorerJudge,
    fill,
    placeholders,
)
from tolman.benchmarks.declaring.declared_items import check_keys, group_of, load_items
from tolman.benchmarks.spec import BenchmarkSpec, HubSource, PromptPreset, media_first, plain_demand, without_media
from tolman.errors import InputError, UsageError, hint, unknown
from tolman.items import Item, kind_named
from tolman.kinds import names as kind_names
from tolman.messages import Message, Part
from tolman.scoring.answer_values import ParsedAnswer, accepted, nothing
from tolman.scoring.judged import EXTRACTION, Judging, read_reply
from tolman.scoring.metrics import metric_named
from tolman.scoring.readers import reader_named
from tolman.scoring.rule_sets import RuleSet, careful, kind_and_answer, read_by_kind, score_exactly
from tolman.scoring.score_table import Column, Mean, Node, Table, pool

_PLACES = ("media", "question", "options", "released", "letters", "demand", "prefix", "suffix")


def spec_of(declared: Declaration, path: Path) -> BenchmarkSpec:
    """Build the benchmark of a data file.

    Args:
        declared: the file's content.
        path: the file. Published rows are read from the CSV file of its name in the same folder, where there is one.

    Raises:
        InputError: it names a reader, a metric, a scorer, a column or a label that there is not.
    """
    try:
        _check_placeholders(declared)
        check_keys(declared)
        rule_sets = rule_sets_of(declared)
        names = tuple(rules.name for rules in rule_sets)
        prompts = Prompts(declared)
        published = path.with_suffix(".csv")
        return BenchmarkSpec(
            name=declared.name,
            title=declared.title,
            paper=declared.paper,
            licence=declared.licence,
            subsets={name: subset.about for name, subset in declared.subsets.items()},
            load=partial(load_items, declared),
            prompt=prompts.prompt,
            blind_prompt=prompts.blind,
            presets=tuple(_preset(name, prompt, names) for name, prompt in declared.prompts.items()),
            rule_sets=rule_sets,
            table=table_of(declared),
            published=published if published.is_file() else None,
            hub=_hub(declared),
            sizes={name: subset.size for name, subset in declared.subsets.items() if subset.size is not None},
            frame_counts={
                name: tuple(None if count == "all" else count for count in subset.frames)
                for name, subset in declared.subsets.items()
                if subset.frames
            },
            question=prompts.question,
            demand=prompts.demand,
            reorder=prompts.reorder,
            system=prompts.system,
            written=prompts.written,
            judging=judging_of(declared),
            sources=declared.read,
        )
    except UsageError as error:
        raise InputError(path, str(error).removesuffix(".")) from None


def _preset(name: str, prompt: Prompt, rule_sets: tuple[str, ...]) -> PromptPreset:
    texts = {"text": prompt.text} | ({"system": prompt.system} if prompt.system else {})
    return PromptPreset(name, prompt.source, prompt.frames, prompt.sampling, texts, prompt.scorers or rule_sets)


def _hub(declared: Declaration) -> HubSource | None:
    hub = declared.hub
    if hub is None:
        return None
    for name in (*hub.questions_of, *hub.media_of):
        if name not in declared.subsets:
            raise UsageError(f"[hub] names the subset '{name}'; {hint(name, list(declared.subsets))}.")
    own = {name: ("|".join(subset.files),) for name, subset in declared.subsets.items() if subset.files}
    questions = ({} if hub.files else own) | hub.questions_of
    files = hub.files or declared.files
    return HubSource(hub.repository, files, hub.revision, hub.media, questions, hub.media_of)


def _check_placeholders(declared: Declaration) -> None:
    known = [*_PLACES, *declared.labels]
    for name, prompt in declared.prompts.items():
        texts: list[Any] = [
            prompt.text,
            prompt.question,
            prompt.system,
            prompt.blind_system,
            *prompt.demand.values(),
            *prompt.prefix.values(),
        ]
        for place in (place for text in [*texts, *prompt.suffix.values()] for place in placeholders(text)):
            if place not in known:
                raise UsageError(f"the prompt '{name}' has the placeholder {{{place}}}; {hint(place, known)}.")


MEDIA_PLACE = "{media}"
"""Where in a template all media stand."""


@dataclass(frozen=True)
class Prompts:
    """The prompts of a benchmark, by the names of its presets.

    Attributes:
        declared: the benchmark.
    """

    declared: Declaration

    def prompt(self, item: Item, preset: PromptPreset) -> Message:
        """Return the message that the released code sends."""
        prompt = self._of(preset)
        return self._message(item, prompt, prompt.text)

    def blind(self, item: Item, preset: PromptPreset) -> Message:
        """The same without media."""
        return without_media(self.prompt(item, preset))

    def question(self, item: Item, preset: PromptPreset, sees: bool) -> Message:
        """The prompt without the sentence that asks for the answer alone."""
        prompt = self._of(preset)
        message = self._message(item, prompt, prompt.question)
        return message if sees else without_media(message)

    def demand(self, item: Item, preset: PromptPreset) -> str:
        """The sentence that asks for the answer alone; that of the item's kind where the file has none."""
        said = of_item(self._of(preset).demand, item)
        return self._filled(item, self._of(preset), said).strip() if said else plain_demand(item, preset)

    def system(self, item: Item, preset: PromptPreset, sees: bool, demands: bool) -> str:
        """The text of the system message."""
        prompt = self._of(preset)
        text = prompt.system if sees else prompt.blind_system or prompt.system
        return self._filled(item, prompt if demands else prompt.model_copy(update={"demand": {}}), text)

    def written(self, item: Item, text: str) -> str:
        """A response in the form that the released parser looks for."""
        return fill(self.declared.answer.written, {"answer": text})

    def reorder(self, item: Item, order: Sequence[int]) -> Item | None:
        """Return the question with its options in another order; None where the form of the released text can't be
        rewritten."""
        turned = item.reordered(order)
        if item.verbatim is None:
            return turned
        before = _lettered(item)
        for form in _INLINE:
            old = form(before)
            if item.verbatim.count(old) == 1:
                return turned.model_copy(update={"verbatim": item.verbatim.replace(old, form(_lettered(turned)))})
        return None

    def _of(self, preset: PromptPreset) -> Prompt:
        found = self.declared.prompts.get(preset.name)
        return found if found is not None else next(iter(self.declared.prompts.values()))

    def _message(self, item: Item, prompt: Prompt, template: str) -> Message:
        if MEDIA_PLACE in template:
            before, _, behind = template.partition(MEDIA_PLACE)
            parts: list[Part] = [self._filled(item, prompt, before), *item.media, self._filled(item, prompt, behind)]
            return Message(parts=tuple(part for part in parts if part))
        text = self._filled(item, prompt, template)
        if prompt.media == "interleaved":
            return media_first(item, text)
        return Message(parts=(*item.media, text) if prompt.media == "before" else (text, *item.media))

    def _filled(self, item: Item, prompt: Prompt, template: str) -> str:
        options = prompt.between.join(
            fill(prompt.option, {"letter": letter, "text": text})
            for letter, text in zip(item.letters, item.options, strict=True)
        )
        values = {
            **dict.fromkeys(self.declared.labels, ""),
            **item.labels,
            "question": item.question,
            "options": options,
            "released": item.verbatim if item.verbatim is not None else item.question,
            "letters": ", ".join(item.letters),
        }
        for name in ("prefix", "suffix", "demand"):
            values[name] = fill(of_item(getattr(prompt, name), item), values)
        return fill(template, values)


def of_item(table: Mapping[str, str], item: Item) -> str:
    """Return a table's entry for an item: that of its question type, else of its item kind, else of all."""
    return table.get(item.task, table.get(item.kind, table.get("*", "")))


def _lettered(item: Item) -> list[tuple[str, str]]:
    return list(zip(item.letters, item.options, strict=True))


_INLINE: tuple[Callable[[list[tuple[str, str]]], str], ...] = tuple(
    lambda options, label=label, between=between: between.join(label.format(*one) for one in options)  # type: ignore[misc]
    for label in ("{}. {}", "({}) {}", "{}) {}", "{}: {}")
    for between in (" ", "\n", ", ", "; ")
)
"""How released texts write options inside a question."""


CAREFUL = "careful"


def rule_sets_of(declared: Declaration) -> tuple[RuleSet, ...]:
    """The rule sets in the file's order, and behind them `careful` where it isn't among them.

    Raises:
        UsageError: a reader or metric that there is not, or a metric that is no mean of values from 0 to 1.
    """
    found = [_rule_set(name, scorer) for name, scorer in declared.scorers.items()]
    if CAREFUL not in declared.scorers:
        found.append(careful(score=score_exactly if not declared.scorers else None))
    return tuple(found)


def _rule_set(name: str, scorer: Scorer) -> RuleSet:
    readers = {task: read_by_kind if reader == CAREFUL else reader_named(reader).read
               for task, reader in scorer.reader.items()}  # fmt: skip
    counting = {task: reader_named(reader).counts for task, reader in scorer.reader.items() if reader != CAREFUL}
    metrics = {task: _metric(name, metric) for task, metric in scorer.metric.items()}

    def read(item: Item, text: str, seed: int = 0) -> ParsedAnswer:
        chosen = _of(readers, scorer.reader, item)
        return chosen(item, text, seed) if chosen is not None else read_by_kind(item, text, seed)

    def counts(item: Item, text: str) -> bool:
        chosen = _of(counting, scorer.reader, item)
        return chosen is None or bool(chosen(item, text))

    def score(item: Item, reading: ParsedAnswer) -> float:
        metric = _of(metrics, scorer.metric, item)
        return score_exactly(item, reading) if metric is None else metric.value(item, reading) or 0.0

    by_kind = set(kind_names()) | {"*"}
    is_alike = set(scorer.reader) | set(scorer.metric) <= by_kind
    rules = RuleSet(
        name,
        read,
        score if metrics else score_exactly,
        counts=counts,
        undefined=_undefined(scorer, metrics) if metrics else lambda item: None,
        renormalises=name == CAREFUL,
        alike=kind_and_answer if is_alike else None,
    )
    return rules if scorer.groups is None else replace(rules, group=group_of(scorer.groups))


def _of(things: Mapping[str, Any], names: Mapping[str, str], item: Item) -> Any:
    """The thing of an item; None where none is named for its question type, its kind or all."""
    for key in (item.task, item.kind, "*"):
        if key in names:
            return things.get(key)
    return None


def _metric(scorer: str, name: str) -> Any:
    metric = metric_named(name)
    if not metric.is_linear or metric.range != (0.0, 1.0) or metric.direction != "higher":
        raise UsageError(
            f"the scorer '{scorer}' can't score by the metric '{name}': it takes a mean of values from 0 to 1, of "
            "which higher is better. Name others in the table's columns."
        )
    return metric


def _undefined(scorer: Scorer, metrics: Mapping[str, Any]) -> Any:
    def undefined(item: Item) -> str | None:
        metric = _of(metrics, scorer.metric, item)
        if metric is None or metric.applies(item):
            return None
        return f"the metric '{metric.name}' is not for a {kind_named(item.kind).title} question"

    return undefined


PLACES = ("question", "options", "response")
"""Placeholders of a judge's prompt."""
PLACES_OF_MARKS = (*PLACES, "answer", "extra_answers")
"""Those of a judge that gives marks and is shown the right answers."""


def judging_of(declared: Declaration) -> Judging:
    """When and how a model reads responses: as the scorer with a judge says, else in Tolman's own words.

    Raises:
        UsageError: two scorers have a judge, or a prompt has a placeholder that there isn't.
    """
    found = [(name, scorer.judge) for name, scorer in declared.scorers.items() if scorer.judge is not None]
    if not found:
        return EXTRACTION
    if len(found) > 1:
        names = " and ".join(f"'{name}'" for name, _ in found)
        raise UsageError(f"the scorers {names} have a judge each; leave one, as a run has one scorer 'judged'.")
    ((scorer, judge),) = found
    places = PLACES if judge.marks is None else PLACES_OF_MARKS
    for place in (*placeholders(judge.prompt), *placeholders(judge.several)):
        if place not in places:
            raise UsageError(f"the judge's prompt has the placeholder {{{place}}}; {hint(place, places)}.")
    is_asked_all = judge.asks == "all"
    asked = "all responses" if is_asked_all else f"where '{scorer}' reads nothing"
    return Judging(
        source=f"{judge.source}: {asked}; the released code asks {judge.model}",
        base=scorer,
        asks=lambda item, text, own: is_asked_all or own.value is None,
        prompt=partial(_prompt, judge),
        model=judge.model,
        read=_reader_of(judge),
        score=None if judge.marks is None else partial(_share_of_marks, *judge.marks),
        sampling=judge.sampling,
    )


def _reader_of(judge: ScorerJudge) -> Callable[[Item, str], ParsedAnswer | None]:
    if judge.reply is None:
        return read_reply
    form = re.compile(judge.reply)
    return partial(_read, form) if judge.marks is None else partial(_read_mark, form)


def _prompt(judge: ScorerJudge, item: Item, text: str) -> str:
    lettered = zip(item.letters, item.options, strict=True)
    options = judge.between.join(fill(judge.option, {"letter": letter, "text": one}) for letter, one in lettered)
    part = re.match(judge.shown, text) if judge.shown is not None else None
    values = {"question": item.question, "options": options, "response": text if part is None else part[1]}
    template = judge.prompt
    if judge.marks is not None:
        first, *others = accepted(item.answer)
        values |= {"answer": first, "extra_answers": repr(others)}
        template = judge.several if judge.several and others else judge.prompt
    return fill(template, values)


def _read(form: re.Pattern[str], item: Item, reply: str) -> ParsedAnswer:
    found = form.fullmatch(reply)
    if found is None or not found[1]:
        return nothing("the judge's reply is not in the form of an answer")
    return ParsedAnswer(found[1], span=found.span(1), rule="judge")


def _read_mark(form: re.Pattern[str], item: Item, reply: str) -> ParsedAnswer | None:
    found = form.fullmatch(reply)
    return None if found is None else ParsedAnswer(found[1], span=found.span(1), rule="judge")


def _share_of_marks(lowest: int, highest: int, item: Item, reading: ParsedAnswer) -> float:
    """A mark as a score from 0 to 1; 0 for an empty response, which has none."""
    if reading.value is None:
        return 0.0
    return (min(max(int(reading.value), lowest), highest) - lowest) / (highest - lowest)


def table_of(declared: Declaration) -> Table:
    """Build the columns in the file's order.

    Raises:
        UsageError: a mean of a column that there is not or of itself, or a metric that there is not.
    """
    columns = {column.key: column for column in declared.table.columns}
    return Table(
        tuple(
            Column(one.key, one.title, _node(one, columns, ()), digits=one.digits, group=one.group)
            for one in declared.table.columns
        ),
        headline=declared.table.headline,
    )


def _node(column: ColumnOfTable, columns: dict[str, ColumnOfTable], above: tuple[str, ...]) -> Node:
    if not column.mean_of:
        return pool(*column.tasks, metric=column.metric)
    if column.key in above:
        raise UsageError(f"the column '{column.key}' is a mean of itself; take it out of its mean_of.")
    for key in column.mean_of:
        if key not in columns:
            raise unknown("column", key, columns)
    parts = tuple(_node(columns[key], columns, (*above, column.key)) for key in column.mean_of)
    return Mean(parts, column.weights or None)
