"""Answers of 15 vision-language models to LogicVista (logic tests shown in a figure), of Yijia-Xiao/LogicVista.

GPT-4V, LLaVA, LLaVA-NeXT, InstructBLIP, MiniGPT-4, Otter, BLIP-2 answer LogicVista choice questions (letters, option texts, lists, rambling).
"""

import re

from clones import Output

REPOSITORY = "Yijia-Xiao/LogicVista"
COMMIT = "e5795f17189ce1243231250af7d8c112ae2c5a57"
LICENCE = "Apache-2.0"

MARK = re.compile(r"\(\s*([A-J])\s*\)\s*")
LETTERS = re.compile(
    r"(?:from|choices?|options?|between)\s*\(?((?:[A-J]\s*(?:,\s*(?:and |or )?|and |or |/)\s*)+[A-J])\b", re.I
)
SPAN = re.compile(r"\b([A-J])\s*-\s*([A-J])\b")
ECHO = re.compile(r"<\|im_start\|> assistant\n|ASSISTANT: ?|\[/INST\]")


def options_of(question):
    """Option texts; the bare letters where the options are drawn in the figure; [] if neither can be read."""
    parts = MARK.split(question)
    letters, texts = parts[1::2], [t.strip(" \n.,") for t in parts[2::2]]
    if len(letters) > 1 and letters == [chr(65 + i) for i in range(len(letters))]:
        return [text or letter for text, letter in zip(texts, letters, strict=False)]
    found = LETTERS.search(question)
    named = re.findall(r"\b[A-J]\b", found[1]) if found else []
    span = SPAN.search(question)
    if not named and span and span[1] == "A":
        named = [chr(c) for c in range(65, ord(span[2]) + 1)]
    return named if len(named) > 1 and named == [chr(65 + i) for i in range(len(named))] else []


def rows(clone, paths):
    items = clone.json("data/dataset.json")
    for path in paths:
        for name, record in clone.json(path).items():
            item, output = items.get(name), record["answer"] if isinstance(record, dict) else record
            if item is None or not isinstance(output, str):
                continue
            output = ECHO.split(output)[-1]  # LLaVA-NeXT: the prompt stands before the answer in the file
            truth, question = item["answer"].strip().upper(), item["question"]
            yield Output(f"{path}#{name}", output, question[:400], truth, options_of(question))
