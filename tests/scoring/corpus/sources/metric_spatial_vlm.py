"""GPT-4.1 on distances in metres between two marked things in ScanNet scenes; bare numbers.

GPT-4.1 estimates distances between two objects in metres (bare numbers, 0.0 in part).
"""

from clones import Output

REPOSITORY = "grifo114/metric-spatial-vlm"
COMMIT = "bcfa2eb4e87d0e3c91a73de3e14c94e49dd64e1c"
LICENCE = "MIT"  # as the README says; the LICENSE file it names is not in the repository


def rows(clone, paths):
    known = clone.table("benchmark/ground_truth_distance_nearest_test_official_stage1.csv")
    asked = {query["query_id"]: query for query in known}
    for path in paths:
        for record in clone.table(path):
            query = asked.get(record["query_id"], {})
            first, second = (query.get(f"gt_object_{side}", "").split("__")[-1].rsplit("_", 1)[0] for side in "ab")
            question = (
                "Estimate the physical distance in meters between the nearest surfaces of Object A "
                f"({first}) and Object B ({second})."
            )
            yield Output(f"{path}#{record['query_id']}", record["vlm_response"], question, record["gt_value"])
