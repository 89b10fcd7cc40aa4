"""Rows from suzgunmirac/meta-prompting: GPT-4 answers to MGSM in ten languages and two BIG-Bench Hard tasks.

GPT-4 (seven ways of prompting) answered MGSM word problems in ten languages, BBH geometric shapes and arithmetic.
"""

import re

from clones import Output

REPOSITORY = "suzgunmirac/meta-prompting"
COMMIT = "40422564938d772c3e3e6b9614b1df48b8dd6a08"
LICENCE = "MIT"


def rows(clone, paths):
    for path in paths:
        for number, item in clone.json_lines(path):
            question, truth, options = item["input"], str(item["target"]).strip(), []
            if "geometric_shapes" in path:
                question, _, listed = question.partition("\nOptions:")
                options = re.findall(r"^\([A-Z]\) (.*)$", listed, re.M)
                truth = truth.strip("()")
            yield Output(f"{path}#{number}", item["output"], question.strip()[:400], truth, options)
