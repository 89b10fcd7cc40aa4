"""Ground truth: scenes as arrays, with people's corrections, and the answers that question families compute from them.

The families themselves are in `generate.families`, in plugins and in other packages; `question_families` finds them.
"""
