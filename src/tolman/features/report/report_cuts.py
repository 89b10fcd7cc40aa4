"""Tables by labels and under other benchmarks' taxonomies, for runs that are reported together.

Tiers of difficulty from people's answering times become a label of the questions (MMSI-Bench paper, Appendix F.6).
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from tolman import benchmarks
from tolman.analyze.humans import difficulty
from tolman.analyze.labels import Cut, cut, label_frame
from tolman.analyze.taxonomies import (
    FAMILY,
    PLACE_LABELS,
    TAXONOMIES,
    PaperTaxonomy,
    PlaceFile,
    known_classes,
    reclassify,
    taxonomy_named,
    with_places,
)
from tolman.benchmarks.spec import BenchmarkSpec
from tolman.errors import InputError, UsageError, counted, hint, unknown
from tolman.features.report.config import CutSettings
from tolman.items import Item
from tolman.media.sampling import Frames
from tolman.reports.cuts import MOST_ACROSS, CutRun, table_by
from tolman.reports.loaded_runs import LoadedRun, is_without_headline, quoted, scores_under, timed_answers
from tolman.reports.report_content import competing, part_of
from tolman.reports.table_rows import ReportRow, ReportTable
from tolman.runs.run_folder import PEOPLE
from tolman.runs.run_scoring import frames_shown

ALL_SCORERS = "all"


@dataclass
class _Loaded:
    """A run with the data that its tables need."""

    run: LoadedRun
    items: list[Item]
    scores: pl.DataFrame
    shown: Frames | None
    placed: list[Item] | None = None


def cut_tables(
    runs: Sequence[LoadedRun],
    benchmark: BenchmarkSpec,
    settings: CutSettings,
    beside: Sequence[ReportRow] = (),
    items_of: Callable[[LoadedRun], list[Item]] | None = None,
) -> list[ReportTable]:
    """Make the tables.

    Args:
        runs: of one benchmark and data.
        benchmark: theirs.
        settings: which tables; at least one.
        beside: published rows of the benchmark's own table.
        items_of: run → its questions, where they are in memory; if None, they are read.

    Returns:
        For each scorer the tables by labels, then those of taxonomies, in the order asked for.

    Raises:
        UsageError: an unknown label, taxonomy, column, layout or scorer.
        InputError: the scores of a run, or the file of places, can't be read.
    """

    places = None if settings.places is None else read_places(settings.places)
    loaded = [
        _Loaded(run, items_of(run) if items_of else run.folder.items(), run.folder.scores(), frames_shown(run.record))
        for run in runs
    ]
    if any(LABEL in labels.split(",") for labels in settings.by):
        tiers = time_tiers(runs)
        for one in loaded:
            one.items = labelled(one.items, tiers)
    made: list[ReportTable] = []
    for rules in _scorers(runs, settings.scorer):
        own = [one for one in loaded if rules in one.run.figures["rule_sets"]]
        made += [_by_labels(own, benchmark, rules, labels, settings, places, beside) for labels in settings.by]
        for name in settings.taxonomy:
            made += _under_taxonomy(own, benchmark, rules, name, settings, places)
    return made


def read_places(path: Path) -> PlaceFile:
    """Read a file of places in taxonomies.

    ```toml
    by = "task"                              # the label whose values have places; question types if left out
    [places."counting & existence"]
    vsi-bench = "object_counting"            # a taxonomy; scale, factor, information, change; family
    scale = "vista"
    ```

    Raises:
        InputError: it is none; the sentence names the field.
    """

    try:
        told = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InputError(path, f"can't be read ({error.strerror})") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(path, f"is no TOML ({error})") from None
    strange = next((name for name in told if name not in ("by", "places")), None)
    if strange is not None:
        raise InputError(path, "is no field of a file of places", field=strange, fix=hint(strange, ["by", "places"]))
    by, given = told.get("by", "task"), told.get("places")
    if not isinstance(by, str) or not isinstance(given, dict) or not given:
        raise InputError(path, "needs a table for each value", field="places", fix='write [places."VALUE"]')
    names = {
        **{one.benchmark: one.label for one in TAXONOMIES.values()},
        **{name: name for name in (*PLACE_LABELS, FAMILY)},
    }
    found: dict[str, dict[str, str]] = {}
    for value, classes in given.items():
        if not isinstance(classes, dict):
            raise InputError(path, "is no table", field=f"places.{value}", fix='write [places."VALUE"]')
        for name, text in classes.items():
            where = f"places.{value}.{name}"
            if name not in names:
                raise InputError(path, "is no taxonomy", field=where, fix=hint(name, sorted(names)))
            known = known_classes(names[name])
            if text not in known:
                raise InputError(path, f"{text!r} is no class of {name}", field=where, fix=hint(str(text), known))
            found.setdefault(value, {})[names[name]] = text
    return PlaceFile(by, found)


def _scorers(runs: Sequence[LoadedRun], asked: str | None) -> list[str]:
    names = list(dict.fromkeys(name for run in runs for name in run.figures["rule_sets"]))
    if asked is not None and asked not in (*names, ALL_SCORERS):
        raise unknown("scorer", asked, [*names, ALL_SCORERS])
    wanted = names if asked == ALL_SCORERS else [asked or quoted(runs[0])]
    own = {name: [run for run in runs if name in run.figures["rule_sets"]] for name in wanted}
    found = [name for name in wanted if not any(is_without_headline(run, name) for run in own[name])]
    if not found:
        raise UsageError(f"only a judge can score most of these answers, so {wanted[0]} has no table; see --judge.")
    return found


def _by_labels(
    loaded: Sequence[_Loaded],
    benchmark: BenchmarkSpec,
    rules: str,
    labels: str,
    settings: CutSettings,
    places: PlaceFile | None,
    beside: Sequence[ReportRow],
) -> ReportTable:
    by = tuple(name.strip() for name in labels.split(",") if name.strip())
    if not by:
        raise UsageError("--by takes one label or several with commas between them, and got none.")
    table = benchmark.table_of(rules)
    figure = table.column(settings.figure or table.headline).key
    made: dict[tuple[int, Frames | None], pl.DataFrame] = {}
    for one in loaded:  # runs may share their questions
        own = _labelled(one, by, places)
        if (id(own), one.shown) not in made:
            made[id(own), one.shown] = label_frame(own, by, one.shown)
    frames = [made[id(_labelled(one, by, places)), one.shown] for one in loaded]
    values = {value for frame in frames for value in frame[by[-1]].unique()}
    layout = settings.layout or ("across" if len(values) <= MOST_ACROSS else "down")
    only = (figure,) if layout == "across" else None
    cuts = [
        _cut_run(
            one,
            loaded,
            benchmark,
            rules,
            cut(_rows(one, rules), frame, by, table, columns=only, measured=(LABEL,), asks=benchmark.asks_judge(rules)),
        )
        for one, frame in zip(loaded, frames, strict=True)
    ]
    return table_by(
        cuts,
        table,
        figure=figure,
        layout=layout,
        published=benchmark.published_cuts if settings.published else (),
        beside=beside,
    )


def _under_taxonomy(
    loaded: Sequence[_Loaded],
    benchmark: BenchmarkSpec,
    rules: str,
    name: str,
    settings: CutSettings,
    places: PlaceFile | None,
) -> list[ReportTable]:
    meant = taxonomy_named(name)
    title = benchmarks.named(name).title
    for one in loaded:
        _labelled(one, (meant.label,), places)
    made = []
    unplaced: dict[str, None] = {}
    is_placed = False
    for by in ((), *meant.beside):
        cuts, notes = [], dict[str, None]()
        for one in loaded:
            placed = one.placed or []
            found = reclassify(_rows(one, rules), placed, name)
            is_placed |= len(found.scores) > 0
            if by and not all(any(item.labels.get(label) for item in placed) for label in by):
                continue
            cuts.append(
                _cut_run(
                    one,
                    loaded,
                    benchmark,
                    rules,
                    cut(found.scores, label_frame(placed, by), by, found.table, asks=benchmark.asks_judge(rules)),
                )
            )
            if found.unplaced:
                count, parts = sum(found.unplaced.values()), ", ".join(f"{t} {n:,}" for t, n in found.unplaced.items())
                lost = counted(count, "question has no place in it and is", "questions have no place in it and are")
                notes[f"{one.run.name}: {lost} in no figure: {parts}."] = None
                unplaced |= dict.fromkeys(found.unplaced)
            table = found.table
        if not is_placed:
            how = _how_to_place(meant, unplaced)
            return [ReportTable(f"Taxonomy of {title}", (), "", [], benchmark=name, notes=[how])]
        if not cuts:
            continue
        if unplaced and not by:
            notes[_how_to_place(meant, unplaced)] = None
        layout = (settings.layout or "") if by else ""
        shown = table_by(cuts, table, head=f"Taxonomy of {title}", layout=layout, benchmark=name)
        kept = f"A question's class is that of {title}; its score is the one that it has in the table above."
        shown.notes = [*notes, kept, *shown.notes] if not by else [*notes, *shown.notes]
        made.append(shown)
    return made


def _how_to_place(meant: PaperTaxonomy, unplaced: Iterable[str]) -> str:
    """How a user gives questions a place."""

    first, classes = next(iter(unplaced), "QUESTION TYPE"), known_classes(meant.label)
    return (
        f"Nothing names the class of these questions in the taxonomy {meant.benchmark}. Give it with --places FILE, a "
        f'line for each question type: places."{first}".{meant.benchmark} = "{classes[0]}". Classes: '
        f"{', '.join(classes)}."
    )


def _rows(one: _Loaded, rules: str) -> pl.DataFrame:
    return one.scores.filter(pl.col("rule_set") == rules)


def _labelled(one: _Loaded, by: Sequence[str], places: PlaceFile | None) -> list[Item]:
    """The questions, with their places in taxonomies where a label is one of these or in the file of places."""

    given = {} if places is None else places.places
    if not set(by) & {*PLACE_LABELS, *(name for classes in given.values() for name in classes)}:
        return one.items
    if one.placed is None:
        one.placed = with_places(one.items, places)
    return one.placed


def _cut_run(one: _Loaded, loaded: Sequence[_Loaded], benchmark: BenchmarkSpec, rules: str, found: Cut) -> CutRun:
    run = one.run
    return CutRun(
        name=run.name,
        rules=rules,
        cut=found,
        ranked=run.name in competing([other.run for other in loaded]),
        has_judge="judge" in run.figures,
        left_to=benchmark.judging.model if benchmark.asks_judge(rules) else "",
        counts_failures=run.record.failures_are_wrong,
        part=part_of(run, benchmark),
        models=len(run.figures.get("served", ())),
    )


LABEL = "time_tier"


def time_tiers(runs: Sequence[LoadedRun]) -> dict[str, str]:
    """Return item → easy, medium or hard, by the people among some runs; unanswered items have none.

    Raises:
        UsageError: none of the runs is a person's, no answer has a time, or there are too few for three tiers.
    """

    people = {run.record.settings.model: run for run in runs if run.record.settings.model.startswith(PEOPLE)}
    if not people:
        raise UsageError(f"--by {LABEL} needs people's runs (model {PEOPLE}NAME) among those that are reported.")
    rules = {name: next(iter(run.figures["rule_sets"])) for name, run in people.items()}
    answers = [timed_answers(name, run, scores_under(run, rules[name])) for name, run in people.items()]
    found = difficulty(pl.concat(answers))
    return dict(found.frame.select("id", "tier").iter_rows())


def labelled(items: Sequence[Item], tiers: dict[str, str]) -> list[Item]:
    """Items with their tier among their labels."""
    return [
        item.model_copy(update={"labels": {**item.labels, LABEL: tiers[item.id]}}) if item.id in tiers else item
        for item in items
    ]
