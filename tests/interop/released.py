"""Functions of released repositories, loaded at test time out of their git objects; nothing of them is kept here.

The repositories stand in the folder that TOLMAN_REPOSITORIES names, each as OWNER+NAME with a clone in it (`repo`, bare
or not). Of a file only the functions, constants and statements that are asked for are executed, so that none of what
it imports needs to be installed.
"""

from __future__ import annotations

import ast
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

VARIABLE = "TOLMAN_REPOSITORIES"


def source_of(repository: str, path: str) -> str:
    """The text of a file in a repository's newest commit; the test is skipped where the repository is absent.

    Args:
        repository: "owner/name".
        path: inside of it.
    """
    return content_of(repository, path).decode()


def content_of(repository: str, path: str, commit: str = "HEAD") -> bytes:
    """The bytes of a file in a commit of a repository; the test is skipped where the repository is absent."""
    shown = subprocess.run(["git", f"--git-dir={_git(repository)}", "show", f"{commit}:{path}"], capture_output=True)
    assert shown.returncode == 0, f"{repository} has no {path}: {shown.stderr.decode()}"
    return shown.stdout


def files_in(repository: str, folder: str) -> list[str]:
    """The paths of the files below a folder in a repository's newest commit."""
    listed = ["git", f"--git-dir={_git(repository)}", "ls-tree", "-r", "-z", "--name-only", f"HEAD:{folder}"]
    found = subprocess.run(listed, capture_output=True, text=True, encoding="utf-8", check=True).stdout
    return [f"{folder}/{name}" for name in found.split("\0") if name]


def _git(repository: str) -> Path:
    folder = os.environ.get(VARIABLE)
    if not folder:
        pytest.skip(f"set {VARIABLE} to a folder of clones of released repositories, named OWNER+NAME/repo")
    place = Path(folder) / repository.replace("/", "+") / "repo"
    git = place / ".git" if (place / ".git").is_dir() else place
    if not git.is_dir():
        pytest.skip(f"{repository} is not in {folder}")
    return git


def load(repository: str, path: str, *names: str, **known: Any) -> dict[str, Any]:
    """Functions and constants of a file by name, wherever they are defined.

    Args:
        repository, path: the file.
        names: what is taken, in the order of the file.
        known: what they use besides: modules, and what stands in for what isn't needed.
    """
    tree = ast.parse(source_of(repository, path))
    taken: list[ast.stmt] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name in names:
            node.decorator_list = []
            node.returns = None
            for argument in (*node.args.args, *node.args.kwonlyargs):
                argument.annotation = None
            taken.append(node)
        elif isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id in names for t in node.targets):
            taken.append(node)
    taken.sort(key=lambda node: node.lineno)
    found = dict(known)
    exec(compile(ast.Module(body=taken, type_ignores=[]), f"{repository}/{path}", "exec"), found)
    missing = [name for name in names if name not in found]
    assert not missing, f"{repository}/{path} no longer has {missing}"
    return found


def branch(repository: str, path: str, function: str, test: str, **known: Any) -> Callable[..., dict[str, Any]]:
    """An `if` statement inside of a function, as a function of the variables that it uses.

    Args:
        repository, path, function: where it stands.
        test: the source of its first condition.
        known: modules that it uses.
    """
    tree = ast.parse(source_of(repository, path))
    (body,) = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == function]
    (found,) = [node for node in ast.walk(body) if isinstance(node, ast.If) and ast.unparse(node.test) == test]
    code = compile(ast.Module(body=[found], type_ignores=[]), f"{repository}/{path}", "exec")

    def run(**variables: Any) -> dict[str, Any]:
        names = {**known, **variables}
        exec(code, names)
        return names

    return run
