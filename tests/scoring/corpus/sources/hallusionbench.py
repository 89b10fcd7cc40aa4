"""GPT-4V's answers to the yes/no questions of the HallusionBench sample (optical illusions, charts, maps, videos).

GPT-4V answers yes/no questions of HallusionBench (sentences that open or end with the verdict, refusals).
"""

from clones import Output

REPOSITORY = "gautierdag/HallusionBench"
COMMIT = "f7c831b0ea765c61b7301bfc91053f8e5d25b4e6"
LICENCE = "BSD-3-Clause"


def rows(clone, paths):
    known = {}
    for item in clone.json("HallusionBench.json"):
        known.setdefault((item["question"].strip(), item["gt_answer_details"].strip()), set()).add(
            str(item["gt_answer"])
        )
    for path in paths:
        for number, item in enumerate(clone.json(path)):
            truths = known.get((item["question"].strip(), item["gt_answer_details"].strip()), set())
            truth = {"1": "A", "0": "B"}.get(next(iter(truths)), "") if len(truths) == 1 else ""
            yield Output(f"{path}#{number}", item.get("model_prediction"), item["question"][:400], truth, ["Yes", "No"])
