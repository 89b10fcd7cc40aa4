"""Learners of the shortcut audit, a file for each: `OUTSIDE_LEARNER`."""
