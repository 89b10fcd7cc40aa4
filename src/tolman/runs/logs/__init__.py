"""Evaluation logs of other programs, one module for each program, and how their rows find their items."""
