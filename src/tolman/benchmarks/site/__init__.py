"""SITE (Wang et al., 2025): its prompts, rule sets and table.

Source of the prompts: wenqi-wang20/SITE-Bench, eval_scripts/sitebench/{utils.py,site_image.yaml,site_video.yaml}. The
released configuration is written so that the post-prompt probably never reached the models; both forms are presets.

The rule sets hold the released parser with its random fallback (`scoring.readers.image_benchmarks`), and a judge. The
paper (section 5.1) has GPT-4o assess all responses instead, with a prompt that isn't published. With a judge that is
done, in Tolman's own words and without showing it the right answer. Only a letter alone needs no judge.

Table 4 is chance-adjusted accuracy (`scoring.aggregate.prepare`), pooled over items, overall and for the six
categories. Plain accuracy, which the released aggregation prints, is next to it.
"""

from __future__ import annotations

import re
from pathlib import Path

from tolman.benchmarks.site.site_rows import CATEGORIES, SUBSETS, load
from tolman.benchmarks.spec import BenchmarkSpec, HubSource, PromptPreset, media_first, without_media
from tolman.items import Item
from tolman.media.sampling import Frames
from tolman.messages import Message, Sampling
from tolman.scoring.judged import Judging, extraction_prompt
from tolman.scoring.readers import harnesses
from tolman.scoring.readers.image_benchmarks import read_site as read_official
from tolman.scoring.rule_sets import RuleSet, careful, kind_and_answer, score_exactly
from tolman.scoring.score_table import Column, Table, pool

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
    body = f"{_body(item)}\n{preset.texts.get('post', '')}"
    return media_first(item, f"{VIDEO_PRE}\n{body}" if item.labels.get("media") == "video" else body)


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


def _body(item: Item) -> str:
    options = "\n".join(f"{letter}: {text}" for letter, text in zip(item.letters, item.options, strict=True))
    return f"Question: {item.question}\nOptions:\n{options}"


_ALONE = re.compile(r"\s*(?:\([A-Z]\)|[A-Z][.:]?)\s*")

RULE_SETS = (
    RuleSet("official", read_official, score_exactly, alike=kind_and_answer),
    careful(score=score_exactly),
    RuleSet("lmms-eval", read_official, score_exactly),
    RuleSet("vlmevalkit", harnesses.read_easi, score_exactly),
)
JUDGING = Judging(
    source="SITE's judge (section 5.1; its prompt is not published, this one is Tolman's): all but a letter alone",
    base="official",
    asks=lambda item, text, own: own.guessed or not _ALONE.fullmatch(text),
    prompt=extraction_prompt,
)


_TITLES = {
    "counting & existence": ("count", "Count"),
    "object localization & positioning": ("loc", "Loc"),
    "3d information understanding": ("3d_inf", "3D Inf"),
    "multi-view & cross-image reasoning": ("multiv", "MultiV"),
    "spatial relationship reasoning": ("rel", "Rel"),
    "movement prediction & navigation": ("mov", "Mov"),
}
TABLE = Table(
    (
        Column("overall", "Overall", pool(metric="chance-adjusted"), group="Chance-adjusted accuracy"),
        *(
            Column(*_TITLES[category], pool(category, metric="chance-adjusted"), group="Chance-adjusted accuracy")
            for category in CATEGORIES
        ),
        Column("accuracy", "Acc.", pool(), group="Accuracy"),
    ),
    headline="overall",
)


BENCHMARK = BenchmarkSpec(
    name="site",
    title="SITE",
    paper="Wang et al., SITE: towards Spatial Intelligence Thorough Evaluation, 2025",
    licence="CC-BY-4.0 (data card)",
    subsets=SUBSETS,
    load=load,
    prompt=prompt,
    blind_prompt=blind_prompt,
    presets=PRESETS,
    rule_sets=RULE_SETS,
    judging=JUDGING,
    table=TABLE,
    published=Path(__file__).with_name("published.csv"),
    hub=HubSource(
        "franky-veteran/SITE-Bench",
        ("*.parquet", "**/*.parquet", "*.jsonl", "**/*.jsonl", "*.json", "**/*.json"),
        media=("*.zip",),
        questions_of={
            name: (
                "|".join(f"{name}_test*.{suffix}|*/{name}_test*.{suffix}" for suffix in ("parquet", "jsonl", "json")),
            )
            for name in ("image", "video")
        },
    ),
    sizes={"full": 8068, "image": 4449, "video": 3619},
    question=question,
    demand=demand,
)
