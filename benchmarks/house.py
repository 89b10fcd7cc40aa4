"""Print the size of the code: modules, lines, imports inside functions, repeated module names, import circles.

    python benchmarks/house.py

Files are parsed, never imported. `tests/test_walls.py` uses `import_graph` and `circles` too.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections import Counter, deque
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
USUAL_NAMES = {"__init__", "config", "compute", "render"}
"""Module names that several packages are meant to have."""
_NO_CODE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def modules_of(package: Path) -> dict[str, Path]:
    """Map the dotted name of each module of a package, the package's own included, to its file."""
    found = {}
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports_of(tree: ast.AST, *, inside: bool = False) -> Iterator[tuple[ast.Import | ast.ImportFrom, bool]]:
    """Find the imports of a module, and whether each is inside a function; not those under `if TYPE_CHECKING:`."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test).rpartition(".")[2] == "TYPE_CHECKING":
            yield from imports_of(ast.Module(node.orelse, []), inside=inside)
            continue
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node, inside
        yield from imports_of(node, inside=inside or isinstance(node, _FUNCTIONS))


def imported_names(node: ast.Import | ast.ImportFrom, modules: Mapping[str, Path]) -> set[str]:
    """Name the modules that a statement imports; `from a import b` means the module a.b where there is one."""
    if isinstance(node, ast.Import):
        return {alias.name for alias in node.names}
    names = {f"{node.module}.{alias.name}" for alias in node.names}
    return {name if name in modules else str(node.module) for name in names}


def import_graph(package: Path) -> dict[str, set[str]]:
    """Map each module of a package to those that it imports, anywhere but under `if TYPE_CHECKING:`.

    The packages that Python imports on the way to a module don't count.
    """
    modules = modules_of(package)
    graph = {}
    for name, path in modules.items():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        found = {other for node, _ in imports_of(tree) for other in imported_names(node, modules)}
        graph[name] = {other for other in found if other in modules and other != name}
    return graph


def circles(graph: Mapping[str, set[str]]) -> dict[str, list[str]]:
    """Map each module that imports itself by way of others to its shortest circle, which ends with the module."""
    left = {name: set(others) for name, others in graph.items()}
    while ends := {name for name, others in left.items() if not others & left.keys()}:
        left = {name: others for name, others in left.items() if name not in ends}
    found = {}
    for name in left:
        before: dict[str, str] = {}
        waiting = deque([name])
        while waiting and name not in before:
            here = waiting.popleft()
            for other in sorted(left[here] & left.keys() - before.keys()):
                before[other] = here
                waiting.append(other)
        if name in before:
            circle = [name]
            while before[circle[-1]] != name:
                circle.append(before[circle[-1]])
            found[name] = [*circle[1:][::-1], name]
    return found


def code_lines(text: str) -> int:
    """Count the lines that hold code: no blank lines, comments or texts that stand alone, such as docstrings."""
    texts = {
        line
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in _NO_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    return len(lines - texts)


def main() -> None:
    """Print one number a line."""
    modules = modules_of(ROOT / "src" / "tolman")
    sources = [path.read_text(encoding="utf-8") for path in modules.values()]
    tests = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "tests").rglob("*.py"))]
    own = others = 0
    for text in sources:
        for node, inside in imports_of(ast.parse(text)):
            if inside:
                is_own = any(name.split(".")[0] == "tolman" for name in imported_names(node, modules))
                own, others = own + is_own, others + (not is_own)
    counts = Counter(path.stem for path in modules.values() if path.stem not in USUAL_NAMES)
    repeated = {name: count for name, count in sorted(counts.items()) if count > 1}
    graph = import_graph(ROOT / "src" / "tolman")
    print(f"modules                                 {len(modules):7,}")
    print(f"code lines                              {sum(map(code_lines, sources)):7,}")
    print(f"code lines of tests                     {sum(map(code_lines, tests)):7,}")
    print(f"imports inside functions, of tolman     {own:7,}")
    print(f"imports inside functions, of others     {others:7,}")
    print(f"module names used more than once        {len(repeated):7,}")
    for name, count in repeated.items():
        print(f"    {name} {count}")
    found = circles(graph)
    print(f"modules in circles                      {len(found):7,}")
    for circle in found.values():
        print(f"    {circle[-1]} → {' → '.join(circle)}")


if __name__ == "__main__":
    main()
