// Charts: scores with intervals on one axis, bars of outcomes, a confusion matrix, a scatter plot.
"use strict";
(() => {
  const { el, svg, href, number } = tolman;
  const LINES = ["chance", "people", "oracle"]; // references are lines, and never ranked

  const cellOf = (row, at) => row.cells[at] || null;
  const worth = (column, value) => ({ lower: -value, zero: -Math.abs(value) }[column.direction] ?? value);

  // The figures of a column: `rows` of models in order, best first, and `lines` of references.
  function figuresOf(table, key) {
    const at = table.columns.findIndex((c) => c.key === key), column = table.columns[at];
    const quoted = table.rows.filter((row) => cellOf(row, at) && (row.group !== "run" || row.headline || row.run === null));
    const together = quoted.some((row) => row.run === null && row.group === "run"); // people's average stands for each
    const kept = quoted.filter((row) => !(together && row.reference === "people" && row.run !== null));
    const one = (row) => ({ row, cell: cellOf(row, at), name: row.first[0] });
    const better = (x, y) => worth(column, y.cell.value) - worth(column, x.cell.value);
    return { column, rows: kept.filter((row) => !LINES.includes(row.reference)).map(one).sort(better), lines: kept.filter((row) => LINES.includes(row.reference)).map(one).sort(better) };
  }

  // The best chance or blind baseline of a column's figures, and other references by their kind.
  const lineOf = (figures, kind) => figures.lines.find((one) => one.row.reference === kind) || null;

  const drawn = (figures) => LINES.map((kind) => lineOf(figures, kind)).filter(Boolean);

  function axisOf({ column, rows, lines }) {
    const ends = [...rows, ...lines].flatMap(({ cell }) => [cell.value, cell.low, cell.high]).filter((v) => typeof v === "number");
    const low = Math.min(0, ...ends), high = Math.max(column.unit === "%" ? 100 : 0, ...ends) || 1;
    const ticks = column.unit === "%" && low === 0 ? [0, 25, 50, 75, 100] : [...new Set([low, 0, high])];
    return { at: (v) => `${(1 + (98 * (v - low)) / (high - low)).toFixed(2)}%`, ticks };
  }

  const upright = (x, kind, title) => svg("line", { x1: x, x2: x, y1: 0, y2: "100%", class: kind }, title ? svg("title", {}, title) : null);
  const whisker = ({ at }, cell, kind) => (typeof cell.low === "number" ? svg("line", { x1: at(cell.low), x2: at(cell.high), y1: "50%", y2: "50%", class: `whisker ${kind}` }) : null);
  const dot = ({ at }, cell, kind, r) => svg("circle", { cx: at(cell.value), cy: "50%", r, class: `dot ${kind}` });
  const ground = (axis, lines) => [...axis.ticks.map((v) => upright(axis.at(v), "gridline")), ...lines.map(({ row, cell, name }) => upright(axis.at(cell.value), `ref ${row.reference}`, `${name} ${cell.shown}`))];

  // A row a model on one axis; the best reference of each kind is a line through all rows, named above them.
  function dotPlot(table, key, chosen, link) {
    const figures = figuresOf(table, key), axis = axisOf(figures), { rows, lines } = figures;
    const kinds = drawn(figures), others = lines.filter((one) => !kinds.includes(one));
    const anchor = (v) => { const share = parseFloat(axis.at(v)); return share > 85 ? "end" : share < 15 ? "start" : "middle"; };
    const head = svg("svg", { class: "axis", "aria-hidden": "true", height: 18 + 16 * kinds.length },
      kinds.map(({ row, cell }, i) => svg("text", { x: axis.at(cell.value), y: 12 + 16 * i, "text-anchor": anchor(cell.value), class: `ref-name ${row.reference}` }, `${row.reference} ${cell.shown}`)),
      axis.ticks.map((v) => svg("text", { x: axis.at(v), y: 14 + 16 * kinds.length, "text-anchor": anchor(v), class: "tick-label" }, `${+v.toFixed(2)}${figures.column.unit === "%" ? "" : ` ${figures.column.unit}`}`)));
    const kindOf = (row) => (row.run === null ? "other" : row.run === chosen ? "chosen" : "own");
    return el("div", { class: "plot" }, el("div", { class: "plot-row" }, el("span"), el("span", { class: "who" }), head, el("span")),
      el("ol", {}, rows.map(({ row, cell, name }) => el("li", { class: `plot-row ${kindOf(row)}` },
        el("span", { class: "rank" }, cell.rank ? String(cell.rank) : ""),
        el("span", { class: "who", title: row.source }, row.run === null ? name : el("a", { href: link(row.run), "aria-current": row.run === chosen ? "true" : false }, name)),
        el("span", { class: "lane" }, svg("svg", { "aria-hidden": "true" }, ground(axis, kinds), whisker(axis, cell, kindOf(row)), dot(axis, cell, kindOf(row), 5))),
        el("span", { class: "figure" }, cell.shown, cell.interval ? el("small", {}, ` ${cell.interval}`) : null)))),
      lines.length ? el("p", { class: "note" }, "Lines: ", kinds.map(({ row, cell, name }, i) => [i ? ", " : "", el("span", { class: `key ${row.reference}` }), ` ${name} ${cell.shown}`]), others.length ? `. Other references: ${others.map(({ cell, name }) => `${name} ${cell.shown}`).join(", ")}` : "", ". References aren't ranked; rows without a rank differ from the ranked ones in setup or questions.") : null);
  }

  // One column in little: the chosen run, the others in grey, and the references.
  function strip(figures, chosen) {
    const axis = axisOf(figures), own = figures.rows.find(({ row }) => row.run === chosen) || figures.lines.find(({ row }) => row.run === chosen);
    return svg("svg", { class: "strip-plot", "aria-hidden": "true" }, ground(axis, drawn(figures)), figures.rows.filter((one) => one !== own).map(({ cell }) => dot(axis, cell, "other", 3)),
      own ? [whisker(axis, own.cell, "chosen"), dot(axis, own.cell, "chosen", 5)] : null);
  }

  const KINDS = [["right", "right"], ["partly", "partly right"], ["wrong", "wrong"], ["unread", "unread"], ["lost", "no answer"]];

  // How many answers of each run are right, partly right, wrong, unread, or missing.
  function outcomeBars(index, order, places, scorer) {
    const bars = order.map((r) => {
      const run = index.runs[r], counts = Object.fromEntries(KINDS.map(([name]) => [name, 0]));
      for (const p of places) { const one = tolman.outcomeOf(run, p, scorer); if (one.name in counts) counts[one.name]++; }
      const all = Object.values(counts).reduce((a, b) => a + b, 0);
      let from = 0;
      const parts = KINDS.filter(([name]) => counts[name]).map(([name, words]) => {
        const x = from, share = (100 * counts[name]) / all;
        from += share;
        return svg("rect", { x: `${x}%`, width: `${share}%`, height: "100%", class: name }, svg("title", {}, `${words}: ${number(counts[name])}`));
      });
      const said = KINDS.filter(([name]) => counts[name]).map(([name, words]) => `${number(counts[name])} ${words}`).join(", ") || "not asked";
      return el("li", {}, el("span", { class: "who" }, run.name), svg("svg", { role: "img", "aria-label": said }, parts), el("small", {}, said));
    });
    return el("ul", { class: "outcomes" }, bars);
  }

  const MOST_CATEGORIES = 10;

  // Shares of the answers read, in columns, for each true answer, in rows; null where there are too many of them.
  function confusion(pairs) {
    const truths = [...new Set(pairs.map(([truth]) => truth))].sort();
    if (truths.length > MOST_CATEGORIES || truths.length < 2) return null;
    const known = new Set(truths), other = pairs.some(([, read]) => read && !known.has(read)), none = pairs.some(([, read]) => !read);
    const reads = [...truths, ...(other ? ["other"] : []), ...(none ? ["unread"] : [])];
    const place = (read) => (!read ? "unread" : known.has(read) ? read : "other");
    return el("table", { class: "confusion" }, el("caption", {}, "Rows: true answer. Columns: answer read. In percent of the row."),
      el("thead", {}, el("tr", {}, el("td"), reads.map((read) => el("th", { scope: "col" }, read)), el("th", { scope: "col", class: "number" }, "n"))),
      el("tbody", {}, truths.map((truth) => {
        const own = pairs.filter(([t]) => t === truth);
        return el("tr", {}, el("th", { scope: "row" }, truth), reads.map((read) => {
          const share = own.filter(([, r]) => place(r) === read).length / own.length;
          const cell = el("td", { class: read === truth ? "number same" : "number", title: `${truth} read as ${read}: ${Math.round(share * own.length)} of ${own.length}` }, share ? (100 * share).toFixed(0) : "·");
          cell.style.setProperty("--share", `${Math.round(70 * share)}%`);
          return cell;
        }), el("td", { class: "number" }, number(own.length)));
      })));
  }

  // Numbers read against true ones, on logarithmic axes where they are all positive and far apart.
  function scatter(pairs, unit) {
    const points = pairs.map(([truth, read]) => [Number(truth), read === "" ? NaN : Number(read)]).filter((p) => p.every(Number.isFinite));
    if (points.length < 3) return null;
    const sorted = points.map(([t]) => t).sort((a, b) => a - b), low = sorted[0], high = sorted[sorted.length - 1];
    const log = low > 0 && high / low > 8, to = (v) => (log ? Math.log(v) : v);
    const [from, until] = log ? [low / 1.5, high * 1.5] : [Math.min(0, low), high + 0.08 * (high - low || 1)];
    const at = (v) => 100 * Math.min(1, Math.max(0, (to(log ? Math.max(v, from) : v) - to(from)) / (to(until) - to(from))));
    const steps = log ? [-3, -2, -1, 0, 1, 2, 3, 4, 5].flatMap((e) => [1, 2, 5].map((m) => m * 10 ** e)) : [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].map((s) => [s, (until - from) / s]).filter(([, n]) => n <= 6).slice(0, 1).flatMap(([s]) => Array.from({ length: 8 }, (_, i) => (Math.ceil(from / s) + i) * s));
    let last = -100;
    const ticks = steps.filter((v) => { const x = v >= from && v <= until ? at(v) : -100; const kept = x >= 0 && x - last >= 14; if (kept) last = x; return kept; });
    const percent = (v) => `${v.toFixed(2)}%`, said = (v) => (v >= 1000 ? number(v) : String(+v.toPrecision(3)));
    const beyond = points.filter(([, read]) => read < from || read > until).length;
    return el("figure", { class: "scatter" }, el("div", { class: "across" }, el("span", { class: "axis-title" }, `read${unit ? `, ${unit}` : ""}`),
      svg("svg", { role: "img", "aria-label": `${points.length} numbers read against true ones` },
        ticks.flatMap((v) => [svg("line", { x1: percent(at(v)), x2: percent(at(v)), y1: 0, y2: "100%", class: "gridline" }), svg("line", { x1: 0, x2: "100%", y1: percent(100 - at(v)), y2: percent(100 - at(v)), class: "gridline" }),
          svg("text", { x: percent(at(v)), y: "100%", dy: -5, dx: 3, class: "tick-label" }, said(v)), svg("text", { x: 4, y: percent(100 - at(v)), dy: -3, class: "tick-label" }, at(v) > 6 ? said(v) : "")]),
        svg("line", { x1: 0, y1: "100%", x2: "100%", y2: 0, class: "ref" }),
        points.map(([truth, read]) => svg("circle", { cx: percent(at(truth)), cy: percent(100 - at(read)), r: 3, class: "point" }, svg("title", {}, `true ${truth}, read ${read}`))))),
      el("figcaption", { class: "note" }, `Across: true${unit ? `, ${unit}` : ""}. The line is where both agree${beyond ? `; ${number(beyond)} beyond the axes are at the edge` : ""}.`));
  }

  Object.assign(tolman, { figuresOf, lineOf, worth, dotPlot, strip, outcomeBars, confusion, scatter });
})();
