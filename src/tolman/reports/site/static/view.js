// Elements out of names, attributes and texts. Nothing is ever parsed as markup: texts become text nodes.
"use strict";
(() => {
  const SVG = "http://www.w3.org/2000/svg";

  function fill(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value === null || value === undefined || value === false) continue;
      if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else element.setAttribute(name, value === true ? "" : String(value));
    }
    for (const child of children.flat(4)) {
      if (child !== null && child !== undefined && child !== false) element.append(typeof child === "string" ? visible(child) : child);
    }
    return element;
  }

  // A text with its control characters and overrides of the direction of writing as escapes, as `tolman.visible` has it.
  const HIDDEN = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]|\r(?!\n)/g;
  const escaped = (sign) => (sign < "\u0100" ? `\\x${sign.charCodeAt(0).toString(16).padStart(2, "0")}` : `\\u${sign.charCodeAt(0).toString(16)}`);
  const visible = (text) => text.replace(HIDDEN, escaped);

  const el = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
  const svg = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

  const number = (value) => value.toLocaleString("en");
  const counted = (value, what) => `${number(value)} ${what}${value === 1 ? "" : "s"}`;
  const clock = (seconds) => (seconds < 60 ? `${+seconds.toFixed(1)} s` : `${Math.floor(seconds / 60)}:${(seconds % 60).toFixed(1).padStart(4, "0")}`);

  // How an answer did, by its state and score: a sign, a word and a class; colour alone says nothing.
  function outcome(state, score) {
    if (state === ".") return { sign: "", word: "not asked", name: "none" };
    if (state === "f") return { sign: "!", word: "failed", name: "lost" };
    if (state === "m") return { sign: "!", word: "missing", name: "lost" };
    if (state === "u") return { sign: "!", word: "not judged", name: "lost" };
    if (state === "l" || score < 0) return { sign: "–", word: "not scored", name: "none" };
    const known = state === "n" ? "unread, " : state === "c" ? "cut off, " : "";
    if (score >= 1000) return { sign: "✓", word: `${known}right`, name: "right" };
    if (score > 0) return { sign: String(Math.round(score / 10)), word: `${known}${Math.round(score / 10)} of 100`, name: "partly" };
    return known ? { sign: state === "n" ? "?" : "…", word: known.slice(0, -2), name: "unread" } : { sign: "✗", word: "wrong", name: "wrong" };
  }

  const badge = (one) => el("span", { class: `badge ${one.name}`, title: one.word }, one.sign || "·");

  // A place of the application: #/path/parts?name=value
  function href(path, query) {
    const kept = new URLSearchParams();
    for (const [name, value] of Object.entries(query || {})) if (value !== "" && value !== null && value !== undefined) kept.append(name, value);
    const tail = kept.toString();
    return `#/${path.map(encodeURIComponent).join("/")}${tail ? `?${tail}` : ""}`;
  }

  function place(hash) {
    const [path, query] = hash.replace(/^#\/?/, "").split(/\?(.*)/s);
    const parts = path.split("/").filter(Boolean).map((part) => { try { return decodeURIComponent(part); } catch { return part; } });
    return { parts, query: Object.fromEntries(new URLSearchParams(query || "")) };
  }

  // A select with a label; options are [value, text] or {group, options}.
  function select(label, value, options, changed, id) {
    const option = ([own, text]) => el("option", { value: own, selected: own === value }, text);
    const box = el("select", { id, "aria-label": label, onchange: (event) => changed(event.target.value) },
      options.map((one) => (Array.isArray(one) ? option(one) : el("optgroup", { label: one.group }, one.options.map(option)))));
    box.value = value;
    return el("label", {}, el("span", {}, label), box);
  }

  // The answer of a run to the item at a place, under a scorer.
  const outcomeOf = (run, place, scorer) => outcome(run.states[place], run.scores[Math.max(0, run.scorers.indexOf(scorer))][place]);

  // Numbers of runs, models first and references last.
  const inOrder = (index) => index.runs.map((_, r) => r).sort((a, b) => ORDER.indexOf(index.runs[a].reference) - ORDER.indexOf(index.runs[b].reference) || a - b);
  const ORDER = ["", "baseline", "people", "chance", "oracle"];

  // A question in little, as elements that fill themselves: a picture, where the site has any, and its words.
  function preview(set, index, place) {
    const picture = index.pictures ? el("span", { class: "thumb" }) : null, words = el("span", { class: "words" }, "…");
    async function filled() {
      const item = await tolman.item(set, index, place);
      words.textContent = visible((item.question || "").slice(0, 400));
      const medium = picture && item.media && item.media.length ? await tolman.medium(set, index, item.media[0]) : {};
      const frames = (medium.frames || []).find((own) => own && own.length), source = medium.image || (frames ? frames[frames.length >> 1][0] : "");
      if (source) picture.append(el("img", { src: source, alt: "", loading: "lazy", decoding: "async" }));
    }
    filled().catch((error) => { words.textContent = error.message; });
    return { picture, words };
  }

  // Other content for an element; the control with the focus keeps it.
  function refill(target, parts) {
    const id = document.activeElement && target.contains(document.activeElement) ? document.activeElement.id : "";
    target.replaceChildren();
    fill(target, {}, [parts]);
    if (id && document.getElementById(id)) document.getElementById(id).focus();
  }

  const scroller = (label, ...children) => el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": label }, ...children);

  Object.assign(tolman, { el, svg, visible, number, counted, clock, outcomeOf, badge, inOrder, preview, refill, href, place, select, scroller });
})();
