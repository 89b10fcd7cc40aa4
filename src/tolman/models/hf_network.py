"""A local network of transformers': loading a checkpoint, and generating for several requests at once.

Everything here blocks and runs in the one thread that `models.hf` gives it. Videos reach a network as frames.

An answer does not depend on what it was batched with, as far as arithmetic allows: prompts are padded on the left and
masked, and every request draws from a generator of its own, seeded by its content. What remains is rounding, which
in float32 is far below what decides a token, and in the half-precision types may tip one that was nearly a tie.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tolman.errors import InputError, UsageError
from tolman.messages import Message, Picture, Sampling, content_of
from tolman.models.base import CallError, Request
from tolman.responses import FailureKind, Response, Usage

MAX_TOKENS = 1024
"""How long an answer may be where neither preset nor user says so."""
DTYPES = ("auto", "float32", "bfloat16", "float16")
_ENDS = 1 << 20  # bytes at each end of a large file that enter a fingerprint


@dataclass(frozen=True)
class Checkpoint:
    """Where weights are.

    Attributes:
        source: a folder, or a name on the hub.
        gguf: the file in that folder, for weights in that format.
        revision: of the hub's repository.
        identity: what tells these weights from others: the commit, or a hash over the files.
        sees: whether the network takes pictures.
    """

    source: str
    gguf: str | None
    revision: str | None
    identity: str
    sees: bool


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
        raise UsageError(f"hf/{name} can't be loaded: {_first_line(error)}") from None
    kinds = {".json", ".safetensors", ".bin", ".jinja", ".model", ".txt"}
    identity = (
        _fingerprint(sorted(file for file in path.iterdir() if file.suffix in kinds))
        if local
        else str(getattr(config, "_commit_hash", None) or revision or "main")
    )
    return Checkpoint(source, None, revision or None, identity, type(config) in MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING)


def place(device: str | None, dtype: str | None) -> tuple[str, str]:
    """Device and arithmetic: the user's, else the best device there is, with the checkpoint's own arithmetic, or
    float32 on a CPU.

    Raises:
        UsageError: there is no such device or arithmetic.
    """
    import torch

    if dtype is not None and dtype not in DTYPES:
        raise UsageError(f"--dtype takes {', '.join(DTYPES)}, not '{dtype}'.")
    if device is None:
        device = "cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"
    elif device != "auto":
        try:
            torch.empty(0, device=device)
        except (RuntimeError, AssertionError) as error:
            raise UsageError(f"--device {device} can't be used: {_first_line(error)}") from None
    return device, dtype or ("float32" if device == "cpu" else "auto")


class Network:
    """Weights in memory.

    Args:
        name: how it is called in a sentence.
        checkpoint: which weights.
        device, dtype: of `place`; the device 'auto' spreads them over what there is.
        extra: further arguments of transformers' generate.
        seed: of what is drawn.

    Raises:
        CallError: they can't be loaded.
    """

    def __init__(
        self, name: str, checkpoint: Checkpoint, device: str, dtype: str, extra: dict[str, Any], seed: int
    ) -> None:
        self.name, self._checkpoint, self._extra, self._seed = name, checkpoint, extra, seed
        self._stop = threading.Event()
        try:
            self._load(device, dtype)
        except Exception as error:  # transformers raises types of many packages for a broken checkpoint
            raise CallError(
                FailureKind.REFUSED,
                f"{name} can't be loaded ({type(error).__name__}): {_first_line(error)}",
                retry=False,
            ) from None

    def stop(self) -> None:
        """End a generation that is going on."""
        self._stop.set()

    def answer(self, requests: Sequence[Request]) -> list[Response | CallError]:
        """Answer requests that are drawn alike, all with pictures or all without.

        A request that can't be answered takes no other with it: what fails together is tried in halves.
        """
        try:
            return list(self._generate(requests))
        except Exception as error:
            if self._stop.is_set() or len(requests) == 1:
                return [self._failed(error)] * len(requests)
        middle = len(requests) // 2
        return self.answer(requests[:middle]) + self.answer(requests[middle:])

    def _load(self, device: str, dtype: str) -> None:
        import torch
        from transformers import AutoModelForCausalLM, AutoModelForImageTextToText, AutoTokenizer
        from transformers.utils import logging

        logging.set_verbosity_error()
        logging.disable_progress_bar()
        where: dict[str, Any] = {"revision": self._checkpoint.revision or "main"}
        if self._checkpoint.gguf:
            where["gguf_file"] = self._checkpoint.gguf
        family = AutoModelForImageTextToText if self._checkpoint.sees else AutoModelForCausalLM
        spread = {"device_map": "auto"} if device == "auto" else {}
        arithmetic = "auto" if dtype == "auto" else getattr(torch, dtype)
        with _quiet():
            network = family.from_pretrained(self._checkpoint.source, dtype=arithmetic, **spread, **where)
        self._network = (network if spread else network.to(device)).eval()
        self._processor = _processor(self._checkpoint.source, where) if self._checkpoint.sees else None
        self._tokenizer = (
            self._processor.tokenizer
            if self._processor
            else AutoTokenizer.from_pretrained(self._checkpoint.source, **where)
        )
        self._tokenizer.padding_side = "left"
        if self._tokenizer.pad_token is None:
            self._tokenizer.pad_token = self._tokenizer.eos_token
        settings = self._network.generation_config
        # How to draw is the request's to say, not the checkpoint's.
        settings.do_sample, settings.temperature, settings.top_p, settings.top_k = False, None, None, None
        settings.pad_token_id = self._tokenizer.pad_token_id
        ends = settings.eos_token_id if settings.eos_token_id is not None else self._tokenizer.eos_token_id
        self._ends = set(ends if isinstance(ends, list) else [ends])
        self._context = getattr(self._network.config.get_text_config(), "max_position_embeddings", None)

    def _generate(self, requests: Sequence[Request]) -> Iterator[Response]:
        import torch

        started = time.monotonic()
        inputs = {key: self._placed(value) for key, value in self._inputs(requests).items()}
        lengths = inputs["attention_mask"].sum(1).tolist()
        if self._context is not None and max(lengths) >= self._context:
            raise CallError(
                FailureKind.REFUSED,
                f"{self.name} reads up to {self._context:,} tokens, and this prompt has {max(lengths):,}",
                retry=False,
            )
        sampling = requests[0].sampling
        arguments = {
            "max_new_tokens": sampling.max_tokens or MAX_TOKENS,
            "logits_processor": _drawing(sampling, [self._seed_of(request) for request in requests]),
            "stopping_criteria": [self._stopped],
        } | self._extra
        with torch.inference_mode():
            output = self._network.generate(**inputs, **arguments)
        if self._stop.is_set():
            raise CallError(FailureKind.INTERRUPTED, "the run was stopped", retry=False)
        seconds = round((time.monotonic() - started) / len(requests), 4)
        for request, length, row in zip(
            requests, lengths, output[:, inputs["input_ids"].shape[1] :].tolist(), strict=True
        ):
            end = next((i for i, token in enumerate(row) if token in self._ends), None)
            tokens = row if end is None else row[:end]
            yield Response(
                id=request.item.id,
                response=self._tokenizer.decode(tokens, skip_special_tokens=True),
                repeat=request.repeat,
                finish_reason="length" if end is None else "stop",
                usage=Usage(input_tokens=length, output_tokens=len(row) if end is None else end + 1),
                seconds=seconds,
            )

    def _placed(self, tensor: Any) -> Any:
        """A tensor where the network is; pixels in its arithmetic."""
        moved = tensor.to(self._network.device)
        return moved.to(self._network.dtype) if moved.is_floating_point() else moved

    def _stopped(self, ids: Any, scores: Any, **rest: Any) -> Any:
        """For each sequence whether to end it now, as generate asks after every token."""
        import torch

        return torch.full((len(ids),), self._stop.is_set(), dtype=torch.bool, device=ids.device)

    def _inputs(self, requests: Sequence[Request]) -> Any:
        """Prompts as tensors, padded on the left."""
        if self._processor is None:
            if not self._tokenizer.chat_template:  # a network that only goes on with a text
                texts = ["\n".join(message.text for message in request.messages) for request in requests]
                return self._tokenizer(texts, padding=True, return_tensors="pt")
            texts = [self._templated(self._tokenizer, request.messages) for request in requests]
            return self._tokenizer(texts, padding=True, return_tensors="pt", add_special_tokens=False)
        texts = [self._templated(self._processor, request.messages) for request in requests]
        pictures = [
            [_image(p) for m in request.messages for p in m.parts if isinstance(p, Picture)] for request in requests
        ]
        beginning = self._tokenizer.bos_token
        return self._processor(
            text=texts,
            images=pictures if any(pictures) else None,
            padding=True,
            return_tensors="pt",
            # Where the template has begun the text, the tokenizer must not begin it again.
            add_special_tokens=not (beginning and texts[0].startswith(beginning)),
        )

    def _templated(self, holder: Any, messages: Sequence[Message]) -> str:
        """A conversation as the checkpoint's chat template writes it."""
        if not holder.chat_template:
            raise CallError(FailureKind.REFUSED, f"{self.name} has no chat template", retry=False)
        turns = [
            {"role": message.role, "content": _parts(message) if self._processor else message.text}
            for message in messages
        ]
        return str(holder.apply_chat_template(turns, add_generation_prompt=True, tokenize=False))

    def _seed_of(self, request: Request) -> int:
        """The seed of a request's own generator: all that makes it another request, and nothing else."""
        content = [
            content_of(request.messages),
            request.sampling.model_dump(),
            request.repeat,
            request.draw,
            self._seed,
        ]
        return int.from_bytes(hashlib.sha256(json.dumps(content).encode()).digest()[:7], "big")

    def _failed(self, error: Exception) -> CallError:
        if isinstance(error, CallError):
            return error
        if isinstance(error, OSError):
            return CallError(FailureKind.MEDIA, f"a stored frame can't be read: {error}", retry=False)
        if type(error).__name__ == "OutOfMemoryError" or "allocate memory" in str(error):
            what = "has no memory for this question; show fewer frames (--frames) or smaller ones (--longest-side)"
            return CallError(FailureKind.REFUSED, f"{self.name} {what}", retry=False)
        return CallError(
            FailureKind.REFUSED, f"{self.name} ({type(error).__name__}): {_first_line(error)}", retry=False
        )


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


def _processor(source: str, where: dict[str, Any]) -> Any:
    """A checkpoint's processor, without the part that reads videos: frames come as pictures, and that part needs a
    package (torchvision) for which there is no other use here.

    Pictures are prepared by Pillow wherever a checkpoint allows it, so that they are the same on every machine.
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
    processor = WithoutVideos.from_pretrained(source, **where)
    with contextlib.suppress(ImportError, ValueError, AttributeError):  # a processor that only torchvision has
        processor.image_processor = AutoImageProcessor.from_pretrained(source, backend="pil", **where)
    return processor


def _drawing(sampling: Sampling, seeds: Sequence[int]) -> Any:
    """What is done to the scores of the next token before the highest is taken.

    Adding Gumbel noise and taking the highest draws from the distribution; with a generator for each request, what it
    draws doesn't depend on its neighbours.
    """
    import torch
    from transformers import (
        LogitsProcessorList,
        TemperatureLogitsWarper,
        TopKLogitsWarper,
        TopPLogitsWarper,
    )

    if not sampling.temperature:
        return LogitsProcessorList()
    generators = [torch.Generator().manual_seed(seed) for seed in seeds]

    def add_noise(ids: Any, scores: Any) -> Any:
        noise = torch.stack([-torch.empty(scores.shape[-1]).exponential_(generator=g).log() for g in generators])
        return scores.float() + noise.to(scores.device)

    steps: list[Any] = [TemperatureLogitsWarper(sampling.temperature)]
    if sampling.top_k:
        steps.append(TopKLogitsWarper(sampling.top_k))
    if sampling.top_p is not None and sampling.top_p < 1:
        steps.append(TopPLogitsWarper(sampling.top_p))
    return LogitsProcessorList([*steps, add_noise])


def _parts(message: Message) -> list[dict[str, str]]:
    return [{"type": "image"} if isinstance(p, Picture) else {"type": "text", "text": str(p)} for p in message.parts]


def _image(picture: Picture) -> Any:
    from PIL import Image

    with Image.open(picture.path) as image:
        return image.convert("RGB")


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


def _first_line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return (lines[0] if lines else type(error).__name__)[:300]
