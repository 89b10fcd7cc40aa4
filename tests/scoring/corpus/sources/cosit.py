"""Gemini on whether a list of compass relations between points can hold together (yes/no), of zhanghaotong1's COSIT repository.

Gemini answers yes/no whether spatial statements (1D, 2D, oriented) can all be true: bare words, 'Answer: No', bold, some chains of thought.
"""

from clones import Output

REPOSITORY = "zhanghaotong1/COSIT-2026-spatial-reasoning-and-perspective-transformation-in-LMs"
COMMIT = "c0bd33184fd99cb10d6ecaa7dc93e20f9cca6e2d"
LICENCE = "MIT"


def rows(clone, paths):
    for path in paths:
        for number, item in clone.json_lines(path):
            asked = "Can all of these spatial statements be true at the same time? " + item["text"]
            truth = {"satisfiable": "A", "unsatisfiable": "B"}.get(item["label"], "")
            yield Output(f"{path}#{number}", item.get("pred"), asked[:400], truth, ["Yes", "No"])
