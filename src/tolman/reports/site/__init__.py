"""The explorer: runs as a static site of tables, lists and pages of items, which works from a disk and from a server.

A page that is opened from a disk may not fetch, so data come as scripts that call one function (`packing`). The data of
a list is in one small index; questions, responses, pictures and floor plans follow in shards when they are wanted.

```
index.html  site.css  *.js     the application, the same for every site
data/site.js                   which question sets there are, and the headline of each run
data/S-board.js                tables of question set S
data/S-index.js                a column for each thing that items are filtered and sorted by
data/S-readings.js             true answers and those read of each run, for the pages of question types
data/S-items-N.js              questions, options, truths, evidence and what is drawn of it
data/S-runR-N.js               what run R answered, and how it was read and scored
data/S-media-N.js              which pictures and videos there are of each medium
data/S-plan-N.js               a scene from above
media/                         pictures and videos under the hash of their bytes
```
"""
