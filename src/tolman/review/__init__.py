"""The web application in which people write, check and answer questions.

A request goes through `accounts.protection.Guard` (size, headers) → `site.allow` (role, CSRF token) → a route →
`tasks` (tasks, assignments, submissions: nothing may be lost or doubled) → `store` by `store.database` →
`site.page` (a template; every value escaped). `docs/review/index.md` describes the application from the outside.

The rooms, the lowest first. A module imports from its own room and from those before it in this list, never from those
after it (`tests/test_walls.py` holds the code to it):

- `server_settings`: options of a server: folders, limits, clock.
- `store/`: the package itself has the tables of all modes; `database` (SQLite or PostgreSQL, with the history and
  rehearsals), `backup`, `migrations/`, `pool` (media that questions are written from).
- `accounts/`: the package itself has people, invitations, sessions, roles and projects; `protection` has password
  hashing, limits on guessing, the guard of every request, and logs.
- `exchange/`: the package itself has the data exchanged with other annotation programs;
  `annotation_programs` has the formats, Label Studio's and CVAT's.
- `forms/`: the package itself has fields, answers, marks that are drawn, and verdicts; `question_form` (a question as
  far as it is written, options proposed for it), `question_checks` (its live checks).
- `evidence/`: the package itself has models' answers, key frames and checklists; `point_clouds`, `scene_drawings`
  (boxes, cameras, a plan that can be pressed).
- `site`: database, benchmark, key and counters that all pages of a server share; roles that may call a route; visitors
  and their CSRF tokens. Its pages are made from `templates/`; scripts and styles are in `static/`.
- `media`: videos and pictures under names without meaning, frames and their times, scenes.
- `tasks/`: the package itself has the contract of a mode, marks on answers (given too fast or unseen), assignments and
  submissions; `assignments` (taking tasks, taking answers back), `blinding` (the parts of a question that each person
  sees), `decisions` (settling, agreement of reviewers), `made_items` (made by people, sent back to them; models' trials
  of questions that are being written).
- `studies/`: information, questions and pay for participants, and whose answers count, from one file; see its page.
- `modes/`: the kinds of work. `answering` has Answer and Study; `labelling` has Classify and Errors; `verification`
  (with measuring) goes with `answer_approval` (an answer from proposed to approved, progress).
- `projects/`: the package itself starts projects, large ones part after part; `flag_corrections` (consequences of a
  flag, scenes and rules of a benchmark), `project_export` (a reviewed benchmark with its history, people's answers as
  runs), `project_files` (for the owner's browser, and back in), `question_pictures`, `study_projects`.
- `console/`: the owner's view of items and acts on them: the package itself has the table; `item_detail` (one item,
  leases, voiding), `acts` (changes, undoing them, many questions part after part).
- `routes/`: pages of all modes: the package itself has projects, progress, undoing, health and files; `account_pages`
  (signing in, people, roles), `console_pages` (with the audit log and previews), `correction_pages` (flags, workbench),
  `study_pages`.
- `server`: the application, its processes, and its start.

**Adding a mode** is one module `modes/NAME.py` and its templates:

1. An `APIRouter(prefix="/NAME", dependencies=[allow("annotator", …)])`. Every route needs `allow`; the application
   refuses to start otherwise. Handlers are plain functions (`def`), which run in threads; take `TheSite`, `Guest`,
   `Me` from `site`, and form and path fields from `forms`, which every database accepts.
2. `GET /NAME/{assignment}` shows a task: `tasks.blinding.own_work(db, me, assignment, NAME)` finds it or 404. Read
   inside `site.database.read()`, change inside `site.database.write()`, which commits at its end and is alone with the
   database. Changes to a person's own work only are made inside `write_for(me.id, …)`, which others don't wait for on
   PostgreSQL (name the assignment if its task may be done with it). People who must not know the answer are shown
   `tasks.blinding.blind(…)` and nothing else of the item.
3. `POST /NAME/{assignment}` submits: `tasks.submit(db, site, own, STEP, content, seconds, marks)`, which counts a
   form once however often it comes, with the marks that `tasks.marks_of` gives an answer; if it is the last step and
   `fresh`, `tasks.finish(…)`, which returns whether the task is done. Then `see_other(…)`, mostly to
   `assignments.going_on(…)`, which takes the next task in the same transaction, or to `/projects/ID/work`, which gives
   it.
4. `start(db, site, project, items)` makes the tasks: `tasks.add_item` and `tasks.add_task` (how many people are wanted,
   who must not do it, in which stage). A task needs no item: a slot of something to be written has none, and keeps
   its subject in `content`. Many are made by `add_items` and `add_tasks`; with `in_parts=True` `start` is given a
   large benchmark part after part. New tasks may be added at any time, a second stage's when the first is done.
5. `progress` gives tables for the progress page; `projects.throughput` is there for all.
6. A `tasks.Mode(…)` with these, named in `modes/__init__.py`. `fixed={"pool": True}` lets annotators and reviewers
   load all registered media (`review.media.register`) of the project, not only those of their tasks. A mode in which
   people make items (`makes_items=True`) ends a task with `tasks.made_items.add_made`. The media of its items are in
   the benchmark's folder, in the store or in the scenes (`Site.folders`), and are exported with the project's items.

A form with `data-ask` gets keys, time while visible (`data-seconds`) and sending again after a lost connection from
`static/review.js`, and reports whether the media had loaded (`data-shown`). `_parts.html` holds macros for media,
reports, answers, tables, drafts and the CSRF field. `tasks.decisions.decide` records the decision about an item and
makes the new version that a revision asks for. `projects.project_export.publish` takes the items and decisions of any
mode. Tests take the fixtures `served` (each on SQLite and PostgreSQL), `served_sqlite`, `browser` and `page` of
tests/review/conftest.py, and the people and helpers of tests/reviewing.py. A new route is added to the table of
tests/review/test_security.py, which walks them all as every role."""
