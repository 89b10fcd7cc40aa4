"""Rows from wenhuchen/Program-of-Thoughts: GPT-4 on AQuA (options) and chain of thought on TAT-QA (numbers).

GPT-4 answered AQuA (options A to E) and Codex / GPT-3 the arithmetic questions of TAT-QA with chain of thought.
"""

import re

from clones import Output

REPOSITORY = "wenhuchen/Program-of-Thoughts"
COMMIT = "850399c3eff8c37458a9d642c4a98df287f50f3a"
LICENCE = "MIT"


def rows(clone, paths):
    for path in paths:
        for number, item in clone.json_lines(path):
            question, answer = item["question"][:400], item["answer"]
            if "aqua" in path:
                options = [re.sub(r"^[A-E]\)", "", text).strip() for text in item["options"]]
                for part in ("rationale", "generated_prediction"):
                    yield Output(f"{path}#{number}.{part}", item[part], question, answer.strip(), options)
                continue
            truth = str(answer if not isinstance(answer, list) else answer[0]).strip()
            truth = truth if re.fullmatch(r"-?\d[\d,]*(?:\.\d+)?", truth) else ""
            for turn, output in enumerate(item["generated"]):
                yield Output(f"{path}#{number}.{turn}", output, question, truth)
