"""Puts together what is published of Tolman-1, out of what its recipe made: hashes, questions, some places, pictures.

    tolman simulate --config tolman-1/recipe.toml
    tolman generate --config tolman-1/recipe.toml
    tolman simulate --config tolman-1/recipe.toml --no-no-media --shard 7/200 --out made/drawn
    python benchmarks/tolman_1.py made/scenes made/tolman-1 --drawn made/drawn --out tolman-1

`scenes.sha256` has a line for each scene (of its JSON without recordings, numbers to a micrometre) and one for the
questions. `questions/` is the benchmark without media, `places/` the part of it that asks about places that are drawn,
with their videos and pictures. `docs/images/tolman-1.jpg` shows each group of twins in a row, at the time at which most
is seen of what differs.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw

from tolman.generate.question_media import QUALITY
from tolman.item_table import open_items, write_items
from tolman.items import Item
from tolman.media.images import to_jpeg
from tolman.media.sampling import Frames
from tolman.media.video import read_frames, read_index
from tolman.scene_table import read_captures, read_scenes
from tolman.scenes import Capture, Scene

TILE, LINE = (360, 270), 20


def hash_of(scene: Scene) -> str:
    """Hash a scene's JSON, numbers to a micrometre: the last digits are the processor's."""
    content = scene.model_dump(mode="json", exclude={"metric": True, "rooms": True, "objects": {"__all__": {"lifted"}}})
    return hashlib.sha256(json.dumps(_rounded(content)).encode()).hexdigest()


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _rounded(own) for key, own in value.items()}
    if isinstance(value, list):
        return [_rounded(own) for own in value]
    return round(value, 6) + 0.0 if isinstance(value, float) else value


def hashes(scenes: Path, questions: Sequence[Path]) -> str:
    """A line for each scene and each file of questions."""
    lines = [f"{hash_of(one)}  {one.id}" for one in read_scenes(scenes)]
    lines += [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.parent.name}/{path.name}" for path in questions]
    return "\n".join(lines) + "\n"


def copy_media(item: Item, drawn: Path, out: Path) -> bool:
    """Put an item's videos and pictures into a folder; False where a picture is none of a drawn video's frames."""
    for media in item.media:
        target = out / media.path
        if target.exists():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        if media.kind == "video":
            shutil.copyfile(drawn / media.path, target)
            continue
        stem, _, frame = target.stem.rpartition("-")
        video = drawn / "videos" / f"{stem}.mp4"
        if not video.exists() or not frame.isdigit():
            return False
        ((_, picture),) = read_frames(video, read_index(video), [int(frame)])
        target.write_bytes(to_jpeg(picture, Frames(quality=QUALITY)))
    return True


def sheet(drawn: Path) -> Image.Image:
    """The groups of twins, one in a row."""
    captures = {capture.scene: capture for capture in read_captures(drawn) if capture.role == "ego"}
    groups: dict[str, list[Scene]] = defaultdict(list)
    for scene in read_scenes(drawn):
        groups[scene.twins or scene.id].append(scene)
    widest = max(map(len, groups.values()))
    picture = Image.new("RGB", (TILE[0] * widest, (TILE[1] + LINE) * len(groups)), "white")
    draw = ImageDraw.Draw(picture)
    for row, own in enumerate(groups.values()):
        frame = _most_telling([(scene, captures[scene.id]) for scene in own])
        for column, scene in enumerate(own):
            video = drawn / captures[scene.id].media
            ((_, shown),) = read_frames(video, read_index(video), [frame])
            place = column * TILE[0], row * (TILE[1] + LINE)
            picture.paste(shown.resize(TILE), (place[0], place[1] + LINE))
            count = scene.count(scene.differs or "")
            draw.text((place[0] + 4, place[1] + 4), f"{scene.id}: {count} {scene.differs}", fill="black")
    return picture


def _most_telling(twins: Sequence[tuple[Scene, Capture]]) -> int:
    """The frame in which the twins together show most of what differs."""
    pixels: dict[int, list[float]] = defaultdict(list)
    for scene, capture in twins:
        own = {thing.id for thing in scene.of(scene.differs or "")}
        seen: dict[int, float] = defaultdict(float)
        for sighting in capture.sightings:
            if sighting.object in own:
                seen[sighting.frame] += sighting.pixels**0.5
        for frame, value in seen.items():
            pixels[frame].append(value)
    # How many twins show it first, then the one that shows least of it.
    return max(pixels, key=lambda frame: (len(pixels[frame]), min(pixels[frame])), default=0)


def main() -> None:
    """Read what was made, write what is published."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scenes", type=Path)
    parser.add_argument("questions", type=Path)
    parser.add_argument("--drawn", type=Path, help="folder of scenes with videos; none: no places and no pictures")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--picture", type=Path, default=Path("docs/images/tolman-1.jpg"))
    asked = parser.parse_args()
    files = sorted((asked.questions / "data").glob("*.parquet"))
    asked.out.mkdir(parents=True, exist_ok=True)
    (asked.out / "scenes.sha256").write_text(hashes(asked.scenes, files), encoding="utf-8")
    shutil.copytree(asked.questions, asked.out / "questions", dirs_exist_ok=True)
    if asked.drawn is None:
        return
    places, there = asked.out / "places", {scene.id for scene in read_scenes(asked.drawn)}
    kept = [item for item in open_items(files) if item.scene in there and copy_media(item, asked.drawn, places)]
    (places / "data").mkdir(exist_ok=True)
    write_items(places / "data" / "test-00000-of-00001.parquet", kept)
    shutil.copyfile(asked.questions / "benchmark.json", places / "benchmark.json")
    sheet(asked.drawn).save(asked.picture, quality=85)
    print(f"{len(kept):,} questions about {len(there)} places: {places}")


if __name__ == "__main__":
    main()
