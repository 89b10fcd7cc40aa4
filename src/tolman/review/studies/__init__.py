"""Studies: what people are told, asked and paid, and whose answers count, all stated in one TOML file beforehand.

- `spec`: the file. `shelf` opens one; those of the package lie beside this module.
- `sampling`: who is asked what. `shuffling`: in which order, and options in which. `practice`, `checks`: questions
  beside the sample. `exclusion`: whose answers don't count. `codes`: links in and codes out. `pay`: times and pay.
- `texts`, `pictures`: instructions as safe HTML.
- `making`: the tasks of a study (`projects.parts` starts its projects). `people`: who is in one. `steps`: what somebody
  is shown next. `records`: what somebody did, for rules, tables and runs. `tables`: of the progress page.
"""
