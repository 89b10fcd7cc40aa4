"""Rows from suzgunmirac/BIG-Bench-Hard: chain-of-thought outputs of code-davinci-002.

code-davinci-002 answered BIG-Bench Hard with chain of thought: lettered options, listed options, numbers.
"""

import re

from clones import Output

REPOSITORY = "suzgunmirac/BIG-Bench-Hard"
COMMIT = "9ee07bd481feebf959a6b59d61ea57bdcf30964d"
LICENCE = "MIT"


def rows(clone, paths):
    for path in paths:
        for number, item in enumerate(clone.json(path)["outputs"]):
            question = item["input"].rpartition("\n\nQ: ")[2].partition("\nA: Let's think")[0]
            question, _, listed = question.partition("\nOptions:")
            options = [text.strip() for text in re.findall(r"^(?:\([A-Z]\)|-) (.*)$", listed, re.M)]
            truth = item["target"].strip()
            lettered = re.fullmatch(r"\(?([A-Z])\)?", truth)
            if lettered and re.search(r"^\([A-Z]\)", listed, re.M):
                truth = lettered[1]
            elif options:
                lower = [text.lower() for text in options]
                truth = chr(65 + lower.index(truth.lower())) if truth.lower() in lower else ""
            yield Output(f"{path}#{number}", item["prediction"], question.strip()[-400:], truth, options)
