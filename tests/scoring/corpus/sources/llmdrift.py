"""Rows from lchen001/LLMDrift: two versions each of GPT-3.5 and GPT-4 counting happy numbers, testing primes, answering surveys.

GPT-3.5 and GPT-4 (March and June 2023) counted happy numbers, judged primes (Yes/No) and answered opinion surveys.
"""

import re

from clones import Output

REPOSITORY = "lchen001/LLMDrift"
COMMIT = "4938eb720aed5210dd2153644fa35cf38b9c6d26"
LICENCE = "Apache-2.0"


def rows(clone, paths):
    for path in paths:
        for number, item in enumerate(clone.table(path)):
            question, options, truth = item["query"], [], ""
            if "HAPPY" in path:
                truth = re.sub(r"\D", "", item["ref_answer"])
            elif "PRIME" in path:
                options, truth = ["Yes", "No"], {"yes": "A", "no": "B"}[item["ref_answer"].strip().lower()]
            else:  # a survey has no right answer
                options = [text.strip() for text in re.findall(r"^\([A-Z]\)\. (.*)$", question, re.M)]
                question = question.partition("Question:")[2].partition("\n(A)")[0].strip()
            yield Output(f"{path}#{number}", item["answer"], question[:400], truth, options)
