"""Guessing: the score of a learner on a benchmark without seeing its media.

```
folds         which items are held out together, and sums over the answers of the other folds
features      phrases of a question, parts of an option; items as rows of numbers
learners      random forest, gradient boosting; leaving out questions until they are right as often as by chance
answer_space  the answers that items without letters have, as classes and as offers
blind         answers to every item from the other folds' texts and answers, or from cues; the most frequent text
```"""
