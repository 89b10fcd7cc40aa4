"""Recipes: which one a model's name brings, what the files state, and what is wrong with one that can't be read."""

from pathlib import Path

import pytest

from tolman.errors import InputError, UsageError
from tolman.models.recipes import VideoTokens, match, names, open_recipe

BROUGHT = {
    "Qwen/Qwen2-VL-7B-Instruct": "qwen2-vl",
    "Qwen/Qwen2.5-VL-7B-Instruct": "qwen2.5-vl",
    "Qwen/Qwen3-VL-8B-Instruct": "qwen3-vl",
    "Qwen/Qwen3-VL-30B-A3B-Thinking-FP8": "qwen3-vl-thinking",
    "OpenGVLab/InternVL3-8B-hf": "internvl3",
    "OpenGVLab/InternVL3_5-8B": "internvl3.5",
    "llava-hf/llava-onevision-qwen2-7b-ov-hf": "llava-onevision",
    "lmms-lab/LLaVA-Video-7B-Qwen2": "llava-video",
    "llava-hf/LLaVA-NeXT-Video-7B-hf": "llava-next-video",
    "nyu-visionx/Cambrian-S-7B": "cambrian-s",
    "sensenova/SenseNova-SI-1.1-Qwen3-VL-8B": "sensenova-si-qwen3-vl",
    "sensenova/SenseNova-SI-1.2-InternVL3-8B": "sensenova-si-internvl3",
    "sensenova/SenseNova-SI-1.1-Qwen2.5-VL-7B": "qwen2.5-vl",
    "zai-org/GLM-4.5V": "glm-4v",
    "zai-org/GLM-4.1V-9B-Thinking": "glm-4v",
    "google/gemma-4-27b-it": "gemma-4",
    "HuggingFaceTB/SmolVLM2-2.2B-Instruct": "smolvlm2",
    "DAMO-NLP-SG/VideoLLaMA3-7B": "videollama3",
    "gemini-2.5-pro": "gemini",
    "gpt-4o-2024-08-06": "gpt",
    "claude-opus-4-5": "claude",
    "my-model": None,
    "Qwen/Qwen3-8B": None,
}  # fmt: skip


def test_a_models_name_brings_its_familys_recipe() -> None:
    found = {name: match(f"openai/{name}") for name in BROUGHT}
    assert {name: recipe.name if recipe else None for name, recipe in found.items()} == BROUGHT
    assert set(BROUGHT.values()) - {None} == set(names())


def test_the_form_that_moves_scores_is_the_authors() -> None:
    """The same weights have 62.9 on VSI-Bench as 32 pictures and 55.3 to 55.7 as a video."""
    found = {name: open_recipe(name).input.form for name in names()}
    assert {name for name, form in found.items() if form == "file"} == {"gemini"}
    assert {name for name, form in found.items() if form == "images"} == {"claude", "gpt", "sensenova-si-qwen3-vl"}
    assert open_recipe("sensenova-si-qwen3-vl").frames() == {"count": 32}


@pytest.mark.parametrize("name", names())
def test_a_rate_for_vllm_never_comes_without_the_number_of_frames(name: str) -> None:
    """Either alone in a request takes the server's own setting of the other away: 32 frames are then kept."""
    options = open_recipe(name).whole_files().get("vllm", {}).get("options", {})
    video = options.get("media_io_kwargs", {}).get("video", {})
    assert "fps" not in video or "num_frames" in video
    assert video.get("num_frames", -1) == -1


@pytest.mark.parametrize("name", names())
def test_every_statement_has_a_source(name: str) -> None:
    recipe = open_recipe(name)
    tables = [recipe.input, recipe.run, recipe.tokens, *recipe.file.values()]
    assert all(len(table.source) > 15 for table in tables if table is not None)
    assert recipe.match
    assert all(pattern == pattern.lower() for pattern in recipe.match)


@pytest.mark.parametrize(
    ("name", "frames", "size", "tokens"),
    [
        # As transformers 5.23.0's processors give them for 8 frames of 640×480.
        ("qwen2-vl", 8, (640, 480), 1564),
        ("qwen2.5-vl", 8, (640, 480), 1564),
        ("qwen3-vl", 8, (640, 480), 4 * 300),
        ("qwen3-vl-thinking", 8, (640, 480), 4 * 300),
        ("qwen3-vl", 7, (640, 480), 4 * 300),  # the last frame is repeated
        ("qwen3-vl", 32, (640, 480), 16 * 300),
        ("qwen3-vl", 128, (640, 480), 64 * 192),  # the whole video shares the budget
        ("internvl3.5", 8, (640, 480), 8 * 256),
        ("llava-onevision", 8, (640, 480), 1569),
        ("llava-next-video", 8, (640, 480), 512),
        ("smolvlm2", 8, (640, 480), 8 * 64),
        ("glm-4v", 8, (640, 480), 4 * 391),
        # More pixels together than each frame may have.
        ("qwen2-vl", 128, (640, 480), 64 * 391),
        ("qwen2.5-vl", 128, (640, 480), 64 * 391),
    ],
)
def test_tokens_are_those_of_the_processors(name: str, frames: int, size: tuple[int, int], tokens: int) -> None:
    rule = open_recipe(name).tokens
    assert rule is not None
    assert rule.expected(frames, *size) == tokens


@pytest.mark.parametrize(
    ("size", "plain", "capped"),
    [
        # Of 8 frames, by `smart_resize` of transformers 5.24.0's Qwen3VLVideoProcessor, without and with
        # cap_pixels_per_frame, which is the rule of qwen-vl-utils 0.0.14 for a file.
        ((640, 480), 1200, 1200),
        ((1280, 720), 3520, 2880),
        ((1296, 968), 4800, 2944),
        ((1920, 1080), 8160, 2880),
    ],
)
def test_qwens_cap_of_a_frame_bounds_its_tokens(size: tuple[int, int], plain: int, capped: int) -> None:
    rule = open_recipe("qwen3-vl").tokens
    assert rule is not None
    with_cap = rule.model_copy(update={"capped": True})
    assert (rule.expected(8, *size), with_cap.expected(8, *size)) == (plain, capped)
    assert rule.above_cap(8, *size) == (plain > capped)
    assert not with_cap.above_cap(8, *size)
    # From 32 frames of 1080p on both are bounded by the budget of the whole video.
    assert rule.expected(32, 1920, 1080) == with_cap.expected(32, 1920, 1080) == 11_520


def test_the_cap_of_qwen2_5_needs_its_bound_of_a_frame() -> None:
    """Its switch shares out the tokens of a whole video; 768 tokens a frame are its bound of pixels."""
    rule = open_recipe("qwen2.5-vl").tokens
    assert rule is not None
    switched = rule.model_copy(update={"capped": True})
    assert rule.expected(8, 1920, 1080) == switched.expected(8, 1920, 1080) == 10_764
    assert rule.above_cap(8, 1920, 1080)
    assert switched.above_cap(8, 1920, 1080)
    bounded = rule.model_copy(update={"most": 602_112})
    assert bounded.expected(8, 1920, 1080) == 2880
    assert not bounded.above_cap(8, 1920, 1080)
    # 768 frames share 90 % of 128,000 tokens.
    assert switched.expected(768, 1920, 1080) == 384 * 12 * 23


@pytest.mark.parametrize("name", ["qwen2-vl", "qwen2.5-vl", "qwen3-vl", "qwen3-vl-thinking", "sensenova-si-qwen3-vl"])
def test_qwens_recipes_say_how_the_authors_frames_differ(name: str) -> None:
    recipe = open_recipe(name)
    assert recipe.tokens is not None
    assert recipe.tokens.frame_cap == 768
    assert any("768 tokens" in note and "1920×1080" in note and "2,880" in note for note in recipe.notes)


def test_a_budget_makes_frames_smaller_and_small_ones_larger() -> None:
    small = VideoTokens(source="class default", patch=16, merge=2, temporal=2, budget="video", most=786_432)
    assert small.expected(8, 640, 480) == 4 * 88
    # As the processors of Qwen2.5-VL and Qwen3-VL have it with these limits.
    limits = [("frame", 14, 100_352, 4 * 9 * 13), ("video", 14, 100_352, 4 * 3 * 4), ("video", 16, 800_000, 4 * 8 * 11)]
    for budget, patch, most, tokens in limits:
        rule = VideoTokens(source="given", patch=patch, merge=2, temporal=2, budget=budget, most=most)
        assert rule.expected(8, 640, 480) == tokens
    large = VideoTokens(source="VLMEvalKit", patch=14, merge=2, least=1280 * 28 * 28)
    assert large.expected(1, 640, 480) >= 1280


GOOD = """\
title = "Mine"
match = ["mine-*"]

[input]
form = "video"
source = "a letter"

[run]
frames = 16
source = "a letter"
"""


def test_a_users_file_is_a_recipe(tmp_path: Path) -> None:
    (tmp_path / "my.toml").write_text(GOOD)
    recipe = open_recipe(str(tmp_path / "my.toml"))
    assert (recipe.name, recipe.title, recipe.frames()) == ("my", "Mine", {"count": 16})


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("frames = 16", "frame = 16", r"my\.toml, line 9, field 'run\.frame': is not a known key; did you mean 'frames' or"),
        ("frames = 16", "frame_text = '{n}'", r"line 9, field 'run\.frame_text': can hold \{number\} and \{seconds\}"),
        ("frames = 16", "frame_text = 'Frame'", r"line 9, field 'run\.frame_text': holds the frame once, as <image>"),
        ("match =", "macth =", r"my\.toml, line 2, field 'macth': is not a known key; did you mean 'match'\?"),
        ('"video"', '"film"', r"my\.toml, line 5, field 'input\.form': can't be 'film'; known: 'images', 'video' or 'file'"),
        ("frames = 16", "frames = 0", r"my\.toml, line 9, field 'run\.frames': .*greater than or equal to 1"),
        ("frames = 16", "frames = 16\nfps = 2", r"my\.toml, line 8, field 'run': holds 'frames' and 'fps'; leave one"),
        ("frames = 16", "max_frames = 9", r"my\.toml, line 8, field 'run': holds 'max_frames'.* and no 'fps'"),
        ('form = "video"\n', "", r"my\.toml, line 4, field 'input\.form': is missing"),
        ('"video"', '"file"', r"my\.toml: holds frames under \[run\], and form = \"file\""),
        ("[run]", "[run", r"my\.toml: is no TOML \(.*line 8"),
        ("[run]", "[file.vlm]\nsource = 'x'\n[run]", r"my\.toml, line 8, field 'file\.vlm': can't be 'vlm'; known: 'vllm'"),
        ("[run]", "[file.vllm]\nsorce = 'x'\n[run]", r"line [89], field 'file\.vllm\.(source': is missing|sorce': is not)"),
        ("[input]", "[tokens]\nsource = 'x'\n[input]", r"line 4, field 'tokens': holds 'per_frame' or 'patch', and not both"),
        ("title", "name = 'x'\ntitle", r"line 1, field 'name': is not a known key: a recipe's name is its file's"),
    ],
)  # fmt: skip
def test_a_wrong_file_names_line_and_key(tmp_path: Path, old: str, new: str, sentence: str) -> None:
    assert old in GOOD
    (tmp_path / "my.toml").write_text(GOOD.replace(old, new, 1))
    with pytest.raises(InputError, match=sentence):
        open_recipe(str(tmp_path / "my.toml"))


def test_a_recipe_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(
        UsageError, match=r"there is no recipe 'qwen3'; did you mean 'qwen3-vl'.*or the path of a .toml"
    ):
        open_recipe("qwen3")
    with pytest.raises(InputError, match="can't be read"):
        open_recipe(str(tmp_path / "none.toml"))
