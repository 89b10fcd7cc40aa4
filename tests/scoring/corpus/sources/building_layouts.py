"""Claude on which of two building layouts, or which of two rooms, has more of something; answers in JSON, with reasons in part.

Claude Sonnet 4.6 compares two building layouts or two rooms (JSON answers, with the criterion used).
"""

import json
import re

from clones import Output

REPOSITORY = "ChowdhuryAliImam/Reliable-Spatial-Reasoning-in-Building-Layouts"
COMMIT = "2469cbfd6fbd7c79ecd14446f8b01cea6cd58952"
LICENCE = "MIT"


def rows(clone, paths):
    for path in paths:
        for number, item in enumerate(clone.table(path)):
            options, truth, question = ["Layout A", "Layout B"], item["expected_answer"], item["question"]
            pair = re.fullmatch(r"Which space has more direct connections: (\w+) or (\w+)\?", question)
            if pair:
                options, winner = [pair[1], pair[2]], json.loads(truth)["winner"]
                truth = chr(65 + options.index(winner)) if winner in options else ""
            truth = truth if truth in ("A", "B") else ""
            yield Output(f"{path}#{number}", item["raw_answer"], question[:400], truth, options)
