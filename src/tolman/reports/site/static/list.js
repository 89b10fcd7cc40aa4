// The list of items: controls, and rows of which only those in view are in the document.
"use strict";
(() => {
  const { el, href, select, outcomeOf, badge, number, counted, STATES, SORTS, filter, search, warm } = tolman;
  const BEYOND = 8; // rows above and below those in view

  let searched = { key: "", hits: null };

  function controls(set, index, query, change) {
    const runs = [["", "any model"], ...tolman.inOrder(index).map((r) => [String(r), index.runs[r].name])];
    const states = [["", "any outcome"], ...STATES.map(([name, words]) => [name, words])];
    const others = runs.map(([value, text]) => [value, value === "" ? "no other" : text]);
    const changes = (name) => (value) => change({ [name]: value });
    const box = el("input", { type: "search", id: "words", value: query.q || "", placeholder: "words in questions and answers", "aria-keyshortcuts": "/" });
    box.addEventListener("focus", () => warm(set, index, () => box.isConnected).catch(() => null), { once: true });
    const form = el("form", { role: "search", class: "bar", onsubmit: (event) => { event.preventDefault(); change({ q: box.value.trim() }); } },
      el("label", {}, el("span", {}, "Search"), box),
      select("Search in", query.in || "", [["", "all texts"], ["questions", "questions"], ["answers", "answers"]], changes("in"), "in"),
      el("button", {}, "Search"));
    const scorers = [...new Set(index.runs.flatMap((run) => run.scorers))];
    const labels = index.labels.filter((label) => label.values.length > 1);
    const chosen = Object.keys(query).filter((name) => name.startsWith("label."));
    const add = labels.filter((label) => !chosen.includes(`label.${label.name}`));
    const filters = el("div", { class: "bar", role: "group", "aria-label": "Filters" },
      select("Model A", query.a || "", runs, changes("a"), "a"), select("A is", query.as || "", states, changes("as"), "as"),
      select("Model B", query.b || "", others, changes("b"), "b"), query.b ? select("B is", query.bs || "", states, changes("bs"), "bs") : null,
      query.a && query.b ? select("A scores", query.cmp || "", [["", "any score"], ["above", "above B"], ["below", "below B"], ["equal", "as B"]], changes("cmp"), "cmp") : null,
      scorers.length > 1 ? select("Scorer", query.scorer || scorers[0], scorers.map((one) => [one, one]), changes("scorer"), "scorer") : null,
      select("Label", "", [["", "choose a label …"], ...add.map((label) => ({ group: label.name, options: label.values.map((value) => [`${label.name}\u0000${value}`, value]) }))],
        (value) => { const [name, own] = value.split("\u0000"); change({ [`label.${name}`]: own }); }, "label"),
      select("Sort", query.sort || "", SORTS, changes("sort"), "sort"),
      el("button", { type: "button", "aria-pressed": query.down ? "true" : "false", onclick: () => change({ down: query.down ? "" : "1" }) }, query.down ? "↓ descending" : "↑ ascending"));
    const chips = chosen.map((name) => el("li", {}, el("button", { type: "button", "aria-label": `Remove ${name.slice(6)} ${query[name]}`, onclick: () => change({ [name]: "" }) }, el("span", { class: "note" }, `${name.slice(6)} `), query[name], " ×")));
    if (query.column) chips.unshift(el("li", {}, el("button", { type: "button", "aria-label": "Remove the question type", onclick: () => change({ column: "" }) }, (index.columns.find((c) => c.key === query.column) || { title: query.column }).title, " ×")));
    return [form, el("details", { class: "filters", open: matchMedia("(min-width: 40rem)").matches || ["a", "b", "sort", "scorer"].some((name) => query[name]) }, el("summary", {}, "Filters and order"), filters), chips.length ? el("ul", { class: "chips", "aria-label": "Labels chosen" }, chips) : null];
  }

  async function showList(target, set, index, query, seen) {
    const change = (more) => { location.hash = href(["items"], { ...query, ...more }); };
    const status = el("p", { class: "status", role: "status" });
    const inner = el("div", { class: "inner", role: "list", "aria-label": "Items" });
    const order = tolman.inOrder(index), sorted = query.sort === "a" ? Number(query.a) : -1;
    const heads = el("div", { class: "heads" }, el("span", {}, "Item"), el("span", { class: "words" }, "Question"), order.map((r) => el("button", { type: "button", class: "plain model", title: `${index.runs[r].name}: sort by its score`, onclick: () => change({ a: r, sort: "a", down: sorted === r && !query.down ? "1" : "" }) }, index.runs[r].name.replace(/^[^/ ]+\//, ""), r === sorted ? (query.down ? " ↓" : " ↑") : "")));
    const viewport = el("div", { class: "viewport", tabindex: 0, role: "region", "aria-label": "List of items" }, heads, inner);
    viewport.style.setProperty("--models", order.length);
    viewport.classList.toggle("many", order.length > 5);
    tolman.refill(target, [el("h1", {}, index.title), controls(set, index, query, change), status, viewport]);

    let hits = null;
    if (query.q) {
      const key = JSON.stringify([set, query.q, query.in]);
      if (searched.key !== key) {
        status.textContent = "Searching …";
        const found = await search(set, index, query.q, query.in, (share) => { status.textContent = `Searching … ${Math.round(100 * share)} %`; }, () => status.isConnected);
        if (found === null) return null;
        searched = { key, hits: found };
      }
      hits = searched.hits;
    }
    const places = filter(index, query, hits);
    status.textContent = `${number(places.length)} of ${counted(index.ids.length, "item")}`;
    rows(viewport, inner, set, index, query, places, seen.key === location.hash ? seen.top : 0, (top) => { seen.key = location.hash; seen.top = top; });
    return places;
  }

  function rows(viewport, inner, set, index, query, places, top, scrolled) {
    const height = Number(getComputedStyle(viewport).getPropertyValue("--row")) || 60;
    inner.style.height = `${places.length * height}px`;
    const drawn = new Map(), head = viewport.firstChild.offsetHeight; // of the sticky headings
    function draw() {
      const first = Math.max(0, Math.floor(viewport.scrollTop / height) - BEYOND);
      const last = Math.min(places.length, Math.ceil((viewport.scrollTop + viewport.clientHeight) / height) + BEYOND);
      for (const [i, row] of drawn) if ((i < first || i >= last) && !row.contains(document.activeElement)) { row.remove(); drawn.delete(i); }
      for (let i = first; i < last; i++) {
        if (drawn.has(i)) continue;
        const row = rowOf(set, index, query, places, i, height);
        drawn.set(i, row);
        const after = [...drawn.keys()].filter((k) => k > i).reduce((a, b) => Math.min(a, b), Infinity);
        inner.insertBefore(row, after === Infinity ? null : drawn.get(after));
      }
    }
    viewport.addEventListener("scroll", () => { scrolled(viewport.scrollTop); draw(); }, { passive: true });
    viewport.addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      const row = event.target.closest && event.target.closest(".row");
      if (!step || !row) return;
      const to = Number(row.getAttribute("aria-posinset")) - 1 + step;
      if (to < 0 || to >= places.length) return;
      event.preventDefault();
      if (to * height < viewport.scrollTop) viewport.scrollTop = to * height;
      else if (head + (to + 1) * height > viewport.scrollTop + viewport.clientHeight) viewport.scrollTop = head + (to + 1) * height - viewport.clientHeight;
      draw();
      drawn.get(to).querySelector("a").focus();
    });
    new ResizeObserver(draw).observe(viewport);
    viewport.scrollTop = top;
    draw();
  }

  function rowOf(set, index, query, places, i, height) {
    const place = places[i], order = tolman.inOrder(index), { picture, words } = tolman.preview(set, index, place);
    const marks = order.map((r) => {
      const run = index.runs[r], one = outcomeOf(run, place, query.scorer), samples = tolman.samplesOf(run, place, query.scorer);
      return el("span", { class: "model" }, el("span", { class: "model-name" }, run.name), badge(one), el("span", { class: "hidden" }, ` ${one.word}`),
        samples ? [el("span", { class: "counted", title: `${samples.right} of ${samples.of} samples right` }, `${samples.right}/${samples.of}`), el("span", { class: "hidden" }, " samples right")] : null);
    });
    const row = el("div", { class: "row", role: "listitem", "aria-setsize": places.length, "aria-posinset": i + 1 },
      el("a", { href: href(["item", index.ids[place]], query) },
        el("span", { class: "item" }, picture, el("span", { class: "called" }, index.names[place], el("span", { class: "id", title: index.ids[place] }, index.ids[place]))), words, marks));
    row.style.transform = `translateY(${i * height}px)`;
    return row;
  }

  Object.assign(tolman, { showList });
})();
