// The leaderboard: all question sets, a set's table with the papers' rows, its figures in order, and its cuts.
"use strict";
(() => {
  const { el, svg, href, number, select, scroller } = tolman;

  // A cell: the best of a column is bold, the second underlined.
  function figureCell(cell) {
    if (!cell) return el("td", { class: "number" }, "–");
    const shown = cell.mark === "best" ? el("strong", {}, cell.shown) : cell.mark === "second" ? el("u", {}, cell.shown) : cell.shown;
    return el("td", { class: "number", title: [cell.n === null ? "" : `n = ${number(cell.n)}`, cell.said].filter(Boolean).join("; ") }, shown, cell.interval ? el("small", {}, cell.interval) : null, cell.signs && cell.signs.length ? el("small", {}, `[${cell.signs.join("; ")}]`) : null);
  }

  function bar(cell, most) {
    if (!cell || cell.value === null) return null;
    const at = (v) => Math.max(0, Math.min(100, (100 * v) / most));
    return svg("svg", { viewBox: "0 0 100 10", preserveAspectRatio: "none", class: "bar-line", "aria-hidden": "true" },
      svg("rect", { x: 0, y: 2, width: at(cell.value), height: 6, class: "value" }),
      cell.low === null || cell.low === undefined ? null : svg("path", { d: `M${at(cell.low)},5 H${at(cell.high)}`, class: "interval" }));
  }

  // Rows in the order of one figure, with a bar and an interval: what a narrow screen shows whole.
  function ranking(table, key) {
    const at = table.columns.findIndex((c) => c.key === key), column = table.columns[at];
    const rows = table.rows.filter((row) => row.cells[at] && (row.group !== "run" || row.headline));
    rows.sort((x, y) => y.cells[at].value - x.cells[at].value);
    const most = column.unit === "%" ? 100 : Math.max(...rows.map((row) => row.cells[at].high || row.cells[at].value), 1e-9);
    let rank = 0;
    return el("ol", { class: "ranking" }, rows.map((row) => {
      const cell = row.cells[at], own = row.group === "run";
      if (own) rank++;
      return el("li", { class: own ? "own" : "published" },
        el("span", { class: "rank" }, own ? `${rank}.` : ""), el("span", { class: "who" }, row.first[0], own ? null : el("small", {}, ` ${row.source || "published"}`)),
        bar(cell, most), el("span", { class: "figure" }, cell.shown, cell.interval ? el("small", {}, ` ${cell.interval}`) : null));
    }));
  }

  // A table; `sorting` is {by, up, change} where its columns can be sorted by.
  function drawTable(title, table, set, unread, sorting) {
    const sorted = sorting && sorting.by !== undefined ? table.columns.findIndex((c) => c.key === sorting.by) : -1;
    const rows = table.rows.map((row, i) => ({ row, i }));
    const key = (one) => (one.row.cells[sorted] ? one.row.cells[sorted].value : -1e9);
    if (sorted >= 0) rows.sort((x, y) => key(y) - key(x) || x.i - y.i);
    if (sorting && sorting.up) rows.reverse();
    const heading = (c, n) => {
      if (sorting) return el("button", { class: "plain", title: c.group, onclick: () => sorting.change({ by: c.key, up: n === sorted && !sorting.up ? "1" : "" }) }, c.title, n === sorted ? (sorting.up ? " ↑" : " ↓") : "");
      return table.label && c.value !== null ? el("a", { href: href(["items"], { set, [`label.${table.label}`]: c.value }) }, c.title) : c.title;
    };
    const head = el("tr", {}, table.heads.map((text) => el("th", { scope: "col" }, text)),
      table.columns.map((c, n) => el("th", { scope: "col", class: "number", "aria-sort": n === sorted ? (sorting.up ? "ascending" : "descending") : false }, heading(c, n))));
    const body = rows.flatMap(({ row }) => [
      el("tr", { class: [row.group === "run" ? "own" : "published", row.headline ? "headline" : ""].join(" ") },
        row.first.map((text, i) => (i ? el("td", { title: row.source }, text) : el("th", { scope: "row" }, text))), row.cells.map(figureCell)),
      row.unread.length ? el("tr", { class: "unread" }, el("th", { scope: "row" }, unread[0], el("small", {}, unread[1])), row.between.map((text) => el("td", {}, text)), row.unread.map(([shares, bounds]) => el("td", { class: "number" }, shares, bounds ? el("small", {}, bounds) : null))) : null,
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

  async function showBoard(target, site, set, query) {
    const board = await tolman.json(`${set}-board`);
    const change = (more) => { location.hash = href([], { ...query, ...more }); };
    const { table } = board, headline = query.figure && table.columns.some((c) => c.key === query.figure) ? query.figure : table.headline;
    const parts = [el("h1", {}, board.title), el("p", { class: "note" }, board.credits)];
    for (const text of board.warnings) parts.push(el("p", { class: "problem" }, text));
    for (const text of site.remarks) parts.push(el("p", { class: "remark" }, text));
    if (site.sets.length > 1) parts.push(el("h2", {}, "All question sets"), across(site, await Promise.all(site.sets.map((one) => tolman.json(`${one.key}-board`)))));
    parts.push(el("h2", {}, "In order"), el("div", { class: "bar" }, select("Figure", headline, table.columns.map((c) => [c.key, c.title]), (value) => change({ figure: value }), "figure")), ranking(table, headline));
    parts.push(el("h2", {}, "Table"), drawTable(`Table of ${board.title}`, table, set, board.unread, { by: query.by, up: query.up, change }));
    for (const text of board.marks) parts.push(el("p", { class: "mark" }, text));
    parts.push(el("p", { class: "note" }, `Small figures: 95 % intervals, clustered by scene. Bold and underlined: ${board.legend}. official does what the authors' released code does; careful is the paper's metric in exact arithmetic with Tolman's own parser; judged is what a model read, where one was asked.`));
    for (const text of board.notes) parts.push(el("p", { class: "note" }, text));
    if (board.tables.length) {
      const at = board.tables[Number(query.cut)] ? Number(query.cut) : 0, cut = board.tables[at];
      parts.push(el("h2", {}, "By label"), el("div", { class: "bar" }, select("Table", String(at), board.tables.map((one, i) => [String(i), one.title]), (value) => change({ cut: value }), "cut")),
        cut.columns.length ? drawTable(cut.title, cut, set, board.unread, null) : [], cut.marks.map((text) => el("p", { class: "mark" }, text)), cut.notes.map((text) => el("p", { class: "note" }, text)));
    }
    for (const further of board.further) {
      parts.push(el("h2", {}, further.title), scroller(further.title, el("table", {}, el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Metric"), further.headings.map((h) => el("th", { scope: "col" }, h)))), el("tbody", {}, further.rows.map(([name, cells]) => el("tr", {}, el("th", { scope: "row" }, name), cells.map(([shown, range, count]) => el("td", { class: "number" }, shown, range ? el("small", {}, range) : null, count ? el("small", {}, count) : null))))))), further.notes.map((text) => el("p", { class: "note" }, text)));
    }
    parts.push(el("h2", {}, "Settings"), board.settings.map(([name, text]) => el("details", {}, el("summary", {}, name), el("pre", {}, text))));
    const focused = document.activeElement && target.contains(document.activeElement) ? document.activeElement.id : "";
    target.replaceChildren(...parts.flat());
    if (focused && document.getElementById(focused)) document.getElementById(focused).focus();
  }

  Object.assign(tolman, { showBoard });
})();
