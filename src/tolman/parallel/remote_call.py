"""One call on a machine of a cluster, and something that is made there once and asked often.

This module goes there as it is, so that it can report that Tolman isn't installed: until it knows, it imports nothing
but the standard library.
"""

from __future__ import annotations

from typing import Any, Literal, TypedDict

State = Literal["done", "raised", "refused"]
"""What came of a call: a value, an error, or a sentence why the machine can't do such work."""


class Terms(TypedDict):
    """Requirements on a machine for the work.

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
    """Do the work, or return the reason why not.

    Args:
        terms: requirements on the machine.
        call: the function and its argument, pickled: their types may only be there when plugins are loaded.

    Returns:
        The state; with it the pickled result, the pickled error, or a sentence.
    """
    import pickle

    state, value = _called(terms, call)
    if state != "done":
        return state, value
    try:
        return state, pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
    except Exception as error:
        return _failed(error)


def _called(terms: Terms, call: bytes) -> tuple[State, Any]:
    """As `carry_out`, but the result of the call as it is."""
    import pickle

    refused = refusal(terms)
    if refused is not None:
        return "refused", refused
    try:
        from tolman.plugins import load_plugins

        load_plugins(terms["plugins"])
        function, argument = pickle.loads(call)
        return "done", function(argument)
    except Exception as error:
        return _failed(error)


class Kept:
    """An object that a function makes once on a machine of a cluster and keeps there, such as a loaded network.

    Args:
        terms: requirements on the machine.
        call: the function that makes it and its argument, pickled.
    """

    def __init__(self, terms: Terms, call: bytes) -> None:
        self._state, self._made = _called(terms, call)

    async def ask(self, call: bytes) -> tuple[State, Any]:
        """Call a function of the object and of an argument, both pickled; any number may be under way.

        Returns:
            As `carry_out`; for an object that could not be made, always why.
        """
        import inspect
        import pickle

        if self._state != "done":
            return self._state, self._made
        try:
            function, argument = pickle.loads(call)
            value = function(self._made, argument)
            if inspect.isawaitable(value):
                value = await value
            return "done", pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
        except Exception as error:
            return "raised", packed(error)


def _failed(error: Exception) -> tuple[State, Any]:
    """Return the result of a call that raised; a missing extra or display is reported with the machine's name."""
    import platform

    from tolman.errors import MissingExtraError, NoDisplayError

    if isinstance(error, MissingExtraError | NoDisplayError):
        return "refused", f"on the cluster's machine {platform.node()}, {error}"
    return "raised", packed(error)


def refusal(terms: Terms) -> str | None:
    """A sentence why this machine can't do the work, if it can't."""
    import os
    import platform

    here = platform.node()
    try:
        import tolman
    except ImportError as error:
        missing = "tolman" if error.name == "tolman" else str(error)
        return f"the cluster's machine {here} has no {missing}: install tolman {terms['version']} on each."
    if tolman.__version__ != terms["version"]:
        return (
            f"the cluster's machine {here} has tolman {tolman.__version__}, and this is {terms['version']}: install "
            "the same version on each."
        )
    if os.path.isdir(terms["folder"]) and os.getcwd() != terms["folder"]:
        os.chdir(terms["folder"])
    for path in (*terms["shared"], *terms["plugins"]):
        if not os.path.exists(path):
            return (
                f"the cluster's machine {here} does not see {path}: put it on a disk that all machines share, under "
                "the same path on each."
            )
    return None


def packed(error: Exception) -> bytes:
    """An error as it travels; one that can't be copied as its text."""
    import pickle

    try:
        content = pickle.dumps(error)
        pickle.loads(content)
    except Exception:  # an error of a package's own, with what can't be copied
        content = pickle.dumps(RuntimeError(f"{type(error).__name__}: {error}"))
    return content
