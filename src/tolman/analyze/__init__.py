"""The analyses: a module for each, pure functions from items and scores to a dataclass. Nothing here reads or prints.

`tolman analyze NAME` finds its edge (reading files, printing) in the module of the same name under `reports.analyses`.
"""
