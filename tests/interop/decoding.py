"""Pictures and videos decoded by Pillow and PyAV in transformers, whose own decoders are built for CUDA's torch.

What is decoded goes through the same processors; only who reads the files is another.
"""

from __future__ import annotations

from typing import Any

from tolman.models.hf_inputs import import_torchvision


def by_pillow_and_pyav() -> None:
    """To be called before a processor is used."""
    import_torchvision()
    from transformers import image_processing_backends, image_utils, video_processing_utils, video_utils

    as_tensor, read = image_utils.load_image_as_tensor, video_utils.load_video

    def load_image(image: Any, *arguments: Any, **rest: Any) -> Any:
        return as_tensor(image_utils.load_image(image))

    def load_video(video: Any, *arguments: Any, **rest: Any) -> Any:
        return read(video, *arguments, **{**rest, "backend": "pyav"})

    image_processing_backends.load_image_as_tensor = load_image
    video_processing_utils.load_video = load_video
    video_processing_utils.is_torchcodec_usable = lambda **what: True
