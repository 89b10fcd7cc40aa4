"""LLaVA on where one thing is relative to another (What's Up images); letters given in shuffled order in part.

LLaVA answers four-way left/right/on/under questions (letters, shuffled letters, words after CoT or scene graph).
"""

import re

from clones import Output

REPOSITORY = "IamAdamm/VLM-Prompt-Sensitivity-on-Spatial-Reasoning-Eval"
COMMIT = "9ac586e8bd012900e49cdaac99e6e9a66e0aa558"
LICENCE = "Apache-2.0"

LISTED = re.compile(r"([A-D]) ?: ?([^,]+?)(?=, [A-D] ?:|$)")
WORDS = ["Left", "Right", "On top", "Under"]
GROUPS = {
    "Left": ("left",),
    "Right": ("right",),
    "On top": ("on top", "above", "over", "on"),
    "Under": ("under", "below", "beneath", "underneath"),
}


def letter(options, truth):
    wanted = GROUPS.get(truth, ())
    hits = [i for i, o in enumerate(options) if any(re.search(rf"\b{w}\b", o.lower()) for w in wanted)]
    return chr(65 + hits[0]) if len(hits) == 1 else ""


def rows(clone, paths):
    for path in paths:
        for number, item in enumerate(clone.json(path)):
            prompt, options = item["prompt"], WORDS
            if item["prompt_label"].startswith("Multiple Choice"):
                named = dict(LISTED.findall(prompt.split("following:", 1)[-1].strip()))
                if sorted(named) != ["A", "B", "C", "D"]:
                    continue
                options = [named[name].strip() for name in "ABCD"]
            question = re.search(r"Where is .+?\?", prompt)[0][:400]
            truth = letter(options, item["ground_truth"])
            yield Output(f"{path}#{number}", item.get("answer"), question, truth, options)
