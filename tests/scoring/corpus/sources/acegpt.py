"""Rows from FreedomIntelligence/AceGPT: base models completing few-shot Arabic MMLU prompts.

Five base models answered MMLU translated to Arabic (few shot; short outputs that often run on into a next question).
"""

import re

from clones import Output

REPOSITORY = "FreedomIntelligence/AceGPT"
COMMIT = "061a656497168edd8f01ce6c03d6a4c7fa1d42d5"
LICENCE = "Apache-2.0"


def rows(clone, paths):
    for path in paths:
        for number, item in clone.json_lines(path):
            question, *pieces = re.split(r"\n[A-D]\. ", "\n" + item["query"])
            question = question.strip().removeprefix("سؤال:").strip()[:400]
            truth = str(item["answer"]).strip()
            yield Output(f"{path}#{number}", item["response"], question, truth, [piece.strip() for piece in pieces])
