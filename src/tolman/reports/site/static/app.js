// Places of the application: #/ the overview, #/task/KEY a question type, #/items a list, #/item/ID one question; ?set=
// names the question set, ?run= the model that a page is about.
"use strict";
(async () => {
  const { el, counted, place, href, prepare, showBoard, showTask, showList, showItem } = tolman;
  const main = document.getElementById("main"), sets = document.getElementById("set");
  const prepared = new Map(), seen = { key: "", top: 0 };
  let shown = { set: "", list: "", places: null }, turn = 0, last = "";

  function problem(error) {
    main.replaceChildren(el("h1", {}, "This can't be shown"), el("p", { class: "problem" }, error.message), el("p", {}, el("a", { href: "#/" }, "To the overview")));
  }

  const site = await tolman.json("site").catch(problem);
  if (!site) return;
  const indexOf = async (set) => {
    if (!prepared.has(set)) prepared.set(set, tolman.json(`${set}-index`).then(prepare));
    return prepared.get(set);
  };
  sets.append(...site.sets.map((one) => el("option", { value: one.key }, `${one.title} (${counted(one.items, "item")})`)));
  sets.parentElement.hidden = site.sets.length < 2;
  sets.addEventListener("change", () => { location.hash = href(place(location.hash).parts.filter((p) => p !== "item").slice(0, 1), { set: sets.value }); });

  // What of a place's query belongs to its list.
  const listOf = (query) => JSON.stringify(Object.entries(query).filter(([name]) => !["runs", "way"].includes(name)).sort());

  async function setWith(id, named) {
    for (const one of [named, ...site.sets.map((s) => s.key)]) if ((await indexOf(one)).placeOf.has(id)) return one;
    throw new Error(`There is no item '${id}' here.`);
  }

  async function go() {
    const own = ++turn, { parts, query } = place(location.hash);
    let set = site.sets.some((one) => one.key === query.set) ? query.set : site.sets[0].key;
    const page = parts[0] === "items" || parts[0] === "item" ? "items" : "board";
    for (const link of document.querySelectorAll("nav a")) {
      link.href = href(link.dataset.page === "items" ? ["items"] : [], { set: site.sets.length > 1 ? set : "" });
      if (link.dataset.page === page) link.setAttribute("aria-current", "page"); else link.removeAttribute("aria-current");
    }
    try {
      if (parts[0] === "item" && parts.length > 1) {
        const id = parts.slice(1).join("/");
        set = await setWith(id, set);
        const index = await indexOf(set), at = index.placeOf.get(id);
        const inList = shown.set === set && shown.list === listOf(query) ? shown.places : null;
        const made = el("div");
        await showItem(made, set, index, at, query, inList);
        if (own !== turn) return;
        main.replaceChildren(...made.childNodes);
        document.title = `${index.names[at]} · ${index.title}`;
        if (last !== `item ${id}`) { window.scrollTo(0, 0); main.focus({ preventScroll: true }); }
        last = `item ${id}`;
      } else if (parts[0] === "items") {
        const index = await indexOf(set);
        if (own !== turn) return;
        document.title = `Items · ${index.title}`;
        last = "items";
        const places = await showList(main, set, index, query, seen);
        if (places) shown = { set, list: listOf(query), places };
      } else {
        const index = await indexOf(set), key = parts[0] === "task" ? parts[1] : query.figure; // ?figure= of earlier versions
        if (own !== turn) return;
        const task = index.columns.find((one) => one.key === key);
        document.title = task ? `${task.title} · ${index.title}` : index.title;
        if (task || parts[0] === "task") await showTask(main, set, index, key, query);
        else await showBoard(main, site, set, index, query);
        if (last !== `page ${key || ""}`) window.scrollTo(0, 0);
        last = `page ${key || ""}`;
      }
      sets.value = set;
    } catch (error) {
      if (own === turn) problem(error);
    }
    document.body.dataset.ready = location.hash || "#/";
  }

  addEventListener("hashchange", go);
  addEventListener("keydown", (event) => {
    if (event.target.matches("input, select, textarea, video") || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (event.key === "/") {
      const box = document.getElementById("words");
      if (box) { event.preventDefault(); box.focus(); }
      return;
    }
    const link = [...document.querySelectorAll("a[data-key]")].find((one) => one.dataset.key === event.key);
    if (link) { event.preventDefault(); link.click(); }
  });
  await go();
})();
