"""The demonstration: baselines on an extract of real questions, without any download."""
