"""The walls of the house: imports point downwards, heavy packages stay out of the command line's start."""

import ast
import re
import runpy
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "tolman"
LEVELS = [
    {"errors"},
    {"extras"},
    {"forks", "runtime", "visible"},
    {"plugins"},
    {"registry", "files", "text_tables", "toml_catalogue"},
    {"storage", "memory"},
    {"items", "responses", "scenes"},
    {"item_table", "scene_table", "messages", "cognitive_maps"},
    {"scoring", "media", "geometry", "parallel"},
    {"scene_shards"},
    {"kinds"},
    {"benchmarks"},
    {"ground_truth", "guessing"},
    {"models", "protocols"},
    {"runs", "analyze"},
    {"exports"},
    {"reports"},
    {"ingest"},
    {"generate", "simulate"},
    {"curate"},
    {"review"},
    {"features"},
    {"api"},
    {"commands"},
    {"cli"},
    {"__main__", "demo"},
]
PARTS = {
    "build": (
        "ingest", "generate", "curate", "features.scenes", "features.generate", "features.curate", "commands.construct",
    ),
    "worlds": ("simulate", "features.scenes.simulation"),
    "review": ("review", "features.review", "commands.review"),
}  # fmt: skip
"""Packages and modules of each part; the longest name decides, and core has all others."""
USES: dict[str, set[str]] = {"core": set(), "build": {"core"}, "worlds": {"core"}, "review": {"core", "build"}}
"""Parts that the modules of a part import. What else they need of others is found by name: `registry.later`."""
ALSO_USES = {
    (
        "simulate.rig_sensors",
        "ingest.clouds.recording",
    ),  # sweeps are written in the form that ingest reads and measures
    ("features.scenes.simulation", "features.scenes.config"),  # worlds and scans are scenes, with options in common
}
"""Imports of one module by another that no rule allows."""
KEPT_IN = {
    "Console": r"commands/|features/printing\.py|features/\w+/render\.py",
    "asyncio.run": r"runtime\.py",
    "signal.signal": r"runtime\.py|models/guard\.py",  # the guard is a program of its own
    "stoppable": r"runtime\.py|commands/|demo/",
}
"""Names that belong to a few modules: what is below them works without a terminal, in threads and in event loops."""
MOST_MODULES = 600
"""Modules of the package, at most: a reader finds a rule in few places."""
MOST_INNER_IMPORTS = 200
"""Imports inside functions, at most: a module shows at its top which others it needs."""
SUFFIXES = (
    ".py",
    ".json",
    ".jsonl",
    ".toml",
    ".csv",
    ".parquet",
    ".sha256",
    ".tsv",
    ".db",
    ".md",
    ".html",
    ".lock",
    ".svg",
)
"""Endings of files, which look like dotted names."""
HOUSE = runpy.run_path(str(PACKAGE.parents[1] / "benchmarks" / "house.py"))
LEVEL = {name: i for i, names in enumerate(LEVELS) for name in names}


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def test_imports_point_downwards() -> None:
    upward = []
    for path in PACKAGE.rglob("*.py"):
        own = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        if own == "__init__":
            continue
        for node in ast.walk(parsed(path)):
            names = [node.module] if isinstance(node, ast.ImportFrom) and node.module else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module == "tolman":
                names = [f"tolman.{alias.name}" for alias in node.names if alias.name != "__version__"]
            for name in names:
                parts = name.split(".")
                if parts[0] == "tolman" and len(parts) > 1 and parts[1] != own and LEVEL[parts[1]] >= LEVEL[own]:
                    upward.append(f"{path.relative_to(PACKAGE)} imports {name}")
    assert not upward, "\n".join(upward)


def part_of(module: str) -> str:
    named = {name: part for part, names in PARTS.items() for name in names}
    around = [name for name in named if f"{module}.".startswith(f"{name}.")]
    return named[max(around, key=len)] if around else "core"


@pytest.mark.parametrize(
    ("module", "part"),
    [
        ("registry", "core"),
        ("generated", "core"),
        ("features.run.compute", "core"),
        ("generate", "build"),
        ("features.scenes.compute", "build"),
        ("features.scenes.simulation", "worlds"),
        ("review.store.pool", "review"),
    ],
)
def test_the_longest_name_decides_a_modules_part(module: str, part: str) -> None:
    assert part_of(module) == part


def test_parts_import_only_parts_that_they_use() -> None:
    graph = {
        _short(name): {_short(other) for other in others} for name, others in HOUSE["import_graph"](PACKAGE).items()
    }
    assert {name for names in PARTS.values() for name in names} <= graph.keys()
    through = {
        (name, other)
        for name, others in graph.items()
        for other in others
        if part_of(other) not in USES[part_of(name)] | {part_of(name)}
    }
    found = [f"{name} ({part_of(name)}) imports {other} ({part_of(other)})" for name, other in through - ALSO_USES]
    assert not found, "\n".join(sorted(found))
    assert through == ALSO_USES, "leave out exceptions that are no longer needed"


def _short(module: str) -> str:
    return module.removeprefix("tolman").removeprefix(".")


def test_no_module_imports_itself_by_way_of_others() -> None:
    graph = HOUSE["import_graph"](PACKAGE)
    assert len(graph) > 100
    found = HOUSE["circles"](graph)
    assert not found, "\n".join(" → ".join((circle[-1], *circle)) for circle in found.values())


def test_circles_of_any_size_are_found_in_all_imports_that_are_run(tmp_path: Path) -> None:
    package = tmp_path / "house"
    package.mkdir()
    for name, text in {
        "__init__": "",
        "a": "from house import b",
        "b": "def later():\n    import house.c",
        "c": "class C:\n    from house.a import x",
        "d": "from house.a import x",  # imports a circle, and is in none
        "e": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from house.f import x\nelse:\n    import house.g",
        "f": "import house.e",
        "g": "import house.e",
    }.items():
        (package / f"{name}.py").write_text(text)
    assert HOUSE["circles"](HOUSE["import_graph"](package)) == {
        "house.a": ["house.b", "house.c", "house.a"],
        "house.b": ["house.c", "house.a", "house.b"],
        "house.c": ["house.a", "house.b", "house.c"],
        "house.e": ["house.g", "house.e"],
        "house.g": ["house.e", "house.g"],
    }


def test_there_are_few_modules() -> None:
    count = len(HOUSE["modules_of"](PACKAGE))
    assert count <= MOST_MODULES, f"{count} modules: merge small ones that change together"


def test_few_imports_are_inside_functions() -> None:
    counts = {path: sum(inside for _, inside in HOUSE["imports_of"](parsed(path))) for path in PACKAGE.rglob("*.py")}
    most = ", ".join(f"{path.relative_to(PACKAGE)} ({counts[path]})" for path in sorted(counts, key=counts.get)[-5:])
    assert sum(counts.values()) <= MOST_INNER_IMPORTS, f"{sum(counts.values())} imports are inside functions: {most}"


def names_in(path: Path) -> set[str]:
    """The names and dotted names that a module uses or imports; not those of its texts."""
    found = set()
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.Attribute):
            found.add(node.attr)
            if isinstance(node.value, ast.Name):
                found.add(f"{node.value.id}.{node.attr}")
        elif isinstance(node, ast.ImportFrom):
            found |= {name for alias in node.names for name in (alias.name, f"{node.module}.{alias.name}")}
    return found


def test_terminals_event_loops_and_signals_stay_where_they_belong() -> None:
    strays = []
    for path in PACKAGE.rglob("*.py"):
        own = path.relative_to(PACKAGE).as_posix()
        used = names_in(path)
        for name, places in KEPT_IN.items():
            if name in used and not re.match(places, own):
                strays.append(f"{own} uses {name}, which belongs to {places}")
    assert not strays, "\n".join(strays)


def test_configs_import_nothing_heavy() -> None:
    heavy = ("polars", "numpy", "pydantic", "rich", "typer", "matplotlib", "aiohttp", "jinja2")
    paths = list((PACKAGE / "features").rglob("config.py"))
    assert len(paths) > 10
    names = [".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts) for path in paths]
    code = f"import sys\nfor name in {names!r}: __import__(name)\nprint([m for m in {heavy!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_command_line_starts_without_heavy_packages() -> None:
    heavy = ("polars", "numpy", "pydantic", "matplotlib", "aiohttp", "jinja2", "asyncio", "filelock")
    code = (
        "import sys, tolman.cli\nfor name in tolman.cli.COMMANDS: tolman.cli.command(name)\n"
        f"print([m for m in {heavy!r} if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


REVIEW_ROOMS = (
    "server_settings", "store", "accounts", "exchange", "forms", "evidence", "site", "media", "tasks", "studies",
    "modes", "projects", "console", "routes", "server", "scene_picking",
)  # fmt: skip
"""Rooms and modules of `review`, the lowest first; each imports only from those before it, so there is no circle."""


def test_rooms_of_review_import_downwards() -> None:
    review = PACKAGE / "review"
    place = {room: i for i, room in enumerate(REVIEW_ROOMS)}
    found = {path.stem for path in review.iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()}
    assert found - {"__init__"} == set(REVIEW_ROOMS)
    upward = []
    for path in review.rglob("*.py"):
        own = path.relative_to(review).parts[0].removesuffix(".py")
        if own == "__init__":
            continue
        for node in ast.walk(parsed(path)):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module:
                whole = node.module == "tolman.review"
                names = [f"tolman.review.{alias.name}" for alias in node.names] if whole else [node.module]
            rooms = {name.split(".")[2] for name in names if name.startswith("tolman.review.")}
            upward += [f"{path.relative_to(review)} imports {room}" for room in rooms if place[room] > place[own]]
    assert not upward, "\n".join(upward)


def test_modules_that_docstrings_and_pages_name_are_there() -> None:
    """A dotted name in backticks that begins with a package names a module, or something that a module holds."""
    modules = {_dotted(path): path for path in PACKAGE.rglob("*.py")}
    packages = {name.partition(".")[0] for name in modules} - {""}
    root = PACKAGE.parents[1]
    wrong = []
    for path in [*modules.values(), *root.glob("*.md"), *root.glob("docs/**/*.md")]:
        for name in re.findall(r"`(?:tolman\.)?((?:[a-z_0-9]+\.)+\w+)(?:\(.*?\))?`", path.read_text(encoding="utf-8")):
            if name.partition(".")[0] in packages and not name.endswith(SUFFIXES) and not _is_there(name, modules):
                wrong.append(f"{path.relative_to(root)}: {name}")
    assert not wrong, "\n".join(wrong)


def _dotted(path: Path) -> str:
    return ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix("__init__").removesuffix(".")


def _is_there(name: str, modules: dict[str, Path]) -> bool:
    parts = name.split(".")
    home = next(".".join(parts[:n]) for n in range(len(parts), 0, -1) if ".".join(parts[:n]) in modules)
    held = name[len(home) + 1 :].partition(".")[0]
    return not held or re.search(rf"\b{held}\b", modules[home].read_text(encoding="utf-8")) is not None
