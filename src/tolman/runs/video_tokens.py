"""Tokens of videos as the endpoint counted them, held against what a recipe expects.

A server that lost frames on the way (vLLM keeps 32 where it isn't told otherwise) answers as if nothing had happened;
the tokens that it counts are what shows it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tolman.media.clips import size_of
from tolman.messages import Clip, Message, Picture, Video
from tolman.models.recipes.recipe import ModelRecipe
from tolman.models.recipes.tokens import VideoTokens
from tolman.responses import Usage

FEWER, MORE = "video tokens fewer than the recipe expects", "video tokens more than the recipe expects"
MIN_SHARE = 0.99
"""Of the expected tokens; fewer are frames that got lost or were made smaller."""
MAX_SHARE = 1.25
"""Of the expected tokens: some servers count the texts between frames, such as times, among them."""


def rule_of(recipe: ModelRecipe | None, body: dict[str, Any]) -> VideoTokens | None:
    """How many tokens a recipe expects, with the bounds of pixels that requests carry; None where it doesn't say."""
    if recipe is None or recipe.tokens is None:
        return None
    arguments = body.get("mm_processor_kwargs")
    size = None
    if isinstance(arguments, dict):
        of_videos = arguments.get("videos_kwargs")
        size = (of_videos.get("size") if isinstance(of_videos, dict) else None) or arguments.get("size")
    if not isinstance(size, dict) or recipe.tokens.patch is None:
        return recipe.tokens
    found = {"least": size.get("shortest_edge"), "most": size.get("longest_edge")}
    bounds = {name: value for name, value in found.items() if isinstance(value, int)}
    return recipe.tokens.model_copy(update=bounds)


def difference(rule: VideoTokens | None, messages: Iterable[Message], usage: Usage) -> str | None:
    """What is to be noted of a call; None where its tokens are as expected, or nothing is known of them."""
    shown = [part for message in messages for part in message.parts if isinstance(part, Clip | Picture | Video)]
    clips = [part for part in shown if isinstance(part, Clip)]
    if rule is None or not clips or len(clips) < len(shown) or not usage.media_tokens:
        return None
    expected = sum(rule.expected(len(clip.frames), *size_of(clip.frames[0])) for clip in clips)
    if usage.media_tokens < MIN_SHARE * expected:
        return FEWER
    return MORE if usage.media_tokens > MAX_SHARE * expected else None
