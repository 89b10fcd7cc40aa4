"""The web application in which people write, check and answer questions.

A request goes through `accounts.guard` (size, headers) → `access.allow` (role, CSRF token) → a route → `tasks.work`
(tasks, assignments, submissions: nothing may be lost or doubled) → `store.schema` by `store.database` → `pages.page`
(a template; every value escaped). `docs/review/index.md` describes the application from the outside.

The rooms, the lowest first. A module imports from its own room and from those before it in this list, never from those
after it (`tests/test_walls.py` holds the code to it):

- `settings`: options of a server: folders, limits, clock. `dispatch`: the route of an address, by its first part.
- `store/`: `schema` (tables of all modes), `database` (SQLite or PostgreSQL), `backup`, `migrations/`, `history`
  (events), `pool` (media that questions are written from).
- `accounts/`: `identity` (people, invitations, sessions), `passwords` (hashing one at a time), `attempts` (limits on
  guessing), `guard` (headers, names and sizes of every request), `logs`.
- `forms/`: values of forms: `fields`, `answers`, `verdicts`; `writing` (a question as far as it is written) and
  `checking` (its live checks).
- `evidence/`: `key_frames` (with traces and checklists), `frames` (single frames of videos), `clouds` with
  `cloud_pictures`, `floor` (a plan that can be pressed), `moments` (key steps), `opinions` (models' answers).
- `site`: database, benchmark, key and counters that all pages of a server share.
- `access`: roles that may call a route; visitors and their CSRF tokens.
- `pages`: pages made from `templates/`; scripts and styles lie in `static/`.
- `media/`: `serving` (videos and pictures under names without meaning), `blind` (a question without its answer),
  `collection` (scenes).
- `tasks/`: `mode` (the contract of a mode), `work` (assignments and submissions), `assigned`, `asking`, `marks`
  (answers given too fast or unseen), `settling` (decisions and their consequences), `making` (items made by people),
  `agreement` (of reviewers).
- `modes/`: a module for each kind of work. `verify/` has `mode`, `approval` (an answer from proposed to approved),
  `sides`, `picking` (measuring) and `progress`; two modes share `labelling`.
- `studies/`: what people are told, asked and paid, and whose answers count, from one file; its own page tells more.
- `projects/`: `lifecycle` (a project, its numbers), `starting` (large ones part after part), `corrections`
  (consequences of a flag), `origins` (scenes and rules of a benchmark), `export` (people's answers as runs), `publish`
  (a reviewed benchmark with its history), `parts` (of a study).
- `console/`: what the owner sees of items and does with them: `items` (the table), `detail` (one item), `changes` (what
  an act changes, and how that is undone), `acts` (what came of them), `bulk` (part after part), `single` (leases,
  voiding).
- `routes/`: pages of all modes: `auth` (signing in), `home` (projects, people, progress), `console`, `flags`,
  `audit`, `health`.
- `app`, `workers` (several processes), `server`: the application, and its start.

**Adding a mode** is one module `modes/NAME.py` and its templates:

1. An `APIRouter(prefix="/NAME", dependencies=[allow("annotator", …)])`. Every route needs `allow`; the application
   refuses to start otherwise. Handlers are plain functions (`def`), which run in threads; take `TheSite`, `Guest`,
   `Me` from `access`, and form and path fields from `forms.fields`, which no database chokes on.
2. `GET /NAME/{assignment}` shows a task: `tasks.assigned.own_work(db, me, assignment, NAME)` finds it or 404. Read
   inside `site.database.read()`, change inside `site.database.write()`, which commits at its end and is alone with the
   database; what changes somebody's own work only, inside `write_for(me.id, …)`, which others don't wait for on
   PostgreSQL (the assignment is named where its task may be done with it). Whoever must not know the answer is shown
   `media.blind.blind(…)` and nothing else of the item.
3. `POST /NAME/{assignment}` submits: `tasks.work.submit(db, site, own, STEP, content, seconds, marks)`, which counts a
   form once however often it comes, with the marks that `tasks.marks.marks_of` gives an answer; where it is the last
   step and `fresh`, `work.finish(…)`, which tells whether the task is done. Then `see_other(…)`, mostly to
   `taking.going_on(…)`, which takes the next task in the same transaction, or to `/projects/ID/work`, which gives it.
4. `start(db, site, project, items)` makes the tasks: `work.add_item` and `work.add_task` (how many people are wanted,
   who must not do it, in which stage). A task needs no item: a slot of something to be written has none, and keeps
   what it is about in `content`. Many are made by `add_items` and `add_tasks`; with `in_parts=True` `start` is given
   a large benchmark part after part. New tasks may be added at any time, a second stage's when the first is done.
5. `progress` gives tables for the progress page; `projects.lifecycle.throughput` is there for all.
6. A `tasks.mode.Mode(…)` with these, named in `modes/__init__.py`. `fixed={"pool": True}` lets annotators and reviewers
   load all registered media (`media.serving.register`) of the project, not only those of their tasks. A mode in which
   people make items (`makes_items=True`) ends a task with `tasks.making.add_made`; what its items show lies in the
   benchmark's folder, in the store or in the scenes (`Site.folders`), and is put beside them when the project is
   exported.

A form with `data-ask` gets keys, time while visible (`data-seconds`) and sending again after a lost connection from
`static/review.js`, and tells whether the media had loaded (`data-shown`); `_parts.html` holds macros for media,
reports, answers, tables, drafts and the CSRF field. `tasks.settling.decide` writes down what became of an item and
makes the new version that a revision asks for; `projects.publish.publish` takes the items and decisions of any mode.
Tests take the fixtures `served` (each on SQLite and PostgreSQL), `served_sqlite`, `browser` and `page` of
tests/review/conftest.py, and the people and helpers of tests/reviewing.py; a new route is written into the table of
tests/review/test_security.py, which walks them all as every role.
"""
