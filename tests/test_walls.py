"""The walls of the house: imports point downwards, heavy packages stay out of the command line's start."""

import ast
import subprocess
import sys
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "tolman"
LEVELS = [
    {"errors"},
    {"names", "runtime"},
    {"plugins"},
    {"registry", "files"},
    {"items", "responses", "scenes"},
    {"item_table", "scene_table", "messages", "cognitive_maps"},
    {"scoring", "media", "geometry", "parallel", "scene_parts"},
    {"benchmarks"},
    {"ingest", "guessing"},
    {"generate"},
    {"models", "protocols"},
    {"runs", "simulate", "analyze"},
    {"curate"},
    {"review"},
    {"reports"},
    {"workflows"},
    {"commands", "demo"},
    {"cli"},
    {"__main__"},
]
LEVEL = {name: i for i, names in enumerate(LEVELS) for name in names}


def test_imports_point_downwards() -> None:
    upward = []
    for path in PACKAGE.rglob("*.py"):
        own = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        if own == "__init__":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [node.module] if isinstance(node, ast.ImportFrom) and node.module else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module == "tolman":
                names = [f"tolman.{alias.name}" for alias in node.names if alias.name != "__version__"]
            for name in names:
                parts = name.split(".")
                if parts[0] == "tolman" and len(parts) > 1 and parts[1] != own and LEVEL[parts[1]] >= LEVEL[own]:
                    upward.append(f"{path.relative_to(PACKAGE)} imports {name}")
    assert not upward, "\n".join(upward)


def test_the_command_line_starts_without_heavy_packages() -> None:
    code = "import sys, tolman.cli; print([m for m in ('polars', 'numpy', 'pydantic', 'matplotlib', 'aiohttp', 'jinja2') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


REVIEW_ROOMS = (
    "settings", "store", "accounts", "forms", "evidence", "site", "access", "pages", "media", "tasks", "modes",
    "projects", "routes", "app", "server",
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
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module:
                whole = node.module == "tolman.review"
                names = [f"tolman.review.{alias.name}" for alias in node.names] if whole else [node.module]
            rooms = {name.split(".")[2] for name in names if name.startswith("tolman.review.")}
            upward += [f"{path.relative_to(review)} imports {room}" for room in rooms if place[room] > place[own]]
    assert not upward, "\n".join(upward)
