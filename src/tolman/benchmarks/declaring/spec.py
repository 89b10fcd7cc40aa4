"""A benchmark's data file as a BenchmarkSpec."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from tolman.benchmarks.base import BenchmarkSpec, HubSource, PromptPreset
from tolman.benchmarks.declaring.groups import check_keys
from tolman.benchmarks.declaring.judges import judging_of
from tolman.benchmarks.declaring.load import load_items
from tolman.benchmarks.declaring.prompts import Prompts
from tolman.benchmarks.declaring.schema import Declaration, Prompt
from tolman.benchmarks.declaring.scorers import rule_sets_of
from tolman.benchmarks.declaring.table import table_of
from tolman.benchmarks.declaring.templates import placeholders
from tolman.errors import InputError, UsageError
from tolman.names import hint

_PLACES = ("media", "question", "options", "released", "letters", "demand", "prefix", "suffix")


def spec_of(declared: Declaration, path: Path) -> BenchmarkSpec:
    """The benchmark of a data file.

    Args:
        declared: what the file holds.
        path: the file. Published rows are read from the CSV file of its name beside it, where there is one.

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
