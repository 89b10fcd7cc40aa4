"""The analyses: a module for each, pure functions from items and scores to a dataclass. Nothing here reads or prints.

`tolman.features.analyses` reads their inputs, and `tolman.reports.analysis_results` shows their results.
"""
