"""Reading the files that formats consist of: what is the same for several of them, and what is too long for one."""
