// The page of a question type: models, outcomes, answers read against true ones, and the hardest questions.
"use strict";
(() => {
  const { el, href, number, counted, dotPlot, outcomeBars, confusion, scatter, badge, outcomeOf } = tolman;
  const HARDEST = 10;

  async function showTask(target, set, index, key, query) {
    const board = await tolman.json(`${set}-board`), at = index.columns.findIndex((c) => c.key === key), column = index.columns[at];
    if (!column) throw new Error(`There is no question type '${key}' here.`);
    const read = await tolman.json(`${set}-readings`);
    const run = tolman.chosenRun(board.table, query), order = tolman.inOrder(index), places = tolman.placesOf(index, key);
    const change = (more) => { location.hash = href(["task", key], { ...query, ...more }); };
    const asked = places.filter((p) => !".fmu".includes(index.runs[run].states[p]));
    const numbers = asked.filter((p) => read.numbers[p]), choices = asked.filter((p) => !read.numbers[p]);
    const pairs = (own) => own.map((p) => [read.truth[p], read.runs[run][p]]);
    const unit = numbers.length ? (await tolman.item(set, index, numbers[0])).unit : "";
    const charts = [scatter(pairs(numbers), unit), confusion(pairs(choices))].filter(Boolean);
    const to = (step, text, sign) => { const next = index.columns[at + step]; return next ? el("a", { class: "button", href: href(["task", next.key], query), "data-key": sign, "aria-keyshortcuts": sign, title: `key ${sign}` }, step < 0 ? `‹ ${next.title}` : `${next.title} ›`) : null; };
    const models = order.filter((r) => !index.runs[r].reference), judged = models.length ? models : order;
    const means = new Map(places.map((p) => [p, tolman.mean(index, query.scorer, p, judged)]));
    const hardest = places.filter((p) => means.get(p) >= 0 && means.get(p) < 1000).sort((p, q) => means.get(p) - means.get(q) || p - q).slice(0, HARDEST);
    tolman.refill(target, [
      el("div", { class: "bar" }, el("a", { class: "button", href: href([], { set: query.set, run: query.run }), "data-key": "u", "aria-keyshortcuts": "u", title: "key u" }, "↑ overview"), to(-1, "", "k"), to(1, "", "j")),
      el("header", { class: "title" }, el("h1", {}, column.title, el("small", {}, ` ${counted(places.length, "question")}`)), tolman.modelChoice(index, order, run, change)),
      el("h2", {}, "Models"), dotPlot(board.table, key, run, (r) => href(["task", key], { ...query, run: r })),
      el("div", { class: "pair" },
        el("section", { "aria-label": "Outcomes" }, el("h2", {}, "Outcomes"), outcomeBars(index, order, places, query.scorer)),
        el("section", { "aria-label": "Answers" }, el("h2", {}, `Answers of ${index.runs[run].name}`), charts.length ? charts : el("p", { class: "note" }, "There are too few answers, or too many different ones, for a chart."))),
      el("h2", {}, "Hardest questions"), el("p", { class: "note" }, `Lowest mean score of ${models.length ? counted(models.length, "model") : "all runs"}. `, el("a", { href: href(["items"], { set: query.set, column: key, sort: "hard" }) }, `All ${number(places.length)}, hardest first`)),
      el("ul", { class: "cards" }, hardest.map((p) => {
        const { picture, words } = tolman.preview(set, index, p);
        return el("li", {}, el("a", { href: href(["item", index.ids[p]], { set: query.set, column: key, sort: "hard" }) }, picture, el("b", {}, index.names[p]), words,
          el("span", { class: "marks" }, judged.map((r) => el("span", {}, badge(outcomeOf(index.runs[r], p, query.scorer)), ` ${index.runs[r].name}`)))));
      })),
    ]);
  }

  Object.assign(tolman, { showTask });
})();
