"""Rows from FudanDISC/DISC-LawLLM: Chinese law and accountancy examinations, single choice.

Nine models answered single-choice questions of Chinese law, patent and accountancy examinations.
"""

import re

from clones import Output

REPOSITORY = "FudanDISC/DISC-LawLLM"
COMMIT = "f40d023488b4deb5eb369c85d4e9e8ebcde35c95"
LICENCE = "Apache-2.0"


def plain(text):
    return re.sub(r"\s+", "", text or "")


def rows(clone, paths):
    for path in paths:
        exam = path.rpartition("/")[2].removesuffix("_results.csv")
        known = {plain(item.get("input")): item for item in clone.table(f"eval/datasets/objective/mcq_sing_{exam}.csv")}
        for number, item in enumerate(clone.table(path)):
            options = [(item[letter] or "").strip() for letter in "ABCD"]
            while options and not options[-1]:
                options.pop()
            source = known.get(plain(item["input"]), {})
            truth = (source.get("output") or source.get("answer") or "").strip()
            truth = truth if re.fullmatch("[A-D]", truth) else ""
            yield Output(f"{path}#{number}", item["model_output"], item["input"].strip()[-400:], truth, options)
