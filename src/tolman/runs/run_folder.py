"""The folder of a run.

```
run.json          settings, versions, data hash, environment
items.parquet     the questions that were asked
adaptive.json     which items were chosen and why, where the run is adaptive
responses.jsonl   what came back, one response or failure on each line
progress.jsonl    outcomes so far, while a run goes on (`runs.progress`)
unfinished.jsonl  answers so far of a model that the response store doesn't keep, until every question has one
judgements.json   what a judge made of responses, where one was asked
scores.parquet    each item under each rule set
metrics.parquet   the values of further metrics, where the benchmark's table has any or the user asked for some
scores.json       the figures of the benchmark's table
report.html       all of it to look at
receipt.json      hashes of all of it, once it is sealed (`runs.receipts`)
tracker_id.txt    its id in experiment trackers, once it is logged (`features.report.trackers`)
```
"""

from __future__ import annotations

import json
import platform
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

import tolman
from tolman.benchmarks.benchmark_folder import is_folder
from tolman.errors import InputError, RunConflictError
from tolman.extras import LazyModule, pl
from tolman.files import atomic_write, write_text
from tolman.forks import check_fork
from tolman.item_table import GROUP_ROWS, item_slices, open_items, read_items, write_items
from tolman.items import Item, Selection
from tolman.media.sampling import Frames
from tolman.messages import Sampling
from tolman.responses import Outcome, Outcomes, Response, each_outcome, write_outcomes
from tolman.runs import response_store
from tolman.runs.leases import is_held, sole_writer
from tolman.runs.places import SCENES, opened, other_import, places_of, same_code, same_place
from tolman.scoring.judged import Judgements

if TYPE_CHECKING:
    from tolman.scoring import adaptive_testing
else:
    adaptive_testing = LazyModule("tolman.scoring.adaptive_testing")

BASELINES = "baseline/"
"""How the names of baselines begin."""
SEEING = frozenset({"baseline/detector"})
"""Those of them that look at media."""
CALLABLE = "callable"
"""The key in a record's environment of the Python callable that made a run."""
PEOPLE = "human/"
"""How the names begin under which people's answers are runs."""


def is_blind(model: str) -> bool:
    """Check whether a model sees no media under any protocol: a baseline, but for those that look."""
    return model.startswith(BASELINES) and model not in SEEING


class RunSettings(BaseModel):
    """All that determines a run's answers. A folder holds answers to one such set only."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    benchmark: str
    subset: str
    data_hash: str
    model: str
    model_settings: dict[str, Any] = Field(default_factory=dict)
    protocol: str
    protocol_settings: dict[str, Any] = Field(default_factory=dict)
    preset: str
    sampling: Sampling = Sampling()
    frames: Frames = Frames()
    repeats: int = 1
    seed: int = 0
    selection: Selection = Selection()

    def named(self, *apart: str) -> str:
        """Form the name that tables have: the model, with the protocol where it isn't 'direct'. Most baselines see no
        media under any protocol, so 'blind' isn't said of them.

        Args:
            apart: further texts in the parentheses; empty ones are left out.
        """
        blind = is_blind(self.model)
        protocol = [part for part in self.protocol.split("+") if part != "direct" and not (blind and part == "blind")]
        said = [text for text in ("+".join(protocol), *apart) if text]
        return f"{self.model} ({', '.join(said)})" if said else self.model


class RunRecord(BaseModel):
    """The content of run.json.

    Attributes:
        settings: of the run.
        subset_items: questions of the subset, before any selection.
        presented_items: questions that the protocol makes of all of them, where it asks more or fewer.
        data: the folder, or the hub's data set and commit.
        created, tolman, environment: time, version and environment of the start, with the callable of a program.
        failures_are_wrong: whether failed items score 0.
        known_errors: how many questions of the subset the list of known errors left out; None where it wasn't used.
        recipe: a recipe's part in the settings: its name, whether the user named it, its tables.
        endpoint: of the model, where it has one: `addresses` at which it was asked, the `weights` and the `server` that
            they reported, and addresses that earlier answers are `kept_under`. `served`, only where replies named more
            than one model or fingerprint: how many responses each gave. None of it is a setting.
        places: where the folders are that settings and `data` name, and the files that responses were imported from
            (`runs.places`).
    """

    model_config = ConfigDict(extra="forbid", defer_build=True)

    settings: RunSettings
    subset_items: int
    presented_items: int | None = None
    data: str
    created: str = Field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))
    tolman: str = tolman.__version__
    environment: dict[str, str] = Field(
        default_factory=lambda: {"python": platform.python_version(), "platform": platform.platform()}
    )
    failures_are_wrong: bool = False
    known_errors: int | None = None
    recipe: dict[str, Any] | None = None
    endpoint: dict[str, Any] = Field(default_factory=dict)
    places: dict[str, dict[str, str]] = Field(default_factory=dict)


_ADAPTIVE = "adaptive.json"
TRACKER_ID = "tracker_id.txt"
_RESULTS = (
    _ADAPTIVE,
    "responses.jsonl",
    "judgements.json",
    "scores.parquet",
    "metrics.parquet",
    "scores.json",
    "usage.json",
    "report.html",
    response_store.UNFINISHED_FILE,
    TRACKER_ID,
)
"""Files that are written when a run ends."""


class RunFolder:
    """The files of one run, to read and write.

    Attributes:
        before: content of run.json before `start`; None where there was none.
        is_bound: whether the folder held answers, so that other settings and other weights are refused.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.before: RunRecord | None = None
        self.is_bound = False

    @property
    def responses_path(self) -> Path:
        """The file of the outcomes."""
        return self.path / "responses.jsonl"

    def sole_writer(self) -> AbstractContextManager[None]:
        """Keep other processes from writing into the folder, which is made if it isn't there.

        Raises:
            RunConflictError: another is at work there.
        """
        return sole_writer(self.path)

    @property
    def is_at_work(self) -> bool:
        """Check whether a process is writing into the folder."""
        return is_held(self.path)

    def start(self, record: RunRecord, *, at_addresses: bool = False) -> Outcomes:
        """Create the folder, or make sure that it holds the same run; its questions come with `write_items`.

        Args:
            record: of the run.
            at_addresses: whether the model has addresses, so that the served weights are found out later.

        Returns:
            The outcomes of an earlier start of the run.

        Raises:
            RunConflictError: it holds a run with other settings, whose first difference the sentence names, or
                responses of no run.
            InputError: the files of an earlier start can't be read.
        """
        earlier = Outcomes()
        if (self.path / "run.json").exists():
            self.before = self.record()
            old, model = self.before.settings, record.settings.model
            if same_code(self.before, model, self.path):
                old = old.model_copy(update={"model": model})
            difference = _first_difference(old, record.settings, at_addresses=at_addresses)
            earlier = Outcomes.of(self.each_outcome())
            self.is_bound = self._holds_answers(earlier)
            if difference and self.is_bound:
                raise RunConflictError(f"{self.path} holds a run with {difference}; give another folder with --out.")
            other = other_import(self.before, record, self.path)
            if other and self.is_bound:
                raise RunConflictError(
                    f"{self.path} holds the responses of {other}, another file; name this model with --name, or give "
                    "another folder with --out."
                )
            if difference:
                for name in _RESULTS:  # of a run without an answer
                    (self.path / name).unlink(missing_ok=True)
                self.before, earlier = None, Outcomes()
            self.judgements()
            if at_addresses and self.before is not None:  # what is known of the model stays until it is found out anew
                kept = record.settings.model_copy(update={"model_settings": self.before.settings.model_settings})
                record = record.model_copy(update={"settings": kept, "endpoint": self.before.endpoint})
        elif self.responses_path.exists():
            raise RunConflictError(
                f"{self.path} holds a responses.jsonl and no run.json, so its run is unknown; give "
                "another folder with --out."
            )
        self.path.mkdir(parents=True, exist_ok=True)
        self.write_record(record)
        return earlier

    def holds_run_of_other(self, maker: str, *, finished: bool) -> bool:
        """Check whether the folder holds answers of a callable that isn't known to be this one.

        Args:
            maker: the name of the callable, as run.json keeps it; empty where it can't be identified.
            finished: whether only a run counts that no start goes on with.

        Raises:
            InputError: the run that it holds can't be read.
        """
        if not (self.path / "run.json").exists():
            return False
        goes_on = response_store.holds_unfinished_answers(self.path)
        known = self.record().environment.get(CALLABLE)
        if (finished and goes_on) or (maker and (known == maker or (known is None and goes_on))):
            return False  # an earlier version named no callable in an unfinished run
        return self._holds_answers(Outcomes.of(self.each_outcome()))

    def _holds_answers(self, outcomes: Outcomes) -> bool:
        """Check whether an earlier start brought an answer, or left questions at a provider."""
        if any(isinstance(one, Response) for one in outcomes.values()):
            return True
        return response_store.holds_unfinished_answers(self.path) or any(self.path.glob("batches/*"))

    def write_items(self, items: Iterable[Item]) -> None:
        """Write the questions."""
        write_items(self.path / "items.parquet", items)

    def adaptive(self) -> adaptive_testing.AdaptiveRecord | None:
        """Return the items that an adaptive run chose; None of any other run.

        Raises:
            InputError: the file is broken.
        """
        path = self.path / _ADAPTIVE
        try:
            return adaptive_testing.AdaptiveRecord.model_validate_json(path.read_text(encoding="utf-8-sig"))
        except FileNotFoundError:
            return None
        except (OSError, ValidationError, UnicodeDecodeError) as error:
            fix = "delete it, and run the same command again: answers are kept"
            what = f"holds no choice of items ({str(error).splitlines()[0]})"
            raise InputError(path, what, fix=fix) from None

    def write_adaptive(self, record: adaptive_testing.AdaptiveRecord) -> None:
        """Replace the items that an adaptive run chose."""
        write_text(self.path / _ADAPTIVE, record.model_dump_json() + "\n")

    def write_record(self, record: RunRecord) -> None:
        """Replace run.json."""
        record = record.model_copy(update={"places": places_of(record, self.path)})
        write_text(self.path / "run.json", record.model_dump_json(indent=2) + "\n")

    def record(self) -> RunRecord:
        """Return the content of run.json.

        Raises:
            InputError: there is none, or it is not a run's.
        """
        path = self.path / "run.json"
        try:
            return opened(RunRecord.model_validate_json(path.read_text(encoding="utf-8-sig")), self.path)
        except OSError:
            raise InputError(
                self.path, "is no run folder (it has no run.json)", fix="give a folder that 'tolman run' wrote"
            ) from None
        except (ValidationError, UnicodeDecodeError) as error:
            raise InputError(path, f"is not a run's ({str(error).splitlines()[0]})") from None

    def items(self) -> list[Item]:
        """The questions."""
        return read_items(self.path / "items.parquet")

    def open_items(self) -> Sequence[Item]:
        """Return the questions; many are read again by each loop."""
        return open_items([self.path / "items.parquet"])

    def item_slices(self) -> Iterator[list[Item]]:
        """The questions, some thousands at a time."""
        return item_slices(self.path / "items.parquet")

    def outcomes(self) -> list[Outcome]:
        """Return the outcomes; empty before the first answer."""
        return list(self.each_outcome())

    def each_outcome(self) -> Iterator[Outcome]:
        """The same one by one.

        Raises:
            InputError: a line is none, when it is reached.
        """
        if not self.responses_path.exists():
            return
        try:
            yield from each_outcome(self.responses_path)
        except InputError as error:
            fix = (
                "put a copy in its place, or delete it: answers that are in the response store are not asked for again"
            )
            raise InputError(error.path, error.what, row=error.row, field=error.field, fix=fix) from None

    def write_outcomes(self, outcomes: Iterable[Outcome]) -> None:
        """Replace the outcomes."""
        write_outcomes(self.responses_path, outcomes)

    def judgements(self) -> Judgements | None:
        """Return a judge's judgements of the responses; None where none was asked.

        Raises:
            InputError: the file is broken.
        """
        path = self.path / "judgements.json"
        if not path.exists():
            return None
        try:
            return Judgements.model_validate_json(path.read_text(encoding="utf-8-sig"))
        except (ValidationError, UnicodeDecodeError) as error:
            fix = "delete it, and ask the judge again with --judge"
            raise InputError(path, f"holds no judgements ({str(error).splitlines()[0]})", fix=fix) from None

    def write_judgements(self, judgements: Judgements) -> None:
        """Replace the judgements."""
        write_text(self.path / "judgements.json", judgements.model_dump_json(indent=1) + "\n")

    def write_scores(self, scores: pl.DataFrame | pl.LazyFrame, figures: dict[str, Any]) -> None:
        """Replace the scores, the values of further metrics next to them, and the figures."""
        from tolman.scoring.score_items import SCHEMA

        rows = scores.lazy()
        further = [name for name in rows.collect_schema().names() if name not in SCHEMA]
        with atomic_write(self.path / "scores.parquet") as partial:
            rows.select(list(SCHEMA)).sink_parquet(partial, row_group_size=GROUP_ROWS)
        if further:
            with atomic_write(self._metrics_path) as partial:
                columns = rows.select("rule_set", "id", "repeat", *further)
                columns.sink_parquet(partial, row_group_size=GROUP_ROWS)
        else:
            self._metrics_path.unlink(missing_ok=True)
        write_text(self.path / "scores.json", json.dumps(figures, indent=2, ensure_ascii=False) + "\n")

    def scores(self) -> pl.DataFrame:
        """Each item under each rule set, with the values of further metrics (`aggregate.column_of`); columns that an
        earlier version didn't write are null.

        Raises:
            InputError: the run was never scored, or by another version.
        """
        with self.reading_scores():
            return self._with_further_metrics(self.scan_scores().collect())

    def scan_scores(self) -> pl.LazyFrame:
        """Return the same without the values of further metrics, to be read in parts.

        Raises:
            InputError: as `scores`; errors found only in reading are those of Polars.
        """
        from tolman.scoring.score_items import with_all_columns

        check_fork()
        self.check_scored()
        path = self.path / "scores.parquet"
        with self.reading_scores():
            scores = with_all_columns(pl.scan_parquet(path))
        if scores is None:
            raise InputError(path, "was written by another version", fix=f"run 'tolman score {self.path}'")
        return scores

    @contextmanager
    def reading_scores(self) -> Iterator[None]:
        """Convert errors of Polars to those of the table of scores.

        Raises:
            InputError: there was one.
        """
        try:
            yield
        except (pl.exceptions.PolarsError, OSError) as error:
            what = f"is no readable table of scores ({str(error).splitlines()[0]})"
            raise InputError(self.path / "scores.parquet", what, fix=f"run 'tolman score {self.path}'") from None

    @property
    def _metrics_path(self) -> Path:
        return self.path / "metrics.parquet"

    def _with_further_metrics(self, scores: pl.DataFrame) -> pl.DataFrame:
        if not self._metrics_path.exists():
            return scores
        key = ["rule_set", "id", "repeat"]
        try:
            return scores.join(pl.read_parquet(self._metrics_path), on=key, how="left", maintain_order="left")
        except (pl.exceptions.PolarsError, OSError) as error:
            what = f"is no readable table of metrics ({str(error).splitlines()[0]})"
            raise InputError(self._metrics_path, what, fix=f"run 'tolman score {self.path}'") from None

    def further_metrics(self) -> list[str]:
        """The names of the metrics that scores.json has besides the benchmark's table; none before it is scored."""
        if not (self.path / "scores.json").exists():
            return []
        by_rules = self.figures().get("metrics", {})
        return list(dict.fromkeys(name for metrics in by_rules.values() for name in metrics))

    def figures(self) -> dict[str, Any]:
        """The figures of scores.json.

        Raises:
            InputError: the run was never scored, or the file is broken.
        """
        self.check_scored()
        path = self.path / "scores.json"
        try:
            loaded = json.loads(path.read_text(encoding="utf-8-sig"))
        except ValueError as error:
            raise InputError(path, f"is no JSON ({error})", fix=f"run 'tolman score {self.path}'") from None
        if not isinstance(loaded, dict) or "rule_sets" not in loaded:
            raise InputError(path, "holds no figures", fix=f"run 'tolman score {self.path}'")
        return loaded

    def check_scored(self) -> None:
        """Make sure that the folder holds scores and figures.

        Raises:
            InputError: the run was never scored.
        """
        if not all((self.path / name).exists() for name in ("scores.json", "scores.parquet")):
            raise InputError(self.path, "holds no scores", fix=f"run 'tolman score {self.path}'")


def same_benchmark(one: str, other: str) -> bool:
    """Check whether two names may mean one benchmark: equal names, or two folders, which have many spellings."""
    return one == other or (is_folder(one) and is_folder(other))


_FOUND_OUT = ("base_url", "served", "label")
"""Settings of a model that has addresses which say where it is, or what is served there."""


def _first_difference(old: RunSettings, new: RunSettings, *, at_addresses: bool) -> str | None:
    for name in RunSettings.model_fields:
        before, now = getattr(old, name), getattr(new, name)
        if name == "model_settings" and at_addresses:
            labels = before.get("label"), now.get("label")
            if labels[0] is not None and labels[0] != labels[1]:
                return f"label {labels[0]}, not {labels[1] or 'none'}"
            before, now = ({k: v for k, v in one.items() if k not in _FOUND_OUT} for one in (before, now))
        if name in ("model_settings", "protocol_settings") and same_place(before.get(SCENES), now.get(SCENES)):
            before = {**before, SCENES: now[SCENES]}
        if name == "benchmark" and same_benchmark(before, now):
            continue  # what is in the folder is told by the hash of the data
        if name == "frames" and ("imported" in new.model_settings or not now.known):
            continue  # earlier versions took those of the prompt preset for the ones that another program showed
        if name == "sampling" and "imported" in new.model_settings:
            continue  # earlier versions wrote that of the prompt preset
        if before != now:
            shown = (v.describe() or "everything" if isinstance(v, Selection) else v for v in (before, now))
            before, now = shown
            return f"{name.replace('_', ' ')} {before!s}, not {now!s}"
    return None
