"""Run published results again."""
