"""Draws a contact sheet of each question type of a benchmark's folder: pictures, question and options, no answers.

    python benchmarks/contact_sheet.py BENCH --out docs/images --prefix families --per-type 5

The answers go to a file of their own, so that whoever looks at a sheet can answer before looking them up.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import textwrap
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from tolman.benchmarks.benchmark_folder import open_folder
from tolman.items import Item, Media
from tolman.media.images import to_jpeg
from tolman.media.sampling import Frames
from tolman.media.video import read_frames, read_index

WIDTH, GAP, LINE = 480, 8, 19
VIDEO_FRAMES = 8


def main() -> None:
    """Read a folder, write its sheets and their answers."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--prefix", default="families")
    parser.add_argument("--per-type", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--answers", type=Path, help="Default: PREFIX-answers.json in the folder of the sheets.")
    parser.add_argument("--frames", type=int, default=VIDEO_FRAMES, help="Of each video.")
    parser.add_argument("--only", default="", help="Question types whose name contains this.")
    asked = parser.parse_args()
    benchmark = open_folder(asked.folder)
    by_task: dict[str, list[Item]] = {}
    for item in benchmark.load(asked.folder, "all"):
        by_task.setdefault(item.labels.get("family", item.task).rpartition("/")[2], []).append(item)
    asked.out.mkdir(parents=True, exist_ok=True)
    answers: dict[str, list[dict[str, str | None]]] = {}
    for task in sorted(task for task in by_task if asked.only in task):
        chosen = spread(by_task[task], asked.per_type, f"{asked.seed}:{task}")
        name = f"{asked.prefix}-{slug(task)}"
        sheet = stacked(
            [panel(item, number, asked.folder, asked.frames) for number, item in enumerate(chosen, start=1)]
        )
        quality = 82
        while len(jpeg := to_jpeg(sheet, Frames(quality=quality))) > 480_000 and quality > 30:
            quality -= 8
        (asked.out / f"{name}.jpg").write_bytes(jpeg)
        answers[name] = [
            {"id": item.id, "question": item.question, "answer": f"{item.answer}. {item.answer_text}"
             if item.options else item.answer, "reasoning": item.reasoning}
            for item in chosen
        ]  # fmt: skip
        print(f"{name}.jpg: {len(chosen)} of {len(by_task[task])} questions, {len(jpeg) // 1000} kB")
    place = asked.answers or asked.out / f"{asked.prefix}-answers.json"
    place.write_text(json.dumps(answers, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def slug(task: str) -> str:
    """A question type as part of a file's name."""
    return re.sub(r"[^a-z0-9]+", "-", task.lower()).strip("-")


def spread(items: list[Item], count: int, seed: str) -> list[Item]:
    """Some items, of different scenes as far as there are such."""
    drawn = sorted(items, key=lambda item: item.id)
    random.Random(seed).shuffle(drawn)
    rank: dict[str, int] = {}
    ranked = []
    for item in drawn:
        rank[item.cluster] = rank.get(item.cluster, -1) + 1
        ranked.append((rank[item.cluster], len(ranked), item))
    return [item for _, _, item in sorted(ranked, key=lambda r: r[:2])[:count]]


def pictures(item: Item, folder: Path, count: int) -> list[Image.Image]:
    """What an item shows: its images, and some frames of its videos."""
    found: list[Image.Image] = []
    for media in item.media:
        if media.kind == "image":
            found.append(Image.open(folder / media.path).convert("RGB"))
        else:
            found += frames_of(media, folder, count)
    return found


def frames_of(media: Media, folder: Path, most: int) -> list[Image.Image]:
    """Some frames of a video, evenly over the part that is meant."""
    path = folder / media.path
    index = read_index(path)
    start, end = media.start or 0.0, media.end if media.end is not None else float("inf")
    inside = [i for i in range(len(index.times)) if start <= index.seconds(i) <= end]
    count = min(most, len(inside))
    numbers = sorted({inside[round(n * (len(inside) - 1) / max(1, count - 1))] for n in range(count)})
    return [image for _, image in read_frames(path, index, numbers)]


def panel(item: Item, number: int, folder: Path, frames: int) -> Image.Image:
    """One question with its pictures above it."""
    shown = pictures(item, folder, frames)
    columns = 2 if len(shown) <= 2 else 3
    small = [
        image.resize((WIDTH, round(WIDTH * image.height / image.width)), Image.Resampling.LANCZOS) for image in shown
    ]
    rows = [small[i : i + columns] for i in range(0, len(small), columns)]
    text = f"{number}.  {item.question}"
    across = 100 if columns == 2 else 150
    lines = [*textwrap.wrap(text, across), *(f"      {option}" for option in item.lettered_options)]
    high = sum(max(image.height for image in row) + GAP for row in rows)
    made = Image.new("RGB", (columns * (WIDTH + GAP), high + LINE * len(lines) + 3 * GAP), "white")
    draw, y = ImageDraw.Draw(made), 0
    for first, row in zip(range(0, len(small), columns), rows, strict=True):
        for place, image in enumerate(row):
            made.paste(image, (place * (WIDTH + GAP), y))
            draw.rectangle((place * (WIDTH + GAP), y, place * (WIDTH + GAP) + 18, y + 18), fill="white")
            draw.text((place * (WIDTH + GAP) + 5, y + 2), str(first + place + 1), fill="black", font=font(13))
        y += max(image.height for image in row) + GAP
    for line in lines:
        draw.text((GAP, y), line, fill="black", font=font(14))
        y += LINE
    return made


def font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """Pillow's own."""
    return ImageFont.load_default(size)


def stacked(panels: list[Image.Image]) -> Image.Image:
    """Panels one below the other."""
    sheet = Image.new("RGB", (max(p.width for p in panels), sum(p.height + GAP for p in panels)), "white")
    y = 0
    for one in panels:
        sheet.paste(one, (0, y))
        y += one.height + GAP
    return sheet


if __name__ == "__main__":
    main()
