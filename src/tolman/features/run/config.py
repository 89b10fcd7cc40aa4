"""Settings of `tolman run`, `score` and `reproduce`."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tolman.errors import UsageError
from tolman.features.config import (
    JUDGE,
    STORES,
    FailuresAsWrong,
    JudgeBody,
    JudgeName,
    JudgeSample,
    JudgeUrl,
    NumberOfWorkers,
    On,
    ReleasedData,
    Revision,
    RunFolderOut,
    Setting,
    StorePlace,
    Subset,
    Trackers,
    setting,
)

if TYPE_CHECKING:
    from tolman.messages import Thinking


FOLDER = Path(__file__).with_name("suites")


@dataclass(frozen=True)
class NamedSuite:
    """A suite that comes with Tolman.

    Attributes:
        name: for `tolman run`.
        about: a short description.
        benchmarks: names, with the subset where one is named.
        text: of the file.
    """

    name: str
    about: str
    benchmarks: tuple[str, ...]
    text: str


def suite_names() -> list[str]:
    """The names, sorted."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def is_named_suite(text: str) -> bool:
    """Check whether a text is the name of a suite that comes with Tolman."""
    return text in suite_names()


def is_suite(text: str) -> bool:
    """Check whether an argument is a suite rather than a benchmark: a file, or the name of one that comes with
    Tolman."""
    return (text.endswith(".toml") and not Path(text).is_dir()) or is_named_suite(text)


def suite_path(text: str) -> Path:
    """The file of a suite: of a name, the one that comes with Tolman; else the text as a path."""
    return FOLDER / f"{text}.toml" if is_named_suite(text) else Path(text)


def named_suite(name: str) -> NamedSuite:
    """A suite by its name."""
    text = (FOLDER / f"{name}.toml").read_text(encoding="utf-8")
    data = tomllib.loads(text)
    tables = [{"benchmark": one} if isinstance(one, str) else one for one in data["benchmark"]]
    benchmarks = tuple(
        f"{one['benchmark']} ({one['subset']})" if "subset" in one else one["benchmark"] for one in tables
    )
    return NamedSuite(name, data["about"], benchmarks, text)


def benchmark_names() -> list[str]:
    """The names of all benchmarks."""
    from tolman import benchmarks

    return benchmarks.names()


def benchmarks_and_suites() -> list[str]:
    """The names that a run can be of."""
    return [*benchmark_names(), *suite_names()]


_MODEL, _SAMPLING, _PROTOCOL, _FRAMES = "The model", "Sampling", "Protocols", "Pictures"
_ITEMS = "Which items"


@dataclass(frozen=True, kw_only=True)
class RunConfig:
    """A model, a benchmark, and how the one is asked about the other. None leaves a setting to the prompt preset."""

    benchmark: Annotated[
        str,
        Setting(
            "A benchmark's name or folder, or a suite: easi-8, easi-12, founding-4, or a TOML file.",
            positional=True,
            names=benchmarks_and_suites,
        ),
    ]
    model: Annotated[
        str,
        Setting(
            "FAMILY/NAME: openai/NAME, gemini/NAME, anthropic/NAME, hf/NAME, python/FILE.py:FUNCTION, baseline/NAME."
        ),
    ]
    data: ReleasedData = None
    media: Path | None = setting("Folder of the videos and images. Default: the data's.")
    subset: Subset = None
    revision: Revision = None
    protocol: str = setting("Way of asking, see 'tolman protocols'; several joined by '+'.", default="direct")
    preset: str | None = setting("Prompt preset: the authors' settings for one kind of model. Default: the first.")
    out: RunFolderOut = None
    base_url: str | None = setting(
        "Base URL of the model's endpoint; several that serve the same, with commas. Default: the family's own.",
        panel=_MODEL,
    )
    label: str | None = setting(
        "Your name for the weights that are served, such as a checkpoint's: answers are kept under it. "
        "Default: what the endpoint says it serves.",
        panel=_MODEL,
    )
    serve: str | None = setting(
        "Start a server for the run and end it afterwards: vllm:NAME, sglang:NAME or a command with {port}. "
        "Default: none.",
        panel=_MODEL,
    )
    server: str | None = setting(
        "Server that answers at --base-url, which decides the form of videos: vllm, sglang, llama.cpp, dashscope, "
        "transformers. Default: found by its address and list of models.",
        panel=_MODEL,
        choices=("vllm", "sglang", "llama.cpp", "dashscope", "transformers"),
    )
    body: str | None = setting(
        "JSON object of further fields for every request; null takes one out. Default: none.", panel=_MODEL
    )
    scenes: Path | None = setting("Folder of scenes, for baseline/oracle and maps. Default: none.", panel=_MODEL)
    device: str | None = setting(
        "Device of a local network, such as cpu, cuda:1 or auto. Default: the best there is.", panel=_MODEL
    )
    dtype: str | None = setting(
        "Arithmetic of a local network: auto, float32, bfloat16, float16. Default: float32 on a CPU, else auto.",
        panel=_MODEL,
    )
    batch_size: int = setting(
        "Most questions that a local network answers together, from 1.", default=8, panel=_MODEL, least=1
    )
    on: str | None = setting(
        "Cluster whose machines answer with copies of a local network: ray (that of $RAY_ADDRESS, one that runs on "
        "this machine, or a local one that is started) or ray://HOST:PORT. Default: this machine.",
        metavar="PLACE",
        panel=_MODEL,
    )
    workers: int | None = setting(
        "Copies of a local network on a cluster, from 1. Default: one on each GPU.", least=1, panel=_MODEL
    )
    concurrency: int | None = setting(
        "Most requests in flight, from 1. Default: 32; 1 for a Python function.", panel=_MODEL, least=1
    )
    timeout: float = setting("Seconds for one call, from 0.1.", default=600.0, panel=_MODEL, least=0.1)
    stream: bool = setting(
        "Have an openai/ model's replies sent in pieces, where a proxy cuts connections that are long silent.",
        default=False,
        panel=_MODEL,
    )
    retries: int = setting("Times that a failed call is tried again, from 0.", default=8, panel=_MODEL, least=0)
    time_limit: float | None = setting("Seconds for the whole run, from 0. Default: no limit.", panel=_MODEL, least=0)
    wait: str | None = setting(
        "Time that an endpoint which is loading or went down is waited for: 90s, 20m, 2h. Default: 0.", panel=_MODEL
    )
    max_cost: float | None = setting(
        "Most that this call of the run may cost by --prices, from 0; what earlier calls cost isn't counted. "
        "Default: no limit.",
        panel=_MODEL,
        least=0,
    )
    batch: bool = setting(
        "Ask by the provider's batch interface, at about half the price and within a day.", default=False, panel=_MODEL
    )
    thinking: str | None = setting(
        "Whether the model reasons first. Default: as it does by itself.", panel=_SAMPLING, choices=("on", "off")
    )
    effort: str | None = setting(
        "Amount of reasoning, in the endpoint's own word: none, minimal, low, medium, high, xhigh, max. "
        "Default: the model's.",
        panel=_SAMPLING,
    )
    reasoning_budget: tuple[str, ...] = setting(
        "Most tokens of reasoning, not counting the answer, 0–1,000,000, such as 2k (2,048); 0 switches it off. "
        "Several numbers make several runs and a table of score against budget. Default: the model's.",
        default=(),
        panel=_SAMPLING,
        metavar="N[,N…]",
    )
    ask_again: int | None = setting(
        "Times that a question is asked again, with 4 times the room, where the token limit came in its reasoning, "
        "0–5. Default: 2; 0 with several --reasoning-budget.",
        panel=_SAMPLING,
        least=0,
        most=5,
    )
    input_form: tuple[str, ...] = setting(
        "Form of a video: images (separate pictures), video (sampled frames with their times, as one video), file "
        "(the file, which the server samples); several make several runs. Default: the recipe's or the preset's.",
        default=(),
        panel=_FRAMES,
        option="--as",
        metavar="FORM[,FORM]",
        choices=("images", "video", "file"),
    )
    recipe: str | None = setting(
        "Recipe of a model family (see 'tolman recipes'): a name, a TOML file, or none. Default: by the "
        "model's name, for the form of videos only.",
        panel=_MODEL,
    )
    judge: JudgeName = None
    judge_base_url: JudgeUrl = None
    judge_body: JudgeBody = None
    judge_sample: JudgeSample = None
    prices: Path | None = setting("JSON file with prices of tokens. Default: no cost is counted.", panel=_MODEL)
    temperature: float | None = setting(
        "Sampling temperature, from 0. Default: the preset's.", panel=_SAMPLING, least=0
    )
    top_p: float | None = setting(
        "Nucleus sampling: share of the probability, 0–1. Default: the preset's.", panel=_SAMPLING, least=0, most=1
    )
    top_k: int | None = setting(
        "Most likely tokens drawn from, from 0. Default: the preset's.", panel=_SAMPLING, least=0
    )
    max_tokens: int | None = setting(
        "Most tokens of an answer, from 1. Default: the preset's.", panel=_SAMPLING, least=1
    )
    seed: int = setting("Seed of everything that is drawn at random, a whole number.", default=0, panel=_SAMPLING)
    samples: int = setting(
        "Times that each item is asked, 1–10,000.",
        default=1,
        panel=_SAMPLING,
        aliases=("--repeats",),
        least=1,
        most=10_000,
    )
    reasoning_tokens: int | None = setting(
        "Most tokens of a turn that thinks, maps or explains, from 1. Default: the protocol's.",
        panel=_PROTOCOL,
        least=1,
    )
    samples_per_vote: int | None = setting(
        "Answers that self-consistency votes over, from 2. Default: 5.", panel=_PROTOCOL, aliases=("--draws",), least=2
    )
    looks: int | None = setting(
        "Times that the model may look again with tools, 1–100. Default: 5.", panel=_PROTOCOL, least=1, most=100
    )
    grid: int | None = setting(
        "Cells along each side of a cognitive map, 2–100. Default: 10.", panel=_PROTOCOL, least=2, most=100
    )
    map_categories: str | None = setting(
        "Contents of a map: the question's categories, or all of its scene. Default: question.",
        panel=_PROTOCOL,
        metavar="question|scene",
    )
    captioner: str | None = setting("Model that captions, for caption-then-answer. Default: none.", panel=_PROTOCOL)
    captioner_url: str | None = setting(
        "Address of the captioner's endpoint. Default: --base-url, in one family.", panel=_PROTOCOL
    )
    matcher: str | None = setting("Matcher of points of images, for correspondence. Default: sift.", panel=_PROTOCOL)
    frames: tuple[int, ...] = setting(
        "Frames of a video, 1–999,999; several numbers make several runs. Default: the preset's.",
        default=(),
        panel=_FRAMES,
        metavar="N[,N…]",
        least=1,
        most=999_999,
    )
    fps: float | None = setting(
        "Frames for each second of a video, from 0.001, in place of --frames. At 1, a video of 10.5 s has 10, spread "
        "evenly from its first frame to its last; one whose frame rate varies has those shown at 0, 1, 2 … s. Default: "
        "the preset's.",
        panel=_FRAMES,
        least=0.001,
    )
    max_frames: int | None = setting("Most frames with --fps, from 1. Default: the preset's.", panel=_FRAMES, least=1)
    quality: int | None = setting("JPEG quality, 1–95. Default: the preset's.", panel=_FRAMES, least=1, most=95)
    longest_side: int | None = setting(
        "Longest side of a picture in pixels, from 16. Default: the preset's.", panel=_FRAMES, least=16
    )
    tasks: tuple[str, ...] = setting("Question types that are asked. Default: all.", default=(), panel=_ITEMS)
    ids: tuple[str, ...] = setting(
        "Items that are asked: ids, a file with one on each line or a JSON list of them, or a folder of runs: what "
        "was asked there.",
        default=(),
        panel=_ITEMS,
        metavar="ID[,ID…]|FILE|RUNS",
    )
    exclude: tuple[str, ...] = setting(
        "Items that are not asked: ids, a file, a folder of runs, or 'known-errors': those with a known wrong answer, "
        "which 'tolman benchmarks NAME' lists.",
        default=(),
        panel=_ITEMS,
        metavar="ID[,ID…]|FILE|RUNS|known-errors",
        may_be_empty=True,
    )
    limit: int | None = setting("Most items, spread over the benchmark, from 1. Default: all.", panel=_ITEMS, least=1)
    adaptive: Path | None = setting(
        "Item bank of 'tolman analyze difficulty': the items that say most about this model are asked, and the score "
        "on all is estimated. Default: none.",
        panel=_ITEMS,
        metavar="BANK",
    )
    adaptive_share: float | None = setting(
        "Largest share of the items that --adaptive asks, 0–1. Default: 0.25.", panel=_ITEMS, least=0, most=1
    )
    adaptive_error: float | None = setting(
        "Standard error of the headline, in points, at which --adaptive stops, from 0. Default: the share decides.",
        panel=_ITEMS,
        least=0,
    )
    store: StorePlace = None
    frame_store: Path | None = setting("Folder of decoded frames. Default: in the user's cache.", panel=STORES)
    count_failures_as_wrong: FailuresAsWrong = False
    metrics: str | None = setting(
        "Further metrics by question type: names with commas between (within-25,signed-bias). Default: none.",
        metavar="NAMES",
    )
    log: Trackers = ()


MOST_BUDGET = 1_000_000
"""Most tokens of a budget of reasoning."""
ADAPTIVE_SHARE = 0.25
"""Share of the items that an adaptive run asks, where the user doesn't say."""
ASKED_AGAIN = 2
"""How often a question whose answer was cut off in reasoning is asked again, where the user doesn't say."""


def budgets_of(texts: Sequence[str]) -> tuple[int, ...]:
    """Return the budgets of reasoning that a setting names: '0', '2048', '2k' (2,048), '1.5k'.

    Raises:
        UsageError: one can't be read, is out of bounds, or occurs twice.
    """
    found = [_budget(text) for text in texts]
    if len(set(found)) < len(found):
        raise UsageError(f"--reasoning-budget names a number twice: {','.join(texts)}.")
    return tuple(found)


def _budget(text: str) -> int:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)(k?)", text.strip(), re.IGNORECASE)
    tokens = round(float(match[1]) * (1024 if match[2] else 1)) if match else -1
    if match is None or tokens > MOST_BUDGET or ("." in match[1] and not match[2]):
        raise UsageError(
            f"--reasoning-budget takes tokens, such as 0, 2048 or 8k (8,192), up to {MOST_BUDGET:,}, not '{text}'."
        )
    return tokens


def thinking_of(on: str | None, effort: str | None, budget: int | None) -> Thinking | None:
    """The settings of reasoning of one run; None where none is given.

    Args:
        on: 'on' or 'off'.
        effort: in the endpoint's word.
        budget: in tokens.

    Raises:
        UsageError: they contradict each other.
    """
    from tolman.messages import Thinking

    if on is None and effort is None and budget is None:
        return None
    switched_off = [text for text, off in (("--thinking off", on == "off"), ("--effort none", effort == "none")) if off]
    switched_off += ["--reasoning-budget 0"] if budget == 0 else []
    wanted = ["--thinking on"] if on == "on" else []
    wanted += [f"--effort {effort}"] if effort not in (None, "none") else []
    wanted += [f"--reasoning-budget {budget}"] if budget else []
    if switched_off and wanted:
        raise UsageError(f"{switched_off[0]} and {wanted[0]} contradict each other; give one of them.")
    return Thinking(on=None if on is None else on == "on", effort=effort, budget=budget)


@dataclass(frozen=True, kw_only=True)
class ScoreConfig:
    """Settings of scoring: the responses, and the questions that they answer."""

    responses: Annotated[
        tuple[Path, ...],
        Setting(
            "A run folder; or tables of ids and responses, logs of lmms-eval, VLMEvalKit, Inspect, EvalScope, "
            "lighteval or EASI, and folders of logs, which are scored together.",
            positional=True,
            repeated=True,
        ),
    ]
    benchmark: str | None = setting("A benchmark's name or folder. Default: the run folder's own.")
    data: ReleasedData = None
    subset: Subset = None
    revision: Revision = None
    format: str | None = setting(
        "Format: jsonl, lmms-eval, vlmevalkit, inspect, evalscope, lighteval, easi or predictions. Default: found out."
    )
    columns: tuple[str, ...] = setting(
        "Columns of a table of predictions: id=question_id,response=prediction. Default: usual names.",
        default=(),
        metavar="NAME=COLUMN,…",
    )
    name: str | None = setting("Name of the model. Default: the file's name.")
    preset: str | None = setting("Prompt preset: the authors' settings it was run with. Default: the first.")
    exclude: tuple[str, ...] = setting(
        "Items that are left out: ids, a file, a folder of runs, or 'known-errors'. Scores of a run folder go to "
        "another then. Default: none.",
        default=(),
        metavar="ID[,ID…]|FILE|RUNS|known-errors",
        may_be_empty=True,
    )
    out: RunFolderOut = None
    seed: int = setting("Seed of released parsers that draw at random, a whole number.", default=0)
    judge: JudgeName = None
    judge_base_url: JudgeUrl = None
    judge_body: JudgeBody = None
    judge_sample: JudgeSample = None
    concurrency: int = setting("Most requests in flight, from 1.", default=32, panel=JUDGE, least=1)
    prices: Path | None = setting("JSON file with prices of tokens. Default: no cost is counted.", panel=JUDGE)
    store: StorePlace = None
    count_failures_as_wrong: FailuresAsWrong = False
    metrics: str | None = setting(
        "Further metrics by question type: names with commas between (within-25,signed-bias). Default: the run's.",
        metavar="NAMES",
    )
    on: On = None
    workers: NumberOfWorkers = None
    log: Trackers = ()


@dataclass(frozen=True, kw_only=True)
class InitConfig:
    """The first settings of a run."""

    benchmark: str = setting(
        "A benchmark's name or folder.", default="vsi-bench", positional=True, names=benchmark_names
    )
    model: str = setting("FAMILY/NAME of the model, as for 'tolman run'.", default="baseline/best-constant")
    base_url: str | None = setting("Base URL of the model's endpoint, ending in /v1. Default: the family's own.")
    limit: int = setting("Questions to ask at first, from 0 (all).", default=20, least=0)
    frames: int | None = setting("Frames of a video, 1–999,999. Default: the prompt preset's.", least=1, most=999_999)
    out: Path = setting("File to write.", default=Path("tolman.toml"), writes="file")

    def render(self) -> str:
        """The TOML file, with a comment for each setting."""

        def line(name: str, value: str | int | list[int] | None, example: str) -> str:
            return f"# {name} = {example}" if value is None else f"{name} = {json.dumps(value, ensure_ascii=False)}"

        return f"""\
# Run it:        tolman run {self.out}
# Try it first:  tolman run {self.out} --dry-run
# An option on the command line overrides the file. 'tolman run --help' names all.
[run]
# The name of a benchmark ('tolman benchmarks' lists them), or a folder.
{line("benchmark", self.benchmark, "")}
# FAMILY/NAME: openai/NAME for any compatible server, gemini/, anthropic/, hf/, python/FILE.py:FUNCTION, baseline/.
{line("model", self.model, "")}
# The endpoint of the model; keys come from the environment, such as OPENAI_API_KEY.
{line("base_url", self.base_url, '"http://localhost:8000/v1"')}
# The number of questions. Leave it out to ask all.
{line("limit", self.limit or None, "20")}
# Frames of each video. Left out: the number in the benchmark's prompt preset.
{line("frames", None if self.frames is None else [self.frames], "[32]")}
"""


@dataclass(frozen=True, kw_only=True)
class ReproduceConfig:
    """Which published result is run again, and where its weights answer."""

    name: str | None = setting("Target: a name, or a TOML file. Default: all are listed.", positional=True)
    dry_run: bool = setting("Print what would be asked, and of what, and ask nothing.", default=False)
    base_url: str | None = setting("Base URL of the endpoint that serves the weights. Default: none.", panel=_MODEL)
    model: str | None = setting(
        "FAMILY/NAME that answers, such as hf/NAME. Default: openai/ and the weights' name.", panel=_MODEL
    )
    serve: str | None = setting(
        "Start a server for the runs, as 'tolman run --serve' does: vllm:NAME. Default: none.", panel=_MODEL
    )
    label: str | None = setting("Name for the weights, as of 'tolman run'. Default: none.", panel=_MODEL)
    recipe: str | None = setting(
        "Recipe in place of the target's: a name or a TOML file. Default: its own.", panel=_MODEL
    )
    concurrency: int | None = setting("Most requests in flight, from 1. Default: 32.", panel=_MODEL, least=1)
    timeout: float = setting("Seconds for one call, from 0.1.", default=600.0, panel=_MODEL, least=0.1)
    wait: str | None = setting(
        "Time that an endpoint which is loading is waited for: 90s, 20m, 2h. Default: 0.", panel=_MODEL
    )
    data: Path | None = setting("Folder with the released data. Default: the Hugging Face hub.")
    media: Path | None = setting("Folder of the videos. Default: the data's.")
    out: Path | None = setting("Folder of the runs. Default: runs/reproduce/NAME.", writes="runs")
    limit: int | None = setting("Most items, from 1, to try it out: no verdict then. Default: all.", least=1)
    store: StorePlace = None
    frame_store: Path | None = setting("Folder of decoded frames. Default: in the user's cache.", panel=STORES)
