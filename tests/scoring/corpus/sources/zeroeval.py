"""Rows from WildEval/ZeroEval: reasoning in JSON with a numeric answer.

About 60 models (o1 and others) answered GSM8K, MATH level 5 and comparisons of decimal numbers, asked for JSON with reasoning.
"""

from clones import Output

REPOSITORY = "WildEval/ZeroEval"
COMMIT = "8c1485edf12c6efb5f69135a562927c5ad484059"
LICENCE = "Apache-2.0"


def rows(clone, paths):
    for path in paths:
        for number, item in enumerate(clone.json(path)):
            question = (item.get("question") or item.get("problem") or "")[:400]
            truth = str(item["answer"]).strip().lstrip("#").strip()
            for turn, output in enumerate(item["output"]):
                yield Output(f"{path}#{number}.{turn}", output, question, truth)
