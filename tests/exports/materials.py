"""A generated benchmark in miniature: choices and numbers, pictures and a video, scored as VSI-Bench's."""

import json
from pathlib import Path

from tolman.item_table import write_items
from tolman.items import Item, Media

REPLIES = {
    "q0": "A",
    "q1": "B. right",
    "q2": "(A)",  # official: wrong, as its first token is no letter
    "q3": "4",
    "q4": "about 5",  # official: nothing read
    "q5": "2.5",
    "q6": "7 chairs",
}
"""Item → what a scripted model says."""


def items() -> list[Item]:
    """Seven questions in three scenes."""
    picture, other = Media(kind="image", path="media/a.png"), Media(kind="image", path="media/b.png")
    choice = {"kind": "choice", "options": ("left", "right", "behind")}
    count = {"kind": "number", "unit": "count", "task": "object_counting"}
    return [
        Item(id="q0", question="Where is the box?", answer="A", task="object_rel_distance", scene="s/1",
             media=(picture,), **choice),
        Item(id="q1", question="Where is the cup?", answer="B", task="object_rel_distance", scene="s/1",
             media=(picture, other), **choice),
        Item(id="q2", question="Where is the hat?", answer="A", task="route_planning", scene="s/2", media=(other,),
             **choice),
        Item(id="q3", question="How many tables are there?", answer="4", scene="s/2", media=(picture,), **count),
        Item(id="q4", question="How many chairs are there?", answer="5", scene="s/3", media=(other,), **count),
        Item(id="q5", question="How long is the table in metres?", kind="number", unit="m", answer="2.2",
             task="object_abs_distance", scene="s/3", media=(picture,)),
        Item(id="q6", question="How many stools are there, really?", answer="6", scene="s/3", media=(picture,), **count),
    ]  # fmt: skip


def write_benchmark(folder: Path, found: list[Item] | None = None, *, profile: str | None = "vsi-bench") -> Path:
    """Write the benchmark with its pictures.

    Returns:
        Its folder.
    """
    from PIL import Image

    found = items() if found is None else found
    (folder / "media").mkdir(parents=True)
    for name, colour in (("a", "red"), ("b", "blue")):
        Image.new("RGB", (64, 48), colour).save(folder / "media" / f"{name}.png")
    write_items(folder / "items.parquet", found)
    card = {"title": "Tiny", "paper": "Made up", "licence": "CC0-1.0"}
    (folder / "benchmark.json").write_text(json.dumps(card | ({"scoring_profile": profile} if profile else {})))
    return folder
