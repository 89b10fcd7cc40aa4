"""Guessing: how much of a benchmark a learner gets that doesn't see what is asked about.

```
folds        which items are held out together
words        phrases of a question, parts of an option
statistics   sums over the answers of the other folds
features     items as rows of numbers
learners     random forest, gradient boosting
answer_space the answers that items without letters have, as classes and as offers
blind        answers to every item from the other folds' texts and answers
from_cues    answers to every item from what is told of it beside its text
frequent     the text that is right most often
pruning      leaving out questions until predictors are right as often as by chance
```
"""
