"""Comparing a run with others item by item."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from tolman.errors import UsageError
from tolman.workflows.config import Setting
from tolman.workflows.events import Events, silent
from tolman.workflows.notebook import Displayable, NotebookTable

if TYPE_CHECKING:
    import polars as pl

    from tolman.benchmarks.base import BenchmarkSpec
    from tolman.reports.loaded import LoadedRun
    from tolman.scoring.compare import Difference


@dataclass(frozen=True, kw_only=True)
class CompareConfig:
    """Which runs are compared, by which scorer."""

    a: Annotated[Path, Setting("A run's folder.", positional=True)]
    b: Annotated[
        tuple[Path, ...], Setting("Folders of one or more runs to compare it with.", positional=True, repeated=True)
    ]
    scorer: Annotated[
        str | None, Setting("Scorer, such as official or careful. Default: the headline's.", aliases=("--rules",))
    ] = None


@dataclass(frozen=True)
class Comparison:
    """One run against another.

    Attributes:
        path, run: the other.
        differences: column key → figure of A minus the other's.
        p_holm: column key → p-value after Holm's correction over all rows of all comparisons.
        answered_by_one: items that only one of the two answered, which are left out.
    """

    path: Path
    run: LoadedRun
    differences: Mapping[str, Difference]
    p_holm: Mapping[str, float]
    answered_by_one: int


@dataclass(frozen=True, repr=False)
class CompareResult(Displayable):
    """A run against others.

    Attributes:
        path, run: the first run, A.
        benchmark: of all of them.
        scorer: by which they are compared.
        seed: of randomisation tests with too many scenes to enumerate.
        comparisons: one for each other run.
    """

    path: Path
    run: LoadedRun
    benchmark: BenchmarkSpec
    scorer: str
    seed: int
    comparisons: tuple[Comparison, ...]

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "a": str(self.path),
            "rules": self.scorer,
            "seed": self.seed,
            "unread": _unread(self.run, self.scorer),
            "endings": self.run.figures.get("endings", {}),
            "comparisons": [
                {
                    "b": str(one.path),
                    "columns": {key: {**asdict(d), "p_holm": one.p_holm[key]} for key, d in one.differences.items()},
                    "unread": _unread(one.run, self.scorer),
                    "endings": one.run.figures.get("endings", {}),
                }
                for one in self.comparisons
            ],
        }

    def table(self, *, pandas: bool = False) -> pl.DataFrame | Any:
        """One row for each comparison and figure.

        Args:
            pandas: give a pandas frame in place of a Polars one.

        Returns:
            Columns b (the other run's name), column, title, value_a, value_b, difference, low, high (95 % interval,
            null without one), p, p_holm, detectable, n, won, lost.

        Raises:
            MissingExtraError: pandas is wanted and not installed.
        """
        import polars as pl

        from tolman.workflows.frames import given_as

        numbers = ("value_a", "value_b", "difference", "low", "high", "p", "p_holm", "detectable")
        schema: dict[str, Any] = dict.fromkeys(("b", "column", "title"), pl.String)
        schema |= dict.fromkeys(numbers, pl.Float64) | dict.fromkeys(("n", "won", "lost"), pl.Int64)
        rows = [
            (
                one.run.name, key, self.benchmark.table.column(key).title, d.a, d.b, d.value,
                d.interval.low if d.interval else None, d.interval.high if d.interval else None, d.p, one.p_holm[key],
                d.detectable, d.n, d.won, d.lost,
            )
            for one in self.comparisons
            for key, d in one.differences.items()
        ]  # fmt: skip
        return given_as(pl.DataFrame(rows, schema=schema, orient="row"), pandas=pandas)

    def _title(self) -> str:
        return f"{self.run.name} − {', '.join(one.run.name for one in self.comparisons)}, {self.scorer}"

    def _shown(self) -> NotebookTable:
        return NotebookTable.of(self.table())


def compare(config: CompareConfig, events: Events = silent) -> CompareResult:
    """Compare a run with others: differences with paired intervals, randomisation tests, items won and lost.

    Raises:
        UsageError: they are of different benchmarks or data, have no item in common, or don't have that scorer.
        InputError: a folder is no run's, or was never scored.
    """
    import polars as pl

    from tolman.reports.alike import one_benchmark, one_rule_set, scores_under
    from tolman.reports.loaded import load_runs
    from tolman.scoring.compare import differences

    one, *rest = load_runs([config.a, *config.b])
    if not rest:
        raise UsageError("a comparison takes two runs or more; name the folders of the others.")
    benchmark = one_benchmark([one, *rest])
    chosen = one_rule_set([one, *rest], config.scorer)
    first, answered = scores_under(one, chosen), []
    seed, table = one.record.settings.seed, benchmark.table_of(chosen)
    found: list[dict[str, Difference]] = []
    for path, other in zip(config.b, rest, strict=True):
        second = scores_under(other, chosen)
        ids = [set(frame.filter(pl.col("score").is_not_null())["id"]) for frame in (first, second)]
        if not ids[0] & ids[1]:
            raise UsageError(f"the runs {config.a} and {path} have no answered item in common.")
        answered.append(len(ids[0] ^ ids[1]))
        found.append(differences(first, second, table, seed=seed))
    each = zip(config.b, rest, found, adjust(found), answered, strict=True)
    return CompareResult(config.a, one, benchmark, chosen, seed, tuple(Comparison(*parts) for parts in each))


def adjust(found: Sequence[Mapping[str, Difference]]) -> list[dict[str, float]]:
    """Holm's correction over all columns of all comparisons."""
    from tolman.scoring.paired_test import holm

    p_values = iter(holm([d.p for each in found for d in each.values()]))
    return [{key: next(p_values) for key in each} for each in found]


def _unread(run: LoadedRun, scorer: str) -> dict[str, Any]:
    """What could not be read of each figure."""
    from tolman.reports.unread import stored

    return {key: asdict(unread) for key, unread in stored(run.figures["rule_sets"][scorer]).items()}
