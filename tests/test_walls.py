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
    {"api"},
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
