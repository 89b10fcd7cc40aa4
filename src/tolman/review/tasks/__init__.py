"""Tasks: assignments, submissions, their marks, decisions, agreement, and the contract of a mode."""
