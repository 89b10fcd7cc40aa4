"""The verbs of the command line, a module for each group of them; heavy imports stay inside the commands."""

EMPTY = "tolman.empty"
"""The key of a context's notes that has the options which were given an empty text: a path made of one would be the
working directory."""
