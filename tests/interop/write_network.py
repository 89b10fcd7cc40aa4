"""A Qwen2-VL in miniature with random weights, for videos too: `python write_network.py FOLDER [FAMILY] [--wide]`.

`--wide`: heads of 64 numbers, the fewest that vLLM's attention for CPUs takes.
"""

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import video_networks


def widen() -> None:
    """Have the network made with wide heads."""
    import transformers

    text, whole = video_networks._text, transformers.Qwen2VLConfig

    def wide_text(*arguments: Any, **more: Any) -> dict[str, Any]:
        made = text(*arguments, **more) | {"hidden_size": 128, "num_attention_heads": 2, "num_key_value_heads": 2}
        made["rope_parameters"] = {**made["rope_parameters"], "mrope_section": [8, 12, 12]}
        return made

    def wide_whole(**settings: Any) -> Any:
        return whole(**{**settings, "vision_config": {**settings["vision_config"], "hidden_size": 128}})

    video_networks._text, transformers.Qwen2VLConfig = wide_text, wide_whole


if __name__ == "__main__":
    if "--wide" in sys.argv:
        widen()
    families = [one for one in sys.argv[2:] if one != "--wide"]
    video_networks.write_network(Path(sys.argv[1]), *(families or ["qwen2_vl"]))
