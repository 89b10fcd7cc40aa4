"""VSI-Bench's prompts and presets.

Source: vision-x-nyu/thinking-in-space, lmms_eval/tasks/vsibench/{utils.py,vsibench.yaml} and
evaluate_all_in_one.sh; the paper's Tables 8 (frames) and 9 (prompts), which differ in the places named below.
"""

from __future__ import annotations

from tolman.benchmarks.base import PromptPreset
from tolman.items import Item
from tolman.media.sampling import Frames
from tolman.messages import Message, Sampling

PRE_PROMPT = "These are frames of a video."
CHOICE_POST = "Answer with the option's letter from the given choices directly."
NUMBER_POST_OPEN = "Please answer the question using a single word or phrase."
NUMBER_POST_API = "Do not response anything other than a single number!"  # sic, in the released code
NUMBER_POST_API_PAPER = "Do not respond with anything other than a single number!"  # Table 9
NUMBER_POST_FLOAT = "Answer briefly and directly in one float number."  # VLMEvalKit, EASI, SenseNova-SI

# Branch cogmap, lmms_eval/models/gemini_api.py (first turn) and tasks/vsibench/utils.py (second turn).
MAP_PROMPT = """\
[Task]
This video captures an indoor scene. Your objective is to identify specific objects within the video, understand the \
spatial arrangement of the scene, and estimate the center point of each object, assuming the entire scene is \
represented by a {grid}x{grid} grid.

[Rule]
1. We provide the categories to care about in this scene: {categories}. Focus ONLY on these categories.
2. Estimate the center location of each instance within the provided categories, assuming the entire scene is \
represented by a {grid}x{grid} grid.
3. If a category contains multiple instances, include all of them.
4. Each object's estimated location should accurately reflect its real position in the scene, preserving the relative \
spatial relationships among all objects.

[Output]
Present the estimated center locations for each object as a list within a dictionary.
STRICTLY follow this JSON format:
{{"category name": [(x_1, y_1), ...], ...}}"""
MAP_ANSWER = (
    "According to the original video and the predicted objects' center locations, answer the following question:"
)

_GREEDY = Sampling(temperature=0.0, top_p=1.0, max_tokens=16)
_CODE = "released code"
PRESETS = (
    PromptPreset("open", f"{_CODE}; Table 8 and 9, open-source models", Frames(count=32), _GREEDY),
    PromptPreset(
        "internvl2-script",
        "evaluate_all_in_one.sh runs InternVL2 with 8 frames; Table 8 says 32",
        Frames(count=8),
        _GREEDY,
    ),
    PromptPreset("gpt-4o", f"{_CODE}; Table 8", Frames(count=16), _GREEDY, {"number_post": NUMBER_POST_API}),
    PromptPreset("gemini", f"{_CODE}; whole video", Frames(whole=True), _GREEDY, {"number_post": NUMBER_POST_API}),
    PromptPreset("gpt-4o-paper", "Tables 8 and 9", Frames(count=16), _GREEDY, {"number_post": NUMBER_POST_API_PAPER}),
    PromptPreset("gemini-paper", "Tables 8 and 9", Frames(whole=True), _GREEDY, {"number_post": NUMBER_POST_API_PAPER}),
    PromptPreset(
        "vlmevalkit",
        "VLMEvalKit and EASI, which take each model's own limit of tokens: here EASI's for SenseNova-SI",
        Frames(count=32),
        Sampling(temperature=0.0, max_tokens=2048),
        {"number_post": NUMBER_POST_FLOAT},
    ),
)


def prompt(item: Item, preset: PromptPreset) -> Message:
    """[frames][pre-prompt][question][options][post-prompt], joined by new lines."""
    return Message(parts=(*item.media, f"{PRE_PROMPT}\n{_question(item, preset)}"))


def blind_prompt(item: Item, preset: PromptPreset) -> Message:
    """'Vision disabled': the question's text only, without the sentence about frames."""
    return Message(parts=(_question(item, preset),))


def question(item: Item, preset: PromptPreset, sees: bool) -> Message:
    """The prompt without its post-prompt."""
    text = _open_question(item)
    return Message(parts=(*item.media, f"{PRE_PROMPT}\n{text}") if sees else (text,))


def demand(item: Item, preset: PromptPreset) -> str:
    """The post-prompt."""
    return preset.texts.get("number_post", NUMBER_POST_OPEN) if item.kind == "number" else CHOICE_POST


def _question(item: Item, preset: PromptPreset) -> str:
    return f"{_open_question(item)}\n{demand(item, preset)}"


def _open_question(item: Item) -> str:
    if item.kind == "number":
        return item.question
    return "\n".join([item.question, "Options:", *item.lettered_options])
