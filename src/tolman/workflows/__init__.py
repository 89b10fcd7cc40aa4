"""Use cases: a typed config in, events by callback, a dataclass out. No console, no signals, no event loop.

A module for each: `config` has what their settings have in common. The command line translates its options to the
same configs (`tolman.commands.configured`), and the Python API calls the same functions (`tolman`).
Nothing heavy is imported at the top of a module, as the command line reads the configs before it starts.
"""
