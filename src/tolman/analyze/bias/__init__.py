"""Bias: how much of a benchmark a learner gets that never sees a picture, and which items to leave out for it.

```
analysis     blind scores of all items, and of subsets
prune        leaving out the items that are guessed best
```
"""
