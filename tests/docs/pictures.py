"""The pictures of README.md and of the pages about reports, figures and the explorer, from real runs.

    python tests/docs/pictures.py                                     # all of them
    python tests/docs/pictures.py --only explorer,figures             # some of them

`make pictures` is the first. They come from the demonstration, which is run anew unless --demo names a folder that holds
one, from VSI-Bench's questions, from worlds that are drawn, and from the review that tests lead through in a browser. Needs
the extra 'dev', Chromium, EGL, PostgreSQL, and VSI-Bench's parquet for `figures` and `baselines`; a group whose input is
missing is named, and the exit code is then 1.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests" / "docs"), str(ROOT / "benchmarks")]

import av  # noqa: E402
import numpy as np  # noqa: E402
from PIL import Image  # noqa: E402

from explorers import CHROMIUM, browsing, value  # noqa: E402

IMAGES = ROOT / "docs" / "images"
SIZE = {"width": 1280, "height": 900}
"""Of the browser's window, in pixels."""
MAX_BYTES = 300_000
"""Of a picture of the explorer."""
WORLDS = (("rectangle,home", 8, ((0, 6), (6, 8))), ("street", 3, ((2, 2),)))
"""Shapes, how many are made of each, and which worlds' frames are shown."""
EXAMPLES: tuple[tuple[tuple[object, ...], tuple[object, ...], tuple[object, ...]], ...] = (
    (
        ("--scenes", 5, "--seed", 41, "--shapes", "rectangle,l-shape,two-rooms", "--seconds", 30, "--rate", 4),
        ("--preset", "spatialbench", "--choices"),
        (),
    ),
    (
        ("--scenes", 8, "--seed", 45, "--actors", 2, "--exo", 3,
         "--shapes", "two-rooms,street", "--seconds", 20, "--rate", 3),
        ("--preset", "site"),
        (),
    ),
    (
        ("--scenes", 24, "--seed", 46, "--actors", 1, "--robots", 1, "--exo", 2,
         "--shapes", "two-rooms,rectangle,home", "--seconds", 30, "--rate", 1),
        ("--preset", "mmsi"),
        ("--prefix", "families-mmsi"),
    ),
)  # fmt: skip
"""What worlds, questions and sheets are like: SpatialBench's, SITE's, MMSI-Bench's."""
PUBLISHED_SHARD = "7/200"
"""The scenes whose videos are in tolman-1/places."""
MATCHED = "1000-0072.mp4", [100, 112]
"""A video there, and two of its frames."""
PUBLISHED = ROOT / "src" / "tolman" / "benchmarks" / "vsi_bench" / "published.csv"
PLACED = (
    ("Human Level", "tiny subset"),
    ("SpatialStack-5B (Qwen3.5)", ""),
    ("VST-7B-RL", "the model's authors"),
    ("Gemini-3-Pro", "no tools"),
    ("Gemini-1.5 Pro", ""),
    ("LLaVA-Video-72B", ""),
)
"""Published rows on the observer's curves."""
CURVES = (
    ("Abs. Dist.", "abs_distance", ("object_abs_distance",)),
    ("Rel. Dist.", "rel_distance", ("object_rel_distance",)),
    ("Rel. Dir.", "rel_direction", tuple(f"object_rel_direction_{level}" for level in ("easy", "medium", "hard"))),
    ("Obj. Size", "object_size", ("object_size_estimation",)),
    ("Room Size", "room_size", ("room_size_estimation",)),
    ("Obj. Count", "object_count", ("object_counting",)),
)
"""Columns of VSI-Bench's table with a curve: title, key, question types."""
EXACT_COLOURS = 128
"""Of a palette of 256: those of letters, lines and grounds, which many pixels share."""
PART, PART_GAP = 460, 10
"""Width of a picture among several on one, and between them, in pixels."""
RUNS = ("most-frequent", "best-constant", "detector", "oracle")
"""The demonstration's, in the order of its site."""
FULL_SCORE = 1000
"""Of an item, in the site's index."""


def tolman(*arguments: object, cwd: Path = ROOT, module: str = "tolman") -> None:
    """Carry a command out."""
    subprocess.run([sys.executable, "-m", module, *map(str, arguments)], cwd=cwd, check=True, stdout=subprocess.DEVNULL)


def compress(path: Path) -> None:
    """Write a PNG again with a palette: the colours that most pixels have as they are, the frames' ones nearly."""
    with Image.open(path) as opened:
        image = opened.convert("RGB")
    counts = sorted(image.getcolors(image.width * image.height) or (), reverse=True)
    exact = [colour for _, colour in counts[:EXACT_COLOURS]]
    rest = image.quantize(256 - len(exact), Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    red, green, blue = np.moveaxis(np.asarray(image, np.int32), 2, 0)
    codes, places = red << 16 | green << 8 | blue, np.asarray(rest) + len(exact)
    for place, (r, g, b) in enumerate(exact):
        places[codes == (r << 16 | g << 8 | b)] = place
    palette = Image.fromarray(places, "P")
    palette.putpalette([part for colour in exact for part in colour] + (rest.getpalette() or []))
    palette.save(path, optimize=True)


def seen_rightly(site: Path, task: str) -> list[str]:
    """Of each scene, the first item of a question type that the model that sees has right and the best constant wrong."""
    index = value(site, "s0-index")
    tasks, scenes = (next(one for one in index["labels"] if one["name"] == name) for name in ("task", "scene"))
    blind, seeing = (index["runs"][RUNS.index(name)]["scores"][0] for name in ("best-constant", "detector"))
    kind = tasks["values"].index(task)
    found: dict[int, str] = {}
    for identity, code, scene, lost, won in zip(
        index["ids"], tasks["codes"], scenes["codes"], blind, seeing, strict=True
    ):
        if code == kind and not lost and won == FULL_SCORE:
            found.setdefault(scene, identity)
    if not found:
        sys.exit(f"{site}: no question of {task} that baseline/detector alone answers rightly.")
    return list(found.values())


def explorer(demo: Path, data: Path) -> None:
    """Overview, question type, list and item of the demonstration's site, its explained page, and a comparison."""
    site = demo / "site"
    folders = [demo / "runs" / f"baseline-{name}" for name in ("detector", "best-constant")]
    tolman("compare", *folders, "--out", demo / "compare.html", cwd=demo.parent)  # its runs name folders from there
    places = [f"#/item/{identity}?runs=2,1" for identity in seen_rightly(site, "object_rel_direction_hard")]
    filtered = "#/items?a=2&as=wrong&b=1&bs=right&label.task=object_rel_distance"

    def leave(page: Any, name: str, height: int | None = None) -> None:
        """A picture of a page, down to a height in pixels or to its end."""
        page.evaluate("scrollTo(0, 0)")
        whole = page.evaluate("document.documentElement.scrollHeight")
        clip = {"x": 0, "y": 0, "width": SIZE["width"], "height": min(height or whole, whole)}
        path = IMAGES / f"{name}.png"
        page.screenshot(path=path, full_page=True, clip=clip)
        compress(path)
        if path.stat().st_size > MAX_BYTES:
            sys.exit(
                f"{path}: has {path.stat().st_size:,} bytes; {MAX_BYTES:,} are the most. Make its section smaller."
            )

    item = ""
    with browsing() as browser:
        for look in ("light", "dark"):
            context = browser.new_context(viewport=SIZE, color_scheme=look, reduced_motion="reduce")
            page = context.new_page()

            def open_place(place: str, most: int | None = None, page: Any = page) -> None:
                page.goto(f"file://{site}/index.html{place}")
                page.wait_for_function("place => document.body.dataset.ready === place", arg=place)
                for image in page.locator("main img").all()[:most]:  # frames are read when they come into view
                    image.scroll_into_view_if_needed()
                    image.evaluate("image => image.decode()")
                page.evaluate("document.querySelectorAll('.strip').forEach(strip => { strip.scrollTop = 0; })")

            if not item:  # that with the lowest floor plan
                heights = {}
                for place in places:
                    open_place(place)
                    heights[place] = page.evaluate("document.documentElement.scrollHeight")
                item = min(places, key=lambda place: heights[place])
            open_place(item)
            leave(page, "explorer-item" if look == "light" else "explorer-item-dark")
            if look == "light":
                open_place("#/")
                leave(page, "explorer-board", SIZE["height"])
                open_place("#/task/rel_direction")
                leave(page, "explorer-task", 1180)
                open_place(filtered, 4)  # a list that scrolls lets go of its rows
                leave(page, "explorer-list", 560)
                page.goto(f"file://{demo / 'compare.html'}")
                leave(page, "compare")
                page.goto(f"file://{demo / 'explained' / 'index.html'}")
                leave(page, "explained", 1320)
            context.close()


def figures(demo: Path, data: Path) -> None:
    """The demonstration's scores as dots, and the pictures of docs/figures.md."""
    runs = [demo / "runs" / f"baseline-{name}" for name in RUNS]
    tolman("figure", "dots", *runs, "--out", IMAGES / "figure-demo.svg", cwd=demo.parent)
    from figure_pictures import make_pictures

    with tempfile.TemporaryDirectory() as place:
        make_pictures(Path(place), data)


def baselines(demo: Path, data: Path) -> None:
    """README's figure: two baselines on all of VSI-Bench."""
    with tempfile.TemporaryDirectory() as place:
        runs = [Path(place) / name for name in ("best-constant", "most-frequent-text")]
        for run in runs:
            model = ("--model", f"baseline/{run.name}", "--protocol", "blind")
            tolman("run", "vsi-bench", "--data", data, *model, "--out", run)
        tolman("figure", "dots", *runs, "--out", IMAGES / "vsi-bench-baselines.svg")


def observer(demo: Path, data: Path) -> None:
    """The ideal observer's scores on VSI-Bench by its error, and the errors at which published models have theirs."""
    with tempfile.TemporaryDirectory() as place:
        run, scenes = Path(place) / "oracle", data / "meta_info"
        # The release says neither what videos show when nor where floors end.
        tasks = ["object_counting", "object_abs_distance", "object_size_estimation", "room_size_estimation"]
        tasks += ["object_rel_distance", *(f"object_rel_direction_{level}" for level in ("easy", "medium", "hard"))]
        oracle = ("--model", "baseline/oracle", "--scenes", scenes, "--tasks", ",".join(tasks))
        tolman("run", "vsi-bench", "--data", data, *oracle, "--out", run)
        told = subprocess.run(
            [sys.executable, "-m", "tolman", "analyze", "observer", run, "--scenes", scenes, "--json"],
            check=True, capture_output=True, text=True,
        )  # fmt: skip
    draw_curves(json.loads(told.stdout)["runs"]["baseline/oracle"]["fits"]["curves"], IMAGES / "observer-curves.svg")


def draw_curves(curves: Mapping[str, Mapping[str, Any]], out: Path) -> None:
    """A panel for each column of VSI-Bench's table with a curve: its score is the mean of its question types' curves."""
    from matplotlib import pyplot

    from tolman import benchmarks
    from tolman.benchmarks.published import read_published

    pyplot.rcParams.update({"svg.hashsalt": "tolman", "font.size": 8})
    columns = benchmarks.get("vsi-bench").table.columns
    rows = {(row.name, row.setting): row for row in read_published(PUBLISHED, [column.key for column in columns])}
    figure, panels = pyplot.subplots(2, 3, figsize=(7.2, 4.4), sharey=True, layout="constrained")
    for panel, (title, key, tasks) in zip(panels.flat, CURVES, strict=True):
        own = [curves[task] for task in tasks]
        axis, factor = {"position": ("places, m", 1), "size": ("lengths, %", 100), "miss": ("missed, %", 100)}[
            own[0]["axis"]
        ]
        levels = factor * np.array(own[0]["levels"])
        scores = np.mean([one["scores"] for one in own], axis=0)
        panel.plot(levels, scores, color="#0b57a4")
        panel.axhline(np.mean([one["guess"] for one in own]), color="#c05a00", linestyle="--", linewidth=1)
        for marker, name in zip("o^sDv*", PLACED, strict=True):
            figure_of = rows[name].values.get(key)
            if figure_of is not None and figure_of > scores.min():
                # scores fall with the error, and the first level below a score ends the stretch that holds it
                at = np.interp(-figure_of, -np.minimum.accumulate(scores), levels)
                panel.plot(at, figure_of, marker, color="#1b1f24", markersize=4.5, label=name[0])
        panel.set(title=title, xlabel=f"error of {axis}" if axis[0] != "m" else axis, ylim=(0, 102))
    for panel in panels[:, 0]:
        panel.set_ylabel("score")
    named = {
        text: handle for panel in panels.flat for handle, text in zip(*panel.get_legend_handles_labels(), strict=True)
    }
    figure.legend(named.values(), named, loc="outside lower center", ncols=3, frameon=False)
    figure.savefig(out, metadata={"Date": None}, facecolor="white")
    pyplot.close(figure)


def worlds(demo: Path, data: Path) -> None:
    """A frame of a bedroom, of a bathroom and of a street."""
    with tempfile.TemporaryDirectory() as place:
        frames = []
        for shape, count, chosen in WORLDS:
            out = Path(place) / shape.replace(",", "-")
            like = ("--scenes", count, "--seed", 40, "--shapes", shape, "--seconds", 6, "--rate", 2)
            tolman("simulate", *like, "--out", out)
            for scene, frame in chosen:
                with av.open(str(sorted(out.rglob("*.mp4"))[scene])) as video:
                    frames.append(list(video.decode(video=0))[frame].to_image())
        width, height = frames[0].size
        sheet = Image.new("RGB", (3 * width + 16, height), "white")
        for place_of, frame in enumerate(frames):
            sheet.paste(frame, (place_of * (width + 8), 0))
        sheet.resize((1704, round(1704 * sheet.height / sheet.width)), Image.Resampling.LANCZOS).save(
            IMAGES / "worlds.jpg", quality=82, optimize=True
        )


def rooms(demo: Path, data: Path) -> None:
    """Contact sheets: rooms, homes, streets, and pieces of each kind."""
    sheets = (
        ("world_sheet.py", "--out", IMAGES / "rooms-made.jpg"),
        ("world_sheet.py", "--out", IMAGES / "homes.jpg", "--rooms", 0, "--homes", 8),
        ("world_sheet.py", "--out", IMAGES / "outdoors.jpg", "--rooms", 0, "--outdoors", 16),
        ("furniture_sheet.py", "--out", IMAGES / "made-furniture.jpg"),
    )
    for script, *options in sheets:
        subprocess.run([sys.executable, ROOT / "benchmarks" / script, *map(str, options)], cwd=ROOT, check=True)


def families(demo: Path, data: Path) -> None:
    """Examples of the families, by the commands that stand in the pages about them."""
    for worlds_like, asked_like, shown_like in EXAMPLES:
        with tempfile.TemporaryDirectory() as place:
            worlds, bench, answers = (Path(place) / name for name in ("worlds", "bench", "answers.json"))
            tolman("simulate", *worlds_like, "--out", worlds)
            tolman("generate", worlds, *asked_like, "--out", bench)
            sheet = ROOT / "benchmarks" / "contact_sheet.py"
            command = [sys.executable, sheet, bench, "--out", IMAGES, "--answers", answers, *shown_like]
            subprocess.run([*map(str, command)], cwd=ROOT, check=True)
            letters = {
                name: [one["answer"].partition(".")[0] for one in own]
                for name, own in json.loads(answers.read_text(encoding="utf-8")).items()
            }
            for page in sorted((ROOT / "docs" / "families").glob("*.md")):
                page.write_text(with_answers(page.read_text(encoding="utf-8"), letters), encoding="utf-8")


def with_answers(page: str, letters: Mapping[str, Sequence[str]]) -> str:
    """A page on which the lists of answers to its sheets ("- measurement: B, A") are those of the sheets' questions.

    Args:
        page: as it is.
        letters: sheet, by its file's name without ending → the answers to its questions.
    """
    shown = {name.rpartition("/")[2].removesuffix(".jpg") for name in re.findall(r"\]\(([^)]+\.jpg)\)", page)}

    def line(found: re.Match[str]) -> str:
        own = next((letters[name] for name in shown & letters.keys() if name.endswith(f"-{found[1]}")), None)
        return found[0] if own is None else f"- {found[1]}: {', '.join(own)}"

    return re.sub(r"^- ([a-z-]+): [A-F](?:, [A-F])*$", line, page, flags=re.MULTILINE)


def tolman_1(demo: Path, data: Path) -> None:
    """Tolman-1's groups of twins, from the videos that are published."""
    from tolman_1 import sheet

    published = ROOT / "tolman-1"
    with tempfile.TemporaryDirectory() as place:
        drawn = Path(place) / "drawn"
        tolman("simulate", "--config", published / "recipe.toml", "--shard", PUBLISHED_SHARD, "--out", drawn)
        shutil.copytree(published / "places" / "videos", drawn / "videos", dirs_exist_ok=True)
        sheet(drawn).save(IMAGES / "tolman-1.jpg", quality=85)


def correspondence(demo: Path, data: Path) -> None:
    """Lines between points of two frames of a published video."""
    from tolman.media.images import to_jpeg
    from tolman.media.matchers import join
    from tolman.media.sampling import Frames
    from tolman.media.video import read_frames, read_index

    video, frames = MATCHED
    path = ROOT / "tolman-1" / "places" / "videos" / video
    shown = [(to_jpeg(image, Frames()), video) for _, image in read_frames(path, read_index(path), frames)]
    join(shown, "sift").save(IMAGES / "correspondence.jpg", quality=85)


def review(demo: Path, data: Path) -> None:
    """The web application's pictures, which its tests leave on their way."""
    paths = sorted((ROOT / "tests" / "review").rglob("test_browser*.py"))
    words = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-m", "", *map(str, paths)]
    subprocess.run(words, cwd=ROOT, check=True, env=os.environ | {"TOLMAN_SCREENSHOTS": "1"})
    for first in IMAGES.glob("workbench-evidence-*-0.png"):
        gather(first.stem.removesuffix("-0"))
    for path in (*IMAGES.glob("review-*.png"), *IMAGES.glob("workbench-*.png")):
        compress(path)


def gather(name: str) -> None:
    """One picture, three in a row, instead of those that end with -0.png, -1.png and so on."""
    parts = sorted(IMAGES.glob(f"{name}-[0-9]*.png"), key=lambda path: int(path.stem.rpartition("-")[2]))
    shown = []
    for path in parts:
        with Image.open(path) as opened:
            image = opened.convert("RGB")
        image.thumbnail((PART, PART * 4), Image.Resampling.LANCZOS)
        shown.append(image)
    across, down = min(3, len(shown)), PART_GAP + max(one.height for one in shown)
    sheet = Image.new("RGB", ((PART + PART_GAP) * across, down * -(-len(shown) // across)), "white")
    for number, one in enumerate(shown):
        sheet.paste(one, (number % across * (PART + PART_GAP), number // across * down))
    sheet.save(IMAGES / f"{name}.png")
    for path in parts:
        path.unlink()


GROUPS: dict[str, Callable[[Path, Path], None]] = {
    "explorer": explorer,
    "figures": figures,
    "baselines": baselines,
    "observer": observer,
    "worlds": worlds,
    "rooms": rooms,
    "families": families,
    "tolman-1": tolman_1,
    "correspondence": correspondence,
    "review": review,
}
OF_VSI_BENCH = ("figures", "baselines", "observer")
OF_THE_DEMO = ("explorer", "figures")


def main() -> None:
    """Make the pictures that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--demo", type=Path, help="folder of a demonstration that was run; it is run anew unless given")
    shared = Path(os.environ.get("TOLMAN_SHARED", ROOT.parent / "shared"))
    parser.add_argument(
        "--data", type=Path, default=shared / "data" / "vsi-bench", help="folder of VSI-Bench's parquet"
    )
    parser.add_argument("--only", default=",".join(GROUPS), help=f"of {', '.join(GROUPS)}, with commas between")
    asked = parser.parse_args()
    if unknown := set(asked.only.split(",")) - set(GROUPS):
        parser.error(f"--only: there is no group {', '.join(sorted(unknown))}; there are {', '.join(GROUPS)}.")
    with tempfile.TemporaryDirectory() as place:
        left = make_groups(asked.only.split(","), asked.demo, asked.data, Path(place))
    if left:
        sys.exit("Left out:\n" + "\n".join(left))


def make_groups(names: list[str], demo: Path | None, data: Path, place: Path) -> list[str]:
    """Make the pictures of some groups; those whose input is missing, and what they lack.

    Args:
        names: of the groups.
        demo: a demonstration that was run; None for a new one, which is run where one is needed.
        data: folder of VSI-Bench's parquet.
        place: where a new demonstration goes.
    """
    left = []
    for name in names:
        if name in OF_VSI_BENCH and not list(data.glob("*.parquet")):
            left.append(f"{name}: no parquet of VSI-Bench in {data}; --data names the folder")
        elif name in ("explorer", "review") and not Path(CHROMIUM).exists():
            left.append(f"{name}: Chromium isn't installed (Debian's package chromium)")
        elif name == "review" and not shutil.which("postgres") and not list(Path("/usr/lib/postgresql").glob("*/bin")):
            left.append(f"{name}: PostgreSQL isn't installed (Debian's package postgresql)")
        else:
            if name in OF_THE_DEMO and demo is None:
                tolman(cwd=place, module="tolman.demo.guide")
                demo = place / "demo"
            print(f"{name} …", flush=True)
            GROUPS[name]((demo or place).resolve(), data.resolve())
    return left


if __name__ == "__main__":
    main()
