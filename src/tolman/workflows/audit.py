"""Auditing: every answer of a benchmark computed anew from its scenes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from tolman.errors import InputError, UsageError
from tolman.workflows.config import Setting
from tolman.workflows.events import Began, Ended, Events, silent
from tolman.workflows.notebook import Displayable, NotebookTable
from tolman.workflows.settings import NumberOfWorkers, On, Subset

if TYPE_CHECKING:
    import polars as pl

    from tolman.generate.audit import AuditFinding
    from tolman.generate.geometry import SceneGeometry
    from tolman.ingest.vsi_meta_info import Skipped

FINDINGS, DOUBTFUL, STRICT, SUMMARY = "findings.jsonl", "exclude.txt", "exclude-strict.txt", "summary.json"
"""Files of an audit's folder."""
PANEL = "With --shortcuts"
"""Heading of the settings of the shortcut audit in help texts."""
MANY_ITEMS = 20_000
"""Items that are worth the start of other processes."""


@dataclass(frozen=True, kw_only=True)
class AuditConfig:
    """Which benchmark is audited: its answers by which scenes and rules, or its text by which learners."""

    benchmark: Annotated[str, Setting("Name or folder of a benchmark whose scenes are known.", positional=True)]
    scenes: Annotated[Path | None, Setting("Folder of its scenes. Default: none, which --shortcuts needs.")] = None
    data: Annotated[
        Path | None, Setting("Folder with the benchmark's released data. Default: the Hugging Face hub.")
    ] = None
    subset: Subset = None
    preset: Annotated[
        str, Setting("Generation preset whose thresholds questions are held to, such as vsi-paper or mmsi.")
    ] = "vsi-paper"
    shortcuts: Annotated[
        bool,
        Setting(
            "Audit whether learners guess the answers from the text of questions, in place of the answers.", panel=PANEL
        ),
    ] = False
    teach: Annotated[
        tuple[Path, ...],
        Setting(
            "Folder of a benchmark whose questions are taught too, such as unfiltered ones of other seeds; may be "
            "given several times. Default: none.",
            panel=PANEL,
            repeated=True,
        ),
    ] = ()
    learners: Annotated[
        tuple[str, ...],
        Setting(
            "Learners that take part: boosted-trees, metadata, nearest-neighbours, ngram-linear, language-model, or a "
            "plugin's. Default: all.",
            panel=PANEL,
        ),
    ] = ()
    language_model: Annotated[
        Path | None,
        Setting("Folder of a small language model whose frozen features a learner uses. Default: none.", panel=PANEL),
    ] = None
    folds: Annotated[int, Setting("Folds of the scenes, each held out once, 3 or more.", least=3, panel=PANEL)] = 5
    scorer: Annotated[
        str | None, Setting("Scorer of answers that are no letters. Default: the headline's.", panel=PANEL)
    ] = None
    seed: Annotated[int, Setting("Seed of folds and learners, 0 or more.", least=0, panel=PANEL)] = 0
    out: Annotated[Path, Setting("Folder of the findings.")] = Path("audit")
    on: On = None
    workers: NumberOfWorkers = None


@dataclass(frozen=True, repr=False)
class AuditResult(Displayable):
    """What an audit found.

    Attributes:
        benchmark: its name or folder.
        out: the folder with findings.jsonl, summary.json, exclude.txt and exclude-strict.txt.
        findings: one for each item, in their order; each loop reads them from a temporary file.
        rows: one for each question type, as in summary.json.
        skipped: scenes and objects that couldn't be used, with the reason.
    """

    benchmark: str
    out: Path
    findings: Sequence[AuditFinding]
    rows: tuple[dict[str, Any], ...]
    skipped: tuple[Skipped, ...]

    @cached_property
    def differing(self) -> list[str]:
        """Ids of items whose answer is another one than the scene's; all of them are in doubt."""
        return [finding.id for finding in self.findings if finding.status == "differs"]

    @cached_property
    def doubtful(self) -> list[str]:
        """Ids of items whose answer is in doubt."""
        return [finding.id for finding in self.findings if finding.verdict == "answer in doubt"]

    @cached_property
    def safe(self) -> list[str]:
        """Ids of items that break a rule and whose answer is safe all the same."""
        return [finding.id for finding in self.findings if finding.verdict == "rule broken, answer safe"]

    def table(self, *, pandas: bool = False) -> pl.DataFrame | Any:
        """One row for each question type.

        Args:
            pandas: give a pandas frame in place of a Polars one.

        Returns:
            Columns task, items, checked, agree, exact_differs, mean_error, largest_error (released minus exact, in the
            unit of the question type; null for choices), in_doubt, broken_but_safe.

        Raises:
            MissingExtraError: pandas is wanted and not installed.
        """
        import polars as pl

        from tolman.workflows.frames import given_as

        counts, errors = ("items", "checked", "agree", "exact_differs"), ("mean_error", "largest_error")
        schema: dict[str, Any] = {"task": pl.String} | dict.fromkeys(counts, pl.Int64)
        schema |= dict.fromkeys(errors, pl.Float64) | dict.fromkeys(("in_doubt", "broken_but_safe"), pl.Int64)
        rows = [tuple(row[name] for name in schema) for row in self.rows]
        return given_as(pl.DataFrame(rows, schema=schema, orient="row"), pandas=pandas)

    def _title(self) -> str:
        checked = sum(row["checked"] for row in self.rows)
        return f"{self.benchmark}: {checked:,} of {len(self.findings):,} answers computed anew"

    def _shown(self) -> NotebookTable:
        doubtful = f"The answers of {len(self.doubtful):,} items are in doubt (.doubtful); findings: {self.out}."
        return NotebookTable.of(self.table(), doubtful)


def audit(config: AuditConfig, events: Events = silent) -> AuditResult:
    """Compute a benchmark's answers anew, and write what was found.

    Raises:
        InputError: no usable scene.
        UsageError: an unknown name, no scenes are given, or no item's scene is there.
        WorkerError: the place can't be used, or workers are lost again and again.
    """
    from tolman.files import write_text
    from tolman.generate.audit import audit_scenes, most_frequent_note, summary
    from tolman.generate.collection import open_collection
    from tolman.generate.settings import preset as preset_of
    from tolman.ingest.vsi_meta_info import Skipped
    from tolman.parallel import place_of
    from tolman.runs.load import load
    from tolman.workflows.generate import noted

    if config.scenes is None:
        raise UsageError("give --scenes FOLDER to audit answers, or --shortcuts to audit whether they can be guessed.")
    preset = preset_of(config.preset)
    place_of(config.on, config.workers)
    scenes = config.scenes
    if not config.scenes.exists():  # told before anything is fetched
        raise InputError(config.scenes, "does not exist", fix="give the folder of the benchmark's scenes")
    loaded = load(config.benchmark, config.data, config.subset, held=False)
    skipped: list[Skipped] = []

    def usable() -> Iterator[SceneGeometry]:
        for one in noted(open_collection(scenes), events):
            if isinstance(one, Skipped):
                skipped.append(one)
            else:
                yield one

    events(Began("computing answers"))
    place = place_of(config.on, config.workers, few=len(loaded.items) < MANY_ITEMS)
    findings = audit_scenes(loaded.items, usable(), preset, workers=place)
    events(Ended())
    rows = summary(findings)
    if not any(row["checked"] for row in rows):
        raise UsageError(f"no item can be checked against {config.scenes}: {most_frequent_note(findings)}.")
    result = AuditResult(config.benchmark, config.out, findings, tuple(rows), tuple(skipped))
    config.out.mkdir(parents=True, exist_ok=True)
    _write_findings(config.out / FINDINGS, findings)
    _write_ids(config.out / DOUBTFUL, result.doubtful)
    _write_ids(config.out / STRICT, (one.id for one in findings if one.doubts or one.violations))
    write_text(config.out / SUMMARY, json.dumps({"preset": config.preset, "tasks": rows}, indent=2) + "\n")
    return result


def _write_ids(path: Path, ids: Iterable[str]) -> None:
    from tolman.files import write_text

    write_text(path, "".join(f"{identity}\n" for identity in ids))


def _write_findings(path: Path, findings: Iterable[AuditFinding]) -> None:
    from tolman.files import atomic_write

    with atomic_write(path) as partial, partial.open("w", encoding="utf-8") as file:
        for finding in findings:
            told = {"verdict": finding.verdict, "doubts": finding.doubts}
            file.write(json.dumps(asdict(finding) | told, ensure_ascii=False) + "\n")
