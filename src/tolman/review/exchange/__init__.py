"""Exchange with other annotation programs, a module for each format."""
