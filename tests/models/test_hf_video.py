"""Videos for local networks: what the processor of each family makes of a clip, against constants and a direct call of
it, and that the networks see every frame."""

import json
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

pytest.importorskip("torch", reason="needs the extra 'local' (make test-full)")
pytest.importorskip("transformers", reason="needs the extra 'local' (make test-full)")
pytest.importorskip("num2words", reason="needs the extra 'local' (make test-full)")

from networks import answers_of as ask, write_llama, write_tokenizer
from tolman.errors import UsageError
from tolman.items import Item
from tolman.messages import Clip, Message, Picture, Sampling, Video
from tolman.models import hf_network
from tolman.models.hf import create
from tolman.models.hf_inputs import FAMILIES as FAMILIES_OF_CLIPS, import_torchvision, media_options, video_arguments
from tolman.models.hf_network import Network
from tolman.models.hf_weights import find
from tolman.models.model import CallError, ModelOptions, Request
from tolman.responses import FailureKind, Response
from video_networks import FAMILIES, write_network

pytestmark = [
    pytest.mark.full,
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::UserWarning"),
]

SECONDS = [0.0, 8.566666, 17.133333, 25.7, 34.266666, 42.833333, 51.4, 59.966666]
"""Times of eight frames of a minute at 30 frames a second, from the first to the last."""
SMALL = {"mm_processor_kwargs": {"size": {"shortest_edge": 3136, "longest_edge": 28 * 28 * 16}}}


def of_parts(times: Sequence[str]) -> str:
    return "".join(f"<{t} seconds><|vision_start|>[<|video_pad|>×300]<|vision_end|>" for t in times)


def of_frames(times: Sequence[str]) -> str:
    ends = "<fake_token_around_image>"
    return "".join(f"\nFrame from {t}:{ends}<global-img>[<image>×64]{ends}" for t in times)


# From transformers 5.23.0 with the released limits of pixels: 8 frames of 480×640 of 1,800 in a minute. A run of n equal
# tokens is written [token×n].
PROMPTS = {
    "qwen2_vl": "<|vision_start|>[<|video_pad|>×1564]<|vision_end|>",
    "qwen2_5_vl": "<|vision_start|>[<|video_pad|>×1564]<|vision_end|>",
    "qwen3_vl": of_parts(["4.3", "21.4", "38.5", "55.7"]),
    "llava_onevision": "[<video>×1569]\n",
    "internvl": "\n".join(f"Frame{i}: <img>[<IMG_CONTEXT>×256]</img>" for i in range(1, 9)) + "\n",
    "smolvlm": (
        "You are provided the following series of eight frames from a 0:01:00 [H:MM:SS] video.\n"
        + of_frames(["00:00", "00:08", "00:17", "00:25", "00:34", "00:42", "00:51", "00:59"])
        + "\n\n"
    ),
}
SHOWN = {
    "qwen2_vl": 1564,
    "qwen2_5_vl": 1564,
    "qwen3_vl": 1200,
    "llava_onevision": 1569,
    "internvl": 2048,
    "smolvlm": 512,
}
GRIDS = {"qwen2_vl": [4, 34, 46], "qwen2_5_vl": [4, 34, 46], "qwen3_vl": [4, 30, 40]}
PIXELS = {
    "qwen2_vl": (6256, 1176),
    "qwen2_5_vl": (6256, 1176),
    "qwen3_vl": (4800, 1536),
    "llava_onevision": (1, 8, 3, 384, 384),
    "internvl": (8, 3, 448, 448),
    "smolvlm": (1, 8, 3, 512, 512),
}


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("video-networks")


@pytest.fixture(scope="session")
def checkpoint(folder: Path) -> Callable[[str], Path]:
    """The folder of a family's network, written once."""
    return lambda family: folder / family if (folder / family).exists() else write_network(folder / family, family)


@pytest.fixture(scope="session")
def frames(folder: Path) -> Sequence[Picture]:
    """Nine unlike frames of 480×640."""
    random = np.random.default_rng(0)
    found = []
    for number in range(9):
        pixels = np.kron(random.integers(0, 255, (12, 16, 3), dtype=np.uint8), np.ones((40, 40, 1), np.uint8))
        path = folder / f"{number}.jpg"
        Image.fromarray(pixels).save(path, quality=85)
        found.append(Picture(path=str(path), sha256=str(number)))
    return found


def clip(frames: Sequence[Picture], *, fps: float = 30.0, total: int = 1800) -> Clip:
    """Frames from the first to the last of a video, evenly spaced."""
    ticks = tuple(int(place) for place in np.linspace(0, total - 1, len(frames)))
    return Clip(frames=tuple(frames), fps=fps, ticks=ticks, total=total)


def asked(item: Item, *parts: Any) -> Request:
    return Request(item, (Message(parts=parts),), Sampling(max_tokens=4))


def network(path: Path, *, dtype: str = "float32", body: dict[str, Any] | None = None) -> Network:
    return Network(path.name, find(str(path)), "cpu", dtype, {}, media_options(body or {}), 0)


def shortened(text: str) -> str:
    """A prompt with runs of equal tokens counted."""
    return re.sub(r"(<[^<>]*>)\1{9,}", lambda run: f"[{run[1]}×{len(run[0]) // len(run[1])}]", text)


def arrays(frames: Sequence[Picture]) -> np.ndarray:
    return np.stack([np.asarray(Image.open(frame.path).convert("RGB")) for frame in frames])


@pytest.mark.parametrize("family", FAMILIES)
def test_a_clip_is_the_familys_native_video(
    family: str, checkpoint: Callable[[str], Path], frames: Sequence[Picture], choice: Callable[..., Item]
) -> None:
    import torch

    import_torchvision()
    from transformers import AutoProcessor

    path, shown = checkpoint(family), clip(frames[:8])
    assert [tick / shown.fps for tick in shown.ticks] == pytest.approx(SECONDS, abs=1e-5)
    loaded = network(path)
    request = asked(choice(), shown, "What?")
    inputs = loaded._inputs([request])
    prompt = shortened(loaded._tokenizer.decode(inputs["input_ids"][0]))
    assert PROMPTS[family] + "What?" in prompt
    assert prompt.count("<|vision_start|>") == PROMPTS[family].count("<|vision_start|>")  # none around all of it
    pixels = next(name for name in ("pixel_values_videos", "pixel_values") if name in inputs)
    assert tuple(inputs[pixels].shape) == PIXELS[family]
    if family in GRIDS:
        assert inputs["video_grid_thw"].tolist() == [GRIDS[family]]
    assert ("second_per_grid_ts" in inputs) == (family == "qwen2_5_vl")
    if family == "qwen2_5_vl":
        assert inputs["second_per_grid_ts"].tolist() == [15.0]

    # The processor of the checkpoint, called by hand; Qwen3-VL's on the bare placeholder, as its text is meant.
    processor = AutoProcessor.from_pretrained(path)
    text = loaded._templated(loaded._processor, request)
    if family == "qwen3_vl":
        text = text.replace("<|vision_start|><|video_pad|><|vision_end|>", "<|video_pad|>")
    times = {"fps": 30.0, "total_num_frames": 1800, "duration": 60.0, "frames_indices": list(shown.ticks)}
    direct = processor(
        text=[text],
        videos=[arrays(frames[:8])],
        video_metadata=[times],
        do_sample_frames=False,
        return_tensors="pt",
        add_special_tokens=False,
    )
    assert set(direct) == set(inputs)
    assert all(torch.equal(torch.as_tensor(direct[name]), inputs[name]) for name in direct)

    # The network sees each of them.
    def scores(chosen: Sequence[Picture]) -> Any:
        made = loaded._inputs([asked(choice(), clip(chosen), "What?")])
        with torch.inference_mode():
            placed = {name: loaded._placed(name, value) for name, value in made.items()}
            return loaded._network(**placed).logits[0, -1]

    first, again = scores(frames[:8]), scores(frames[:8])
    assert torch.allclose(first, again, atol=1e-5)
    for place in (0, 7):
        exchanged = [*frames[:8]]
        exchanged[place] = frames[8]
        assert (scores(exchanged) - first).abs().max() > 1e-3

    (found,) = loaded.answer([request])
    assert isinstance(found, Response), found
    assert (found.usage.input_tokens, found.usage.media_tokens) == (inputs["input_ids"].shape[1], SHOWN[family])


@pytest.mark.parametrize(
    ("family", "times"),
    [("glm4v", ["0", "17", "34", "51"]), ("glm46v", ["0.0 seconds", "17.1 seconds", "34.3 seconds", "51.4 seconds"])],
)
def test_glm_is_told_the_times_and_takes_the_frames_as_they_are(
    family: str, times: Sequence[str], frames: Sequence[Picture], tmp_path: Path
) -> None:
    """Its processor alone, by its classes' own limits of pixels."""
    import_torchvision()
    import transformers

    special = ("<|endoftext|>", "<|im_end|>", *(f"<|{mark}image|>" for mark in ("", "begin_of_", "end_of_")))
    special += tuple(f"<|{mark}video|>" for mark in ("", "begin_of_", "end_of_"))
    write_tokenizer(tmp_path, special=special, named={"image_token": "<|image|>", "video_token": "<|video|>"})
    name = {"glm4v": "Glm4v", "glm46v": "Glm46V"}[family]
    processor = getattr(transformers, f"{name}Processor")(
        image_processor=getattr(transformers, f"{name}ImageProcessor")(),
        tokenizer=transformers.AutoTokenizer.from_pretrained(tmp_path),
        video_processor=getattr(transformers, f"{name}VideoProcessor")(),
    )
    told = video_arguments([clip(frames[:8])], FAMILIES_OF_CLIPS[family], {})
    made = processor(text=["<|begin_of_video|><|video|><|end_of_video|>?"], return_tensors="pt", **told)
    shown = "".join(f"<|begin_of_image|>[<|image|>×391]<|end_of_image|>{time}" for time in times)
    prompt = shortened(processor.tokenizer.decode(made["input_ids"][0]))
    assert prompt == f"<|begin_of_video|>{shown}<|end_of_video|>?"
    assert made["video_grid_thw"].tolist() == [[4, 34, 46]]


def test_frames_of_a_clip_are_not_those_of_separate_pictures(
    checkpoint: Callable[[str], Path], frames: Sequence[Picture], choice: Callable[..., Item]
) -> None:
    loaded = network(checkpoint("qwen3_vl"))
    video, pictures = (loaded._inputs([asked(choice(), *parts, "What?")]) for parts in ([clip(frames[:8])], frames[:8]))
    counts = [int((made["input_ids"] == loaded._tokenizer.convert_tokens_to_ids(pad)).sum())
              for made, pad in ((video, "<|video_pad|>"), (pictures, "<|image_pad|>"))]  # fmt: skip
    assert counts == [1200, 2400]
    assert "video_grid_thw" not in pictures


def test_an_odd_frame_is_repeated_and_other_clocks_tell_true_times(
    checkpoint: Callable[[str], Path], frames: Sequence[Picture], choice: Callable[..., Item]
) -> None:
    loaded = network(checkpoint("qwen3_vl"))
    odd = Clip(frames=tuple(frames[:3]), fps=1000.0, ticks=(0, 17_133, 60_000), total=60_100)
    for _ in range(2):  # the processor lengthens the list that it is given
        made = loaded._inputs([asked(choice(), odd, "?")])
        text = shortened(loaded._tokenizer.decode(made["input_ids"][0]))
        assert of_parts(["8.6", "60.0"]) + "?" in text
    assert odd.ticks == (0, 17_133, 60_000)


def test_half_precision_leaves_the_times_as_they_are(
    checkpoint: Callable[[str], Path], frames: Sequence[Picture], choice: Callable[..., Item]
) -> None:
    import torch

    loaded = network(checkpoint("qwen2_5_vl"), dtype="bfloat16", body=SMALL)
    made = loaded._inputs([asked(choice(), clip(frames[:8], total=1801), "?")])
    placed = {name: loaded._placed(name, value) for name, value in made.items()}
    assert placed["pixel_values_videos"].dtype == torch.bfloat16
    assert placed["second_per_grid_ts"].dtype == torch.float32
    assert placed["second_per_grid_ts"].item() == pytest.approx(2 * 1801 / 30 / 8, abs=1e-5)


def test_clips_pictures_and_texts_are_answered_the_same_whatever_waits_beside_them(
    checkpoint: Callable[[str], Path],
    frames: Sequence[Picture],
    choice: Callable[..., Item],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sizes: list[int] = []
    original = hf_network.Network._generate

    def counted(self: Network, requests: Sequence[Request]) -> Any:
        sizes.append(len(requests))
        return original(self, requests)

    monkeypatch.setattr(hf_network.Network, "_generate", counted)
    item = choice()
    requests = [
        asked(item, clip(frames[:4]), "One?"),
        asked(item, frames[0], "Two?"),
        asked(item, clip(frames[4:8], total=900), "Number three?"),
        asked(item, "Four?"),
        asked(item, clip(frames[:2]), "Five?"),
        asked(item, frames[1], "or", clip(frames[:4]), "Six?"),
        asked(item, clip(frames[1:5]), "before", frames[1], "Number seven?"),
    ]
    path = checkpoint("qwen2_5_vl")
    together = ask(path, requests, batch_size=8, body=SMALL)
    assert sorted(sizes) == [1, 1, 1, 2, 2]
    sizes.clear()
    alone = ask(path, requests, batch_size=1, body=SMALL)
    assert sizes == [1] * 7
    told = [(f.response, f.usage) if isinstance(f, Response) else f for f in together]
    assert told == [(f.response, f.usage) if isinstance(f, Response) else None for f in alone]
    assert len({f.response for f in together if isinstance(f, Response)}) >= 5


def test_limits_of_pixels_are_arguments_of_the_processor(
    checkpoint: Callable[[str], Path], frames: Sequence[Picture], choice: Callable[..., Item]
) -> None:
    # 100,352 pixels a frame: 252×364, of 9×13 tokens for each of four pairs; for all frames of Qwen3-VL together
    # 800,000: 256×384, of 8×12.
    size = {"shortest_edge": 3136, "longest_edge": 100_352}
    for body in ({"size": size}, {"videos_kwargs": {"size": size}}):
        loaded = network(checkpoint("qwen2_5_vl"), body={"mm_processor_kwargs": body})
        made = loaded._inputs([asked(choice(), clip(frames[:8]), "?")])
        assert made["video_grid_thw"].tolist() == [[4, 18, 26]]
    loaded = network(checkpoint("qwen3_vl"), body={"mm_processor_kwargs": {"size": {**size, "longest_edge": 800_000}}})
    made = loaded._inputs([asked(choice(), clip(frames[:8]), "?")])
    assert made["video_grid_thw"].tolist() == [[4, 16, 22]]
    # Of pictures each one's: two of 307,200 stay as they are under 400,000, and one of them under 100,352 does not.
    for longest, grid in ((400_000, [1, 30, 40]), (100_352, [1, 16, 22])):
        body = {"images_kwargs": {"size": {**size, "longest_edge": longest}}}
        loaded = network(checkpoint("qwen3_vl"), body={"mm_processor_kwargs": body})
        made = loaded._inputs([asked(choice(), *frames[:2], clip(frames[:8]), "?")])
        assert made["image_grid_thw"].tolist() == [grid] * 2
        assert made["video_grid_thw"].tolist() == [[4, 30, 40]]


def test_arguments_that_cannot_be_meant_are_one_sentence(
    checkpoint: Callable[[str], Path], frames: Sequence[Picture], choice: Callable[..., Item]
) -> None:
    path = str(checkpoint("qwen2_5_vl"))
    for given in ({"fps": 2}, {"videos_kwargs": {"do_sample_frames": True}}):
        with pytest.raises(UsageError, match=r"can't hold '(fps|do_sample_frames)': .* set --frames or --fps"):
            create(path, ModelOptions(device="cpu", body={"mm_processor_kwargs": given}))
    with pytest.raises(UsageError, match="takes a table of arguments"):
        create(path, ModelOptions(device="cpu", body={"mm_processor_kwargs": 3}))
    body = {"mm_processor_kwargs": {"sise": 3}}
    (found,) = ask(Path(path), [asked(choice(), clip(frames[:2]), "?")], body=body)
    assert isinstance(found, CallError)
    assert "takes no 'sise' (mm_processor_kwargs in --body); did you mean 'size'?" in found.message


def test_what_a_network_cannot_be_shown_is_one_sentence(
    checkpoint: Callable[[str], Path], frames: Sequence[Picture], choice: Callable[..., Item], tmp_path: Path
) -> None:
    item, shown = choice(), clip(frames[:2])
    llama = write_llama(tmp_path / "tiny-llama")
    assert create(str(llama), ModelOptions(device="cpu")).takes_clips is False
    (found,) = ask(llama, [asked(item, shown, "?")])
    assert isinstance(found, CallError)
    assert found.message == "hf/tiny-llama takes no videos; show its frames as separate pictures with --as images"

    path = checkpoint("qwen2_vl")
    assert create(str(path), ModelOptions(device="cpu")).takes_clips is True
    small = tmp_path / "small.jpg"
    Image.new("RGB", (64, 48)).save(small)
    odd = clip([frames[0], Picture(path=str(small), sha256="s")])
    gone = clip([frames[0], Picture(path=str(tmp_path / "gone.jpg"), sha256="g")])
    requests = [asked(item, part, "?") for part in (odd, Video(path="v.mp4", sha256="v"), gone)]
    found = ask(path, [*requests, asked(item, shown, "<|video_pad|>?"), asked(item, shown, "?")], body=SMALL)
    messages = [f.message if isinstance(f, CallError) else "" for f in found]
    assert messages[0].startswith("frames of one video differ in size (64×48 and 640×480); show its frames as separate")
    assert "takes pictures, not whole videos" in messages[1]
    assert "gone.jpg" in messages[2]
    assert "leaves 2 places for 1 video; show its frames as separate pictures" in messages[3]
    assert isinstance(found[4], Response)
    assert all(f.kind in (FailureKind.MEDIA, FailureKind.REFUSED) for f in found if isinstance(f, CallError))

    (found_beside,) = ask(checkpoint("smolvlm"), [asked(item, frames[0], shown, "?")])
    assert isinstance(found_beside, CallError)
    assert "hf/smolvlm can't be shown pictures and a video in one question" in found_beside.message


def test_torchvision_is_imported_also_beside_another_build_of_torch() -> None:
    """Beside a torch for CPUs the registry's build of torchvision can't be imported otherwise."""
    code = (
        "from tolman.models.hf_inputs import import_torchvision\n"
        "import torch, json\n"
        "before = torch.library.register_fake\n"
        "works = import_torchvision()\n"
        "from transformers import AutoVideoProcessor, Qwen2VLVideoProcessor\n"
        "import numpy as np\n"
        "grid = Qwen2VLVideoProcessor()(videos=[np.zeros((2, 56, 56, 3), np.uint8)], do_sample_frames=False,"
        " size={'shortest_edge': 3136, 'longest_edge': 3136}, return_tensors='pt')['video_grid_thw'].tolist()\n"
        "print(json.dumps([works, torch.library.register_fake is before, grid]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout.splitlines()[-1]) == [True, True, [[1, 4, 4]]]
