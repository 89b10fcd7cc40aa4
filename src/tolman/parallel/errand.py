"""One call on a machine of a cluster.

This module goes there as it is, so that it can tell where Tolman isn't installed: until it knows, it imports nothing
but the standard library.
"""

from __future__ import annotations

from typing import Any, Literal, TypedDict

State = Literal["done", "raised", "refused"]
"""What came of a call: a value, an error, or a sentence why the machine can't do such work."""


class Terms(TypedDict):
    """What a machine must have for the work.

    Attributes:
        version: of Tolman.
        folder: that relative paths are meant from.
        plugins: files that are loaded.
        shared: files and folders that it must see.
    """

    version: str
    folder: str
    plugins: list[str]
    shared: list[str]


def carry_out(terms: Terms, call: bytes) -> tuple[State, Any]:
    """Do the work, or tell why not.

    Args:
        terms: what the machine must have.
        call: the function and its argument, pickled: of what they are made is only there when plugins are loaded.

    Returns:
        The state; with it the pickled result, the pickled error, or a sentence.
    """
    import os
    import pickle
    import platform

    here = platform.node()
    try:
        import tolman
    except ImportError as error:
        missing = "tolman" if error.name == "tolman" else str(error)
        return "refused", f"the cluster's machine {here} has no {missing}: install tolman {terms['version']} on each."
    if tolman.__version__ != terms["version"]:
        return "refused", (
            f"the cluster's machine {here} has tolman {tolman.__version__}, and this is {terms['version']}: install "
            "the same version on each."
        )
    if os.path.isdir(terms["folder"]) and os.getcwd() != terms["folder"]:
        os.chdir(terms["folder"])
    for path in (*terms["shared"], *terms["plugins"]):
        if not os.path.exists(path):
            return "refused", (
                f"the cluster's machine {here} does not see {path}: put it on a disk that all machines share, under "
                "the same path on each."
            )
    from tolman.plugins import load_plugins

    try:
        load_plugins(terms["plugins"])
        function, argument = pickle.loads(call)
        return "done", pickle.dumps(function(argument), protocol=pickle.HIGHEST_PROTOCOL)
    except Exception as error:
        try:
            content = pickle.dumps(error)
            pickle.loads(content)
        except Exception:  # an error of a package's own, with what can't be copied
            content = pickle.dumps(RuntimeError(f"{type(error).__name__}: {error}"))
        return "raised", content
