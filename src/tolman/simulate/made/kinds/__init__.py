"""Kinds of furniture by family: a module declares its own in `FURNITURE_KINDS`, with sizes and rules."""
