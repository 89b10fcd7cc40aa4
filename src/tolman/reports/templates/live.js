"use strict";
const main = document.querySelector("main");
async function refresh() {
  let text;
  try { text = await (await fetch(location.href, { cache: "no-store" })).text(); } catch { document.title = "ended · " + document.title.replace(/^ended · /, ""); return; }
  const next = new DOMParser().parseFromString(text, "text/html"), old = [...main.children], fresh = [...next.querySelector("main").children];
  document.title = next.title;
  fresh.forEach((element, place) => {
    const before = old[place];
    if (before && "open" in before && before.tagName === element.tagName) element.open = before.open;
    if (!before) main.append(element);
    else if (before.outerHTML !== element.outerHTML) { const left = before.scrollLeft; before.replaceWith(element); element.scrollLeft = left; }
  });
  old.slice(fresh.length).forEach((element) => element.remove());
}
(async () => { for (;;) { await new Promise((done) => setTimeout(done, 1000)); await refresh(); } })();
