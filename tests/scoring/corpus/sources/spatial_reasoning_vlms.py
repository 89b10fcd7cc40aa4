"""Qwen2.5-VL-3B on which lettered cell a maze walker reaches, of Masoudjafaripour/Spatial_Reasoning_VLMs.

Qwen2.5-VL-3B answers which letter an agent reaches in a maze (plain, chain of thought often cut off, chosen prompts).
"""

from clones import Output

REPOSITORY = "Masoudjafaripour/Spatial_Reasoning_VLMs"
COMMIT = "199b953c2f19f3c80a08f106e4470a223238ed1a"
LICENCE = "MIT"


def rows(clone, paths):
    for path in paths:
        content = clone.json(path)
        for number, item in enumerate(content["results"] if isinstance(content, dict) else content):
            maze = clone.json(item["file"].replace("\\", "/"))
            question = f"Action sequence: {maze['actions']} Which letter (A, B, C, or D) does the red agent reach?"
            truth = item["gt"] if item["gt"] in ("A", "B", "C", "D") else ""
            yield Output(f"{path}#{number}", item.get("raw_output"), question[:400], truth, ["A", "B", "C", "D"])
