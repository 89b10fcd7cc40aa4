"""The stages `import` and `duplicates`: question sets into one pool, each question once."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import polars as pl

from tolman.analyze.duplicates import QuestionText, leaks, media_names, near_duplicates, without_repeats
from tolman.curate.candidates import Candidate, read_pool, scan_pool, shards_of, write_lines, write_pool
from tolman.curate.importing import Importer, QuestionSource, Unmapped
from tolman.curate.mapping import Mapping
from tolman.curate.pipeline import Stage, Work, plainly
from tolman.curate.recipe import Against, Duplicates
from tolman.errors import InputError
from tolman.files import atomic_write
from tolman.items import Media
from tolman.media.frame_store import FrameStore, default_root
from tolman.parallel import Workers
from tolman.runs.run_items import load


def import_settings(work: Work) -> Any:
    """Mappings, and the names, sizes and times of all files."""
    found = []
    for source in work.sources:
        files = [(str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in source.files()]
        found.append([source.name, _determining(source.mapping), str(source.media_folder), files])
    return found


def _determining(mapping: Mapping) -> dict[str, Any]:
    """A mapping as JSON values; without the kinds that it doesn't name, which older versions knew nothing of."""
    found: dict[str, Any] = plainly(mapping)
    return found if mapping.kinds else {name: value for name, value in found.items() if name != "kinds"}


def import_stage(work: Work, before: Path, out: Path) -> dict[str, Any]:
    """Read all question sets.

    Raises:
        InputError: a file can't be read, or no row of a question set can be mapped.
    """
    importer = Importer(work.root)
    trusted = work.recipe.trusted
    taken: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    unmapped: Counter[str] = Counter()

    def rows() -> Iterator[Candidate]:
        for source in work.sources:
            if source.name in trusted:
                work.taxonomy.check(_labels_of(source), f"the mapping {source.mapping.name}")
            work.watch.begin(f"reading {source.name}", None)
            first: Unmapped | None = None
            for found in importer.read(source):
                work.watch.advance()
                if isinstance(found, Unmapped):
                    first = first or found
                    unmapped[source.name] += 1
                    lines.write(json.dumps(asdict(found), ensure_ascii=False) + "\n")
                else:
                    taken[source.name] += 1
                    kinds[found.kind] += 1
                    yield found
            if not taken[source.name]:
                reason = f"the first: {first.file}, row {first.row}: {first.reason}" if first else "there is none"
                raise InputError(source.data, f"no row can be mapped ({reason})", fix="correct the mapping")

    with atomic_write(out / "unmapped.jsonl") as partial, partial.open("w", encoding="utf-8") as lines:
        total = write_pool(out, rows())
    return {
        "candidates": total,
        "sources": {name: {"taken": taken[name], "unmapped": unmapped[name]} for name in taken},
        "kinds": dict(sorted(kinds.items())),
    }


def _labels_of(source: QuestionSource) -> set[str]:
    return {*source.mapping.spatial.categories.values(), source.mapping.spatial.default}


def duplicates_stage(work: Work, before: Path, out: Path) -> dict[str, Any]:
    """Leave out questions that are in the pool before, or in a benchmark that nothing may be shared with."""
    settings = work.recipe.duplicates or Duplicates()
    frames = FrameStore(default_root()) if settings.pictures else None
    work.watch.begin("comparing", None)
    questions, looked_at = pool_questions(before, work.root, frames, settings.bits, work.workers)
    groups = near_duplicates(questions, settings.alike)
    dropped = dict(without_repeats(groups, [question.id for question in questions]))
    within = len(dropped)
    leaked: Counter[str] = Counter()
    for against in settings.against:
        own = [question for question in questions if question.id not in dropped]
        for question, other in shared_with(own, against, settings, frames, before, work):
            dropped[question.id] = f"{against.benchmark}: {other.id}"
            leaked[against.benchmark] += 1
    told = ((group, [questions[i].id for i in group.members]) for group in groups)
    rows = ({"members": members, "different_answers": group.conflict} for group, members in told)
    write_lines(out / "duplicates.jsonl", rows)
    write_lines(out / "left-out.jsonl", ({"id": one, "same_as": other} for one, other in dropped.items()))
    kept = _without(before, out, set(dropped))
    return {
        "candidates": kept,
        "groups": len(groups),
        "different_answers": sum(group.conflict for group in groups),
        "left_out": within,
        "shared": dict(leaked),
        "media_looked_at": looked_at,
    }


def pool_questions(
    folder: Path, root: Path, frames: FrameStore | None, bits: int, workers: Workers | None = None
) -> tuple[list[QuestionText], int]:
    """Compared questions of a pool, and the number of media that could be looked at."""
    media = [_media_of(row) for row in scan_pool(folder).select("media").collect()["media"]]
    names, looked_at = media_names(media, root, frames, bits, workers)
    questions = [
        QuestionText.of(one.id, "pool", one.question, name, one.answer_text, one.options)
        for name, one in zip(names, read_pool(folder), strict=True)
    ]
    return questions, looked_at


def shared_with(
    own: list[QuestionText], against: Against, settings: Duplicates, frames: FrameStore | None, folder: Path, work: Work
) -> list[tuple[QuestionText, QuestionText]]:
    """Return the pool's questions that a benchmark has too, each with the benchmark's.

    Pictures are compared across both, so their names are made again.
    """
    loaded = load(against.benchmark, against.data, against.subset)
    table = scan_pool(folder).select("id", "media").collect()
    wanted = {question.id for question in own}
    media = [_media_of(row) for identity, row in table.iter_rows() if identity in wanted]
    # One list of names for both, so that groups of pictures mean the same: paths made absolute.
    there = [[_below(loaded.folder, medium) for medium in item.media] for item in loaded.items]
    here = [[_below(work.root, medium) for medium in one] for one in media]
    names, _ = media_names([*here, *there], Path("/"), frames, settings.bits, work.workers)
    mine = [replace(question, media=name) for question, name in zip(own, names, strict=False)]
    theirs = [
        QuestionText.of(item.id, against.benchmark, item.question, name, item.answer_text, item.options)
        for item, name in zip(loaded.items, names[len(mine) :], strict=True)
    ]
    both = [*mine, *theirs]
    return list(leaks(near_duplicates(both, settings.alike), both))


def _below(folder: Path, medium: Media) -> Media:
    return medium.model_copy(update={"path": str((folder / medium.path).absolute()).lstrip("/")})


def _media_of(row: Any) -> list[Media]:
    return [Media(**one) for one in row] if row is not None else []


def _without(before: Path, out: Path, dropped: set[str]) -> int:
    """Copy a pool shard by shard without some of its questions; how many are left."""
    gone = pl.Series(sorted(dropped), dtype=pl.String)
    total = 0
    for path in shards_of(before):
        kept = pl.read_parquet(path).filter(~pl.col("id").is_in(gone.implode()))
        total += kept.height
        with atomic_write(out / path.name) as partial:
            kept.write_parquet(partial)
    return total


STAGES = (
    Stage("import", import_stage, import_settings, lambda recipe: True),
    Stage(
        "duplicates",
        duplicates_stage,
        lambda work: work.recipe.duplicates,
        lambda recipe: recipe.duplicates is not None,
        after="import",
    ),
)
