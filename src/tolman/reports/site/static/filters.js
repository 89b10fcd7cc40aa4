// Which items a query asks for, and in which order; over the index alone, but for searches, which look through texts.
"use strict";
(() => {
  const FULL = 1000;

  // Conditions on one run's answer: name, words, test of (state, score, run, place, scorer).
  const STATES = [
    ["right", "right", (state, score) => score >= FULL],
    ["wrong", "wrong", (state, score) => score >= 0 && score < FULL],
    ["zero", "wrong, score 0", (state, score) => score === 0],
    ["partly", "between 0 and 1", (state, score) => score > 0 && score < FULL],
    ["unread", "unread: none or cut off", (state) => state === "n" || state === "c"],
    ["cut", "cut off", (state) => state === "c"],
    ["failed", "failed or missing", (state) => state === "f" || state === "m" || state === "u"],
    ["differ", "scorers differ", (state, score, run, place) => run.scores.length > 1 && run.scores.some((own) => own[place] !== run.scores[0][place])],
    ["varies", "right in some samples only", (state, score, run, place, scorer) => { const all = samplesOf(run, place, scorer); return all !== null && all.right > 0 && all.right < all.of; }],
    ["judged", "judged", (state, score, run, place) => run.judgedSet.has(place)],
    ["asked", "asked", (state) => state !== "."],
  ];
  const TEST = new Map(STATES.map(([name, , test]) => [name, test]));

  const scoresOf = (run, scorer) => run.scores[Math.max(0, run.scorers.indexOf(scorer))];

  // How many samples a run drew of an item, and how many are right; null for a run of one sample.
  function samplesOf(run, place, scorer) {
    if (!run.samples) return null;
    return { of: run.samples.of[place], right: run.samples.right[Math.max(0, run.scorers.indexOf(scorer))][place] };
  }

  const SORTS = [
    ["", "benchmark order"], ["id", "by id"], ["task", "by question type"], ["hard", "by mean score of models"],
    ["a", "by score of model A"], ["gain", "by score of A less B"], ["tokens", "by output tokens of A"],
  ];

  function prepare(index) {
    for (const run of index.runs) run.judgedSet = new Set(run.judged);
    index.byLabel = new Map(index.labels.map((label) => [label.name, label]));
    index.placeOf = new Map(index.ids.map((id, place) => [id, place]));
    index.names = namesOf(index);
    return index;
  }

  // Names that can be read: the question type and a number, where ids are often hashes.
  function namesOf(index) {
    const task = index.byLabel.get("task"), counts = new Map();
    const titles = task ? task.values.map((value) => [...index.columns].sort((x, y) => x.tasks.length - y.tasks.length).find((c) => c.tasks.includes(value)) || { title: value }).map((c) => c.title.replaceAll("_", " ")) : ["Question"];
    return index.ids.map((_, p) => { const title = titles[task ? task.codes[p] : 0], n = (counts.get(title) || 0) + 1; counts.set(title, n); return `${title} ${n}`; });
  }

  // Places of the items of a column of the table.
  function placesOf(index, key) {
    const column = index.columns.find((one) => one.key === key), task = index.byLabel.get("task");
    const codes = new Set(column && task ? column.tasks.map((name) => task.values.indexOf(name)) : []);
    return index.ids.map((_, p) => p).filter((p) => codes.has(task.codes[p]));
  }

  const runOf = (index, number) => (number === undefined || number === "" ? null : index.runs[number] || null);

  // Places of the items of a query; `hits` is null, or a Uint8Array with 1 for each place that a search found.
  function filter(index, query, hits) {
    const tests = [];
    for (const [which, state] of [["a", query.as], ["b", query.bs]]) {
      const run = runOf(index, query[which]), test = TEST.get(state);
      if (!test) continue;
      if (run) { const own = scoresOf(run, query.scorer); tests.push((p) => test(run.states[p], own[p], run, p, query.scorer)); }
      else if (which === "a") tests.push((p) => index.runs.some((one) => test(one.states[p], scoresOf(one, query.scorer)[p], one, p, query.scorer)));
    }
    const a = runOf(index, query.a), b = runOf(index, query.b);
    if (query.cmp && a && b) {
      const x = scoresOf(a, query.scorer), y = scoresOf(b, query.scorer);
      const way = { above: (p) => x[p] > y[p], below: (p) => x[p] < y[p], equal: (p) => x[p] === y[p] }[query.cmp];
      if (way) tests.push((p) => x[p] >= 0 && y[p] >= 0 && way(p));
    }
    for (const [name, value] of Object.entries(query)) {
      if (!name.startsWith("label.")) continue;
      const label = index.byLabel.get(name.slice(6));
      const code = label ? label.values.indexOf(value) : -1;
      tests.push(label ? (p) => label.codes[p] === code : () => false);
    }
    if (query.column) { const own = new Set(placesOf(index, query.column)); tests.push((p) => own.has(p)); }
    if (hits) tests.push((p) => hits[p] === 1);
    const found = [];
    for (let p = 0; p < index.ids.length; p++) if (tests.every((test) => test(p))) found.push(p);
    return sort(index, query, found);
  }

  function sort(index, query, found) {
    const order = tolman.inOrder(index), a = runOf(index, query.a) || index.runs[order[0]], b = runOf(index, query.b);
    const models = order.some((r) => !index.runs[r].reference) ? order.filter((r) => !index.runs[r].reference) : order;
    const key = {
      id: (p) => index.ids[p],
      task: (p) => (index.byLabel.has("task") ? index.byLabel.get("task").codes[p] : 0),
      hard: (p) => mean(index, query.scorer, p, models),
      a: (p) => scoresOf(a, query.scorer)[p],
      gain: (p) => (b ? scoresOf(a, query.scorer)[p] - scoresOf(b, query.scorer)[p] : 0),
      tokens: (p) => a.tokens[p] || 0,
    }[query.sort];
    const way = query.down ? -1 : 1;
    if (!key) return query.down ? found.reverse() : found;
    const keys = new Map(found.map((p) => [p, key(p)]));
    return found.sort((p, q) => { const x = keys.get(p), y = keys.get(q); return x < y ? -way : x > y ? way : p - q; });
  }

  // The mean score of an item over some runs, in thousandths; -1 where none has one.
  function mean(index, scorer, p, runs) {
    let sum = 0, count = 0;
    for (const r of runs) { const score = scoresOf(index.runs[r], scorer)[p]; if (score >= 0) { sum += score; count++; } }
    return count ? sum / count : -1;
  }

  const escaped = (words) => words.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

  // Search questions ('questions'), responses ('answers') or both for some words as they stand, whatever their case.
  // progress(share) is called as it goes on; a search that isn't `wanted()` any more stops and returns null.
  async function search(set, index, words, where, progress, wanted) {
    const hits = new Uint8Array(index.ids.length), pattern = new RegExp(escaped(words), "gi");
    index.ids.forEach((id, p) => { pattern.lastIndex = 0; if (pattern.test(`${id}\n${index.names[p]}`)) hits[p] = 1; });
    const jobs = [];
    if (where !== "answers") index.shards.items.forEach((start, n) => jobs.push(() => inQuestions(set, n, start, pattern, hits)));
    if (where !== "questions") index.shards.answers.forEach((starts, run) => starts.forEach((start, n) => jobs.push(() => inAnswers(set, run, n, start, pattern, hits))));
    let next = 0, done = 0;
    async function work() {
      while (next < jobs.length && wanted()) {
        await jobs[next++]();
        done++;
        if (done % 8 === 0) progress(done / jobs.length);
      }
    }
    await Promise.all(Array.from({ length: 6 }, work));
    return wanted() ? hits : null;
  }

  // Bring the texts of a set here before they are searched, one shard at a time.
  async function warm(set, index, wanted) {
    for (let run = 0; run < index.shards.answers.length; run++) {
      for (let n = 0; n < index.shards.answers[run].length; n++) {
        if (!wanted()) return;
        await tolman.text(`${set}-run${run}-${n}`);
      }
    }
  }

  async function inQuestions(set, shard, start, pattern, hits) {
    const items = await tolman.json(`${set}-items-${shard}`);
    items.forEach((item, i) => {
      pattern.lastIndex = 0;
      if (pattern.test([item.question, ...(item.options || []), item.text || item.answer, item.reasoning || ""].join("\n"))) hits[start + i] = 1;
    });
  }

  // Texts of a shard follow each other, so one pass finds all; whose they are is told by the separators before them.
  async function inAnswers(set, run, shard, start, pattern, hits) {
    const whole = await tolman.text(`${set}-run${run}-${shard}`), end = whole.indexOf(tolman.BEFORE_TEXTS);
    pattern.lastIndex = end + 1;
    let match = pattern.exec(whole);
    if (!match) return;
    const counts = (JSON.parse(whole.slice(0, end)).columns.texts || []).map((kinds) => (kinds || []).length);
    let item = 0, left = counts[0], from = end + 1, to = whole.indexOf(tolman.BETWEEN_TEXTS, from);
    for (;;) {
      while (left === 0) left = counts[++item];
      if (to < 0) to = whole.length;
      if (match.index < to) {
        hits[start + item] = 1;
        pattern.lastIndex = to;
        match = pattern.exec(whole);
        if (!match) return;
      }
      left--;
      from = to + 1;
      to = whole.indexOf(tolman.BETWEEN_TEXTS, from);
      if (from > whole.length) return;
    }
  }

  Object.assign(tolman, { STATES, SORTS, samplesOf, prepare, placesOf, mean, filter, search, warm });
})();
