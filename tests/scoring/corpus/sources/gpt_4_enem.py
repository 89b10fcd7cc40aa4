"""Rows from piresramon/gpt-4-enem: answers of GPT models to the Brazilian ENEM examination of 2022.

code-davinci-002, GPT-3.5 and GPT-4 answered the ENEM 2022 examination (Portuguese, options A to E).
"""

from clones import Output

REPOSITORY = "piresramon/gpt-4-enem"
COMMIT = "cbba7fdd735845bb45ac80d5090baae1b949d782"
LICENCE = "MIT"


def rows(clone, paths):
    items = {item["id"]: item for item in clone.json("data/enem/2022.json")}
    for path in paths:
        for number, report in enumerate(clone.json(path)):
            item = items.get(report["id"])
            if item:
                options = [text.strip() for text in item["options"]]
                truth = report["gold"].strip().rstrip(".")
                yield Output(f"{path}#{number}", report["response"], item["question"].strip()[:400], truth, options)
