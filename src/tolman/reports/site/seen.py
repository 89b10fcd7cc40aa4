"""What a run's model was shown of the media: frames of videos, whole videos, nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from tolman import models, protocols
from tolman.errors import UsageError
from tolman.media.sampling import Frames
from tolman.runs.folder import RunRecord, is_blind

What = Literal["frames", "whole", "nothing", "unknown"]


@dataclass(frozen=True)
class Seen:
    """What a run was shown.

    Attributes:
        what: frames taken of each video, whole videos, nothing, or what another program or a person looked at.
        frames: how videos and images were prepared, or would have been.
        why: a phrase for the page.
    """

    what: What
    frames: Frames
    why: str

    @property
    def key(self) -> str:
        """Of this way of sampling: equal for runs that were shown the same pictures."""
        return self.frames.model_copy(update={"label": None, "native": False, "whole": False}).model_dump_json()

    def to_json(self) -> dict[str, Any]:
        """What the page takes; `sampling` is replaced by a number when media are collected."""
        return {"what": self.what, "why": self.why}


def seen_by(record: RunRecord) -> Seen:
    """Tell what a run was shown, from its settings."""
    settings = record.settings
    frames = settings.frames
    if is_blind(settings.model):
        return Seen("nothing", frames, "a baseline, which looks at no media")
    if "imported" in settings.model_settings:
        return Seen("unknown", frames, "responses of another program, or of people")
    if settings.model.partition("/")[0] not in models.families():
        return Seen("unknown", frames, "what it was shown isn't known")
    try:
        shows = protocols.get(settings.protocol).shows_media
    except UsageError:  # another package's protocol, which isn't installed any more
        return Seen("unknown", frames, f"the protocol {settings.protocol} isn't installed")
    if not shows:
        return Seen("nothing", frames, f"the protocol {settings.protocol} shows no media")
    if frames.whole:
        return Seen("whole", frames, "whole video")
    return Seen("frames", frames, frames.describe())
