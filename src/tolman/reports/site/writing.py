"""Writing the explorer of some runs into a folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tolman
from tolman.errors import InputError, UsageError, counted
from tolman.extras import LazyModule
from tolman.files import remove, whole_folder
from tolman.media.frame_store import FrameStore, default_root
from tolman.protocols import ProtocolOptions
from tolman.reports.loaded_runs import LoadedRun
from tolman.reports.reference_rows import Published
from tolman.reports.site.data_shards import (
    DataFolder,
    answer_shards,
    answers_of,
    as_json,
    output_tokens,
    plan_of,
    shards,
)
from tolman.reports.site.question_sets import QuestionSet, board_of, index_of, question_sets, readings_of
from tolman.reports.site.site_media import (
    MediaChoice,
    Seen,
    SiteMedia,
    Wanted,
    key_of,
    media_folder,
    media_of,
    scenes_folder,
    seen_by,
)

if TYPE_CHECKING:
    from tolman.ground_truth import scene_arrays
    from tolman.ground_truth.scene_arrays import SceneGeometry
    from tolman.items import Item
    from tolman.protocols import cognitive_map
    from tolman.reports import evidence_marks
    from tolman.reports.table_rows import ReportTable
    from tolman.responses import Response
else:  # most runs have neither scenes nor maps
    scene_arrays = LazyModule("tolman.ground_truth.scene_arrays")
    evidence_marks = LazyModule("tolman.reports.evidence_marks")
    cognitive_map = LazyModule("tolman.protocols.cognitive_map")

PAGE = "index.html"
MARK = "data/site.js"
"""What tells an explorer's folder from any other."""
APPLICATION = (
    PAGE, "page.css", "site.css", "data.js", "view.js", "charts.js", "marks.js", "plan.js", "pictures.js",
    "answers.js", "item.js", "filters.js", "list.js", "board.js", "task.js", "app.js", "icon.svg", "LICENSE",
)  # fmt: skip
_MEDIA_IN_SHARD = 50


@dataclass(frozen=True)
class SiteOptions:
    """The content of a site.

    Attributes:
        media: pictures and videos that are brought into it.
        why_none: why none are, where that isn't because they can't be found.
        media_folder, scenes: folders other than the runs name.
        frame_store: other than the user's own.
        link: whether a file of the site may be the file that it came from; for a site that is never edited.
        published: which published rows are next to the runs.
        tables: makes the tables by labels of a question set.
    """

    media: MediaChoice = "frames"
    why_none: str = ""
    media_folder: Path | None = None
    scenes: Path | None = None
    frame_store: Path | None = None
    link: bool = False
    published: Published = "newest"
    tables: Callable[[QuestionSet], Sequence[ReportTable]] = lambda one: ()


@dataclass(frozen=True)
class SiteResult:
    """A site that was written.

    Attributes:
        path: its folder.
        sets, runs, items: their numbers.
        remarks: missing parts.
    """

    path: Path
    sets: int
    runs: int
    items: int
    remarks: list[str] = field(default_factory=list)


Told = Callable[[str, int], None]
"""Called with what is begun and how many steps it has; with '' and 1 after each step."""


def write_site(
    out: Path,
    runs: Sequence[LoadedRun],
    left_out: Sequence[str] = (),
    options: SiteOptions = SiteOptions(),
    told: Told = lambda what, steps: None,
) -> SiteResult:
    """Write the explorer of some runs, whole or not at all; an explorer that is there is replaced.

    Args:
        out: the folder.
        runs: with scores, of one benchmark or several.
        left_out: a sentence for each run that should be there and isn't.
        options: its content.
        told: of the progress.

    Raises:
        UsageError: the folder holds something else.
        InputError: a run's file is broken.
    """
    check_target(out)
    sets = question_sets(runs, left_out, options.published)
    remarks: list[str] = []
    out.parent.mkdir(parents=True, exist_ok=True)
    with whole_folder(out) as folder:
        for name in APPLICATION:
            source = files("tolman.reports.site") / "static" / name
            (folder / name).write_bytes(source.read_bytes())
        data = DataFolder(folder)
        for one in sets:
            remarks += _write_set(one, folder, data, options, told)
        data.put_json("site", _overview(sets, remarks))
    return SiteResult(out, len(sets), len(runs), sum(len(one.items) for one in sets), remarks)


def check_target(out: Path) -> None:
    """Make sure that a folder can be written to or replaced.

    Raises:
        UsageError: it is a file, or holds something that is no explorer.
    """
    if out.is_file():
        raise UsageError(f"{out} is a file; give --out a folder for the site, or a file name that ends in .html.")
    if out.is_dir() and not (out / MARK).exists() and any(out.iterdir()):
        raise UsageError(f"{out} holds files that aren't a report's site; give --out a new or empty folder.")
    if out.is_dir() and not (out / MARK).exists():
        remove(out)


def _overview(sets: Sequence[QuestionSet], remarks: Sequence[str]) -> dict[str, Any]:
    return {
        "tolman": tolman.__version__,
        "remarks": list(dict.fromkeys(remarks)),
        "sets": [
            {
                "key": one.key,
                "title": one.title,
                "items": len(one.items),
                "headline": one.report.benchmark.table.column(one.report.benchmark.table.headline).title,
                "runs": [run.name for run in one.runs],
            }
            for one in sets
        ],
    }


def _write_set(one: QuestionSet, site: Path, data: DataFolder, options: SiteOptions, told: Told) -> list[str]:
    """Write the scripts and the media of a question set, and return its missing parts."""
    media_at = media_folder(one.runs, options.media_folder)
    scenes_at = scenes_folder(one.runs, media_at, options.scenes)
    geometries, remarks = _scenes(one, scenes_at)
    told(f"{one.title}: answers", len(one.runs))
    answers: list[list[int]] = []
    tokens: list[list[int]] = []
    for number, run in enumerate(one.runs):
        starts = []
        answered = answers_of(one, run, _maps(run, geometries))
        tokens.append(output_tokens(answered))
        for place, (start, content) in enumerate(answer_shards(answered)):
            data.put(f"{one.key}-run{number}-{place}", content)
            starts.append(start)
        answers.append(starts)
        del answered  # before those of the next run
        told("", 1)
    media_starts, samplings, lacking, has_pictures = _write_media(one, site, data, media_at, options, told)
    remarks += lacking
    plans = {scene: number for number, scene in enumerate(geometries)}
    for scene, number in plans.items():
        data.put_json(f"{one.key}-plan-{number}", plan_of(geometries[scene]))
    entries = [as_json(entry) for entry in _entries(one, geometries, plans)]
    starts = []
    for place, (start, part) in enumerate(shards(entries, [*map(len, entries)])):
        data.put(f"{one.key}-items-{place}", f"[{','.join(part)}]")
        starts.append(start)
    index = index_of(one, {"items": starts, "answers": answers, "media": media_starts, "plans": len(plans)}, tokens)
    for run_column, seen in zip(index["runs"], [seen_by(run.record) for run in one.runs], strict=True):
        run_column["seen"]["sampling"] = samplings.get(seen.key)
    index["pictures"] = has_pictures
    index["plans_missing"] = scenes_at if isinstance(scenes_at, str) else ""
    data.put_json(f"{one.key}-index", index)
    data.put_json(f"{one.key}-readings", readings_of(one))
    told(f"{one.title}: tables", 1)
    data.put_json(f"{one.key}-board", board_of(one, options.tables(one)))
    told("", 1)
    return remarks


def _write_media(
    one: QuestionSet, site: Path, data: DataFolder, media_at: Path | str, options: SiteOptions, told: Told
) -> tuple[list[int], dict[str, int], list[str], bool]:
    """Write the media, and return the first number of each shard, the number of each way of sampling, missing parts,
    and whether there is a picture."""
    seen = [seen_by(run.record) for run in one.runs]
    shown = [own for own in seen if own.what == "frames"] or [own for own in seen if own.what != "whole"] or seen[:1]
    samplings: dict[str, Seen] = {own.key: own for own in shown}
    whole = any(own.what == "whole" for own in seen)
    why_none = options.why_none if options.media == "none" else ""
    wanted = Wanted(
        [own.frames.model_copy(update={"whole": False}) for own in samplings.values()],
        videos=whole or options.media == "all",
        why_none=why_none or ("" if options.media != "none" else "media are left out"),
        link=options.link,
    )
    media = media_of(one.items)
    told(f"{one.title}: pictures", len(media))
    store = FrameStore(options.frame_store or default_root())
    source = SiteMedia(site, media_at, store, wanted)
    entries = source.entries(media, lambda: told("", 1))
    starts = list(range(0, len(entries), _MEDIA_IN_SHARD))
    for number, start in enumerate(starts):
        data.put_json(f"{one.key}-media-{number}", entries[start : start + _MEDIA_IN_SHARD])
    lacking = [
        f"{one.title}: {count:,} of {counted(len(entries), 'video or picture', 'videos and pictures')} "
        f"{'isn' if count == 1 else 'aren'}'t shown: {problem}"
        for problem, count in list(source.missing.items())[:3]
    ]
    return starts, {key: n for n, key in enumerate(samplings)}, lacking, any("problem" not in one for one in entries)


def _scenes(one: QuestionSet, place: Path | str) -> tuple[dict[str, SceneGeometry], list[str]]:
    """The scenes of a set's questions by id, and a remark where some are lacking."""
    wanted = {item.scene for item in one.items if item.scene is not None}
    if not wanted or isinstance(place, str):
        return {}, []
    try:
        found = {
            geometry.scene.id: geometry
            for geometry in scene_arrays.open_collection(place)
            if isinstance(geometry, scene_arrays.SceneGeometry) and geometry.scene.id in wanted
        }
    except InputError as error:
        return {}, [f"{one.title}: no floor plans: {error}"]
    lost = len(wanted) - len(found)
    return found, [f"{one.title}: {place} lacks {lost:,} of {counted(len(wanted), 'scene')}"] if lost else []


def _entries(
    one: QuestionSet, geometries: Mapping[str, SceneGeometry], plans: Mapping[str, int]
) -> list[dict[str, Any]]:
    """The questions as the page takes them."""
    media = media_of(one.items)
    found = []
    for item in one.items:
        entry: dict[str, Any] = {"question": item.question, "kind": item.kind, "answer": item.answer}
        optional = {
            "options": list(item.options),
            "verbatim": item.verbatim,
            "text": item.answer_text,
            "unit": item.unit,
            "interleaved": item.interleaved,
            "media": [media[key_of(medium)] for medium in item.media],
            "scene": item.scene,
            "reasoning": item.reasoning,
            "group": item.all_of,
            "evidence": item.evidence,
        }
        entry |= {name: value for name, value in optional.items() if value}
        if item.scene is not None and item.scene in geometries:
            entry["plan"] = plans[item.scene]
            marks, undrawn = evidence_marks.evidence_on_plan(item, geometries[item.scene])
            entry |= {name: value for name, value in (("marks", marks), ("undrawn", undrawn)) if value}
        found.append(entry)
    return found


def _maps(
    run: LoadedRun, geometries: Mapping[str, SceneGeometry]
) -> Callable[[Item, Response], dict[str, Any] | None] | None:
    """Return a function to the map behind a run's response, with the true one where the scene is known."""
    settings = run.record.settings.protocol_settings
    if "cognitive-map" not in run.record.settings.protocol.split("+"):
        return None
    options = ProtocolOptions(grid=settings["grid"], map_categories=settings["map_categories"])

    @cache
    def true_places(scene: str, names: tuple[str, ...]) -> Any:
        return cognitive_map.true_map_of(geometries[scene], names, options.grid)[0].places

    def drawn(item: Item, response: Response) -> dict[str, Any] | None:
        try:
            reading = cognitive_map.drawn_map(response, item, settings)
        except InputError:  # the scenes that say what was asked for are gone
            return None
        if reading is None:
            return None
        found: dict[str, Any] = {"grid": options.grid, "problems": list(reading.problems)}
        if reading.map is not None:
            found["drawn"] = _places(reading.map.places)
        names = cognitive_map.categories_on_map(item, options) or tuple(reading.map.places if reading.map else ())
        if item.scene in geometries and names:
            found["true"] = _places(true_places(item.scene, names))
        return found

    return drawn


def _places(places: Mapping[str, Sequence[tuple[float, float]]]) -> dict[str, list[list[float]]]:
    return {name: [[round(x, 2), round(y, 2)] for x, y in own] for name, own in places.items()}
