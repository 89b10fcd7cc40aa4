// Points and lines drawn on pictures and frames: in pixels of the original picture, on the frame that is shown. Those of
// the form are in its field; those that others drew stand in the page (data-drawings).
"use strict";
(() => {
  const STILL_PIXELS = 4; // A shorter way is no line.
  const SAME_FRAME_SECONDS = 0.002;
  const SVG = "http://www.w3.org/2000/svg";
  let drag = null;

  function field() {
    return document.querySelector("form[data-ask] [data-drawn]");
  }
  function drawings() {
    const own = field();
    try {
      return own && own.value ? JSON.parse(own.value) : [];
    } catch {
      return [];
    }
  }
  function shown() {
    return [...document.querySelectorAll("[data-drawings]")].flatMap((one) => JSON.parse(one.dataset.drawings));
  }
  function keep(some) {
    const own = field();
    own.value = some.length ? JSON.stringify(some) : "";
    own.dispatchEvent(new Event("change", { bubbles: true }));
    draw();
  }
  function mediumOf(stage) {
    return stage.querySelector("video, img");
  }
  function sizeOf(medium) {
    return medium.tagName === "VIDEO" ? [medium.videoWidth, medium.videoHeight] : [medium.naturalWidth, medium.naturalHeight];
  }
  function timeOf(medium) {
    return medium.tagName === "VIDEO" ? Number(window.tolmanPlayer.frameTime(medium).toFixed(6)) : null;
  }
  // The picture stands in the middle of its element, which may be wider or higher.
  function pixelAt(stage, event) {
    const medium = mediumOf(stage);
    const [width, height] = sizeOf(medium);
    const box = medium.getBoundingClientRect();
    const scale = Math.min(box.width / width, box.height / height);
    const share = (value, length) => Number(Math.min(Math.max(value, 0), length).toFixed(1));
    return [
      share((event.clientX - box.left - (box.width - width * scale) / 2) / scale, width),
      share((event.clientY - box.top - (box.height - height * scale) / 2) / scale, height),
    ];
  }
  function part(name, attributes) {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
    return made;
  }
  function marksOf(drawing, kind, unit) {
    const [[x, y], end] = drawing.points;
    const ends = drawing.points.map(([cx, cy]) => part("circle", { cx, cy, r: 5 * unit, class: kind }));
    return end ? [part("line", { x1: x, y1: y, x2: end[0], y2: end[1], class: kind }), ...ends] : ends;
  }
  function draw() {
    const own = drawings();
    const others = shown();
    document.querySelectorAll(".stage[data-medium]").forEach((stage) => {
      const medium = mediumOf(stage);
      const number = parseInt(stage.dataset.medium, 10);
      const size = sizeOf(medium);
      const now = timeOf(medium);
      const here = (one) => one.medium === number && (now === null || Math.abs(one.time - now) < SAME_FRAME_SECONDS);
      const seen = [...own.filter(here).map((one) => [one, "own"]), ...others.filter(here).map((one) => [one, "other"])];
      if (drag && drag.stage === stage) seen.push([{ points: [drag.from, drag.to] }, "own"]);
      let layer = stage.querySelector("svg.drawn");
      if (!layer && (!seen.length || !size[0])) return;
      if (!layer) {
        layer = part("svg", { class: "drawn", "aria-hidden": "true" });
        stage.querySelector(".sheet").append(layer);
      }
      layer.setAttribute("viewBox", `0 0 ${size[0]} ${size[1]}`);
      const unit = size[0] / Math.max(medium.getBoundingClientRect().width, 1);
      layer.replaceChildren(...seen.flatMap(([one, kind]) => marksOf(one, kind, unit)));
    });
    list(own);
  }
  function told(drawing) {
    const where = drawing.points.map(([x, y]) => `${x}, ${y}`).join(" – ");
    const when = drawing.time === undefined || drawing.time === null ? "" : ` at ${drawing.time.toFixed(3)} s`;
    return `${drawing.note ? `${drawing.note}: ` : ""}${drawing.points.length === 2 ? "line" : "point"} ${where} on ${drawing.medium}${when}`;
  }
  let listed = null;
  function list(own) {
    const place = document.querySelector("[data-drawn-list]");
    const state = JSON.stringify(own);
    if (!place || (listed === state && place.children.length === own.length)) return;
    listed = state;
    place.replaceChildren(...own.map((drawing, number) => {
      const line = document.createElement("li");
      const away = document.createElement("button");
      away.type = "button";
      away.className = "quiet small";
      away.textContent = "✕";
      away.setAttribute("aria-label", `Take away: ${told(drawing)}`);
      away.addEventListener("click", () => keep(drawings().filter((_, other) => other !== number)));
      const show = document.createElement("button");
      show.type = "button";
      show.className = "quiet small";
      show.textContent = told(drawing);
      show.addEventListener("click", () => go(drawing));
      line.append(show, " ", away);
      return line;
    }));
  }
  function go(drawing) {
    const stage = document.querySelector(`.stage[data-medium="${drawing.medium}"]`);
    if (!stage) return;
    window.tolmanViewer.use(stage);
    stage.scrollIntoView({ block: "nearest" });
    const medium = mediumOf(stage);
    if (medium.tagName === "VIDEO") window.tolmanPlayer.seek(medium, drawing.time + SAME_FRAME_SECONDS / 2);
  }
  function add(stage, points) {
    const medium = mediumOf(stage);
    const size = sizeOf(medium);
    if (!size[0]) return;
    const note = document.getElementById("draw-note").value.trim();
    const time = timeOf(medium);
    keep([...drawings(), { medium: parseInt(stage.dataset.medium, 10), points, size, ...(time === null ? {} : { time }), note }]);
  }

  function tool() {
    return document.body.dataset.tool;
  }
  function choose(name) {
    if (name) document.body.dataset.tool = name; else delete document.body.dataset.tool;
    document.querySelectorAll("[data-tool-name]").forEach((one) => one.setAttribute("aria-pressed", String(one.dataset.toolName === name)));
    const medium = window.tolmanPlayer.meant();
    if (name && medium) medium.pause();
    document.dispatchEvent(new CustomEvent("tolman:tool"));
  }
  document.addEventListener("pointerdown", (event) => {
    const stage = tool() && event.button === 0 ? event.target.closest(".stage[data-medium]") : null;
    if (!stage || !field()) return;
    const from = pixelAt(stage, event);
    drag = { stage, from, to: from, x: event.clientX, y: event.clientY };
    stage.setPointerCapture(event.pointerId);
    event.preventDefault();
  });
  document.addEventListener("pointermove", (event) => {
    if (!drag) return;
    drag.to = tool() === "line" ? pixelAt(drag.stage, event) : drag.from;
    draw();
  });
  document.addEventListener("pointerup", (event) => {
    if (!drag) return;
    const { stage, from, to, x, y } = drag;
    drag = null;
    const still = Math.hypot(event.clientX - x, event.clientY - y) <= STILL_PIXELS;
    if (tool() === "point") add(stage, [from]);
    else if (!still) add(stage, [from, to]);
    else draw();
  });
  document.addEventListener("pointercancel", () => { drag = null; draw(); });

  function addTyped() {
    const typed = document.getElementById("draw-at");
    const numbers = typed.value.trim().split(/[\s,;]+/).map(Number);
    const stage = window.tolmanViewer.meant();
    const size = stage && stage.dataset.medium ? sizeOf(mediumOf(stage)) : null;
    const fits = size && [2, 4].includes(numbers.length) && numbers.every((one, place) => one >= 0 && one <= size[place % 2]);
    typed.setCustomValidity(fits ? "" : `Two or four numbers${size ? `: x from 0 to ${size[0]}, y from 0 to ${size[1]}` : ""}.`);
    if (!fits) {
      typed.reportValidity();
      return;
    }
    add(stage, numbers.length === 2 ? [numbers] : [numbers.slice(0, 2), numbers.slice(2)]);
    typed.value = "";
  }
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-tool-name], [data-draw-add], [data-drawing]");
    if (!button) return;
    if ("toolName" in button.dataset) choose(button.dataset.toolName);
    else if ("drawAdd" in button.dataset) addTyped();
    else go(JSON.parse(button.dataset.drawing));
  });
  document.addEventListener("input", (event) => { if (event.target.id === "draw-at") event.target.setCustomValidity(""); });
  document.addEventListener("keydown", (event) => {
    if (event.target.id !== "draw-at" || event.key !== "Enter") return;
    addTyped();
    event.preventDefault();
  });
  // Closing the panel puts the pencil away.
  document.addEventListener("toggle", (event) => { if (event.target.matches("[data-draw]") && !event.target.open) choose(""); }, true);
  ["tolman:frame", "DOMContentLoaded", "htmx:afterSettle"].forEach((name) => document.addEventListener(name, draw));
  document.addEventListener("htmx:afterSwap", (event) => { if (event.detail.boosted) choose(""); });
  document.addEventListener("load", (event) => { if (event.target.matches(".stage img")) draw(); }, true);
})();
