"""What a video becomes in a run: separate pictures, one video of sampled frames, or the file itself.

In the order of who goes before: the user (`--as`), the recipe that the user named, the recipe that the model's name
brings, the prompt preset. What the user asked for and the model doesn't take is refused; what only the model's name
brings is left out where the model is known not to take it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tolman.benchmarks.base import PromptPreset
from tolman.errors import UsageError
from tolman.items import Item
from tolman.media.sampling import Frames
from tolman.models.base import Model
from tolman.runs.request import RunRequest


def with_form(preset: PromptPreset, request: RunRequest, model: Model, items: Sequence[Item]) -> PromptPreset:
    """The preset with the form that the user or a recipe asks for.

    Args:
        preset: with the recipe's and the user's own frames in it.
        request: what the user asked for.
        model: which is shown the videos.
        items: of the benchmark; without a video among them there is no form to choose.

    Raises:
        UsageError: the model doesn't take the form that was asked for, it lacks a number of frames or has one where it
            samples by itself, or there is no video.
    """
    if not any(media.kind == "video" for item in items for media in item.media):
        if request.form is not None:
            raise UsageError(f"--as {request.form} changes nothing: no question of the benchmark shows a video.")
        return preset
    form, asked = request.form, request.form is not None or request.recipe_asked
    if form is None and request.recipe is not None:
        form = request.recipe.input.form
    if form is None or (not asked and (form != "video" or preset.frames.whole)):
        return preset
    clips, files = getattr(model, "takes_clips", False), getattr(model, "takes_videos", False)
    if not asked and not clips:
        return preset
    if form == "video" and files and not clips:
        form = "file"
    if form == "file" and request.form is None and _own_frames(request):
        form = "images"  # the user's frames go before the recipe's form
    if form == "file" and not files:
        raise UsageError(f"{model.name} doesn't take whole videos; show their frames with --as images.")
    if form == "video" and not clips:
        raise UsageError(f"{model.name} takes no videos; show their frames as separate pictures with --as images.")
    if form == "file" and _own_frames(request):
        raise UsageError(
            f"{model.name} is shown whole videos and takes frames of its own choice; leave out --frames and --fps, or "
            "show pictures with --as images."
        )
    return replace(preset, frames=_frames(preset, form))


def _own_frames(request: RunRequest) -> bool:
    """Whether the user said how many frames there are to be."""
    usual = request.recipe.frames() if request.recipe is not None else {}
    given = request.frames or {}
    return any(name in given and given[name] != usual.get(name) for name in ("count", "per_second"))


def _frames(preset: PromptPreset, form: str) -> Frames:
    frames = preset.frames
    if form == "file":
        return frames.model_copy(
            update={"whole": True, "native": False, "count": None, "per_second": None, "cap": None}
        )
    if frames.whole and frames.count is None and frames.per_second is None:
        raise UsageError(f"the preset '{preset.name}' shows whole videos; say how many frames with --frames N.")
    native = form == "video"
    return frames.model_copy(update={"whole": False, "native": native, "label": None if native else frames.label})
