"""Tables by labels and under other benchmarks' taxonomies, for runs that are reported together."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tolman.errors import InputError, UsageError
from tolman.names import hint, unknown
from tolman.workflows.time_tiers import LABEL, labelled, time_tiers

if TYPE_CHECKING:
    import polars as pl

    from tolman.analyze.cuts import Cut
    from tolman.analyze.taxonomies import PlaceFile
    from tolman.benchmarks.base import BenchmarkSpec
    from tolman.items import Item
    from tolman.media.sampling import Frames
    from tolman.reports.cuts import CutRun
    from tolman.reports.loaded import LoadedRun
    from tolman.reports.rows import ReportRow, ReportTable

ALL_SCORERS = "all"


@dataclass(frozen=True, kw_only=True)
class CutSettings:
    """Which tables are made.

    Attributes:
        by: for each table its labels with commas between them.
        taxonomy: names of taxonomies, each a table.
        figure: column of the benchmark's table whose figure stands across; its headline where None.
        layout: 'across' or 'down'; by the number of values where None.
        scorer: its name, or 'all'; that of the headline where None.
        places: a file of places in taxonomies.
        published: whether figures of papers stand beside those of runs.
    """

    by: tuple[str, ...] = ()
    taxonomy: tuple[str, ...] = ()
    figure: str | None = None
    layout: str | None = None
    scorer: str | None = None
    places: Path | None = None
    published: bool = True

    @property
    def is_empty(self) -> bool:
        """Whether no table is asked for."""
        return not self.by and not self.taxonomy


@dataclass
class _Loaded:
    """A run with what its tables need."""

    run: LoadedRun
    items: list[Item]
    scores: pl.DataFrame
    shown: Frames | None
    placed: list[Item] | None = None


def cut_tables(
    runs: Sequence[LoadedRun], benchmark: BenchmarkSpec, settings: CutSettings, beside: Sequence[ReportRow] = ()
) -> list[ReportTable]:
    """Make the tables.

    Args:
        runs: of one benchmark and data.
        benchmark: theirs.
        settings: which tables.
        beside: published rows of the benchmark's own table.

    Returns:
        For each scorer the tables by labels, then those of taxonomies, in the order asked for.

    Raises:
        UsageError: an unknown label, taxonomy, column, layout or scorer.
        InputError: the scores of a run, or the file of places, can't be read.
    """
    from tolman.runs.frames_shown import frames_shown

    if settings.is_empty:
        for option, value in (
            ("--figure", settings.figure),
            ("--layout", settings.layout),
            ("--places", settings.places),
        ):
            if value is not None:
                raise UsageError(f"{option} is for tables by labels; add --by or --taxonomy.")
        return []
    places = None if settings.places is None else read_places(settings.places)
    loaded = [_Loaded(run, run.folder.items(), run.folder.scores(), frames_shown(run.record)) for run in runs]
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
    from tolman.analyze.taxonomies import FAMILY, PLACE_LABELS, TAXONOMIES, PlaceFile, known_classes

    try:
        told = tomllib.loads(path.read_text(encoding="utf-8"))
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
    if asked == ALL_SCORERS:
        return names
    if asked is not None and asked not in names:
        raise unknown("scorer", asked, [*names, ALL_SCORERS])
    return [asked or next(iter(runs[0].figures["rule_sets"]))]


def _by_labels(
    loaded: Sequence[_Loaded],
    benchmark: BenchmarkSpec,
    rules: str,
    labels: str,
    settings: CutSettings,
    places: PlaceFile | None,
    beside: Sequence[ReportRow],
) -> ReportTable:
    from tolman.analyze.cuts import cut
    from tolman.analyze.labels import label_frame
    from tolman.reports.cuts import MOST_ACROSS, table_by

    by = tuple(name.strip() for name in labels.split(",") if name.strip())
    if not by:
        raise UsageError("--by takes one label or several with commas between them, and got none.")
    table = benchmark.table_of(rules)
    figure = table.column(settings.figure or table.headline).key
    frames = [label_frame(_labelled(one, by, places), by, one.shown) for one in loaded]
    values = {value for frame in frames for value in frame[by[-1]].unique()}
    layout = settings.layout or ("across" if len(values) <= MOST_ACROSS else "down")
    only = (figure,) if layout == "across" else None
    cuts = [
        _cut_run(one, loaded, benchmark, rules, cut(_rows(one, rules), frame, by, table, columns=only))
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
    from tolman import benchmarks
    from tolman.analyze.cuts import cut
    from tolman.analyze.labels import label_frame
    from tolman.analyze.taxonomies import reclassify, taxonomy_named
    from tolman.reports.cuts import table_by

    meant = taxonomy_named(name)
    title = benchmarks.named(name).title
    for one in loaded:
        _labelled(one, (meant.label,), places)
    made = []
    for by in ((), *meant.beside):
        cuts, notes = [], dict[str, None]()
        for one in loaded:
            placed = one.placed or []
            found = reclassify(_rows(one, rules), placed, name)
            if by and not all(any(item.labels.get(label) for item in placed) for label in by):
                continue
            cuts.append(
                _cut_run(one, loaded, benchmark, rules, cut(found.scores, label_frame(placed, by), by, found.table))
            )
            if found.unplaced:
                count, parts = sum(found.unplaced.values()), ", ".join(f"{t} {n:,}" for t, n in found.unplaced.items())
                notes[f"{one.run.name}: {count:,} questions have no place in it and are in no figure: {parts}."] = None
            table = found.table
        if not cuts:
            continue
        layout = (settings.layout or "") if by else ""
        shown = table_by(cuts, table, head=f"Taxonomy of {title}", layout=layout, benchmark=name)
        kept = f"A question's class is that of {title}; its score is the one that it has in the table above."
        shown.notes = [*notes, kept, *shown.notes] if not by else [*notes, *shown.notes]
        made.append(shown)
    return made


def _rows(one: _Loaded, rules: str) -> pl.DataFrame:
    import polars as pl

    return one.scores.filter(pl.col("rule_set") == rules)


def _labelled(one: _Loaded, by: Sequence[str], places: PlaceFile | None) -> list[Item]:
    """The questions, with their places in taxonomies where a label is one of these or in the file of places."""
    from tolman.analyze.taxonomies import PLACE_LABELS, with_places

    given = {} if places is None else places.places
    if not set(by) & {*PLACE_LABELS, *(name for classes in given.values() for name in classes)}:
        return one.items
    if one.placed is None:
        one.placed = with_places(one.items, places)
    return one.placed


def _cut_run(one: _Loaded, loaded: Sequence[_Loaded], benchmark: BenchmarkSpec, rules: str, found: Cut) -> CutRun:
    from tolman.reports.cuts import CutRun
    from tolman.reports.ranking import competing

    run = one.run
    return CutRun(
        name=run.name,
        rules=rules,
        cut=found,
        ranked=run.name in competing([other.run for other in loaded]),
        has_judge="judge" in run.figures,
        left_to=benchmark.judging.model if rules == benchmark.judging.base else "",
        counts_failures=run.record.failures_are_wrong,
    )
