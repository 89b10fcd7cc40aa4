"""Rows from Jesse-Perring/My-LLM-takes-the-Korean-CSAT: the mathematics paper of the Korean CSAT (2025), asked in English.

Six models with up to nine ways of prompting solved the Korean CSAT mathematics paper of 2025 (English, partly Korean prose).
"""

import re

from clones import Output

REPOSITORY = "Jesse-Perring/My-LLM-takes-the-Korean-CSAT"
COMMIT = "6695d3df3c2998833cd594ab8c3f17cb028ff108"
LICENCE = "MIT"


def answers(text):
    """The answers of a result file, by question number (the repository's own headings and score table cut off)."""
    found, at = {}, 0
    marks = []
    for number in range(1, 31):
        mark = re.compile(rf"^문제 {number}:[ \t]*\n?", re.M).search(text, at)
        if mark:
            marks.append((number, mark.start(), mark.end()))
            at = mark.end()
    tail = re.search(r"^문제번호\t", text, re.M)
    ends = [start for _, start, _ in marks[1:]] + [tail.start() if tail else len(text)]
    for (number, _, begin), end in zip(marks, ends, strict=False):
        found[number] = text[begin:end].strip("\n")
    return found


def rows(clone, paths):
    items = {item["problem_number"]: item for item in clone.json("data/json/202511_en.json")}
    for path in paths:
        for number, output in answers(clone.text(path).replace("\r\n", "\n")).items():
            yield Output(f"{path}#{number}", output, items[number]["problem"][:400], items[number]["answer"].strip())
