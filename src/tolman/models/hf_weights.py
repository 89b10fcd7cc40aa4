"""Weights of a local network: finding a checkpoint, and loading it with transformers."""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tolman.errors import InputError, UsageError, hint
from tolman.extras import torch
from tolman.models.hf_inputs import FAMILIES, import_torchvision

DTYPES = ("auto", "float32", "bfloat16", "float16")
_ENDS = 1 << 20  # bytes at each end of a large file that enter a fingerprint


@dataclass(frozen=True)
class Checkpoint:
    """Location of weights.

    Attributes:
        source: a folder, or a name on the hub.
        gguf: the file in that folder, for weights in that format.
        revision: of the hub's repository.
        identity: of these weights: the commit, or a hash over the files.
        sees: whether the network takes pictures.
        family: `model_type` of its configuration.
    """

    source: str
    gguf: str | None
    revision: str | None
    identity: str
    sees: bool
    family: str = ""

    @property
    def takes_clips(self) -> bool:
        """Check whether the network takes sampled frames as one video here: its family does, and torchvision exists."""
        return self.sees and self.family in FAMILIES and importlib.util.find_spec("torchvision") is not None


def find(name: str) -> Checkpoint:
    """The checkpoint of a name: a folder, a GGUF file, or 'owner/name' on the hub, also 'owner/name@revision'.

    Raises:
        InputError: the folder or file holds no network.
        UsageError: there is nothing of that name.
    """
    from transformers import AutoConfig
    from transformers.models.auto.modeling_auto import MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING

    path = Path(name).expanduser()
    if path.suffix == ".gguf":
        if not path.is_file():
            raise InputError(path, "does not exist", fix="name a file of weights: hf/PATH.gguf")
        return Checkpoint(str(path.parent), path.name, None, _fingerprint([path]), sees=False)
    local = path.is_dir()
    if local and not (path / "config.json").is_file():
        raise InputError(path, "holds no config.json", fix="name a folder that transformers wrote, or a GGUF file")
    source, _, revision = (str(path), "", "") if local else name.partition("@")
    try:
        config = AutoConfig.from_pretrained(source, revision=revision or "main")
    except (OSError, ValueError, KeyError) as error:
        raise UsageError(f"hf/{name} can't be loaded: {first_line(error)}") from None
    kinds = {".json", ".safetensors", ".bin", ".jinja", ".model", ".txt"}
    identity = (
        _fingerprint(sorted(file for file in path.iterdir() if file.suffix in kinds))
        if local
        else str(getattr(config, "_commit_hash", None) or revision or "main")
    )
    sees = type(config) in MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING
    return Checkpoint(source, None, revision or None, identity, sees, config.model_type)


def place(device: str | None, dtype: str | None) -> tuple[str, str]:
    """Device and arithmetic: the user's, else the best device there is, with the checkpoint's own arithmetic, or
    float32 on a CPU.

    Raises:
        UsageError: there is no such device or arithmetic.
    """
    if dtype is not None and dtype not in DTYPES:
        raise UsageError(f"--dtype takes no '{dtype}'; {hint(dtype, DTYPES)}.")
    if device is None:
        device = "cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"
    elif device != "auto":
        try:
            torch.empty(0, device=device)
        except (RuntimeError, AssertionError) as error:
            raise UsageError(f"--device {device} can't be used: {first_line(error)}") from None
    return device, dtype or ("float32" if device == "cpu" else "auto")


@dataclass(frozen=True)
class LocalWeights:
    """A network in memory, with the processor of its input.

    Attributes:
        network: of transformers.
        processor: of texts and pictures; None for a network that only reads.
        tokenizer: of texts; pads on the left.
        ends: the tokens that end an answer.
        context: how many tokens the network can take in; None where its configuration doesn't say.
    """

    network: Any
    processor: Any
    tokenizer: Any
    ends: frozenset[int]
    context: int | None


def load(checkpoint: Checkpoint, device: str, dtype: str) -> LocalWeights:
    """Read a checkpoint.

    Args:
        checkpoint: which.
        device, dtype: of `place`; the device 'auto' spreads the weights over all available devices.

    Raises:
        Exception: of many packages, for a checkpoint that is broken or not there.
    """
    import_torchvision()
    from transformers import AutoModelForCausalLM, AutoModelForImageTextToText, AutoTokenizer
    from transformers.utils import logging

    logging.set_verbosity_error()
    logging.disable_progress_bar()
    where: dict[str, Any] = {"revision": checkpoint.revision or "main"}
    if checkpoint.gguf:
        where["gguf_file"] = checkpoint.gguf
    family = AutoModelForImageTextToText if checkpoint.sees else AutoModelForCausalLM
    spread = {"device_map": "auto"} if device == "auto" else {}
    arithmetic = "auto" if dtype == "auto" else getattr(torch, dtype)
    with _quiet():
        network = family.from_pretrained(checkpoint.source, dtype=arithmetic, **spread, **where)
    network = (network if spread else network.to(device)).eval()
    processor = _processor(checkpoint.source, where, checkpoint.takes_clips) if checkpoint.sees else None
    tokenizer = processor.tokenizer if processor else AutoTokenizer.from_pretrained(checkpoint.source, **where)
    tokenizer.padding_side = "left"
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    settings = network.generation_config
    # How to draw is the request's to say, not the checkpoint's.
    settings.do_sample, settings.temperature, settings.top_p, settings.top_k = False, None, None, None
    settings.pad_token_id = tokenizer.pad_token_id
    ends = settings.eos_token_id if settings.eos_token_id is not None else tokenizer.eos_token_id
    return LocalWeights(
        network=network,
        processor=processor,
        tokenizer=tokenizer,
        ends=frozenset(ends if isinstance(ends, list) else [ends]),
        context=getattr(network.config.get_text_config(), "max_position_embeddings", None),
    )


def first_line(error: BaseException) -> str:
    """Message of an error, in one line."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return (lines[0] if lines else type(error).__name__)[:300]


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Without the bar that transformers draws over the run's own while it reads a GGUF file."""
    from transformers import modeling_gguf_pytorch_utils as reader

    shown = getattr(reader, "tqdm", None)
    reader.tqdm = lambda tensors, **rest: tensors
    try:
        yield
    finally:
        reader.tqdm = shown


def _processor(source: str, where: dict[str, Any], clips: bool) -> Any:
    """Return a checkpoint's processor, built from its own files.

    Pictures are prepared by Pillow wherever a checkpoint allows it, so that they are the same on every machine. Videos
    are prepared by torch. If the network takes no videos (`clips`), the part that reads them is left out: it may need
    packages that aren't installed.
    """
    from transformers import AutoConfig, AutoImageProcessor
    from transformers.models.auto.processing_auto import PROCESSOR_MAPPING, AutoProcessor

    config = AutoConfig.from_pretrained(source, **where)
    if type(config) not in PROCESSOR_MAPPING:
        return AutoProcessor.from_pretrained(source, **where)
    whole: Any = PROCESSOR_MAPPING[type(config)]

    class WithoutVideos(whole):  # type: ignore[misc]
        @classmethod
        def get_attributes(cls) -> list[str]:
            return [name for name in super().get_attributes() if not name.startswith("video")]

    WithoutVideos.__name__ = whole.__name__
    processor = (whole if clips else WithoutVideos).from_pretrained(source, **where)
    with contextlib.suppress(ImportError, ValueError, AttributeError):  # a processor that only torchvision has
        processor.image_processor = AutoImageProcessor.from_pretrained(source, backend="pil", **where)
    return processor


def _fingerprint(files: Sequence[Path]) -> str:
    """A hash over names, sizes and contents; of large files only both ends enter."""
    digest = hashlib.sha256()
    for file in files:
        size = file.stat().st_size
        with file.open("rb") as stream:
            content = stream.read(2 * _ENDS if size <= 2 * _ENDS else _ENDS)
            if size > 2 * _ENDS:
                stream.seek(-_ENDS, 2)
                content += stream.read()
        digest.update(f"{file.name}:{size}:{hashlib.sha256(content).hexdigest()}\n".encode())
    return digest.hexdigest()[:16]
