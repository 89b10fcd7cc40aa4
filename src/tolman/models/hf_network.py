"""A local network of transformers': generating for several requests at once, and reasoning by its chat template.

Everything here blocks and runs in the one thread that `models.hf` gives it. Videos reach a network as frames: as
separate pictures, or as one video where the network takes it (`models.hf_inputs`).

An answer does not depend on its batch, as far as arithmetic allows. Prompts are padded on the left and masked, and
every request draws from a generator of its own, seeded by its content. Only rounding remains, which in float32 is far
too small to decide a token. In the half-precision types it may tip one that was nearly a tie.

A chat template takes a switch for reasoning, under either name, and a word for how much.

| argument | templates |
|---|---|
| `enable_thinking` | Qwen3 and Qwen3.5, GLM-4.5, Gemma 4 |
| `thinking` | Granite, DeepSeek, Kimi |
| `reasoning_effort` | gpt-oss |

A template ignores unknown arguments, so nothing else shows that an argument had no effect.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
import time
from collections.abc import Iterator, Sequence
from typing import Any

from tolman.errors import counted
from tolman.extras import Image, torch
from tolman.messages import Clip, Message, Picture, Sampling, Thinking, content_of
from tolman.models import thinking
from tolman.models.hf_inputs import AS_IMAGES, FAMILIES, MediaOptions, clips_of, video_arguments
from tolman.models.hf_weights import Checkpoint, first_line, load
from tolman.models.model import CallError, Request, refused
from tolman.responses import FailureKind, Response, Usage

MAX_TOKENS = 1024
"""Length of an answer where neither preset nor user says one."""


class Network:
    """Weights in memory.

    Args:
        name: how it is called in a sentence.
        checkpoint: which weights.
        device, dtype: of `hf_weights.place`.
        extra: further arguments of transformers' generate.
        media: of its processor.
        seed: of draws.

    Raises:
        CallError: they can't be loaded.
    """

    def __init__(
        self,
        name: str,
        checkpoint: Checkpoint,
        device: str,
        dtype: str,
        extra: dict[str, Any],
        media: MediaOptions,
        seed: int,
    ) -> None:
        self.name, self._extra, self._media, self._seed = name, extra, media, seed
        self._stop = threading.Event()
        try:
            weights = load(checkpoint, device, dtype)
        except Exception as error:  # transformers raises types of many packages for a broken checkpoint
            raise refused(f"{name} can't be loaded ({type(error).__name__}): {first_line(error)}") from None
        self._network, self._processor, self._tokenizer = weights.network, weights.processor, weights.tokenizer
        self._ends, self._context = weights.ends, weights.context
        self._family = FAMILIES.get(checkpoint.family) if checkpoint.takes_clips else None
        self._placeholders = _placeholders(self._processor)
        if self._processor is not None:
            media.check(name, self._processor)

    def stop(self) -> None:
        """End a generation that is going on."""
        self._stop.set()

    def answer(self, requests: Sequence[Request]) -> list[Response | CallError]:
        """Answer requests that are drawn alike and show alike: all pictures or none, clips of as many frames or none.

        A request that can't be answered takes no other with it: a group that fails is tried in halves.
        """
        try:
            return list(self._generate(requests))
        except Exception as error:
            if self._stop.is_set() or len(requests) == 1:
                return [self._failed(error)] * len(requests)
        middle = len(requests) // 2
        return self.answer(requests[:middle]) + self.answer(requests[middle:])

    def _generate(self, requests: Sequence[Request]) -> Iterator[Response]:
        started = time.monotonic()
        inputs = {key: self._placed(key, value) for key, value in self._inputs(requests).items()}
        lengths = inputs["attention_mask"].sum(1).tolist()
        shown = torch.isin(inputs["input_ids"], self._placeholders.to(inputs["input_ids"].device)).sum(1).tolist()
        if self._context is not None and max(lengths) >= self._context:
            raise refused(f"{self.name} reads up to {self._context:,} tokens, and this prompt has {max(lengths):,}")
        sampling = requests[0].sampling
        asked = sampling.thinking
        arguments = {
            "max_new_tokens": (sampling.max_tokens or MAX_TOKENS) + thinking.room(asked),
            "logits_processor": _drawing(sampling, [self._seed_of(request) for request in requests]),
            "stopping_criteria": [self._stopped],
        } | self._extra
        with torch.inference_mode():
            output = self._network.generate(**inputs, **arguments)
        if self._stop.is_set():
            raise CallError(FailureKind.INTERRUPTED, "the run was stopped", retry=False)
        seconds = round((time.monotonic() - started) / len(requests), 4)
        answers = output[:, inputs["input_ids"].shape[1] :].tolist()
        for request, length, media, row in zip(requests, lengths, shown, answers, strict=True):
            end = next((i for i, token in enumerate(row) if token in self._ends), None)
            tokens = row if end is None else row[:end]
            text, reasoning, note = thinking.apart(
                self._tokenizer.decode(tokens, skip_special_tokens=True),
                reasons=asked is not None and asked.wanted is True,
                is_cut=end is None,
            )
            yield Response(
                id=request.item.id,
                response=text,
                repeat=request.repeat,
                reasoning=reasoning or None,
                finish_reason="length" if end is None else "stop",
                usage=Usage(
                    input_tokens=length,
                    output_tokens=len(row) if end is None else end + 1,
                    reasoning_tokens=self._length(reasoning),
                    media_tokens=media,
                ),
                seconds=seconds,
                notes=dict.fromkeys([note] * bool(note) + self._not_done(asked), 1),
            )

    def _length(self, text: str) -> int:
        """Tokens of a text."""
        return len(self._tokenizer(text, add_special_tokens=False)["input_ids"]) if text else 0

    def _not_done(self, asked: Thinking | None) -> list[str]:
        """Return notes on settings of reasoning that the network can't take."""
        told = not_told((self._processor or self._tokenizer).chat_template, asked)
        return told + ([thinking.within_limit(asked.budget)] if asked is not None and asked.budget else [])

    def _placed(self, name: str, tensor: Any) -> Any:
        """A tensor where the network is; pixels in its arithmetic. Seconds keep theirs: rounded to the few digits of a
        half precision, they would move frames in time."""
        moved = tensor.to(self._network.device)
        return moved.to(self._network.dtype) if moved.is_floating_point() and "pixel" in name else moved

    def _stopped(self, ids: Any, scores: Any, **rest: Any) -> Any:
        """For each sequence whether to end it now, as generate asks after every token."""
        return torch.full((len(ids),), self._stop.is_set(), dtype=torch.bool, device=ids.device)

    def _inputs(self, requests: Sequence[Request]) -> Any:
        """Prompts as tensors, padded on the left."""
        if self._processor is None:
            if not self._tokenizer.chat_template:  # a network that only goes on with a text
                texts = ["\n".join(message.text for message in request.messages) for request in requests]
                return self._tokenizer(texts, padding=True, return_tensors="pt")
            texts = [self._templated(self._tokenizer, request) for request in requests]
            return self._tokenizer(texts, padding=True, return_tensors="pt", add_special_tokens=False)
        texts = [self._prompt(request) for request in requests]
        pictures = [
            [_image(p) for m in request.messages for p in m.parts if isinstance(p, Picture)] for request in requests
        ]
        clips = [clip for request in requests for clip in clips_of(request.messages)]
        arguments = dict(self._media.rest)
        if self._family is not None:
            arguments |= video_arguments(clips, self._family, self._media.videos)
        beginning = self._tokenizer.bos_token
        return self._processor(
            text=texts,
            images=pictures if any(pictures) else None,
            padding=True,
            return_tensors="pt",
            # Where the template has begun the text, the tokenizer must not begin it again.
            add_special_tokens=not (beginning and texts[0].startswith(beginning)),
            **arguments,
        )

    def _prompt(self, request: Request) -> str:
        """A conversation as the processor takes it.

        Raises:
            CallError: it shows a video for which there is no place.
        """
        text = self._templated(self._processor, request)
        clips = clips_of(request.messages)
        if self._family is None or not clips:
            return text
        if self._family.alone and any(isinstance(p, Picture) for m in request.messages for p in m.parts):
            raise refused(f"{self.name} can't be shown pictures and a video in one question; {AS_IMAGES}")
        placeholder = self._processor.video_token
        if text.count(placeholder) != len(clips):
            told = f"{counted(text.count(placeholder), 'place')} for {counted(len(clips), 'video')}"
            raise refused(f"the chat template of {self.name} leaves {told}; {AS_IMAGES}")
        return self._family.prompt(text, placeholder)

    def _templated(self, holder: Any, request: Request) -> str:
        """A conversation as the checkpoint's chat template writes it."""
        if not holder.chat_template:
            raise refused(f"{self.name} has no chat template")
        turns = [
            {"role": message.role, "content": _parts(message) if self._processor else message.text}
            for message in request.messages
        ]
        told = arguments_of(holder.chat_template, request.sampling.thinking)
        return str(holder.apply_chat_template(turns, add_generation_prompt=True, tokenize=False, **told))

    def _seed_of(self, request: Request) -> int:
        """The seed of a request's own generator: all that makes it another request, and nothing else."""
        content = [
            content_of(request.messages),
            request.sampling.model_dump(exclude=set() if request.sampling.thinking else {"thinking"}),
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
            return refused(f"{self.name} {what}")
        return refused(f"{self.name} ({type(error).__name__}): {first_line(error)}")


def _drawing(sampling: Sampling, seeds: Sequence[int]) -> Any:
    """Build the processors of the next token's scores, before the highest is taken.

    Adding Gumbel noise and taking the highest draws from the distribution. With a generator for each request, its draws
    don't depend on its neighbours.
    """
    from transformers import LogitsProcessorList, TemperatureLogitsWarper, TopKLogitsWarper, TopPLogitsWarper

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


def _placeholders(processor: Any) -> Any:
    """Return the placeholder tokens of media, as a tensor."""
    names = ("image_token_id", "video_token_id")
    found = {getattr(processor, name, None) for name in names} | {
        getattr(processor.tokenizer, name, None) if processor else None for name in names
    }
    return torch.tensor(sorted(token for token in found if isinstance(token, int)), dtype=torch.long)


def _parts(message: Message) -> list[dict[str, str]]:
    return [
        {"type": "image"}
        if isinstance(part, Picture)
        else {"type": "video"}
        if isinstance(part, Clip)
        else {"type": "text", "text": str(part)}
        for part in message.parts
    ]


def _image(picture: Picture) -> Any:
    with Image.open(picture.path) as image:
        return image.convert("RGB")


SWITCHES = ("enable_thinking", "thinking")
EFFORT = "reasoning_effort"
NO_SWITCH = "reasoning as the network does it by itself: its chat template has no switch"
NO_EFFORT = "effort not passed on: the network's chat template has no such setting"
"""Notes of responses."""
_CODE = re.compile(r"\{[{%](.*?)[%}]\}", re.DOTALL)
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")


def variables_of(template: object) -> frozenset[str]:
    """Which of the arguments above a chat template reads.

    Args:
        template: its text; None where a checkpoint has none.
    """
    code = _QUOTED.sub("", " ; ".join(_CODE.findall(str(template or ""))))
    return frozenset(name for name in (*SWITCHES, EFFORT) if re.search(rf"(?<![.\w]){name}\b", code))


def arguments_of(template: object, asked: Thinking | None) -> dict[str, bool | str]:
    """Return the arguments of a template, among those that it reads, for how much the network is to reason."""
    if asked is None or asked.wanted is None:
        return {}
    known = variables_of(template)
    found: dict[str, bool | str] = {name: asked.wanted for name in SWITCHES if name in known}
    if EFFORT in known and asked.effort not in (None, "none"):
        found[EFFORT] = str(asked.effort)
    return found


def not_told(template: object, asked: Thinking | None) -> list[str]:
    """Return notes on settings of reasoning that a template can't take."""
    if asked is None:
        return []
    told = arguments_of(template, asked)
    notes = [] if told or asked.wanted is None else [NO_SWITCH]
    return notes + ([NO_EFFORT] if asked.effort not in (None, "none") and EFFORT not in told else [])
