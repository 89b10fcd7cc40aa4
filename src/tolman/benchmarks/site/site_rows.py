"""SITE's released rows as Items, and the three classification systems that its questions are reported under.

Source: the data set franky-veteran/SITE-Bench, configurations `image_test` and `video_test`, which the paper's figures
pool. The rows have no id; an item's id is its configuration and row number, `image-0` … `video-3618`.

A question's labels name its place in each system (section 3): `scale` (Hegarty), `factor` (visualization and
orientation), and `information` with `change`, the two distinctions of Uttal's 2x2 classification. `category` is one of
SITE's six.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tolman.benchmarks.rows import Row, check_fields, check_known, find_files, make_item, read_rows
from tolman.errors import InputError
from tolman.items import Item, Media

SUBSETS = {
    "full": "image and video questions, 8,068",
    "image": "the image configuration, 4,449 questions",
    "video": "the video configuration, 3,619 questions",
}
CATEGORIES = (
    "counting & existence",
    "object localization & positioning",
    "3d information understanding",
    "multi-view & cross-image reasoning",
    "spatial relationship reasoning",
    "movement prediction & navigation",
)
_SPELLINGS = {  # as the released scoring code spells two of them
    "depth & 3d understanding": "3d information understanding",
    "movement navigation & intent prediction": "movement prediction & navigation",
}
_FIELDS = ("question", "options", "answer", "category", "dataset", "visual")
_SUFFIXES = ("parquet", "jsonl", "json")


def load(folder: Path, subset: str) -> list[Item]:
    """The questions of a subset: images first, then videos.

    Args:
        folder: with a file or folder named after each configuration (`image_test*`, `video_test*`).
        subset: a key of `SUBSETS`.

    Raises:
        InputError: a row that is not the benchmark's.
    """
    configurations = ("image", "video") if subset == "full" else (subset,)
    items = []
    for name in configurations:
        patterns = [p for s in _SUFFIXES for p in (f"{name}_test*.{s}", f"{name}_test/*.{s}", f"{name}*.{s}")]
        before = 0
        for path in find_files(folder, patterns, f"SITE {name} questions"):
            rows = read_rows(path)
            items += [_item(path, number, row, name, before) for number, row in enumerate(rows, start=1)]
            before += len(rows)
    return items


def _item(path: Path, number: int, row: Row, configuration: str, before: int) -> Item:
    check_fields(path, number, row, _FIELDS)
    category = _SPELLINGS.get(row["category"].lower(), row["category"].lower())
    check_known(path, number, category, CATEGORIES, "category of SITE", "category")
    if not isinstance(row["visual"], list) or not row["visual"]:
        raise InputError(path, "names no image or video", row=number, field="visual")
    paths = [str(p) for p in row["visual"]]
    if configuration == "video":
        media: tuple[Media, ...] = (Media(kind="video", path=paths[0]),)  # the released code shows the first only
    else:
        media = tuple(Media(kind="image", path=p) for p in paths)
    return make_item(
        path,
        number,
        id=f"{configuration}-{before + number - 1}",
        question=row["question"].strip(),
        kind="choice",
        options=tuple(str(option) for option in row["options"]),
        answer=row["answer"],
        task=category,
        labels={"dataset": row["dataset"], "category": category, "media": configuration},
        scene=paths[0],
        media=media,
    )


SYSTEMS: Mapping[str, Mapping[str, str]] = {
    "scale": {
        "figural": "small relative to the body and seen from one viewpoint: drawings, objects on a table, diagrams",
        "vista": "larger than the body, still seen from a single viewpoint: a room, a town square",
        "environmental": "surrounds the person, who must move through it or join several views to apprehend it",
    },
    "factor": {
        "visualization": "manipulating, rotating or inverting objects in the mind, whatever the observer's viewpoint",
        "orientation": "imagining how things look or lie from another viewpoint, or with respect to a moving observer",
        "neither": "the question takes neither of the two",
    },
    "information": {
        "intrinsic": "an object's own features, its parts, and the relations among the parts",
        "extrinsic": "relations between objects, or of objects to a wider frame",
    },
    "change": {"static": "fixed spatial information", "dynamic": "movement or transformation"},
}
"""Label → value → what it means."""
