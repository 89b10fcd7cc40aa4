"""SITE's prompts.

Source: wenqi-wang20/SITE-Bench, eval_scripts/sitebench/{utils.py,site_image.yaml,site_video.yaml}. The released
configuration is written so that the post-prompt probably never reached the models; both forms are presets.
"""

from __future__ import annotations

from tolman.benchmarks.base import PromptPreset, media_first, without_media
from tolman.items import Item
from tolman.media.sampling import Frames
from tolman.messages import Message, Sampling

VIDEO_TASK = "Select the best answer to the following multiple-choice question based on the video."
VIDEO_PRE = f"{VIDEO_TASK} Respond with only the letter of the correct option."
POST = "Give me the answer letter directly. The best answer is:"

_SAMPLING = Sampling(temperature=0.0, max_tokens=1024)
PRESETS = (
    PromptPreset("released", "released code, post-prompt as written", Frames(count=32), _SAMPLING, {"post": POST}),
    PromptPreset("released-no-post", "released code as it ran: the post-prompt dropped", Frames(count=32), _SAMPLING),
)


def prompt(item: Item, preset: PromptPreset) -> Message:
    """The media, or the media at their marks, then question, options and post-prompt."""
    return media_first(item, _text(item, preset))


def blind_prompt(item: Item, preset: PromptPreset) -> Message:
    """The same text with the marks of the media taken out."""
    return without_media(prompt(item, preset))


def question(item: Item, preset: PromptPreset, sees: bool) -> Message:
    """The prompt without the sentences that ask for the letter alone."""
    text = f"{VIDEO_TASK}\n{_body(item)}" if item.labels.get("media") == "video" else _body(item)
    message = media_first(item, text)
    return message if sees else without_media(message)


def demand(item: Item, preset: PromptPreset) -> str:
    """The post-prompt, whether or not it reached the models."""
    return POST


def _text(item: Item, preset: PromptPreset) -> str:
    body = f"{_body(item)}\n{preset.texts.get('post', '')}"
    return f"{VIDEO_PRE}\n{body}" if item.labels.get("media") == "video" else body


def _body(item: Item) -> str:
    options = "\n".join(f"{letter}: {text}" for letter, text in zip(item.letters, item.options, strict=True))
    return f"Question: {item.question}\nOptions:\n{options}"
