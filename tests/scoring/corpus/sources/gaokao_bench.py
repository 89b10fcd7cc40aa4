"""Rows from OpenLMLab/GAOKAO-Bench: GPT-4 answering the multiple-choice questions of the Chinese college entrance examination.

GPT-4-0314 answered single-choice questions of the Chinese college entrance examination 2010 to 2022.
"""

import re

from clones import Output

REPOSITORY = "OpenLMLab/GAOKAO-Bench"
COMMIT = "6dbb24f8d8439041e5431c4c184a582182a6ce9c"
LICENCE = "Apache-2.0"


def parted(text):
    """The question and its four options, taken from the last run of A, B, C, D in the text."""
    for begin in reversed([found.start() for found in re.finditer(r"(?<![A-Za-z])A\s*[．.、:：]", text)]):
        pieces = re.split(r"(?<![A-Za-z])([A-D])\s*[．.、:：]", text[begin:])
        if "".join(pieces[1::2]) == "ABCD":
            options = [re.sub(r"\s+", " ", piece).strip() for piece in pieces[2::2]]
            if all(options):
                return text[:begin].strip(), options
    return None


def rows(clone, paths):
    for path in paths:
        for number, item in enumerate(clone.json(path)["example"]):
            parts = parted(item["question"])
            if parts:
                truth = "".join(item["standard_answer"])
                yield Output(f"{path}#{number}", item.get("model_output"), parts[0][-400:], truth, parts[1])
