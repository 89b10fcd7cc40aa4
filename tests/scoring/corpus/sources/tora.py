"""Rows from microsoft/ToRA: program and prose of tool-using models for GSM8K.

ToRA-70B and ToRA-Code-34B answered GSM8K: program, its printed result, then a sentence with the boxed number.
"""

import re

from clones import Output

REPOSITORY = "microsoft/ToRA"
COMMIT = "213c1c995038c73fab10343814df7a42f990f026"
LICENCE = "MIT"


def rows(clone, paths):
    for path in paths:
        for number, item in clone.json_lines(path):
            truth = str(item["gt"]).strip()
            truth = truth if re.fullmatch(r"-?[\d,]+(?:\.\d+)?", truth) else ""
            yield Output(f"{path}#{number}", item["code"][0], item["question"][:400], truth)
