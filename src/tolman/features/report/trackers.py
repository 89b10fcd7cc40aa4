"""Log finished runs to experiment trackers: Weights & Biases and MLflow.

A tracker gets settings, figures with their intervals, a table of the answers, and the run's page. A run keeps its id in
its folder, so a run that is resumed or scored again updates its entry. Sources: wandb 0.31.0 (`wandb.init`), mlflow
3.17 (`MlflowClient`).
"""

from __future__ import annotations

import io
import json
import os
import re
import secrets
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import polars as pl

from tolman.errors import MissingExtraError, UsageError, one_line
from tolman.exports.exporters import RunSource
from tolman.exports.results import setup_of
from tolman.extras import LazyModule
from tolman.features.events import Ended, Events, Noted
from tolman.features.opened_folders import Run
from tolman.features.report.compute import ReportResult, report
from tolman.features.report.config import ReportConfig
from tolman.files import write_text
from tolman.reports.loaded_runs import LoadedRun
from tolman.reports.report_pages import pieces
from tolman.runs.run_folder import TRACKER_ID, RunRecord

wandb: Any = LazyModule("wandb")
mlflow: Any = LazyModule("mlflow")

PROJECT = "tolman"
"""W&B's project and MLflow's experiment, where the environment names none."""
SAMPLES = "samples.json"
_TAG = "tolman.id"
"""The tag of an MLflow run that holds the id from the run's folder."""
_PRIVATE = frozenset({"addresses", "base_url", "body", "kept_under"})
"""Keys of settings that are never logged: they may hold keys and passwords."""
_AT_ONCE = 500
"""Metrics of one request; servers take 1,000."""
MOST_SAID = 150
"""Characters of an error that are shown."""
_LOGIN = re.compile(r"://[^/@\s\"'<>]+@")


@dataclass(frozen=True)
class TrackedRun:
    """The entry of a run in a tracker.

    Attributes:
        id: of the entry, 16 hexadecimal digits.
        name: model, protocol and benchmark.
        notes: how the run was carried out, its gaps, and the warnings of its table.
        settings: by dotted name.
        metrics: figures with the ends of their intervals, and counts of answers without a score.
        samples: a row for each answer, as of `Run.samples`.
        files: the page and the figures.
    """

    id: str
    name: str
    notes: str
    settings: dict[str, Any]
    metrics: dict[str, float]
    samples: pl.DataFrame
    files: tuple[Path, ...]


def check_trackers(names: Sequence[str]) -> None:
    """Make sure that the packages of trackers are installed, before the work begins.

    Raises:
        MissingExtraError: one isn't.
    """
    for name in names:
        found = find_spec(name)
        if found is None or found.origin is None:  # W&B leaves folders called 'wandb', which look like packages
            raise MissingExtraError(name, None, f"--log {name}")


def log_runs(names: Sequence[str], folders: Sequence[Path], events: Events) -> None:
    """Log scored runs to trackers. If that fails, the reason is noted and nothing is raised: the runs are kept.

    Args:
        names: of trackers.
        folders: of the runs.
        events: called with a note for each run and tracker.
    """
    for folder, name in ((folder, name) for folder in folders for name in names):
        events(Ended())  # no bar: W&B may ask for a key
        events(Noted(f"Logging {folder} to {name}."))
        try:
            with tempfile.TemporaryDirectory() as place:
                said = TRACKERS[name](tracked_run(folder, Path(place)))
        except Exception as error:  # trackers raise errors of many libraries
            why = _without_logins(one_line(error, MOST_SAID)).rstrip(".")
            again = f"'tolman report {folder} --log {name}' tries again"
            events(Noted(f"{folder} isn't logged to {name}: {why}; {again}.", "warning"))
        else:
            events(Noted(f"Logged to {name}: {_without_logins(said)}"))


def tracked_run(folder: Path, place: Path) -> TrackedRun:
    """Make the entry of a run: without addresses, further request fields, and logins in addresses.

    Args:
        folder: of the run; it gets an id where it has none.
        place: a folder for the entry's files.

    Raises:
        InputError: the run has no scores.
    """
    made = report(ReportConfig(runs=(folder,)))
    (loaded,) = made.runs
    record, benchmark = _public_record(loaded.record), made.report.benchmark
    title = Path(benchmark.name).resolve().name if "/" in benchmark.name else benchmark.name
    page = place / "report.html"
    shown = LoadedRun(loaded.folder, record, loaded.figures)
    with page.open("w", encoding="utf-8") as file:
        file.writelines(map(_without_logins, pieces(made.report, [shown])))
    figures = place / "scores.json"
    own = {"settings": record.settings.model_dump(mode="json")}
    own |= {"judge": _public(loaded.figures["judge"])} if "judge" in loaded.figures else {}
    write_text(figures, _without_logins(json.dumps(loaded.figures | own, indent=2, ensure_ascii=False)) + "\n")
    notes = [setup_of(RunSource(loaded.folder, benchmark)), *made.report.warnings]
    settings = record.settings.model_dump(mode="json", exclude_none=True) | {"benchmark": title}
    return TrackedRun(
        id=_id_of(folder),
        name=f"{record.settings.named()} on {title}",
        notes=_without_logins("\n".join(notes)),
        settings=dict(_flat(settings)),
        metrics={f"{_plain(title)}/{name}": value for name, value in _metrics(made, loaded.figures)},
        samples=Run(folder).samples().with_columns(pl.col("failure").str.replace_all(_LOGIN.pattern, "://…@")),
        files=(page, figures),
    )


def _metrics(made: ReportResult, figures: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """Each figure under SCORER/COLUMN, and the headline as `headline`, with `_lo`, `_hi` and `_n`; and counts."""
    headline, own = made.report.benchmark.table.headline, made.runs[0].name
    of_run = (pl.col("name") == own) & (pl.col("scorer") != "published")
    for row in made.table().filter(of_run).iter_rows(named=True):
        named = [f"{_plain(row['scorer'])}/{_plain(row['column'])}"]
        named += ["headline"] if row["headline"] and row["column"] == headline else []
        for name in named:
            values = {"": row["value"], "_lo": row["low"], "_hi": row["high"], "_n": row["n"]}
            yield from ((name + end, float(value)) for end, value in values.items() if value is not None)
    rows = [row for row in made.report.rows if row.name == own and row.headline and row.rules != "published"]
    unread = [row.unread[headline] for row in rows if headline in row.unread]
    yield from (("unread", float(round(one.n * one.share / 100))) for one in unread)
    yield "asked", float(figures["asked"])
    yield from ((name, float(count)) for name, count in figures["unanswered"].items())


def _id_of(folder: Path) -> str:
    """The id of a run's entry, which is made once and kept in the run's folder."""
    path = folder / TRACKER_ID
    found = path.read_text(encoding="utf-8").strip() if path.is_file() else ""
    if not re.fullmatch(r"[0-9a-f]{16}", found):
        found = secrets.token_hex(8)
        write_text(path, found + "\n")
    return found


def _public_record(record: RunRecord) -> RunRecord:
    return RunRecord.model_validate(_public(record.model_dump(mode="json")) | {"places": {}})


def _public(value: Any) -> Any:
    """Settings without private keys."""
    if isinstance(value, dict):
        return {key: _public(one) for key, one in value.items() if key not in _PRIVATE}
    return [_public(one) for one in value] if isinstance(value, list) else value


def _without_logins(text: str) -> str:
    return _LOGIN.sub("://…@", text)


def _flat(values: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    """Settings by dotted name; lists as JSON, empty ones left out."""
    for key, value in values.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{above}{_plain(key)}.")
        elif isinstance(value, list):
            yield from _flat({key: json.dumps(value, ensure_ascii=False)}, above) if value else ()
        else:
            yield above + _plain(key), _without_logins(value) if isinstance(value, str) else value


def _plain(name: str) -> str:
    """A name of letters, digits and signs that both trackers take."""
    return re.sub(r"[^\w.-]+", "_", name)


def _to_wandb(run: TrackedRun) -> str:
    # The metadata that W&B collects hold the command line, which may have passwords and keys.
    settings = wandb.Settings(
        silent=True, console="off", disable_code=True, disable_git=True, x_disable_meta=True, x_disable_stats=True,
        x_save_requirements=False,
    )  # fmt: skip
    entry = wandb.init(
        project=os.environ.get("WANDB_PROJECT", PROJECT), id=run.id, resume="allow", reinit="create_new",
        name=run.name, notes=run.notes, job_type="evaluation", settings=settings,
    )  # fmt: skip
    if entry.disabled:
        raise UsageError("W&B is disabled here, as WANDB_MODE says")
    with entry:
        entry.config.update(run.settings, allow_val_change=True)
        entry.summary.update(run.metrics)
        files = wandb.Artifact(f"run-{run.id}", type="evaluation")
        for file in run.files:
            files.add_file(str(file))
        entry.log_artifact(files)
        rows = run.samples.head(wandb.Table.MAX_ARTIFACT_ROWS)  # it drops others itself, and says nothing
        entry.log({"samples": wandb.Table(columns=rows.columns, data=list(map(list, rows.iter_rows())))})
        where = f"offline; 'wandb sync {Path(entry.dir).parent}' uploads it" if entry.offline else str(entry.url)
    part = f", with {len(rows):,} of {len(run.samples):,} answers" if len(rows) < len(run.samples) else ""
    return where + part


def _to_mlflow(run: TrackedRun) -> str:
    client, now = mlflow.MlflowClient(), int(time.time() * 1000)
    experiment = _experiment(client)
    found = client.search_runs([experiment], f"tags.`{_TAG}` = '{run.id}'", max_results=1)
    entry = found[0] if found else client.create_run(experiment, tags={_TAG: run.id}, run_name=run.name)
    of, entities = entry.info.run_id, mlflow.entities
    # A setting that an entry has can't be changed. All that belong to a run are the same when it is resumed.
    settings = [entities.Param(key, str(value)) for key, value in run.settings.items() if key not in entry.data.params]
    tags = {
        "mlflow.note.content": run.notes,
        "mlflow.loggedArtifacts": json.dumps([{"path": SAMPLES, "type": "table"}]),
    }
    client.log_batch(of, params=settings, tags=[entities.RunTag(key, value) for key, value in tags.items()])
    metrics = [entities.Metric(key, value, now, 0) for key, value in run.metrics.items()]
    for start in range(0, len(metrics), _AT_ONCE):
        client.log_batch(of, metrics=metrics[start : start + _AT_ONCE])
    for file in run.files:
        client.log_artifact(of, str(file))
    table = {"columns": run.samples.columns, "data": run.samples.rows()}
    client.log_text(of, json.dumps(table, ensure_ascii=False), SAMPLES)
    with redirect_stdout(io.StringIO()):  # it would print its address, with the password, into --json too
        client.set_terminated(of)
    return f"run {of} of experiment {experiment} at {client.tracking_uri}"


def _experiment(client: Any) -> str:
    """The id of the experiment that the environment names, else of Tolman's, which is made where there is none."""
    name = os.environ.get("MLFLOW_EXPERIMENT_NAME", PROJECT)
    if "MLFLOW_EXPERIMENT_ID" in os.environ and "MLFLOW_EXPERIMENT_NAME" not in os.environ:
        return os.environ["MLFLOW_EXPERIMENT_ID"]
    found = client.get_experiment_by_name(name)
    return str(found.experiment_id if found is not None else client.create_experiment(name))


TRACKERS: dict[str, Callable[[TrackedRun], str]] = {"wandb": _to_wandb, "mlflow": _to_mlflow}
