"""Analyses of runs: ablation, people, maps, the ideal observer, difficulty, grounding, samples, and consistency.

The ablation compares a model's runs item by item. Human baselines are several people's scores, their average, and
tiers of difficulty from answering times. Drawn cognitive maps are compared with the true maps of the scenes. The ideal
observer separates errors of perception from errors of reasoning. Grounded accuracy compares the answers to an item
with its evidence, without it, and on its twin. Samples of one item are searched for the best and the most frequent
answer. Consistency compares the answers about one scene with each other. The
difficulty of items is fitted to several runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from tolman import benchmarks
from tolman.analyze.answer_map import (
    AnswerSets,
    ConsistencyResult,
    MapShare,
    RunConsistency,
    fit_map,
    map_tasks,
    share_drawn,
    summarise_maps,
)
from tolman.analyze.consistency import contradictions, read_answers
from tolman.analyze.deltas import BLIND, DeltasResult, ProtocolRun, deltas, published_deltas
from tolman.analyze.difficulty import DifficultyResult, bank_of, difficulties, predicted_difficulty
from tolman.analyze.grounding import ALL, CONDITIONS, TWIN, GroundingResult, RunGrounding, judge, summarise
from tolman.analyze.humans import TIERS, Difficulty, HumansResult, averages, difficulty, tier_of
from tolman.analyze.observer import Noise
from tolman.analyze.observer_answers import AnswerTable, Unanswered, scene_tasks, tabulate
from tolman.analyze.observer_fit import ObserverResult, RunObserver, count_reasons, fit_run, observed_answers
from tolman.analyze.sample_figures import RunSamples, SamplesResult, sample_figures
from tolman.benchmarks.published import published_tables
from tolman.cognitive_maps import Place
from tolman.errors import UsageError, counted
from tolman.features.analyses import plain_fields, to_plain, to_plain_tables, write_ids
from tolman.features.analyses.config import (
    ConsistencyConfig,
    DeltasConfig,
    DifficultyConfig,
    GroundingConfig,
    HumansConfig,
    ObserverConfig,
    SamplesConfig,
)
from tolman.features.analyses.scored_runs import chance_scores, scored_runs, whole_benchmark
from tolman.features.events import Advanced, Began, Ended, Events, silent
from tolman.files import write_text
from tolman.ground_truth.released_audit import warn_of_other_scenes
from tolman.ground_truth.scene_arrays import SceneGeometry, geometries_by_id
from tolman.items import Item
from tolman.media.sampling import Frames
from tolman.parallel import parallel_map, place_of
from tolman.protocols.captions_and_examples import WITHOUT, twins_of
from tolman.protocols.cognitive_map import drawn_map
from tolman.reports.loaded_runs import LoadedRun, refuse_adaptive, timed_answers, withheld
from tolman.reports.table_rows import missing_marks
from tolman.responses import Outcomes, Response
from tolman.runs.run_folder import PEOPLE
from tolman.scoring.judged import NAME as JUDGED
from tolman.scoring.rule_sets import RuleSet, draw_of, has_groups
from tolman.scoring.score_table import Column, Table, pools_of
from tolman.text_tables import frame_csv

NO_CHANCE = "none"


def analyze_deltas(config: DeltasConfig, events: Events = silent) -> DeltasResult:
    """Compare each model's runs under different protocols.

    Raises:
        InputError: a folder holds no run, or no scores.
        UsageError: the runs can't be compared, nothing comes of it, or the whole benchmark isn't available for chance.
    """

    scored = scored_runs(config.runs, config.scorer)
    refuse_adaptive(scored.runs)
    benchmark, scorer = scored.benchmark, scored.scorer
    asked: dict[tuple[str, str], ProtocolRun] = {}
    unanswered: dict[str, int] = {}
    for run in scored.runs:
        key = run.record.settings.model, run.record.settings.protocol
        if key in asked:
            raise UsageError(f"two runs are of {key[0]} under the protocol {key[1]}; give one of them.")
        rows = scored.rows(run)
        asked[key] = ProtocolRun(*key, rows)
        unanswered[run.name] = rows.filter(rows["status"].is_in(["failed", "missing"]) & rows["score"].is_null()).height
    chance, whole = None, 0
    if config.chance != NO_CHANCE and any(protocol == BLIND for _, protocol in asked):
        items = whole_benchmark(scored.runs, config.data)
        events(Began(f"scoring baseline/{config.chance}"))
        chance, whole = chance_scores(config.chance, benchmark, items, benchmark.rule_set(scorer)), len(items)
        events(Ended())
    seed = scored.runs[0].record.settings.seed
    found = deltas(list(asked.values()), benchmark.table_of(scorer), chance=chance, seed=seed)
    if not found:
        raise UsageError("there is nothing to compare: give a model's runs under two protocols, such as direct, blind.")
    return DeltasResult(
        scorer=scorer,
        chance=config.chance,
        chance_items=whole,
        deltas=found,
        unanswered={name: count for name, count in unanswered.items() if count},
        columns=benchmark.table.columns,
        published=published_deltas(benchmark.published_rows, {one.what for one in found}),
    )


def deltas_to_json(result: DeltasResult) -> dict[str, Any]:
    """Make the content of `--json` of a result."""
    return plain_fields(result, "scorer", "chance", "chance_items", "unanswered", "deltas", "published")


def analyze_humans(config: HumansConfig, events: Events = silent) -> HumansResult:
    """Average people's scores, and sort items by how long people took.

    Raises:
        InputError: a folder holds no run, or no scores.
        UsageError: a run is no person's, two are of one person, or the tiers that were asked for, by cuts or a folder
            to write them to, can't be formed.
    """

    if config.cuts and len(config.cuts) != 2:
        raise UsageError(f"--cuts takes 2 numbers of seconds such as 40,110, not {len(config.cuts)}.")
    scored = scored_runs(config.runs, config.scorer)
    people: dict[str, LoadedRun] = {}
    for run in scored.runs:
        model = run.record.settings.model
        if not model.startswith(PEOPLE):
            raise UsageError(
                f"{run.folder.path} is a run of {model}, not of a person; score it with --name human/NAME."
            )
        name = model.removeprefix(PEOPLE)
        if name in people:
            raise UsageError(f"two runs are of {model}; give one for each person.")
        people[name] = run
    rows = {name: scored.rows(run) for name, run in people.items()}
    own, average = averages(rows, scored.benchmark.table_of(scored.scorer))
    answers = pl.concat([timed_answers(name, run, rows[name]) for name, run in people.items()])
    cuts = (config.cuts[0], config.cuts[1]) if config.cuts else None
    found, no_tiers = None, ""
    if not answers["seconds"].is_not_null().any():
        no_tiers = "No answer has a time ('seconds'), so there are no tiers of difficulty."
    else:
        try:
            found = difficulty(answers, cuts, right_from=config.right_from)
        except UsageError as error:
            if cuts or config.out is not None:
                raise
            no_tiers = f"There are no tiers of difficulty: {error}"  # people's figures stand without them
    remarks: list[str] = []
    for run in people.values():
        used = {scored.scorer: run.figures["rule_sets"][scored.scorer]}
        remarks += missing_marks(run.name, run.folder.path, used, scored.benchmark)
    if config.out is not None and found is not None:
        _write_humans(config.out, found)
    columns = tuple(column for column in scored.benchmark.table.columns if column.key in average)
    published = tuple(row for row in scored.benchmark.published_rows if row.group == "human")
    benchmark = scored.benchmark
    tables = tuple(published_tables("humans", benchmark.scored_like or benchmark.title))
    return HumansResult(scored.scorer, columns, own, average, found, remarks, config.out, published, tables, no_tiers)


def _write_humans(out: Path, found: Difficulty) -> None:
    out.mkdir(parents=True, exist_ok=True)
    write_text(out / "tiers.csv", frame_csv(found.frame, 3))
    for tier in TIERS:
        write_ids(out / f"{tier}.txt", tier_of(found, tier))


def humans_to_json(result: HumansResult) -> dict[str, Any]:
    """Make the content of `--json` of a result."""
    tiers = None
    if (found := result.difficulty) is not None:
        tiers = {"cuts": found.cuts, "paces": found.paces, "untimed": found.untimed, "items": found.frame}
    return {
        **plain_fields(result, "scorer", "people", "average"),
        "difficulty": to_plain(tiers),
        "no_tiers": result.no_tiers or None,
        "published": to_plain(result.published),
        "published_tables": to_plain_tables(result.published_tables),
    }


def analyze_observer(config: ObserverConfig, events: Events = silent) -> ObserverResult:
    """Fit an ideal observer with noisy perception to each run's answers.

    Raises:
        InputError: a folder holds no run, no scores or no scenes.
        UsageError: the runs can't be compared, or none of their scenes is in the folder.
    """

    scored = scored_runs(config.runs, config.scorer)
    geometries = geometries_by_id(config.scenes)
    noise = Noise(radial=config.radial, drift=config.drift, confusion=config.confusion, memory=config.memory)
    for run in scored.runs:
        warn_of_other_scenes([*run.folder.items()], geometries, config.scenes)
    runs = {run.name: observe_run(run, scored.rows(run), geometries, noise, config, events)[0] for run in scored.runs}
    return ObserverResult(runs, noise, config.draws, scored.scorer)


def observe_run(
    run: LoadedRun,
    rows: pl.DataFrame,
    geometries: Mapping[str, SceneGeometry],
    noise: Noise,
    config: ObserverConfig,
    events: Events,
) -> tuple[RunObserver, dict[str, AnswerTable]]:
    """Fit the observer to one run.

    Args:
        run: the run.
        rows: of its scores.
        geometries: by scene's id.
        noise: the levels to simulate.
        config: folder, draws, seed and workers.
        events: called with progress.

    Returns:
        The fits, and by item's id the observer's own answers.

    Raises:
        UsageError: none of the run's scenes is there.
    """
    items = {item.id: item for item in run.folder.items()}
    settings = run.record.settings
    frames_known = "imported" not in settings.model_settings and not settings.model.startswith(PEOPLE)
    frames = settings.frames if frames_known else None
    tables, lost = _observe([*items.values()], geometries, frames, noise, config, run, events)
    events(Began(f"fitting the observer to {run.name}"))
    observed, unread = observed_answers(rows, items)
    fits = fit_run(tables, observed, noise)
    events(Ended())
    own = {item.scene for item in items.values()}
    known = any(geometry.video_capture is not None for name, geometry in geometries.items() if name in own)
    return RunObserver(fits, unread, count_reasons(lost), known, frames_known), tables


def _observe(
    items: Sequence[Item],
    geometries: Mapping[str, SceneGeometry],
    frames: Frames | None,
    noise: Noise,
    config: ObserverConfig | DifficultyConfig,
    run: LoadedRun,
    events: Events,
) -> tuple[dict[str, AnswerTable], list[Unanswered]]:
    """The observer's answers to some items by their ids, and the items that it isn't asked.

    Raises:
        UsageError: none of their scenes is there.
    """
    tasks, lost = scene_tasks(items, geometries, frames, noise, draws=config.draws, seed=config.seed)
    if not tasks:
        raise UsageError(
            f"{config.scenes} has no scene of the {counted(len(items), 'question')} of {run.folder.path}; give the "
            "benchmark's own."
        )
    events(Began(f"simulating the observer for {run.name}", len(tasks)))
    tables: dict[str, AnswerTable] = {}
    for found in parallel_map(tabulate, tasks, place_of(None, config.workers, few=len(items) < 200)):
        tables.update((one.id, one) for one in found if isinstance(one, AnswerTable))
        lost += [one for one in found if isinstance(one, Unanswered)]
        events(Advanced())
    return tables, lost


def analyze_difficulty(config: DifficultyConfig, events: Events = silent) -> DifficultyResult:
    """Fit the difficulty of the items to several runs, and predict it from the scenes where these are given.

    Raises:
        InputError: a folder holds no run, no scores or no scenes.
        UsageError: the runs can't be compared, are too few, or none of their scenes is in the folder.
    """

    scored = scored_runs(config.runs, config.scorer)
    names, tables, lost = scored.model_names, dict[str, AnswerTable](), list[Unanswered]()
    if config.scenes is not None:
        geometries = geometries_by_id(config.scenes)
        items = list({item.id: item for run in scored.runs for item in run.folder.items()}.values())
        warn_of_other_scenes(items, geometries, config.scenes)
        tables, lost = _observe(items, geometries, None, Noise(), config, scored.runs[0], events)
    events(Began("fitting the difficulty of items"))
    predicted = {name: predicted_difficulty(table) for name, table in tables.items()}
    tasks, rows = difficulties([scored.rows(run) for run in scored.runs], predicted, seed=config.seed)
    events(Ended())
    result = DifficultyResult(names, scored.scorer, tasks, rows, count_reasons(lost), config.out)
    if config.out is not None:
        settings = scored.runs[0].record.settings
        config.out.mkdir(parents=True, exist_ok=True)
        bank = bank_of(result, settings.benchmark, settings.subset, settings.data_hash)
        write_text(config.out / "bank.json", bank.model_dump_json() + "\n")
        write_text(config.out / "items.csv", frame_csv(rows, 4))
    return result


def difficulty_to_json(result: DifficultyResult) -> dict[str, Any]:
    """Make the content of `--json` of a result."""
    tasks = {
        task: {
            **{name: to_plain(getattr(own, name)) for name in _OF_TASKS},
            "model": own.used_name,
            **{
                name: None if model is None else {"difficulties": model.difficulties, "slopes": model.slopes}
                for name, model in (("rasch", own.rasch), ("two_parameters", own.two_parameters))
            },
        }
        for task, own in result.tasks.items()
    }
    return {**plain_fields(result, "scorer", "models", "left_out", "items"), "tasks": tasks}


_OF_TASKS = ("models", "items", "reason", "p_slopes", "reliability", "predicted")


def analyze_grounding(config: GroundingConfig, events: Events = silent) -> GroundingResult:
    """Compute the grounded accuracy of each run.

    Raises:
        InputError: a folder holds no run, or no scores.
        UsageError: a run has another protocol, or no answered item can be tested.
    """

    scored = scored_runs(config.runs, config.scorer)
    rules = scored.benchmark.rule_set(scored.scorer)
    runs = {run.name: ground_run(run, rules, config.right_from) for run in scored.runs}
    return GroundingResult(runs, scored.scorer, config.right_from)


def ground_run(run: LoadedRun, rules: RuleSet, right_from: float) -> RunGrounding:
    """Judge the answers of one run.

    Args:
        run: under the protocol `grounded`.
        rules: that score.
        right_from: the score from which an answer is right, 0 to 1.

    Raises:
        UsageError: it has another protocol, or no answered item can be tested.
    """
    settings, path = run.record.settings, run.folder.path
    if "grounded" not in settings.protocol.split("+"):
        raise UsageError(f"{path} showed each item in one way; run it with --protocol grounded.")
    items = run.folder.items()
    twins, outcomes = twins_of(items), Outcomes.of(run.folder.outcomes())
    verdicts, untested, unanswered = [], set(), 0
    for item, repeat in ((item, repeat) for item in items for repeat in range(settings.repeats)):
        outcome, twin = outcomes.get((item.id, repeat)), twins.get(item.id)
        other = None if twin is None else outcomes.get((twin.id, repeat))
        if not isinstance(outcome, Response) or not (other is None or isinstance(other, Response)):
            unanswered += 1
            continue
        answers = {ALL: outcome.response} | {t.purpose: t.response for t in outcome.turns if t.purpose in CONDITIONS}
        answers |= {} if other is None else {TWIN: other.response}
        if answers.keys().isdisjoint((WITHOUT, TWIN)):
            untested.add(item.id)
            continue
        draw = draw_of(settings.seed, repeat)
        verdicts.append(judge(item, answers, rules, right_from=right_from, draw=draw))
    if not verdicts:
        raise UsageError(f"no answered question of {path} was asked without its evidence or has a twin.")
    return summarise(verdicts, untested=len(untested), unanswered=unanswered)


def analyze_samples(config: SamplesConfig, events: Events = silent) -> SamplesResult:
    """Compute pass@k, majority@k and best-of-k of each run.

    Raises:
        InputError: a folder holds no run, or no scores.
        UsageError: a run has fewer samples than a k, or the benchmark's headline has no score for each sample.
    """

    scored = scored_runs(config.runs, config.scorer)
    refuse_adaptive(scored.runs)
    for run in scored.runs:
        samples, most = run.record.settings.repeats, max((*config.k, 2))
        if samples < most:
            raise UsageError(
                f"{run.folder.path} has {counted(samples, 'sample')} of each item, not {most}; run it with "
                f"--samples {most} or more{'' if max(config.k, default=0) < 2 else ', or give a smaller --k'}."
            )
    events(Began("counting sets of samples", len(scored.runs)))
    table = _table_of_scores(scored.benchmark.table_of(scored.scorer), scored.runs, scored.scorer)
    found: dict[str, RunSamples] = {}
    marks: list[str] = []
    for run in scored.runs:
        samples, why = run.record.settings.repeats, _why_no_majority(run, scored.scorer)
        ks = sorted({*config.k} or {samples, *(2**i for i in range(samples.bit_length()))})
        found[run.name] = sample_figures(
            scored.rows(run), table, ks, samples, right_from=config.right_from, no_majority=why
        )
        used = {scored.scorer: run.figures["rule_sets"][scored.scorer]}
        keys = [column.key for column in table.columns]
        marks += missing_marks(run.name, run.folder.path, used, scored.benchmark, keys)
        if not (selection := run.record.settings.selection).is_all:
            marks.append(f"{run.name}: of a part of the questions ({selection.describe()}).")
        events(Advanced())
    events(Ended())
    columns = sorted(table.columns, key=lambda column: column.key != table.headline)
    return SamplesResult(found, tuple(columns), scored.scorer, config.right_from, marks)


def _table_of_scores(table: Table, runs: Sequence[LoadedRun], scorer: str) -> Table:
    """The columns of a table that are made of samples' scores, and that no run withholds.

    Raises:
        UsageError: the headline is none of them.
    """
    lacking = set[str]().union(*(withheld(run, scorer) for run in runs))

    def is_of_scores(column: Column) -> bool:
        return column.key not in lacking and all(leaf.measure is None for leaf in pools_of([column.node]))

    if not is_of_scores(table.column(table.headline)):
        raise UsageError(
            f"the headline under '{scorer}' is withheld or no mean of scores, so sets of samples have none; give "
            "another --scorer."
        )
    return replace(table, columns=tuple(filter(is_of_scores, table.columns)))


def _why_no_majority(run: LoadedRun, scorer: str) -> str:
    """Why a run's samples have no vote; empty where they have."""
    if scorer == JUDGED:
        return "a judge's scorer has no answers that could be compared" if run.figures["judge"].get("by_itself") else ""
    rules = benchmarks.get(run.record.settings.benchmark).rule_set(scorer)
    return "several questions count as one" if has_groups(run.folder.items(), [rules]) else ""


def samples_to_json(result: SamplesResult) -> dict[str, Any]:
    """Make the content of `--json` of a result."""
    return plain_fields(result, "scorer", "right_from", "marks", "runs")


def analyze_consistency(config: ConsistencyConfig, events: Events = silent) -> ConsistencyResult:
    """Compare each run's answers about one scene with each other.

    Raises:
        InputError: a folder holds no run, no scores or no scenes.
        UsageError: none of a run's answers can be compared, or the maps are of another model or protocol.
    """

    extra = () if config.maps is None or config.maps in config.runs else (config.maps,)
    paths = (*config.runs, *extra)
    scored = scored_runs(paths, config.scorer)
    runs = scored.runs[: len(config.runs)]
    maps = None
    if config.maps is not None:
        maps = scored.runs[paths.index(config.maps)]
        for run in runs:
            _check_maps(maps, run)
    geometries = geometries_by_id(config.scenes)
    for run in runs:
        warn_of_other_scenes([*run.folder.items()], geometries, config.scenes)
    found = {run.name: _consistency_of_run(run, scored.rows(run), geometries, maps, config, events) for run in runs}
    settings = config.tolerance, config.permutations, config.starts, config.seed, config.right_from
    return ConsistencyResult(found, *settings, scored.scorer)


def _check_maps(maps: LoadedRun, run: LoadedRun) -> None:
    """Check that a run drew maps, and is of the same model as another."""
    own, other = maps.record.settings, run.record.settings
    if "cognitive-map" not in own.protocol.split("+"):
        raise UsageError(f"{maps.folder.path} drew no maps; run it with --protocol cognitive-map.")
    if own.model != other.model:
        raise UsageError(f"{maps.folder.path} has maps of {own.model}, and {run.folder.path} is of {other.model}.")


def _consistency_of_run(
    run: LoadedRun,
    rows: pl.DataFrame,
    geometries: Mapping[str, SceneGeometry],
    maps: LoadedRun | None,
    config: ConsistencyConfig,
    events: Events,
) -> RunConsistency:
    sheet = read_answers(rows, {item.id: item for item in run.folder.items()}, geometries)
    if not sheet.answers:
        why = next(iter(sheet.left_out), "they are unread, or of other question types")
        raise UsageError(f"no answer of {run.folder.path} can be compared: {why}.")
    events(Began(f"counting the contradictions of {run.name}"))
    found = contradictions(
        sheet, geometries, tolerance=config.tolerance, permutations=config.permutations, seed=config.seed
    )
    sets = AnswerSets.of(sheet, config.right_from, config.seed)
    tasks, thin = map_tasks(sets, geometries, tolerance=config.tolerance, starts=config.starts, seed=config.seed)
    events(Began(f"searching maps for {run.name}", len(tasks)))
    fitted = []
    place = place_of(None, config.workers, few=len(tasks) < 20)
    for (numbers, _), own in zip(tasks, parallel_map(fit_map, [task for _, task in tasks], place), strict=True):
        fitted.append((numbers, own))
        events(Advanced())
    events(Ended())
    drawn, undrawn = (None, 0) if maps is None else _drawn(sets, maps, geometries)
    return RunConsistency(
        answers=len(sheet.answers),
        contradictions=found,
        map=summarise_maps(sets, fitted, thin),
        drawn=drawn,
        undrawn=undrawn,
        unread=dict(sheet.unread),
        other_types=dict(sheet.other_types),
        left_out=dict(sheet.left_out),
    )


def _drawn(sets: AnswerSets, maps: LoadedRun, geometries: Mapping[str, SceneGeometry]) -> tuple[MapShare, int]:
    """Hold the answers against the maps that were drawn for the same questions, or once for their scenes."""
    settings = maps.record.settings.protocol_settings
    items = {item.id: item for item in maps.folder.items()}
    by_question: dict[tuple[str, int], dict[str, tuple[Place, ...]]] = {}
    by_scene: dict[str, dict[str, tuple[Place, ...]]] = {}
    for outcome in maps.folder.outcomes():
        geometry = geometries.get(items[outcome.id].scene or "")
        reading = drawn_map(outcome, items[outcome.id], settings) if isinstance(outcome, Response) else None
        if geometry is None or reading is None or reading.map is None:
            continue
        places: dict[str, tuple[Place, ...]] = {}
        for name, own in reading.map.places.items():
            with suppress(KeyError):
                places[geometry.category(name)] = own
        by_question[outcome.id, outcome.repeat] = places
        if settings["map_categories"] == "scene":
            by_scene.setdefault(geometry.scene.id, places)
    found = {
        n: by_question.get((one.id, one.repeat), by_scene.get(one.scene, {}))
        for n, one in enumerate(sets.sheet.answers)
    }
    return share_drawn(sets, found)
