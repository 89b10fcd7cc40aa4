"""Rows of a report's tables, and the marks and sentences that qualify their figures.

There are five qualifications. A figure has no interval, rests on few questions (§), or lacks parts (‡). More than 5 %
of its responses could not be read (†). The model read its own responses otherwise than the reader (¶). Shares of unread
responses and the bounds of a score are below its row.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from tolman.benchmarks.spec import BenchmarkSpec
from tolman.errors import counted
from tolman.runs.run_folder import BASELINES, PEOPLE
from tolman.scoring.further_figures import Unread
from tolman.scoring.intervals import MIN_EFFECTIVE_SCENES, Interval
from tolman.scoring.judged import NAME as JUDGED
from tolman.scoring.response_states import EARLIER, UNFINISHED
from tolman.scoring.score_table import FEW, Column, Pool, Rest, SmallPart, Table, coefficients, pools_of


@dataclass(frozen=True)
class Lacking:
    """A figure without an interval.

    Attributes:
        title: of its column.
        effective_scenes: Kish's effective number of scenes.
        reason: why there is none.
        table: its table, where there are several, such as a metric's.
    """

    title: str
    effective_scenes: float
    reason: str
    table: str = ""


def interval_sentences(lacking: Sequence[Lacking], *, all_figures: bool) -> list[str]:
    """A sentence for the figures of too few scenes, and one for each other reason.

    Args:
        lacking: figures that have a value and no interval.
        all_figures: whether no figure has an interval, so that none is named.
    """
    few = [one for one in lacking if one.effective_scenes < MIN_EFFECTIVE_SCENES]
    said = []
    if few:
        sizes = [round(one.effective_scenes, 1) for one in few]
        span = f"{min(sizes):g}" if min(sizes) == max(sizes) else f"{min(sizes):g} to {max(sizes):g}"
        which = "" if all_figures and len(few) == len(lacking) else f" for {_lacking_listed(few)}"
        scenes = "1 effective scene" if span == "1" else f"{span} effective scenes"
        several = len({(one.table, one.title) for one in few}) > 1
        there = "there is" if span == "1" else "there are"
        have = there if not which else "they have" if several else "it has"
        said.append(f"No interval{which}: {have} {scenes}; an interval needs at least {MIN_EFFECTIVE_SCENES:g}.")
    others = [one for one in lacking if one not in few]
    for reason in dict.fromkeys(one.reason for one in others):
        said.append(f"No interval for {_lacking_listed(one for one in others if one.reason == reason)}: {reason}.")
    return said


def _lacking_listed(lacking: Iterable[Lacking]) -> str:
    """Titles by table: 'a, b', or 'Within 25 %: a, b; Bias: a'; tables with the same titles together."""
    by_table: dict[str, dict[str, None]] = {}
    for one in lacking:
        by_table.setdefault(one.table, {})[one.title] = None
    alike: dict[tuple[str, ...], list[str]] = {}
    for table, titles in by_table.items():
        alike.setdefault(tuple(titles), []).append(table)
    return "; ".join(
        f"{', '.join(tables)}: {', '.join(titles)}" if any(tables) else ", ".join(titles)
        for titles, tables in alike.items()
    )


TOGETHER = "people, "
"""How the names of rows begin that are of several people."""

MADE_BEFORE = "scored by an earlier version, whose intervals were too narrow; 'tolman score FOLDER' recomputes them"


@dataclass(frozen=True)
class Figure:
    """One cell.

    Attributes:
        value: on the 0–100 scale.
        interval: 95 %, clustered by scene.
        n: scored items.
        effective_scenes: Kish's effective number of scenes.
        method, reason: how the interval was computed, or why there is none.
        missing: titles of parts of the figure without a scored item.
        attainable: the figure of a perfect model: below 100 where missing parts count as 0.
        unanswered: questions of it whose call failed, or that have no answer.
        rank: place among the models of its column, from 1; None where nothing is ranked.
        competitors: how many models there are.
        small: parts of a mean that rest on very few questions.
        rest: a headline without an interval over the parts that have one.
    """

    value: float
    interval: Interval | None = None
    n: int | None = None
    effective_scenes: float | None = None
    method: str | None = None
    reason: str | None = None
    missing: tuple[str, ...] = ()
    attainable: float = 100.0
    unanswered: int = 0
    rank: int | None = None
    competitors: int = 0
    small: tuple[SmallPart, ...] = ()
    rest: Rest | None = None


@dataclass(frozen=True)
class ReportRow:
    """One row.

    Attributes:
        name: model, with the settings that distinguish the row.
        rules: rule set, or 'published'.
        figures: column key → figure; a key is missing where there is none.
        headline: whether this is the row to quote.
        source, date: of a published row.
        differs: of a published row, the signs of differences from the runs (`reports.reference_rows`).
        group: 'run', or 'model', 'human', 'chance' for published rows.
        incomplete: failures or missing answers are not in the figures.
        part: "400 of 5,130", where the row is of a part of the questions.
        models: how many models or fingerprints answered, where more than one did; else 0.
        unread: column key → shares and bounds of unread responses.
        marked: key of the table's headline where so much of it could not be read that it bears a sign.
        agreement: how often a model that reads its own responses agrees with the reader.
        doubted: key of the table's headline where it disagrees so often that it bears a sign.
        ranked: whether its figures compete with those of other rows.
        values: of the labels in rows, in a table by labels; None for all of a label's values together.
    """

    name: str
    rules: str
    figures: Mapping[str, Figure]
    headline: bool = False
    source: str = ""
    date: str = ""
    differs: tuple[str, ...] = ()
    group: str = "run"
    incomplete: bool = False
    part: str = ""
    models: int = 0
    unread: Mapping[str, Unread] = field(default_factory=dict)
    marked: str = ""
    agreement: str = ""
    doubted: str = ""
    ranked: bool = False
    values: tuple[str | None, ...] = ()

    @property
    def signs(self) -> tuple[str, ...]:
        """Return the words in brackets after its name: missing or mixed parts, or differences from the runs."""
        said = ("incomplete" if self.incomplete else "", self.part, "mixed" if self.models else "", self.agreement)
        return (*(text for text in said if text), *self.differs)


def is_reference(row: ReportRow) -> bool:
    """Check whether a row is of chance, people or a baseline, which aren't competitors."""
    return row.group in ("chance", "human") or row.name.startswith((BASELINES, PEOPLE, TOGETHER))


@dataclass
class ReportTable:
    """One table of a report.

    Attributes:
        title: its heading; empty for the benchmark's own table.
        columns: its figures.
        headline: key of the column to quote.
        rows: of it.
        by: the labels of a table by labels.
        in_rows: those of them whose values are in the rows (`ReportRow.values`).
        across: whether the last label's values are the columns, so that all columns are one figure of the benchmark's.
        column_values: then, key of each column → the value; None for all of them together.
        figure: then, key of that figure in the benchmark's table.
        benchmark: name of the benchmark whose table it is, where that isn't the report's: a taxonomy.
        marks: the meaning of its signs, right below it.
        notes: further sentences.
    """

    title: str
    columns: tuple[Column, ...]
    headline: str
    rows: list[ReportRow]
    by: tuple[str, ...] = ()
    in_rows: tuple[str, ...] = ()
    across: bool = False
    column_values: Mapping[str, str | None] = field(default_factory=dict)
    figure: str = ""
    benchmark: str = ""
    marks: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def has_ranks(self) -> bool:
        """Return whether models in it compete."""
        return any(figure.rank is not None for row in self.rows for figure in row.figures.values())

    def scenes(self, row: ReportRow) -> str:
        """Effective number of scenes of a row's headline figure, as it is printed; empty where it isn't known."""
        figure = row.figures.get(self.headline)
        return "" if figure is None or figure.effective_scenes is None else f"{figure.effective_scenes:.1f}"

    def rank(self, row: ReportRow) -> str:
        """The rank of a row's headline figure, as it is printed; empty where there is none."""
        figure = row.figures.get(self.headline)
        return "" if figure is None or figure.rank is None else str(figure.rank)

    def figure_key(self, column: Column) -> str:
        """The key that a column's figure has in the benchmark's table."""
        return self.figure if self.across else column.key

    def labels(self, row: ReportRow, column: Column) -> dict[str, str | None]:
        """Return the labels of a cell's questions: label → value; None for all of the label's values."""
        found = dict(zip(self.in_rows, row.values, strict=True))
        return found | {self.by[-1]: self.column_values[column.key]} if self.across else found


def figures_of(cells: Mapping[str, Any], table: Table) -> dict[str, Figure]:
    """The figures of cells as scores.json has them; those without a value are left out.

    Args:
        cells: key of the column → cell.
        table: that the columns are of.
    """
    found = {}
    earlier = _earlier_small_parts(cells, table)
    for key, cell in cells.items():
        if cell["value"] is None:
            continue
        interval = Interval(**cell["interval"]) if cell.get("interval") else None
        reason = cell.get("reason", MADE_BEFORE)
        found[key] = Figure(
            cell["value"],
            interval,
            cell["n"],
            cell.get("effective_scenes"),
            cell.get("method"),
            reason,
            tuple(cell.get("missing", ())),
            cell.get("attainable", 100.0),
            cell.get("unanswered", 0),
            small=tuple(SmallPart(**part) for part in cell["small"]) if "small" in cell else earlier.get(key, ()),
            rest=Rest.from_dict(cell["rest"]) if cell.get("rest") else None,
        )
    return found


def _earlier_small_parts(cells: Mapping[str, Any], table: Table) -> dict[str, tuple[SmallPart, ...]]:
    """Return the small parts among an earlier version's cells, for parts that are columns. Others are taken for
    large."""
    own = {column.node: cells.get(column.key, {}).get("n", 0) for column in table.columns}
    counts = {leaf: own.get(leaf, FEW) for leaf in pools_of(column.node for column in table.columns)}
    return {column.key: table.small_parts(column, counts) for column in table.columns}


_ALONE = "people one by one"


def _groups(rows: Sequence[ReportRow]) -> list[str]:
    """Return the groups of rows, where people are among them: one person has fewer scenes than all together."""
    alone = [row.name.startswith(PEOPLE) for row in rows]
    if not any(alone):
        return [""] * len(rows)
    together = [row.name.startswith(TOGETHER) for row in rows]
    return [
        _ALONE if one else "people together" if all_of_them else "models"
        for one, all_of_them in zip(alone, together, strict=True)
    ]


def rest_shown(row: ReportRow, column: Column) -> str:
    """A mean without the parts that keep it from an interval, with its own; empty where that isn't so."""
    rest = row.figures[column.key].rest if column.key in row.figures else None
    return f"without {_texts_listed(rest.without)}: {_with_limits(rest, column)}" if rest else ""


def _with_limits(rest: Rest, column: Column) -> str:
    value, low, high = (f"{v:.{column.digits}f}" for v in (rest.value, rest.low, rest.high))
    return f"{value} ({low} … {high})"


WITHOUT = "Without "
"""How a sentence begins that has the headline of the parts that are large enough, with its interval."""


def missing_intervals(rows: Sequence[ReportRow], columns: Sequence[Column]) -> list[str]:
    """Why figures of runs have no interval: a sentence for those of too few scenes, one for each headline without the
    parts that lack one, and one for old run folders."""
    groups = _groups(rows)
    own = [
        (group, column.title, row.figures[column.key])
        for row, group in zip(rows, groups, strict=True)
        for column in columns
        if row.rules != "published" and column.key in row.figures
    ]
    said = []
    lacking = [
        Lacking(title, f.effective_scenes, f.reason or "", group)
        for group, title, f in own
        if f.interval is None and f.effective_scenes is not None
    ]
    said += interval_sentences(lacking, all_figures=len(lacking) == len(own))
    rests: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for row, group in zip(rows, groups, strict=True):
        for column in columns:
            rest = row.figures[column.key].rest if column.key in row.figures else None
            if rest is not None and not (group == _ALONE and groups.count(_ALONE) > 1):  # many people: too long a list
                rests.setdefault((column.title, rest.without), []).append(
                    f"{_with_limits(rest, column)} for {row.name}, {row.rules}"
                )
    said += [f"{WITHOUT}{_texts_listed(parts)}, {title} is {'; '.join(own)}." for (title, parts), own in rests.items()]
    if any(f.reason == MADE_BEFORE for _, _, f in own):
        said.append(f"No interval: {MADE_BEFORE}.")
    return said


FEW_SIGN = "§"
"""Behind a mean that holds a part with very few scored questions."""
FEW_LEGEND = (
    f"{FEW_SIGN} a mean that holds a part with fewer than {FEW} scored questions, so that single answers move it."
)


def count_shown(figure: Figure) -> str:
    """The number of scored questions of a figure that rests on few of them; else empty."""
    return f" (n={figure.n})" if figure.n is not None and 0 < figure.n < FEW else ""


def few_marks(rows: Sequence[ReportRow], columns: Sequence[Column]) -> list[str]:
    """A line for each mean of the runs that holds small parts; rows and columns with the same parts share one."""
    alike: dict[tuple[tuple[str, int], ...], tuple[dict[str, None], dict[str, None], float]] = {}
    for row in rows:
        for column in columns:
            small = row.figures[column.key].small if column.key in row.figures else ()
            if small:
                parts = tuple((part.title, part.n) for part in small)
                names, titles, moves = alike.get(parts, ({}, {}, 0.0))
                names[f"{row.name}, {row.rules}"] = titles[column.title] = None
                alike[parts] = names, titles, max(moves, *(part.moves for part in small))
    found = []
    for parts, (names, titles, moves) in alike.items():
        held = _texts_listed([f"{title} ({counted(n, 'question')})" for title, n in parts])
        moved = f": one question there moves the mean by up to {moves:.1f} points" if moves else ""
        own = sum(row.rules != "published" for row in rows)
        whose = "" if 1 < len(names) == own else f"{'; '.join(names)}: "
        found.append(f"{FEW_SIGN} {whose}{', '.join(titles)} includes {held}{moved}.")
    return found


def _texts_listed(texts: Sequence[str]) -> str:
    return " and ".join(part for part in (", ".join(texts[:-1]), texts[-1]) if part)


MISSING_SIGN = "‡"
"""Behind a figure that has no scored question of one of its parts."""


def missing_sentences(name: str, figures: Iterable[tuple[str, Sequence[str], float, int]]) -> list[str]:
    """A line for each set of parts that figures lack.

    Args:
        name: whose figures they are, such as a run and its rule set.
        figures: title, titles of the missing parts, the figure of a perfect model, and decimals, of each.
    """
    alike: dict[tuple[tuple[str, ...], float, int], list[str]] = {}
    for title, missing, attainable, digits in figures:
        if missing:
            alike.setdefault((tuple(missing), round(attainable, 6), digits), []).append(title)
    return [
        f"{MISSING_SIGN} {name}: {', '.join(titles)} without a scored question of {_texts_listed(missing)}: "
        + (
            "the mean is over the other parts alone, with renormalised weights."
            if attainable > 100 - 1e-6
            else f"it counts as 0, as in the released code, so that a perfect model gets {attainable:.{digits}f}."
        )
        for (missing, attainable, digits), titles in alike.items()
    ]


def missing_marks(
    name: str, folder: Path, rule_sets: Mapping[str, Any], benchmark: BenchmarkSpec, columns: Iterable[str] = ()
) -> list[str]:
    """Lines for the figures of a run that lack parts; rule sets that lack the same share one.

    Args:
        name, folder: of the run.
        rule_sets: as scores.json has them, or some of them.
        benchmark: of the run.
        columns: keys of the figures that are meant; all where empty.
    """
    wanted = set(columns) or {column.key for column in benchmark.table.columns}
    alike: dict[tuple[tuple[str, tuple[str, ...], float, int], ...], list[str]] = {}
    earlier = []
    for rules, entry in rule_sets.items():
        cells = entry["cells"]
        own = [(column, cells[column.key]) for column in benchmark.table.columns if column.key in wanted & set(cells)]
        said = f"{name}, {rules}"
        lacking = tuple((c.title, tuple(f.get("missing", ())), f.get("attainable", 100), c.digits) for c, f in own)
        alike.setdefault(lacking, []).append(said)
        if _counted_as_zero(benchmark, rules, cells):
            earlier.append(
                f"{said}: scored by an earlier version, which counted parts without a question as 0; "
                f"'tolman score {folder}' recomputes it."
            )
    return [one for lacking, names in alike.items() for one in missing_sentences("; ".join(names), lacking)] + earlier


def _counted_as_zero(benchmark: BenchmarkSpec, rules: str, cells: Mapping[str, Any]) -> bool:
    """Check whether an earlier version formed a figure without renormalising weights where this one does."""
    known = {r.name for r in benchmark.rule_sets} | {JUDGED}
    if rules not in known or any("missing" in cell for cell in cells.values()):
        return False
    table, present = benchmark.table_of(rules), _present(benchmark.table, cells)
    return any(
        coefficients(new.node, present) != coefficients(old.node, present)
        for new, old in zip(table.columns, benchmark.table.columns, strict=True)
    )


def _present(table: Table, cells: Mapping[str, Any]) -> frozenset[Pool]:
    """Return the pools that have scored items, judged by stored figures of pools that are a column of their own."""
    own = {c.node: cells.get(c.key, {}).get("n", 0) for c in table.columns if isinstance(c.node, Pool)}
    return frozenset(leaf for leaf in pools_of(c.node for c in table.columns) if own.get(leaf, 1))


UNREAD_SIGN = "†"
"""Behind a headline of which more than 5 % could not be read."""

DOUBT_SIGN = "¶"
"""Behind a headline whose model reads its own responses and disagrees with the reader on more than `DOUBTED_ABOVE`."""
DOUBTED_ABOVE = 5.0
"""Percent of a sample of responses that the reader reads."""

SHARES_LABEL = "unread, %: none + cut off"
BOUNDS_LABEL = "score: all wrong – at chance"


def stored_unread(entry: Mapping[str, Any]) -> dict[str, Unread]:
    """Column key → Unread of a rule set's entry in scores.json; empty where an earlier version wrote it."""
    return {key: Unread.from_dict(values) for key, values in entry.get("unread", {}).items()}


def needs_row(unread: Mapping[str, Unread], columns: Iterable[Column]) -> bool:
    """Check whether one of some columns has so many unread responses that a table says so."""
    return any(column.key in unread and unread[column.key].is_shown for column in columns)


def unread_shares(unread: Unread | None) -> str:
    """Both shares as they are printed under `SHARES_LABEL`; empty where there is no figure."""
    return f"{unread.none:.1f} + {unread.cut_off:.1f}" if unread else ""


def unread_bounds(unread: Unread | None, column: Column) -> str:
    """Both bounds as they are printed under `BOUNDS_LABEL`; empty where there is no figure."""
    return f"{unread.low:.{column.digits}f}–{unread.high:.{column.digits}f}" if unread else ""


def crossing_unread(unread: Mapping[str, Unread], column: Column) -> Unread | None:
    """A column's Unread where the table is to show it."""
    found = unread.get(column.key)
    return found if found is not None and found.is_shown else None


def unread_described(unread: Unread | None) -> str:
    """Both shares in words; empty where there is no figure."""
    if unread is None:
        return ""
    return f"{unread.none:.1f} % none, {unread.cut_off:.1f} % cut off, of {counted(unread.n, 'response')}"


def mark_sentence(
    name: str, rules: str, unread: Unread, headline: Column, *, has_judge: bool, left_to: str = "",
    others: Mapping[str, Unread] = MappingProxyType({}),
) -> str:  # fmt: skip
    """Return the line below the table for a headline that is marked.

    Args:
        name: the run's.
        rules: the rule set.
        unread: of the headline.
        headline: its column.
        has_judge: whether a judge read the run's responses.
        left_to: the model to which the released code leaves responses that this rule set can't read; empty where to
            none.
        others: of other rule sets in the table, which may read more.
    """
    advice: list[str] = []
    reader = ""
    best = min(others, key=lambda other: others[other].share, default=rules)
    if best != rules and others[best].share < unread.share and not others[best].unjudged:
        n, read = others[best].n, 100 - others[best].share
        is_count = abs(n * read / 100 - round(n * read / 100)) < 1e-6  # else some questions have more samples
        how_many = f"{n * read / 100:,.0f} of the {n:,}" if is_count else f"{read:.1f} % of them"
        reader = f"the scorer '{best}' reads {how_many}; "
    all_read = reader and not others[best].share and not (left_to or unread.unjudged)
    if rules != JUDGED and not all_read:  # a judge is for what no scorer reads
        asks = f"the released code asks {left_to} about them: " if left_to else ""
        advice.append(asks + (f"see '{JUDGED}'" if has_judge else "see --judge"))
    if unread.unjudged or (left_to and unread.is_withheld):
        total = f"no {headline.title}" if unread.is_withheld else f"{headline.title} is of the others alone"
        answers = counted(unread.n + unread.unjudged, "answer is", "answers are")
        return (
            f"{UNREAD_SIGN} {name}, {rules}: {total}: {unread.unread_of_all:.1f} % of {answers} unread, and only a "
            f"judge can score them; {'; '.join(advice)}."
        )
    if unread.cut_off:
        advice.append("raise --max-tokens for those cut off")
    low, high = (f"{value:.{headline.digits}f}" for value in (unread.low, unread.high))
    return (
        f"{UNREAD_SIGN} {name}, {rules}: {unread.share:.1f} % of {counted(unread.n, 'answer')} could not be read "
        f"({unread.none:.1f} % none, {unread.cut_off:.1f} % cut off): {reader}the score is {low} with all of these "
        f"wrong and {high} with all guessed{'; ' + ', or '.join(advice) if advice else ''}."
    )


_ENDED: Mapping[str, tuple[str, str]] = {
    "cut off": ("ended by the token limit", "; give more with --max-tokens"),
    "filtered": ("ended by a filter of the endpoint", ""),
    "refused": ("refused by the model", ""),
    "repetition": ("ended by the endpoint because they repeated themselves", ""),
    "tool call": ("ended by a call of a tool", ""),
    UNFINISHED: ("ended within the reasoning, and the endpoint names no token limit as the reason", ""),
    EARLIER: ("built on an earlier turn that the token limit ended", ""),
}


def ended_sentence(name: str, ending: str, entry: Mapping[str, int], answers: int, max_tokens: int | None) -> str:
    """The line above the table for answers in which the model was stopped.

    Args:
        name: the run's.
        ending, entry: as `endings` of scores.json has them.
        answers: how many came back.
        max_tokens: of the run's sampling.
    """
    what, advice = _ENDED[ending]
    limit = f" ({max_tokens:,} tokens)" if ending == "cut off" and max_tokens else ""
    count, unread = entry["count"], entry["unread"]
    were = "answer was" if count == 1 else "answers were"
    lost = f", {unread:,} of them before an answer that every rule set can read" if unread else ", and all can be read"
    if ending == EARLIER:
        lost = "; give such turns more with --reasoning-tokens"
    return f"{ending.upper()}: {name}: {count:,} of {answers:,} {were} {what}{limit}{lost}{advice if unread else ''}."


def sample_sentence(name: str, judge: str, sample: Mapping[str, Any]) -> str:
    """How far a judge and the reader agree, below the table.

    Args:
        name: the run's.
        judge: the model's.
        sample: as `judge.sample` of scores.json has it.
    """
    reader = sample["reader"]
    drawn = (
        f"{sample['sampled']:,} of {counted(sample['readable'], 'response')} that {reader} reads, seed {sample['seed']}"
    )
    lost = [
        f"{count:,} {what}" for count, what in ((sample["failed"], "failed"), (sample["dropped"], "changed")) if count
    ]
    tail = f"; not counted: {', '.join(lost)}" if lost else ""
    if not sample["n"]:
        return f"{name}: {judge} and {reader} can't be compared: no judgement of {drawn}{tail}."
    none = f", {sample['no_answer']:,} without an answer for the judge" if sample["no_answer"] else ""
    interval = f"{sample['low']:.1f}–{sample['high']:.1f}, Wilson 95 %"
    return (
        f"{name}: {judge} agrees with {reader} on {sample['agreed']:,} of {counted(sample['n'], 'response')}: "
        f"{sample['share']:.1f} % ({interval}){none}. Sampled: {drawn}{tail}."
    )


def agreement_shown(judge: Mapping[str, Any]) -> str:
    """Return how often a model that reads its own responses agrees with the reader, as in its row.

    Args:
        judge: as scores.json has it; '' for a judge that is another model.
    """
    if not judge.get("by_itself"):
        return ""
    sample = judge.get("sample", {"n": 0})
    if not sample["n"]:
        return "read by itself, agreement not measured"
    return f"read by itself, agrees with {sample['reader']} on {sample['agreed']:,} of {sample['n']:,}"


def is_doubted(judge: Mapping[str, Any]) -> bool:
    """Check whether a model that reads its own responses disagrees with the reader too often."""
    sample = judge.get("sample") or {"n": 0}
    return bool(judge.get("by_itself") and sample["n"] and 100 - sample["share"] > DOUBTED_ABOVE)


def doubt_sentence(name: str, judge: Mapping[str, Any]) -> str:
    """The line below the table for such a headline.

    Args:
        name: the run's.
        judge: as scores.json has it.
    """
    sample = judge["sample"]
    lost = sample["n"] - sample["agreed"]
    return (
        f"{DOUBT_SIGN} {name}, {JUDGED}: the model reads its own responses, and on {lost:,} of {sample['n']:,} sampled "
        f"ones ({100 - sample['share']:.1f} %; the limit is {DOUBTED_ABOVE:g} %) it reads another answer than "
        f"{sample['reader']}. Name another model with --judge."
    )
