// The overview: a model's headline, what to distrust, all models on one axis, its question types, and the tables.
"use strict";
(() => {
  const { el, href, number, select, scroller, figuresOf, lineOf, dotPlot, strip } = tolman;

  // A cell: the best of a column is bold, the second underlined.
  function figureCell(cell) {
    if (!cell) return el("td", { class: "number" }, "–");
    const shown = cell.mark === "best" ? el("strong", {}, cell.shown) : cell.mark === "second" ? el("u", {}, cell.shown) : cell.shown;
    return el("td", { class: "number", title: [cell.n === null ? "" : `n = ${number(cell.n)}`, cell.said].filter(Boolean).join("; ") }, shown, cell.interval ? el("small", {}, cell.interval) : null, cell.signs && cell.signs.length ? el("small", {}, `[${cell.signs.join("; ")}]`) : null);
  }

  // A table with its headline in front; `sorting` is {by, up, change} where its columns can be sorted by.
  function drawTable(title, table, set, unread, sorting) {
    const order = table.columns.map((_, n) => n).sort((x, y) => (table.columns[y].key === table.headline) - (table.columns[x].key === table.headline) || x - y);
    const sorted = sorting && sorting.by !== undefined ? table.columns.findIndex((c) => c.key === sorting.by) : -1;
    const rows = table.rows.map((row, i) => ({ row, i }));
    const key = (one) => (one.row.cells[sorted] ? one.row.cells[sorted].value : -1e9);
    if (sorted >= 0) rows.sort((x, y) => key(y) - key(x) || x.i - y.i);
    if (sorting && sorting.up) rows.reverse();
    const heading = (n) => {
      const c = table.columns[n];
      if (sorting) return el("button", { class: "plain", title: c.group, onclick: () => sorting.change({ by: c.key, up: n === sorted && !sorting.up ? "1" : "" }) }, c.title, n === sorted ? (sorting.up ? " ↑" : " ↓") : "");
      return table.label && c.value !== null ? el("a", { href: href(["items"], { set, [`label.${table.label}`]: c.value }) }, c.title) : c.title;
    };
    const spread = (first, between, figures) => [first, ...figures.slice(0, 1), ...between, ...figures.slice(1)];
    const head = el("tr", {}, spread(el("th", { scope: "col" }, table.heads[0]), table.heads.slice(1).map((text) => el("th", { scope: "col" }, text)),
      order.map((n) => el("th", { scope: "col", class: "number", "aria-sort": n === sorted ? (sorting.up ? "ascending" : "descending") : false }, heading(n)))));
    const body = rows.flatMap(({ row }) => [
      el("tr", { class: [row.group === "run" ? "own" : "published", row.headline ? "headline" : ""].join(" ") },
        spread(el("th", { scope: "row", title: row.source }, row.first[0]), row.first.slice(1).map((text) => el("td", {}, text)), order.map((n) => figureCell(row.cells[n])))),
      row.unread.length ? el("tr", { class: "unread" }, spread(el("th", { scope: "row" }, unread[0], el("small", {}, unread[1])), row.between.map((text) => el("td", {}, text)),
        order.map((n) => el("td", { class: "number" }, row.unread[n][0], row.unread[n][1] ? el("small", {}, row.unread[n][1]) : null)))) : null,
    ]);
    return scroller(title, el("table", {}, el("caption", { class: "hidden" }, title), el("thead", {}, head), el("tbody", {}, body)));
  }

  function across(site, boards) {
    const names = [...new Set(site.sets.flatMap((set) => set.runs))];
    const cellOf = (table, name) => { const at = table.columns.findIndex((c) => c.key === table.headline), row = table.rows.find((r) => r.headline && r.run !== null && r.name === name); return row && row.cells[at] ? { ...row.cells[at], signs: row.signs } : null; };
    return scroller("All question sets", el("table", {}, el("caption", { class: "hidden" }, "Headline figures of all question sets"),
      el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Model"), site.sets.map((set) => el("th", { scope: "col", class: "number" }, el("a", { href: href([], { set: set.key }) }, set.title), el("small", {}, set.headline))))),
      el("tbody", {}, names.map((name) => el("tr", {}, el("th", { scope: "row" }, name), boards.map((board) => figureCell(cellOf(board.table, name))))))));
  }

  // The run that the page is about: the one asked for, or the best of the models.
  function chosenRun(table, query) {
    const { rows, lines } = figuresOf(table, table.headline), runs = [...rows, ...lines].filter(({ row }) => row.run !== null);
    const asked = runs.find(({ row }) => String(row.run) === query.run);
    return (asked || runs.find(({ row }) => !row.reference) || runs[0] || { row: { run: 0 } }).row.run;
  }

  const modelChoice = (index, order, run, change) => (order.length > 1 ? select("Model", String(run), order.map((r) => [String(r), index.runs[r].name]), (value) => change({ run: value }), "run") : null);

  const points = (value, digits) => `${value > 0 ? "+" : value < 0 ? "−" : "±"}${Math.abs(value).toFixed(digits)}`;

  function headline(board, index, run) {
    const { table } = board, figures = figuresOf(table, table.headline), own = [...figures.rows, ...figures.lines].find(({ row }) => row.run === run);
    const name = index.runs[run].name, facts = [];
    if (!own) return el("section", { class: "headline" }, el("h2", {}, name), el("p", { class: "problem" }, `No ${figures.column.title}.`));
    const { row, cell } = own, [, value, signs] = /^([−\d.,-]*)(.*)$/s.exec(cell.shown);
    const published = figures.rows.filter((one) => one.row.group === "model"), below = published.filter((one) => tolman.worth(figures.column, one.cell.value) < tolman.worth(figures.column, cell.value));
    facts.push(["Rank", cell.rank ? `${cell.rank} of ${cell.of}` : "–", cell.rank ? "comparable models" : row.reference ? `${row.reference}: not ranked` : row.signs.length ? `not ranked: ${row.signs.join(", ")}` : "no comparable model"]);
    if (published.length) facts.push(["Published", `above ${below.length} of ${published.length}`, (() => { const differ = published.filter((one) => !one.cell.rank).length; return differ ? `${differ} in another setup` : "all in this setup"; })()]);
    for (const [kind, title] of [["chance", "Chance"], ["people", "People"], ["oracle", "Oracle"]]) {
      const line = lineOf(figures, kind);
      if (line && line.row.run !== run) facts.push([title, line.cell.shown, `${points(cell.value - line.cell.value, 1)} points`]);
    }
    return el("section", { class: "headline", "aria-label": "Headline" }, el("h2", {}, name),
      el("p", { class: "score" }, el("b", {}, value), signs ? el("span", { class: "signs" }, signs) : null, " ", el("span", {}, `${figures.column.title}, ${row.first[table.heads.indexOf("Scorer")]} scorer`, el("small", {}, cell.interval ? `95 % interval ${cell.interval}` : "no interval"))),
      el("dl", { class: "facts" }, facts.map(([title, value, note]) => el("div", {}, el("dt", {}, title), el("dd", {}, value, el("small", {}, note))))));
  }

  // What qualifies the headline, or what says that nothing does.
  function doubts(board, index, run, site) {
    const own = board.doubts[run].map((text) => text.replace(`${index.runs[run].name}: `, "").replace(`${index.runs[run].name}, `, ""));
    const others = board.warnings.length;
    const shown = own.map((text) => { const [, word, sign, rest] = /^(?:([A-Z][A-Z ]+):|([†‡¶§])) (.*)$/s.exec(text) || [null, "", "", text], kind = word || sign; return el("li", {}, kind ? el("b", {}, word ? word[0] + word.slice(1).toLowerCase() : sign) : null, kind ? " " : null, rest); });
    const lacking = [...new Set(site.remarks)].map((text) => el("li", {}, text));
    const { rows, lines } = figuresOf(board.table, board.table.headline), quoted = [...rows, ...lines].find(({ row }) => row.run === run);
    const all = index.runs[run].states.split("").filter((state) => state !== ".").length;
    return el("section", { class: own.length ? "doubts" : "doubts none", "aria-label": "Caveats" }, el("h2", {}, own.length ? "What to distrust" : "No caveats on this headline"),
      own.length ? el("ul", {}, shown) : el("p", {}, `${all === 1 ? "The question has" : `All ${number(all)} questions have`} an answer, and no mark qualifies the headline.`),
      quoted && quoted.cell.said ? el("p", { class: "note" }, `Unread: ${quoted.cell.said}.`) : null,
      lacking.length ? el("details", {}, el("summary", {}, "Missing from this site"), el("ul", {}, lacking)) : null,
      others > own.length ? el("details", {}, el("summary", {}, "All runs"), el("ul", {}, board.warnings.map((text) => el("li", {}, text)))) : null);
  }

  // The columns of question types, from the strongest to the weakest: by how far they are from chance to 100.
  function byTask(board, index, run, query) {
    const found = index.columns.map((column) => {
      const figures = figuresOf(board.table, column.key), own = [...figures.rows, ...figures.lines].find(({ row }) => row.run === run), chance = lineOf(figures, "chance");
      const base = chance && chance.row.run !== run && figures.column.unit === "%" ? Math.min(chance.cell.value, 99) : 0;
      return { column, figures, own, chance, gain: own ? (tolman.worth(figures.column, own.cell.value) - base) / (100 - base) : -1e9 };
    }).sort((x, y) => y.gain - x.gain);
    const scored = found.filter((one) => one.own), [best, worst] = [scored[0], scored[scored.length - 1]];
    return [scored.length > 1 ? el("p", { class: "lead" }, "Strongest: ", el("b", {}, best.column.title), `, ${best.own.cell.shown}. Weakest: `, el("b", {}, worst.column.title), `, ${worst.own.cell.shown}${worst.chance && worst.chance.row.run !== run ? `, with chance at ${worst.chance.cell.shown}` : ""}.`) : null,
      el("ul", { class: "tiles" }, found.map(({ column, figures, own, chance }) => el("li", {}, el("a", { href: href(["task", column.key], { set: query.set, run: query.run }) },
        el("span", { class: "tile-title" }, column.title), el("span", { class: "figure" }, own ? el("b", {}, own.cell.shown) : "–"),
        strip(figures, run), el("small", {}, [own && own.cell.interval, own && own.cell.n !== null ? `n = ${number(own.cell.n)}` : "", own && chance && chance.row.run !== run ? `chance ${chance.cell.shown}` : ""].filter(Boolean).join(" · ")))))),
      el("p", { class: "note" }, "From the strongest to the weakest, by the share of the way from chance to 100. Filled dot: this model with its interval; grey: other models; lines: ", ["chance", "people", "oracle"].map((kind, i) => [i ? ", " : "", el("span", { class: `key ${kind}` }), ` ${kind}`]), ".")];
  }

  function details(board, set, query, change) {
    const parts = [];
    if (board.tables.length) {
      const at = board.tables[Number(query.cut)] ? Number(query.cut) : 0, cut = board.tables[at];
      parts.push(el("h2", {}, "By label"), el("div", { class: "bar" }, select("Table", String(at), board.tables.map((one, i) => [String(i), one.title]), (value) => change({ cut: value }), "cut")),
        cut.columns.length ? drawTable(cut.title, cut, set, board.unread, null) : [], cut.marks.map((text) => el("p", { class: "mark" }, text)), cut.notes.map((text) => el("p", { class: "note" }, text)));
    }
    for (const further of board.further) {
      parts.push(el("h2", {}, further.title), scroller(further.title, el("table", {}, el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Metric"), further.headings.map((h) => el("th", { scope: "col" }, h)))), el("tbody", {}, further.rows.map(([name, cells]) => el("tr", {}, el("th", { scope: "row" }, name), cells.map(([shown, range, count]) => el("td", { class: "number" }, shown, range ? el("small", {}, range) : null, count ? el("small", {}, count) : null))))))), further.notes.map((text) => el("p", { class: "note" }, text)));
    }
    return [...parts, el("h2", {}, "Settings"), board.settings.map(([name, text]) => el("details", {}, el("summary", {}, name), el("pre", {}, text))),
      el("p", { class: "note" }, board.credits)];
  }

  async function showBoard(target, site, set, index, query) {
    const board = await tolman.json(`${set}-board`);
    const change = (more) => { location.hash = href([], { ...query, ...more }); };
    const { table } = board, run = chosenRun(table, query), published = table.rows.filter((row) => row.group !== "run").length;
    const parts = [el("header", { class: "title" }, el("h1", {}, board.title), modelChoice(index, tolman.inOrder(index), run, change))];
    parts.push(el("div", { class: "opening" }, headline(board, index, run), doubts(board, index, run, site)));
    if (site.sets.length > 1) parts.push(el("h2", {}, "All question sets"), across(site, await Promise.all(site.sets.map((one) => tolman.json(`${one.key}-board`)))));
    parts.push(el("h2", {}, `Models by ${table.columns.find((c) => c.key === table.headline).title}`), dotPlot(table, table.headline, run, (r) => href([], { ...query, run: r })));
    if (index.columns.length) parts.push(el("h2", {}, "Question types"), byTask(board, index, run, query));
    parts.push(el("h2", {}, "Table"), published ? el("label", { class: "switch" }, el("input", { type: "checkbox", id: "published", checked: query.published === "1", onchange: (event) => change({ published: event.target.checked ? "1" : "" }) }), ` ${published} published rows`) : null,
      drawTable(`Table of ${board.title}`, query.published === "1" ? table : { ...table, rows: table.rows.filter((row) => row.group === "run") }, set, board.unread, { by: query.by, up: query.up, change }),
      board.marks.map((text) => el("p", { class: "mark" }, text)),
      el("details", {}, el("summary", {}, "Notes"), el("p", { class: "note" }, `Small figures: 95 % intervals, clustered by scene. Bold and underlined: ${board.legend}. official does what the authors' released code does; careful is the paper's metric in exact arithmetic with Tolman's own parser; judged is what a model read, where one was asked.`), board.notes.map((text) => el("p", { class: "note" }, text))),
      details(board, set, query, change));
    tolman.refill(target, parts);
  }

  Object.assign(tolman, { showBoard, chosenRun, modelChoice });
})();
