"""Features: the work of commands, a folder each with its settings (`config`), work (`compute`) and tables
(`render`)."""
