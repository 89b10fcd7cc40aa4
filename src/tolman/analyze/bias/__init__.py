"""Bias: how much of a benchmark a learner gets that never sees a picture.

```
folds        which items are held out together
words        phrases of a question, parts of an option
statistics   sums over the answers of the other folds
features     items as rows of numbers
learners     random forest, gradient boosting, and the most rewarded constant
blind        answers to every item from the other folds
prune        leaving out the items that are guessed best
```
"""
