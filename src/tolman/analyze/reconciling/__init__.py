"""Why two runs or logs of one benchmark have different scores: causes by item, and pieces that add up.

The pure core of `tolman reconcile`: `sides` (what is known of each item on each side), `switching` (which causes change
an item's score), `waterfall` (their Shapley values in a figure, in exact fractions), `reconcile` (all of it).
"""
