"""The shortcut audit: whether learners that shortcut filtering doesn't use guess a benchmark's answers from its text.

```
outside_learner   the interface of a learner, the questions as it sees them, their features, the registry
learners          a file for each
learner_trials    which questions are taught and asked; scores of learners, of chance and of constants
shortcut_audit    the whole, question type by question type: pass, FAIL, too few
```
"""
