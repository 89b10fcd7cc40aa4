"""The web application in which people write, check and answer questions.

How a request goes: `guard` (size, headers) → `access.allow` (role, CSRF token) → a route → `work` (tasks, assignments,
submissions: what may not be lost or doubled) → `schema` by `database` → `pages.page` (a template; every value escaped).
`docs/review/index.md` tells it from the outside.

| module | what is at home there |
|---|---|
| `schema`, `database`, `migrations/` | the tables of all modes; opening SQLite or PostgreSQL |
| `settings`, `site`, `app`, `server` | what a server is started with, shares, is made of, and how it starts |
| `accounts`, `access`, `guard` | people and links; who may call a route; what surrounds every answer |
| `attempts`, `passwords` | limits on guessing; hashing one password at a time |
| `marks` | answers given too fast, or before the media could be seen; reports of broken media |
| `work`, `projects`, `history` | who does what; starting a project; who did what when |
| `blind`, `media`, `answers`, `fields` | a question without its answer; sending media; what forms may hold |
| `asking`, `evidence` | what every page that asks holds; key frames, traces, checklists |
| `opinions`, `verifying`, `sides`, `verify_progress` | what models said; how an answer is approved |
| `clouds`, `cloud_pictures`, `picking` | point clouds beside the video; routes to pick a region and measure it |
| `verdicts`, `settling`, `agreement` | a reviewer's decision; what becomes of the item; how well people agree |
| `origins`, `corrections` | what a benchmark was generated from; what a flag leads to |
| `export` | people's answers as runs, a reviewed benchmark with its history |
| `pool`, `collection`, `frames` | what people make items of: a media pool, scenes, single frames of videos |
| `writing`, `checking` | a question as far as it is written, and live checks of it |
| `floor`, `moments` | a floor plan that can be pressed; key steps that distractors are chosen for |
| `making` | items that people make: adding them, and where their right option goes |
| `pages`, `templates/`, `static/` | making pages |
| `routes/` | doors (signing in), rooms (home, people, progress), flags |
| `mode`, `modes/` | what a mode is; a module for each kind of work |

**Adding a mode** is one module `modes/NAME.py` and its templates:

1. An `APIRouter(prefix="/NAME", dependencies=[allow("annotator", …)])`. Every route needs `allow`; the application
   refuses to start otherwise. Handlers are plain functions (`def`), which run in threads; take `TheSite`, `Guest`,
   `Me` from `access`, and form and path fields from `fields`, which no database chokes on.
2. `GET /NAME/{assignment}` shows a task: `assigned.own_work(db, me, assignment, NAME)` finds it or 404. Read inside
   `site.database.read()`, change inside `site.database.write()`, which commits at its end. Whoever must not know the
   answer is shown `blind.blind(…)` and nothing else of the item.
3. `POST /NAME/{assignment}` submits: `work.submit(db, site, own, STEP, content, seconds, marks)`, which counts a form
   once however often it comes, with the marks that `marks.marks_of` gives an answer; where it is the last step and
   `fresh`, `work.finish(…)`, which tells whether the task is done. Then `see_other(…)`, mostly to
   `/projects/ID/work`, which gives the next task.
4. `start(db, site, project, items)` makes the tasks: `work.add_item` and `work.add_task` (how many people are wanted,
   who must not do it, in which stage). A task needs no item: a slot of something to be written has none, and keeps
   what it is about in `content`. New tasks may be added at any time, a second stage's when the first is done.
5. `progress` gives tables for the progress page; `projects.throughput` is there for all.
6. A `Mode(…)` with these, named in `modes/__init__.py`. `fixed={"pool": True}` lets annotators and reviewers load all
   registered media (`media.register`) of the project, not only those of their tasks. A mode in which people make
   items (`makes_items=True`) ends a task with `making.add_made`; what its items show lies in the benchmark's folder, in
   the store or in the scenes (`Site.folders`), and is put beside them when the project is exported.

A form with `data-ask` gets keys, time while visible (`data-seconds`) and sending again after a lost connection from
`static/review.js`, and tells whether the media had loaded (`data-shown`); `_parts.html` holds macros for media,
reports, answers, tables, drafts and the CSRF field. `settling.decide` writes down what became of an item and makes
the new version that a revision asks for; `export.publish` takes the items and decisions of any mode. Tests take the
fixtures `served` (each on SQLite and PostgreSQL), `served_sqlite`, `browser` and `page` of tests/review/conftest.py,
and the people and helpers of tests/reviewing.py; a new route is written into the table of
tests/review/test_security.py, which walks them all as every role.
"""
