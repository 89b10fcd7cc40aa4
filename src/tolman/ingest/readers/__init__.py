"""Reading the files that formats consist of: code shared by several of them, or too long for one."""
