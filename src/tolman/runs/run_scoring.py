"""Scoring a run: rows for every item, figures for every rule set, into the run's folder.

Before any score there are figures of the outcomes: failures, tokens, endings, notes. The run is also checked for
whether its frames carry the answers that it asks for.

Workers read responses, some items at a time. Reading ahead has the table there soon after the last response.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import polars as pl

from tolman import benchmarks, models, protocols
from tolman.benchmarks.spec import BenchmarkSpec, read_by_itself
from tolman.errors import UsageError
from tolman.extras import LazyModule
from tolman.item_table import field_values, in_sections, joined_frames
from tolman.items import Item
from tolman.media.sampling import Frames
from tolman.models.identity import AS_ASKED
from tolman.models.model import HasExpectation
from tolman.parallel import Workers, parallel_map
from tolman.responses import Failure, Outcome, Outcomes, Response, Usage
from tolman.runs.reasoning_room import reasoned
from tolman.runs.run_folder import RunFolder, RunRecord, is_blind
from tolman.scoring import judged
from tolman.scoring.aggregate import Cell, cells, cells_of, prepare
from tolman.scoring.answer_values import ParsedAnswer
from tolman.scoring.further_figures import (
    WITHHELD,
    ReadStates,
    Unread,
    blanked,
    further_record,
    unread_of,
    with_unjudged,
    withheld_in,
)
from tolman.scoring.metrics import Metric, metrics_named
from tolman.scoring.response_states import EARLIER, UNFINISHED, ending_of, rests_on_cut_off_turn
from tolman.scoring.rule_sets import RuleSet, draw_of
from tolman.scoring.score_items import Part, ScoreRow, expected_scores, score, score_frames, score_part, score_rows
from tolman.scoring.score_table import Column, Mean, Table, pool, pools_of

if TYPE_CHECKING:
    from tolman.media import needed_frames
    from tolman.scoring import adaptive_testing, judge_sample
else:
    needed_frames = LazyModule("tolman.media.needed_frames")
    adaptive_testing = LazyModule("tolman.scoring.adaptive_testing")
    judge_sample = LazyModule("tolman.scoring.judge_sample")

PlaceFor = Callable[[int], Workers]
"""Where so many rows are made."""


def rows_elsewhere(
    record: RunRecord,
    rule_sets: Sequence[RuleSet],
    names: Sequence[str],
    metrics: Sequence[Metric],
    workers: Workers,
    parts: Iterator[Part],
) -> Iterator[Sequence[Iterable[ScoreRow]]]:
    """Yield the rows of parts of a run's items under each rule set; a judge's judgements are looked up here.

    Args:
        record: of the run.
        rule_sets: of the run's benchmark.
        names: of the metrics that are computed besides the table's own.
        metrics: all of them.
        workers: that make the rows.
        parts: items, and their outcomes.
    """
    settings, wrong = record.settings, record.failures_are_wrong
    read_there = tuple(rules.name for rules in rule_sets if rules.name != judged.NAME)
    waiting: deque[Part] = deque()

    def jobs() -> Iterator[_Job]:
        for items, came in parts:
            if len(read_there) < len(rule_sets):
                waiting.append((items, came))
            yield _Job(record, read_there, tuple(names), items, list(came.values()))

    for made in parallel_map(_rows, jobs(), workers):
        by_name: dict[str, Iterable[ScoreRow]] = dict(zip(read_there, made, strict=True))
        if waiting:
            (judging,) = (rules for rules in rule_sets if rules.name == judged.NAME)
            by_name[judged.NAME] = score_rows(
                *waiting.popleft(), judging, settings.repeats, settings.seed, wrong, metrics
            )
        yield [by_name[rules.name] for rules in rule_sets]


@dataclass(frozen=True, slots=True)
class _Job:
    """Some items of a run with their outcomes."""

    record: RunRecord
    rule_sets: tuple[str, ...]
    metrics: tuple[str, ...]
    items: list[Item]
    outcomes: list[Outcome]


def _rows(job: _Job) -> list[list[ScoreRow]]:
    settings = job.record.settings
    benchmark = benchmarks.get(settings.benchmark)
    rule_sets = [benchmark.rule_set(name) for name in job.rule_sets]
    metrics = list(dict.fromkeys([*benchmark.table.metrics, *metrics_named(job.metrics)]))
    part = job.items, {(outcome.id, outcome.repeat): outcome for outcome in job.outcomes}
    wrong = job.record.failures_are_wrong
    return [list(rows) for rows in score_part(part, rule_sets, settings.repeats, settings.seed, wrong, metrics)]


MOST = 20_000
"""Items beyond which nothing is read ahead: what was read would take more memory than the time is worth."""


class ReadAhead:
    """Readings by rule sets of responses that came already.

    Args:
        rule_sets: that will score the run.
        items: all that are asked.
        seed: of the run, for released parsers that draw at random.
    """

    def __init__(self, rule_sets: Iterable[RuleSet], items: Sequence[Item], seed: int) -> None:
        self._items = {item.id: item for item in items} if len(items) <= MOST else {}
        self._readers = {rules.name: rules for rules in rule_sets}
        self._seed = seed
        self._known: dict[str, dict[tuple[str, int, str], ParsedAnswer]] = {name: {} for name in self._readers}

    def add(self, outcome: Outcome) -> None:
        """Read a response with every rule set; unreadable ones are reported when the run is scored."""
        item = self._items.get(outcome.id)
        if item is None or not isinstance(outcome, Response):
            return
        draw, text = draw_of(self._seed, outcome.repeat), outcome.response
        for name, rules in self._readers.items():
            try:
                if rules.counts(item, text):
                    self._known[name][item.id, draw, text] = rules.read(item, text, draw)
            except Exception:  # a plugin's: scoring meets it again, where it ends the command in a sentence
                return

    def remembering(self, rules: RuleSet) -> RuleSet:
        """Return the same rule set, which doesn't read a response twice."""
        known = self._known.get(rules.name)
        if not known:
            return rules

        def read(item: Item, text: str, seed: int) -> ParsedAnswer:
            found = known.get((item.id, seed, text))
            return rules.read(item, text, seed) if found is None else found

        return replace(rules, read=read)


_MAP = "true-map"
"""The protocol whose messages say where everything is, whatever the frames show."""


def frames_shown(record: RunRecord) -> Frames | None:
    """How a run samples videos.

    Returns:
        None where nothing is known to be sampled: blind baselines look at no frame, a blind protocol shows none, an
        endpoint that gets whole videos takes frames of its own choice, other programs' responses came from theirs.
    """
    settings = record.settings
    if settings.frames.whole or _MAP in settings.protocol.split("+"):
        return None
    family = settings.model.partition("/")[0]
    is_own = family in models.families() and "imported" not in settings.model_settings
    if not is_own or is_blind(settings.model):
        return None
    try:
        shows_media = protocols.get(settings.protocol).shows_media
    except UsageError:  # another package's protocol, which isn't installed any more
        return None
    return settings.frames if shows_media else None


def count_in_no_column(rows: pl.LazyFrame, rules: str, table: Table) -> dict[str, int]:
    """Count the questions of each type that no column of a table holds: those of a folder whose `scoring_profile`
    doesn't know them."""
    pools = pools_of(column.node for column in table.columns)
    if any(one.tasks is None for one in pools):
        return {}
    pooled = {task for one in pools for task in one.tasks or ()}
    left = _rows_of(rows, rules).filter(~pl.col("task").is_in([*pooled, ""]))
    return dict(left.group_by("task").agg(pl.col("id").n_unique()).sort("task").collect().iter_rows())


def count_frames_shown(record: RunRecord, items: Sequence[Item]) -> dict[str, Any] | None:
    """How many items can be answered from the frames that the run shows, can't be, or don't say.

    Returns:
        The counts with the sampling in words; None where nothing is known to be sampled (`frames_shown`), or no item
        has a video.
    """
    sampling = frames_shown(record)
    if sampling is None or not any(medium.kind == "video" for item in items for medium in item.media):
        return None
    found = needed_frames.count_answerable(items, sampling).model_dump()
    return {"sampling": sampling.describe(), **found} if any(found.values()) else None


def outcome_figures(outcomes: Iterable[Outcome], rows: pl.LazyFrame) -> dict[str, Any]:
    """Compute figures of outcomes in one pass.

    Args:
        outcomes: all of a run.
        rows: of scores, which show which responses were read.

    Returns:
        `failures`: for each kind, the most frequent first, how many, and the sentence of the first. `usage`, `endings`
        and `notes`, each only where there is something to report: see `_Tokens`, `_Endings`; notes of protocols are
        summed over responses, in alphabetical order. `served`: the model names and fingerprints that the endpoint
        reported, with the number of responses of each, the most frequent first; only where there is more than one.
    """
    failures: dict[str, tuple[int, str]] = {}
    tokens, endings = _Tokens(), _Endings(rows)
    notes: Counter[str] = Counter()
    served: Counter[str] = Counter()
    for outcome in outcomes:
        if isinstance(outcome, Failure):
            count, example = failures.get(outcome.kind, (0, outcome.message))
            failures[str(outcome.kind)] = count + 1, example
        else:
            tokens.add(outcome)
            endings.add(outcome)
            notes.update(outcome.notes)
            served[outcome.served or AS_ASKED] += 1
    most_frequent = sorted(failures.items(), key=lambda entry: -entry[1][0])
    found: dict[str, Any] = {
        "usage": tokens.figures(),
        "endings": dict(sorted(endings.counts.items())),
        "notes": dict(sorted(notes.items())),
        "served": dict(served.most_common()) if len(served) > 1 else {},
    }
    return {
        "failures": [{"kind": kind, "count": count, "example": example} for kind, (count, example) in most_frequent]
    } | {name: figures for name, figures in found.items() if figures}


class _Tokens:
    """The tokens of all responses, how many of these the model reasoned before, and their cost where it is known."""

    def __init__(self) -> None:
        self._sums = dict.fromkeys(Usage.model_fields, 0)
        self._costs = list[float]()
        self._reasoned = self._uncounted = 0

    def add(self, response: Response) -> None:
        """Count a response."""
        for name in self._sums:
            self._sums[name] += getattr(response.usage, name)
        self._reasoned += reasoned(response)
        self._uncounted += not response.is_counted
        if response.cost is not None:
            self._costs.append(response.cost)

    def figures(self) -> dict[str, Any]:
        """Empty where the endpoint reported no tokens."""
        total = Usage(**self._sums)
        if not total.input_tokens and not total.output_tokens:
            return {}
        told = {**total.model_dump(), "reasoned": self._reasoned}
        told |= {"uncounted": self._uncounted} if self._uncounted else {}
        return told | ({"cost": sum(self._costs)} if self._costs else {})


class _Endings:
    """Responses whose model was stopped before it was done: for each ending how many, and how many of them at least one
    rule set (other than 'judged') reads no answer in. A trace of reasoning that is never closed counts as unfinished
    where the endpoint names no ending. Apart from these, those whose answer rests on an earlier turn
    that was cut off."""

    def __init__(self, rows: pl.LazyFrame) -> None:
        self._unread, self._unfinished = (
            set(rows.filter((pl.col("rule_set") != judged.NAME) & found).select("id", "repeat").collect().iter_rows())
            for found in (pl.col("state").ne_missing("read"), pl.col("state").eq_missing("cut off"))
        )
        self.counts: dict[str, dict[str, int]] = {}

    def add(self, response: Response) -> None:
        """Count a response."""
        asking = response.id, response.repeat
        ending = ending_of(response) or (UNFINISHED if asking in self._unfinished else None)
        if ending is not None:
            entry = self.counts.setdefault(ending, {"count": 0, "unread": 0})
            entry["count"] += 1
            entry["unread"] += asking in self._unread
        elif rests_on_cut_off_turn(response):
            self.counts.setdefault(EARLIER, {"count": 0, "unread": 0})["count"] += 1


def judged_rules(benchmark: BenchmarkSpec, judgements: judged.Judgements) -> RuleSet:
    """Return the rule set `judged` for a judge's judgements of responses; it uses none that were made under another
    judging than the benchmark's present one."""
    if judgements.by_itself:
        benchmark = read_by_itself(benchmark)
    base = benchmark.rule_set(benchmark.judging.base)
    if judgements.source != benchmark.judging.source:
        return judged.judged(benchmark.judging, base, {}, unasked="judged under other rules; judge again with --judge")
    return judged.judged(benchmark.judging, base, judgements.by_response())


def rows_with_metrics(
    folder: RunFolder, benchmark: BenchmarkSpec, scorer: str, metrics: Sequence[Metric]
) -> pl.DataFrame:
    """Score a run's stored responses by one scorer, with the values of metrics; nothing is written.

    Args:
        folder: of the run; with judgements, where the scorer is `judged`.
        benchmark: with the scorer.
        scorer: its name.
        metrics: whose values are computed.

    Returns:
        Rows as those of scores.parquet, with a column for each metric (`aggregate.column_of`).

    Raises:
        UsageError: there is no such scorer.
        InputError: a file of the folder is broken.
    """
    record = folder.record()
    judgements = folder.judgements() if scorer == judged.NAME else None
    rules = benchmark.rule_set(scorer) if judgements is None else judged_rules(benchmark, judgements)
    return score(
        folder.items(),
        folder.outcomes(),
        [rules],
        repeats=record.settings.repeats,
        seed=record.settings.seed,
        failures_are_wrong=record.failures_are_wrong,
        metrics=list(dict.fromkeys([*benchmark.table.metrics, *metrics])),
    )


def score_run(
    folder: RunFolder,
    benchmark: BenchmarkSpec,
    record: RunRecord,
    items: Sequence[Item],
    outcomes: Iterable[Outcome] | Outcomes,
    *,
    expectation: HasExpectation | None = None,
    metrics: Sequence[str] = (),
    read_ahead: ReadAhead | None = None,
    workers: PlaceFor | None = None,
) -> dict[str, Any]:
    """Score outcomes and write scores.parquet and scores.json; where the folder has judgements, with `judged`.

    Args:
        folder: of the run.
        benchmark, record, items, outcomes: as in `compute_scores`.
        expectation: a random answerer, whose expected figures are added.
        metrics: names of metrics whose figures are added for each question type; those that scores.json has where
            none is named.
        read_ahead: responses read already.
        workers: where responses are read, by how many rows there are; here where None.

    Returns:
        The content of scores.json.

    Raises:
        UsageError: one of the metrics is unknown, or the run is adaptive and has none.
    """
    adaptive = folder.adaptive()
    if adaptive is not None and metrics:
        raise UsageError("further metrics would describe the asked items of an adaptive run only; leave --metrics out.")
    scored = _Scoring(
        benchmark,
        record,
        items,
        outcomes,
        judgements=folder.judgements(),
        expectation=expectation,
        metrics=metrics or folder.further_metrics(),
        read_ahead=read_ahead,
        workers=workers,
        adaptive=adaptive,
    )
    with joined_frames(scored.frames(), folder.path) as rows:
        figures = scored.figures(rows)
        folder.write_scores(rows, figures)
    return figures


def _rules_of(benchmark: BenchmarkSpec, record: RunRecord) -> list[RuleSet]:
    """The rule sets of a run's preset; of another program's log also that program's, where the benchmark has it."""
    found = benchmark.rule_sets_of(record.settings.preset)
    program = record.settings.model_settings.get("program")
    names = [rules.name for rules in found]
    return [*found, *(rules for rules in benchmark.rule_sets if rules.name == program and program not in names)]


def compute_scores(
    benchmark: BenchmarkSpec,
    record: RunRecord,
    items: Sequence[Item],
    outcomes: Iterable[Outcome] | Outcomes,
    *,
    scorer: str | None = None,
    judgements: judged.Judgements | None = None,
    expectation: HasExpectation | None = None,
    metrics: Sequence[str] = (),
) -> tuple[pl.DataFrame, dict[str, Any]]:
    """Score outcomes; nothing is read or written.

    Args:
        benchmark: with the rule sets and the table.
        record: of the run.
        items: the questions.
        outcomes: responses and failures.
        scorer: the one scorer to use; those of the run's preset, and of plugins, where None.
        judgements: of a judge, for the rule set `judged`.
        expectation, metrics: as for `score_run`; no further metrics where none is named.

    Returns:
        The rows of scores.parquet, with the values of further metrics, and the figures of scores.json.

    Raises:
        UsageError: there is no such scorer or metric.
    """
    scored = _Scoring(
        benchmark, record, items, outcomes, scorer=scorer, judgements=judgements, expectation=expectation,
        metrics=metrics,
    )  # fmt: skip
    rows = in_sections(scored.frames())
    return rows, scored.figures(rows.lazy())


class _Scoring:
    """`compute_scores` in two steps, between which the rows may be on disk; other arguments are those of `score_run`.

    Args:
        judgements: of a judge, for the rule set `judged`.
        adaptive: which items an adaptive run chose.
    """

    def __init__(
        self,
        benchmark: BenchmarkSpec,
        record: RunRecord,
        items: Sequence[Item],
        outcomes: Iterable[Outcome] | Outcomes,
        *,
        judgements: judged.Judgements | None = None,
        expectation: HasExpectation | None = None,
        scorer: str | None = None,
        metrics: Sequence[str] = (),
        read_ahead: ReadAhead | None = None,
        workers: PlaceFor | None = None,
        adaptive: adaptive_testing.AdaptiveRecord | None = None,
    ) -> None:
        self._adaptive = adaptive
        self._given = benchmark  # the run's own judge prints no figure that the released code leaves to another
        if judgements is not None and judgements.by_itself:
            benchmark = read_by_itself(benchmark)
        self._benchmark, self._record, self._items = benchmark, record, items
        self._judgements, self._expectation = judgements, expectation
        self._came = outcomes if isinstance(outcomes, Outcomes) else Outcomes.of(outcomes)
        own_rules = [benchmark.rule_set(scorer)] if scorer else _rules_of(benchmark, record)
        rules = [*own_rules, *(() if scorer else benchmark.further_rule_sets())]
        if read_ahead is not None:
            own_rules = [read_ahead.remembering(one) for one in own_rules]
            rules = [read_ahead.remembering(one) for one in rules]
        if judgements is not None:
            by_judge = judged_rules(benchmark, judgements)
            own_rules, rules = [*own_rules, by_judge], [*rules, by_judge]
        self._own_rules, self._rules = own_rules, rules
        self._names, self._asked = metrics, metrics_named(metrics)
        self._measures = list(dict.fromkeys([*benchmark.table.metrics, *self._asked]))
        self._workers = None if workers is None else workers(len(items) * record.settings.repeats * len(rules))

    def frames(self) -> Iterator[tuple[int, pl.DataFrame]]:
        """The rows, in parts, each with the number of its rule set."""
        record, workers = self._record, self._workers
        elsewhere = (
            None
            if workers is None
            else partial(rows_elsewhere, record, self._rules, self._names, self._measures, workers)
        )
        return score_frames(
            self._items,
            self._came,
            self._rules,
            repeats=record.settings.repeats,
            seed=record.settings.seed,
            failures_are_wrong=record.failures_are_wrong,
            metrics=self._measures,
            rows_of=elsewhere,
        )

    def figures(self, rows: pl.LazyFrame) -> dict[str, Any]:
        """Return the content of scores.json.

        Args:
            rows: all parts; those of one rule set at a time are held, without columns for human readers.
        """
        benchmark, record, items = self._benchmark, self._record, self._items
        own_rules, rules, asked, judgements = self._own_rules, self._rules, self._asked, self._judgements
        said = self._came.values()
        figures: dict[str, Any] = {"tolman": record.tolman, "settings": record.settings.model_dump(mode="json")}
        figures["items"] = len(items)
        figures["asked"] = len(items) * record.settings.repeats
        told = outcome_figures(said, rows)
        askings = ((id, repeat) for id in field_values(items, "id") for repeat in range(record.settings.repeats))
        figures["unanswered"] = {
            "failed": sum(one["count"] for one in told["failures"]),
            "missing": sum(asking not in self._came for asking in askings),
        }
        figures["failures"] = told.pop("failures")
        frames_shown = count_frames_shown(record, items)
        if frames_shown:
            figures["frames_shown"] = frames_shown
        figures |= told
        in_no_column = count_in_no_column(rows, rules[0].name, benchmark.table_of(rules[0].name))
        if in_no_column:
            figures["in_no_column"] = in_no_column
        if self._adaptive is not None:
            figures["adaptive"] = {"items": self._adaptive.items}
        figures["rule_sets"] = {}
        by_metrics: dict[str, Any] = {}
        for rule_set in rules:
            by_item = record.settings.repeats > 1 or self._adaptive is not None  # repeats of an item are averaged
            told_only = _TOLD[1:] if by_item else _TOLD
            own = _rows_of(rows, rule_set.name).drop(told_only).collect()
            table = benchmark.table_of(rule_set.name)
            data = prepare(own, table)
            entry: dict[str, Any] = {"cells": _plain(cells_of(data, table))}
            unread = unread_of(data, ReadStates.of(own), table)
            if rule_set.name != judged.NAME:
                unread = with_unjudged(unread, own, table)
            if self._adaptive is not None:
                unread = self._estimated(entry, own, table, cells_of(data, table), unread)
            entry["unread"] = {key: asdict(one) for key, one in unread.items()}
            del data
            if (
                self._adaptive is None
                and isinstance(table.column(table.headline).node, Mean)
                and own["task"].n_unique() > 1
            ):
                entry["pooled"] = asdict(cells(own, _POOLED)["pooled"])
            _withhold(entry, withheld_of(unread, rule_set.name, self._given), table.headline)
            guessed = int(own["guessed"].sum())
            if guessed:
                entry["guessed"] = guessed
                drawn = cells(own, table, column="expected")
                if self._adaptive is not None:
                    by_chance = adaptive_testing.estimates(self._adaptive, own, table, "expected")
                    drawn = adaptive_testing.with_estimates(drawn, by_chance)
                if rule_set.name != judged.NAME:
                    drawn = blanked(drawn, withheld_in(own, table, asks=self._given.asks_judge(rule_set.name)))
                entry["expected_cells"] = _plain(drawn)
            figures["rule_sets"][rule_set.name] = entry
            if asked and len(own):
                by_metrics[rule_set.name] = further_record(own, asked, asks=self._given.asks_judge(rule_set.name))
            del own  # before the next one's are read
        if len(own_rules) > 1:
            figures["differ"] = count_differing(rows, own_rules[0].name, own_rules[1].name)
        if asked:
            figures["metrics"] = by_metrics
        if judgements is not None:
            figures["judge"] = _judge(judgements, rows)
            if judgements.sample is not None and judgements.source == benchmark.judging.source:
                figures["judge"]["sample"] = _agreement(judgements.sample, benchmark, items, said)
        if self._expectation is not None:
            answers = {item.id: self._expectation.distribution(item) for item in items}
            expected = expected_scores(items, answers, rules, benchmark.table.metrics)
            for rule_set in rules:
                mean = expected.filter(pl.col("rule_set") == rule_set.name)
                table = benchmark.table_of(rule_set.name)
                found = blanked(cells(mean, table), withheld_in(mean, table))
                figures["rule_sets"][rule_set.name]["expectation_cells"] = _plain(found)
        return figures

    def _estimated(
        self,
        entry: dict[str, Any],
        rows: pl.DataFrame,
        table: Table,
        found: Mapping[str, Cell],
        unread: dict[str, Unread],
    ) -> dict[str, Unread]:
        """Put estimates for all items into an entry, with the headline's standard error; the bounds of unread
        responses for all items."""
        assert self._adaptive is not None
        estimates = adaptive_testing.estimates
        own = estimates(self._adaptive, rows, table)
        entry["cells"] = _plain(adaptive_testing.with_estimates(found, own))
        entry["standard_error"] = own[table.headline].error
        lost = pl.col("state").is_in(["none", "cut off"])
        wrong = rows.with_columns(score=pl.when(lost).then(0.0).otherwise(pl.col("score")))
        low, high = estimates(self._adaptive, wrong, table), estimates(self._adaptive, rows, table, "at_chance")
        return {
            key: replace(one, low=low[key].value or 0.0, high=high[key].value or 0.0) for key, one in unread.items()
        }


def withheld_of(unread: Mapping[str, Unread], rules: str, benchmark: BenchmarkSpec) -> set[str]:
    """Return keys of the figures that are not printed: more than half of their responses are unread, and only a judge
    can score them. This applies to open answers, and to released code that asks a model about unreadable responses.

    Args:
        unread: column key → figures of its unread responses.
        rules: the rule set.
        benchmark: with its judging.
    """
    asks = benchmark.asks_judge(rules)
    return {key for key, one in unread.items() if one.is_withheld and (asks or one.unjudged)}


def _withhold(entry: dict[str, Any], keys: Collection[str], headline: str) -> None:
    """Take the values of some figures out of a rule set's entry."""
    for key in keys:
        entry["cells"][key] |= {"value": None, "interval": None, "method": None, "reason": WITHHELD, "rest": None}
    if headline in keys:
        entry.pop("pooled", None)


_POOLED = Table((Column("pooled", "Pooled over items", pool(), digits=2),), headline="pooled")
"""The mean over all items, whatever their question type, as other harnesses print it beside or in place of a mean over
question types."""
_TOLD = ("id", "rule_set", "reading", "note", "span_start", "span_end", "rule")
"""Columns that no figure is made of."""


def _rows_of(rows: pl.LazyFrame, rule_set: str) -> pl.LazyFrame:
    """The rows of one rule set."""
    return rows.filter(pl.col("rule_set") == rule_set)


def _judge(judgements: judged.Judgements, rows: pl.LazyFrame) -> dict[str, Any]:
    """Return the judge, the numbers of judged responses and of those without an answer, and failed judgements."""
    own = _rows_of(rows, judged.NAME).select("judged", "status", "reading", "note").collect()
    read, failed = own.filter(pl.col("judged")), own.filter(pl.col("status") == "unjudged")
    return {
        "model": judgements.judge,
        **({"by_itself": True, "prompt": judgements.prompt} if judgements.by_itself else {}),
        "settings": judgements.settings,
        "source": judgements.source,
        "judged": len(read),
        "no_answer": int((read["reading"] == "").sum()),
        "failed": len(failed),
        "example": failed["note"][0] if len(failed) else "",
        "input_tokens": judgements.usage.input_tokens,
        "output_tokens": judgements.usage.output_tokens,
    } | ({} if judgements.cost is None else {"cost": judgements.cost})


def _agreement(
    sample: judged.JudgedSample, benchmark: BenchmarkSpec, items: Sequence[Item], outcomes: Collection[Outcome]
) -> dict[str, Any]:
    """Return the sample, and how far reader and judge agree on it."""
    texts = ((outcome.id, outcome.response) for outcome in outcomes if isinstance(outcome, Response))
    reader, by_id = benchmark.rule_set(sample.reader), {item.id: item for item in items}
    found = judge_sample.agreement(sample, reader, by_id, texts, benchmark.judging)
    interval = found.interval
    return {
        "reader": sample.reader,
        "seed": sample.seed,
        "size": sample.size,
        "readable": sample.readable,
        "sampled": len(sample.judgements),
        **asdict(found),
        "share": found.share,
        "low": interval.low if interval else None,
        "high": interval.high if interval else None,
    }


def count_differing(rows: pl.LazyFrame, one: str, other: str) -> int:
    """The number of items that two rule sets, whose rows are in the same order, score differently; an item that was
    asked several times counts once."""
    left, right = (_rows_of(rows, name).select("id", "score", "task").collect() for name in (one, other))
    same = left["score"].eq_missing(right["score"]) & (left["task"] == right["task"])
    return left.filter(~same)["id"].n_unique()


def _plain(found: Mapping[str, Cell]) -> dict[str, Any]:
    return {key: asdict(cell) for key, cell in found.items()}
