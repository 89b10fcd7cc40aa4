"""Rows from wenhuchen/TheoremQA: written-out (mostly wrong) solutions of three models to theorem questions with a numeric answer.

GPT-4, ChatGPT and Alpaca solved theorem questions with a numeric answer (the repository's collection of errors).
"""

from clones import Output

REPOSITORY = "wenhuchen/TheoremQA"
COMMIT = "585c960f647b3cae8b37ff71fd9dac45ce4b4e91"
LICENCE = "MIT"


def rows(clone, paths):
    truths = {item["Question"].strip(): str(item["Answer"]) for item in clone.json("theoremqa_test.json")}
    for path in paths:
        for number, item in enumerate(clone.json(path)):
            question = (item.get("question") or "").strip()
            yield Output(f"{path}#{number}", item.get("rationale"), question[:400], truths.get(question, ""))
