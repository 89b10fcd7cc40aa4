"""Fetching released data from the Hugging Face hub: what is there, what of it is needed, and bringing it here.

```
listing     a repository's commit and files, where it has moved to; kept for each commit
choosing    which of the files hold a subset's questions and media
space       whether the disks have room for them
transfer    files into the hub's own cache: a file that was broken off goes on, and its hash is checked
unpacking   archives beside the cache
lock        tolman.lock: the revision and the hashes of question files
refusals    what the hub's client raises, as one sentence
```
"""
