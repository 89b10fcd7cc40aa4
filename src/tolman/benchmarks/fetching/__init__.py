"""Fetching released data from the Hugging Face hub: its listing, the needed files, and their download.

```
listing     the hub that is asked, its errors, and a repository's commit and files; kept for each commit
transfer    files into the hub's own cache: interrupted downloads resume, hashes are checked, archives are unpacked
lock        tolman.lock: the revision and the hashes of question files
```"""
