"""EASI: results as a submission to its leaderboard, `easi_results.json` and `easi_results.zip`. Nothing is sent.

A column of its board names the benchmark and scorer, its parts, and the runs that belong there.

Source: EvolvingLMMs-Lab/EASI@0c1a41e, scripts/submissions (`build_payload`, `build_results_archive`,
`validate_payload_for_submit`; postprocess.py: `METRIC_MAP`; backends/lmmseval.py: `_METRIC_MAP`, `_TASK_MAP`) and
docs/Submit_results.md. The archive has the shape of lmms-eval's logs, which EASI's own reader takes its figures from
(scripts/submissions/backends/lmmseval.py: `extract_scores`, `_compute_stats_from_jsonl`).
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tolman import __version__
from tolman.errors import UsageError
from tolman.exports.exporters import Exported, RunsExport, RunSource, Target
from tolman.exports.lmms_eval.task import FAILED
from tolman.exports.results import INCOMPLETE_HELP, MARK, check_whole, figures_of, lacks_of, model_of, rows_of, setup_of
from tolman.files import write_text
from tolman.items import Item
from tolman.responses import Outcome, Response
from tolman.scoring.aggregate import Cell
from tolman.toml_catalogue import read_table, with_tuples

BACKENDS = ("lmmseval", "vlmevalkit")
"""Whose scorers the figures are of; the names as EASI's files have them."""


@dataclass(frozen=True)
class SubScore:
    """A sub-score.

    Attributes:
        key: EASI's name.
        figure: key of the figure in the benchmark's table.
        metric: lmms-eval's name.
        backends: for which EASI has it.
    """

    key: str
    figure: str
    metric: str
    backends: tuple[str, ...] = BACKENDS


@dataclass(frozen=True)
class BoardColumn:
    """A column of EASI's board.

    Attributes:
        key: EASI's name.
        benchmark: Tolman's.
        subsets: each set of subsets whose runs together are the column.
        figure: key of the headline in the benchmark's table.
        metric: lmms-eval's name of it.
        tasks: lmms-eval's name for the task of each subset.
        scorers: backend → the scorer with its rules.
        parts: the sub-scores.
        further: subset → a sub-score that is the headline of a run on that subset.
        scale: EASI's factor for lmms-eval's figures.
    """

    key: str
    benchmark: str
    subsets: tuple[frozenset[str], ...]
    figure: str
    metric: str
    tasks: Mapping[str, str]
    scorers: Mapping[str, str]
    parts: tuple[SubScore, ...] = ()
    further: Mapping[str, SubScore] = field(default_factory=dict)
    scale: int = 100


def _columns() -> Iterator[BoardColumn]:
    _, table = read_table(Path(__file__).with_name("columns.toml"))
    for column in with_tuples(table["columns"]):
        yield BoardColumn(
            **column
            | {
                "subsets": tuple(map(frozenset, column["subsets"])),
                "parts": tuple(SubScore(**part) for part in column.get("parts", ())),
                "further": {subset: SubScore(**part) for subset, part in column.get("further", {}).items()},
            }
        )


COLUMNS = tuple(_columns())
"""The columns. BLINK's is pooled over all questions, not the authors' mean over tasks; 3DSRBench's counts every row."""
REQUIRED = tuple(board.key for board in COLUMNS[:8])
"""The eight without which EASI's board shows a model as unfinished."""


@dataclass(frozen=True)
class ColumnRuns:
    """The runs of one column.

    Attributes:
        board: the column.
        runs: whose rows are pooled for the headline and its parts; there may be none where `further` has some.
        further: runs whose headline is a sub-score, by subset.
    """

    board: BoardColumn
    runs: tuple[RunSource, ...]
    further: dict[str, RunSource]

    @property
    def all_runs(self) -> list[RunSource]:
        """All of them."""
        return [*self.runs, *self.further.values()]

    def figures(self, backend: str) -> tuple[float | None, dict[str, float | None]]:
        """Return headline and sub-scores, 0–100 at four decimal places as EASI has them; None for those without items.

        Raises:
            UsageError: Tolman has no scorer with the rules of the backend.
        """
        scorer = self.scorer(backend)
        found = figures_of(self.runs, scorer) if self.runs else {}
        parts = {part.key: _rounded(found.get(part.figure)) for part in self.board.parts if backend in part.backends}
        for subset, part in self.board.further.items():
            if backend in part.backends:
                run = self.further.get(subset)
                parts[part.key] = _rounded(figures_of([run], scorer).get(part.figure)) if run is not None else None
        return _rounded(found.get(self.board.figure)), parts

    def scorer(self, backend: str) -> str:
        """The name of the scorer with the rules of a backend.

        Raises:
            UsageError: Tolman has none.
        """
        if backend not in self.board.scorers:
            known = next(iter(self.board.scorers))
            raise UsageError(
                f"{self.board.benchmark} has no scorer with the rules of {backend}; leave its run out, or give --set "
                f"backend={known}."
            )
        return self.board.scorers[backend]


def columns_of(runs: Sequence[RunSource], *, parts: bool = False) -> list[ColumnRuns]:
    """The columns that runs are of, in the board's order.

    Args:
        runs: of one model.
        parts: whether a column may lack a subset, such as SITE's videos.

    Raises:
        UsageError: a run is of no column, two are of the same, or a column lacks a subset.
    """
    taken: dict[str, dict[str, RunSource]] = {}
    for run in runs:
        settings = run.record.settings
        board = _board_of(run)
        other = taken.setdefault(board.key, {}).setdefault(settings.subset, run)
        if other is not run:
            raise UsageError(
                f"{other.folder.path} and {run.folder.path} are both runs of {settings.benchmark} ({settings.subset}); "
                "name one of them."
            )
    found = []
    for board in COLUMNS:
        by_subset = taken.get(board.key, {})
        further = {name: run for name, run in by_subset.items() if name in board.further}
        pooled = {name: run for name, run in by_subset.items() if name not in further}
        _check_subsets(board, pooled, parts=parts)
        if by_subset:
            found.append(ColumnRuns(board, tuple(pooled.values()), further))
    return found


def is_on_board(run: RunSource) -> bool:
    """Check whether a run is of one of the board's columns."""
    return _column_of(run) is not None


def _column_of(run: RunSource) -> BoardColumn | None:
    settings = run.record.settings
    for board in COLUMNS:
        if board.benchmark == settings.benchmark and (
            settings.subset in board.further or any(settings.subset in one for one in board.subsets)
        ):
            return board
    return None


def _board_of(run: RunSource) -> BoardColumn:
    settings, found = run.record.settings, _column_of(run)
    if found is not None:
        return found
    known = ", ".join(f"{b.benchmark} ({' or '.join(' with '.join(sorted(s)) for s in b.subsets)})" for b in COLUMNS)
    raise UsageError(
        f"{run.folder.path} is a run of {settings.benchmark} ({settings.subset}), which is no column of EASI's board; "
        f"it has {known}."
    )


def _check_subsets(board: BoardColumn, runs: dict[str, RunSource], *, parts: bool) -> None:
    """Refuse one subset of those that make a column together, and several that hold the same questions."""
    if not runs or frozenset(runs) in board.subsets:
        return
    whole = next((one for one in board.subsets if frozenset(runs) < one), None)
    if whole is None:
        raise UsageError(
            f"the runs of {board.benchmark} ({', '.join(sorted(runs))}) hold the same questions; name one."
        )
    if not parts:
        raise UsageError(
            f"EASI's figure of {board.benchmark} is over {' and '.join(sorted(whole))} questions together, and there "
            f"is only a run of {', '.join(sorted(runs))}; name the other too, leave it out, or mark it with --set "
            "incomplete=mark."
        )


def _rounded(cell: Cell | None) -> float | None:
    return None if cell is None or cell.value is None else round(cell.value, 4)


EPOCH = (1980, 1, 1, 0, 0, 0)
"""The time of every member, so that equal results are equal archives."""


def write_archive(path: Path, model: str, columns: Sequence[ColumnRuns], payload: Mapping[str, Any]) -> None:
    """Write MODEL/STAMP_results.json and a MODEL/STAMP_samples_TASK.jsonl for each task; STAMP is the newest run's.

    Args:
        path: of the new file.
        model: the folder inside.
        columns: with the runs.
        payload: content of easi_results.json.
    """
    runs = [run for column in columns for run in column.all_runs]
    stamp = max(_stamp(run) for run in runs)
    results: dict[str, dict[str, Any]] = {}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for column in columns:
            for task, lines in _samples(column, payload["backend"]):
                _add(archive, f"{model}/{stamp}_samples_{task}.jsonl", "".join(f"{line}\n" for line in lines))
                results.setdefault(task, {"alias": task})
            _figures(column, payload, results)
        record = {
            "results": results,
            "config": {
                "model": runs[0].record.settings.model,
                "setup": {str(r.folder.path.name): setup_of(r) for r in runs},
            },
            "data": {column.board.key: sorted({run.record.data for run in column.all_runs}) for column in columns},
            "tolman_version": __version__,
            "model_name": payload["modelName"],
        }
        _add(archive, f"{model}/{stamp}_results.json", json.dumps(record, indent=1, ensure_ascii=False))


def _add(archive: zipfile.ZipFile, name: str, text: str) -> None:
    member = zipfile.ZipInfo(name, EPOCH)
    member.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(member, text.encode())


def _stamp(run: RunSource) -> str:
    """20261122_102642, of when the run was begun."""
    digits = "".join(c for c in run.record.created if c.isdigit())
    return f"{digits[:8]}_{digits[8:14]}"


def _figures(column: ColumnRuns, payload: Mapping[str, Any], results: dict[str, dict[str, Any]]) -> None:
    """The figures of a column under lmms-eval's names; SITE's are in its samples alone, as EASI pools them itself."""
    board = column.board
    if len(board.tasks) > 1 and not board.further:
        return
    task = results.setdefault(next(iter(board.tasks.values())), {})
    named = {board.metric: payload["scores"][board.key]}
    parts = payload["subScores"].get(board.key, {})
    every = [*board.parts, *board.further.values()]
    named |= {part.metric: parts[part.key] for part in every if parts.get(part.key) is not None}
    task.update({f"{name},none": value / board.scale for name, value in named.items() if value is not None})


def _samples(column: ColumnRuns, backend: str) -> Iterator[tuple[str, list[str]]]:
    """Yield task → a line for each asking: the answer, its reading, the score."""
    board = column.board
    by_task: dict[str, list[str]] = {}
    for run in column.all_runs:
        items = {item.id: item for item in run.items}
        places = {item_id: place for place, item_id in enumerate(items)}
        said = {(one.id, one.repeat): one for one in run.outcomes}
        for row in rows_of([run], column.scorer(backend)).iter_rows(named=True):
            item = items[row["id"]]
            outcome = said.get((row["id"], row["repeat"]))
            line = {
                "doc_id": places[item.id],
                "id": item.id,
                "target": item.answer,
                "filtered_resps": _text(outcome),
                "question_type": row["task"],
                "pred_parsed": row["reading"],
                "status": row["status"],
                "score": row["score"],
                **({"repeat": row["repeat"]} if run.record.settings.repeats > 1 else {}),
                **(_chance_adjusted(row) if board.key == "site" else {}),
            }
            task = _task(column, run, item)
            by_task.setdefault(task, []).append(json.dumps(line, ensure_ascii=False))
    yield from by_task.items()


def _text(outcome: Outcome | None) -> str:
    """Return a response's text; for a failure, lmms-eval's log entry, which its readers recognize as a failure."""
    if isinstance(outcome, Response):
        return outcome.response
    return f"{FAILED} after 0 retries] {'never asked' if outcome is None else outcome.message}"


def _task(column: ColumnRuns, run: RunSource, item: Item) -> str:
    tasks, subset = column.board.tasks, run.record.settings.subset
    if subset in column.board.further:
        return f"{tasks[subset]}_{subset}"
    if subset in tasks:
        return tasks[subset]
    return tasks["video" if any(medium.kind == "video" for medium in item.media) else "image"]


def _chance_adjusted(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the terms of EASI's sums: hits, and hits less chance over their maximum."""
    if row["status"] != "scored" or not row["options"]:
        return {}
    chance = 1 / row["options"]
    hit, less = row["score"], row["score"] - chance
    return {
        "accuracy": {"overall": hit, row["task"]: hit, "total": 1},
        "chance_adjusted_acc": {"overall": less, row["task"]: less, "total": 1 - chance},
    }


MAX_UPLOAD = 4.5 * 1024 * 1024
"""Bytes of an archive that EASI's interface takes."""
TYPES = ("pretrained", "finetuned", "instruction", "rl")
PRECISIONS = ("bfloat16", "float16", "float32", "int8")
WEIGHTS = ("Original", "Delta", "Adapter")
SETTINGS = {
    "model": "Model on the Hugging Face hub, ORGANISATION/NAME. Required.",
    "type": f"How it was trained: {', '.join(TYPES)}. Required.",
    "precision": f"Arithmetic of its weights: {', '.join(PRECISIONS)}. Required.",
    "revision": "Commit, tag or branch of the weights. Default: main.",
    "weights": f"Content of the repository: {', '.join(WEIGHTS)}. Default: not said.",
    "base": "Model that Delta or Adapter weights are of. Default: none.",
    "remarks": "Text that goes before what Tolman says of the runs. Default: none.",
    "backend": f"Scorers of the figures: {', '.join(BACKENDS)}. Default: {BACKENDS[0]}.",
    "incomplete": INCOMPLETE_HELP,
}


def write(runs: Sequence[RunSource], target: Target) -> Exported:
    """Write easi_results.json and easi_results.zip.

    Raises:
        UsageError: a setting is missing or none of EASI's, a run is of none of its columns or is incomplete.
    """
    head = _head(target.settings)
    incomplete = target.settings.get("incomplete")
    model_of(runs)
    check_whole(runs, incomplete)
    columns = columns_of(runs, parts=incomplete == MARK)
    target.began("scoring", len(columns))
    scores: dict[str, float | None] = {}
    parts: dict[str, dict[str, float | None]] = {}
    for column in sorted(columns, key=lambda one: one.board.key):
        scores[column.board.key], found = column.figures(head["backend"])
        if found:
            parts[column.board.key] = found
        target.advanced(1)
    if all(value is None for value in scores.values()):
        raise UsageError("none of the runs brings a figure of EASI's board; there is nothing to submit.")
    head["remarks"] = " ".join(filter(None, (head["remarks"], _remarks(columns, head["backend"]))))
    payload = {**head, "scores": scores, "subScores": parts}
    write_text(target.folder / "easi_results.json", json.dumps(payload, indent=2, ensure_ascii=False) + "\n")
    archive = target.folder / "easi_results.zip"
    write_archive(archive, head["modelName"].rpartition("/")[2], columns, payload)
    return Exported(
        "Upload both files at https://easi.lmms-lab.com/submit/; nothing was sent.",
        tuple(_notes(columns, scores, archive.stat().st_size)),
    )


def _head(settings: Mapping[str, str]) -> dict[str, Any]:
    """The payload's first fields, as EASI's own script orders them."""
    lacking = [name for name in ("model", "type", "precision") if not settings.get(name)]
    if lacking:
        given = " ".join(f"--set {name}={_EXAMPLES[name]}" for name in lacking)
        raise UsageError(f"EASI wants the model's {', '.join(lacking)}; give them, such as {given}.")
    organisation, slash, name = settings["model"].partition("/")
    if not (organisation and slash and name) or "/" in name or name in (".", ".."):
        raise UsageError(f"--set model takes ORGANISATION/NAME of the hub, not '{settings['model']}'.")
    for key, known in (("type", TYPES), ("precision", PRECISIONS), ("weights", WEIGHTS), ("backend", BACKENDS)):
        if key in settings and settings[key] not in known:
            raise UsageError(f"--set {key} takes {', '.join(known)}, not '{settings[key]}'.")
    if settings.get("weights") in ("Delta", "Adapter") and not settings.get("base"):
        raise UsageError(
            f"{settings['weights']} weights need the model that they are of; give it with --set base=NAME."
        )
    return {
        "modelName": settings["model"],
        "modelType": settings["type"],
        "precision": settings["precision"],
        "revision": settings.get("revision", "main"),
        "weightType": settings.get("weights", ""),
        "baseModel": settings.get("base", ""),
        "backend": settings.get("backend", BACKENDS[0]),
        "remarks": settings.get("remarks", ""),
    }


_EXAMPLES = {"model": "Qwen/Qwen3-VL-8B-Instruct", "type": "instruction", "precision": "bfloat16"}


def _remarks(columns: Sequence[ColumnRuns], backend: str) -> str:
    """That Tolman asked and scored, and how."""
    said = [
        f"{column.board.key}: {setup_of(run)}, scorer {column.scorer(backend)}"
        for column in columns
        for run in column.all_runs
    ]
    return f"Evaluated with Tolman {__version__}, scored by the rules of {backend}. {'; '.join(said)}."


def _notes(columns: Sequence[ColumnRuns], scores: Mapping[str, float | None], size: int) -> list[str]:
    notes = [
        f"INCOMPLETE: {column.board.key} rests on a part ({'; '.join(lacks)}), as the remarks say."
        for column in columns
        for run in column.all_runs
        if (lacks := lacks_of(run))
    ]
    notes += [
        f"INCOMPLETE: site is over {', '.join(run.record.settings.subset for run in column.runs)} questions alone."
        for column in columns
        if column.runs and frozenset(run.record.settings.subset for run in column.runs) not in column.board.subsets
    ]
    absent = [key for key in REQUIRED if scores.get(key) is None]
    if absent:
        notes.append(f"EASI asks for eight benchmarks; without a score are {', '.join(absent)}.")
    if size > MAX_UPLOAD:
        notes.append(
            f"easi_results.zip has {size / 2**20:.1f} MB, more than the {MAX_UPLOAD / 2**20} MB that EASI's interface "
            "takes; use its web form, or e-mail."
        )
    return notes


EXPORT = RunsExport(title="submission to EASI's leaderboard", write=write, settings=SETTINGS)
