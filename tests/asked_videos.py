"""A benchmark about videos whose frames carry their numbers."""

import json
from pathlib import Path
from typing import Any

from tolman.item_table import write_items
from tolman.items import Item, Media
from videos import write_video


def write_asked_videos(place: Path, frames: int, text: str, answers: str, **question: Any) -> Path:
    """Write a question about each of some videos, at ten frames per second.

    Args:
        place: its folder.
        frames: of each video.
        text: of each question, before its number.
        answers: to the questions, one letter or digit each.
        question: what else all items have.
    """
    items = []
    for number, answer in enumerate(answers, start=1):
        write_video(place / f"{number}.mp4", frames, rate=10, size=(280, 196))
        media = (Media(kind="video", path=f"{number}.mp4"),)
        asked = f"{text}, {number}?"
        items.append(Item(id=str(number), question=asked, answer=answer, task="t", media=media, **question))
    (place / "benchmark.json").write_text(json.dumps({"title": "Mine", "licence": "CC0"}))
    write_items(place / "items.parquet", items)
    return place
