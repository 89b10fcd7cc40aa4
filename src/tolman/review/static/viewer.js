// Pictures and videos: enlarge and move, side by side or one at a time, blink between two.
"use strict";
(() => {
  const MOST = 16;
  const FACTOR = 1.5;
  const PAN_SHARE = 0.2; // of what is shown
  const BLINK_MILLISECONDS = 700;
  const views = new WeakMap(); // stage → { scale, x, y }, x and y in pixels of the page
  let current = null; // the stage that was used last
  let drag = null;
  let blinking = null;

  function stages() {
    return [...document.querySelectorAll(".stage")].filter(tolmanKeys.isShown);
  }
  function meant() {
    const all = stages();
    return all.find((one) => one === current) || all[0] || null;
  }
  function viewOf(stage) {
    if (!views.has(stage)) views.set(stage, { scale: 1, x: 0, y: 0 });
    return views.get(stage);
  }
  function media(stage) {
    return stage.closest(".media");
  }
  // Two pictures that blink are looked at in the same place.
  function together(stage) {
    const all = media(stage);
    return all && all.dataset.shows === "blink" ? [...all.querySelectorAll(".stage")] : [stage];
  }
  function show(stage, view) {
    const sheet = stage.querySelector(".sheet");
    const scale = Math.min(Math.max(view.scale, 1), MOST);
    const least = (length) => length * (1 - scale);
    const { clientWidth: width, clientHeight: height } = stage;
    const x = Math.min(Math.max(view.x, least(width)), 0);
    const y = Math.min(Math.max(view.y, least(height)), 0);
    views.set(stage, { scale, x, y });
    sheet.style.transform = scale === 1 ? "" : `translate(${x}px, ${y}px) scale(${scale})`;
    stage.classList.toggle("zoomed", scale > 1);
    const video = stage.querySelector("video");
    // A video's own controls would be enlarged as well, and take the clicks.
    if (video) video.controls = scale === 1 && document.body.dataset.tool === undefined;
    const place = stage.closest("figure, li") && stage.closest("figure, li").querySelector("[data-zoom]");
    if (place) place.textContent = `${Math.round(scale * 100)} %`;
  }
  function zoom(stage, factor, at) {
    const old = viewOf(stage);
    const scale = Math.min(Math.max(old.scale * factor, 1), MOST);
    const point = at || { x: stage.clientWidth / 2, y: stage.clientHeight / 2 };
    const ratio = scale / old.scale;
    together(stage).forEach((one) => show(one, { scale, x: point.x - (point.x - old.x) * ratio, y: point.y - (point.y - old.y) * ratio }));
  }
  function pan(stage, x, y) {
    const old = viewOf(stage);
    together(stage).forEach((one) => show(one, { scale: old.scale, x: old.x + x, y: old.y + y }));
  }
  function stageOf(event) {
    const near = event.type === "keydown" ? null : event.target.closest("figure, li");
    return (near && near.querySelector(".stage")) || meant();
  }
  function use(stage) {
    document.querySelectorAll(".stage.current").forEach((one) => one.classList.remove("current"));
    current = stage;
    if (stages().length > 1) stage.classList.add("current");
  }

  tolmanKeys.on("zoom-in", (event) => zoom(stageOf(event), FACTOR));
  tolmanKeys.on("zoom-out", (event) => zoom(stageOf(event), 1 / FACTOR));
  tolmanKeys.on("zoom-whole", (event) => together(stageOf(event)).forEach((one) => show(one, { scale: 1, x: 0, y: 0 })));
  for (const [name, x, y] of [["left", 1, 0], ["right", -1, 0], ["up", 0, 1], ["down", 0, -1]]) {
    tolmanKeys.on(`pan-${name}`, (event) => {
      const stage = stageOf(event);
      if (viewOf(stage).scale === 1) return false;
      pan(stage, x * PAN_SHARE * stage.clientWidth, y * PAN_SHARE * stage.clientHeight);
    });
  }
  document.addEventListener("wheel", (event) => {
    const stage = event.ctrlKey && event.target.closest ? event.target.closest(".stage") : null;
    if (!stage) return;
    const box = stage.getBoundingClientRect();
    zoom(stage, event.deltaY < 0 ? 1.2 : 1 / 1.2, { x: event.clientX - box.left, y: event.clientY - box.top });
    event.preventDefault();
  }, { passive: false });
  document.addEventListener("pointerdown", (event) => {
    const stage = event.target.closest(".stage");
    if (!stage) return;
    use(stage);
    if (event.button !== 0 || document.body.dataset.tool !== undefined || event.target.closest(".placing") || viewOf(stage).scale === 1) return;
    drag = { stage, x: event.clientX, y: event.clientY };
    stage.setPointerCapture(event.pointerId);
    event.preventDefault();
  });
  document.addEventListener("pointermove", (event) => {
    if (!drag) return;
    pan(drag.stage, event.clientX - drag.x, event.clientY - drag.y);
    drag.x = event.clientX;
    drag.y = event.clientY;
  });
  ["pointerup", "pointercancel"].forEach((name) => document.addEventListener(name, () => { drag = null; }));

  // Side by side, one at a time, or two that blink.
  function figuresOf(all) {
    return [...all.querySelectorAll("figure")];
  }
  function shownOf(all) {
    const count = figuresOf(all).length;
    const pair = [...all.querySelectorAll("[data-blink]")].map((list) => parseInt(list.value, 10));
    return all.dataset.shows === "blink" ? (pair.length ? pair : [0, 1]) : [...Array(count).keys()];
  }
  function arrange(all) {
    const figures = figuresOf(all);
    const shows = all.dataset.shows || "grid";
    const order = shownOf(all);
    const place = parseInt(all.dataset.place || "0", 10) % order.length;
    all.classList.toggle("single", shows !== "grid");
    all.querySelectorAll("[data-view]").forEach((one) => one.setAttribute("aria-pressed", String(one.dataset.view === shows)));
    figures.forEach((figure, number) => { figure.hidden = shows !== "grid" && number !== order[place]; });
    all.querySelectorAll("[data-when]").forEach((part) => { part.hidden = !part.dataset.when.split(" ").includes(shows); });
    const told = all.querySelector(".place");
    told.textContent = shows === "blink" ? figures[order[place]].querySelector("figcaption").textContent : `${place + 1} of ${figures.length}`;
    if (shows !== "grid") use(figures[order[place]].querySelector(".stage"));
    if (shows !== "blink") stop();
  }
  function turn(all, by) {
    const count = shownOf(all).length;
    all.dataset.place = String((parseInt(all.dataset.place || "0", 10) + by + count) % count);
    arrange(all);
  }
  function stop() {
    clearInterval(blinking);
    blinking = null;
    document.querySelectorAll("[data-alone]").forEach((one) => one.setAttribute("aria-pressed", "false"));
  }
  function many() {
    const stage = meant();
    return (stage && stage.closest(".media.many")) || document.querySelector(".media.many");
  }
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-view], [data-step], [data-alone]");
    const all = button && button.closest("[data-media]");
    if (!all) return;
    if (button.dataset.view) {
      all.dataset.shows = button.dataset.view;
      all.dataset.place = "0";
      arrange(all);
    } else if (button.dataset.step) {
      turn(all, parseInt(button.dataset.step, 10));
    } else if (blinking === null) {
      button.setAttribute("aria-pressed", "true");
      blinking = setInterval(() => { if (all.isConnected) turn(all, 1); else stop(); }, BLINK_MILLISECONDS);
    } else {
      stop();
    }
  });
  document.addEventListener("change", (event) => {
    if (event.target.matches("[data-blink]")) arrange(event.target.closest("[data-media]"));
  });
  tolmanKeys.on("blink", () => {
    const all = many();
    if (all.dataset.shows === "blink") {
      turn(all, 1);
    } else {
      all.dataset.shows = "blink";
      all.dataset.place = "0";
      arrange(all);
    }
  });
  function neighbour(by) {
    return () => {
      const all = many();
      if ((all.dataset.shows || "grid") !== "grid") {
        turn(all, by);
        return;
      }
      const own = [...all.querySelectorAll(".stage")];
      const next = own[(own.indexOf(meant()) + by + own.length) % own.length];
      use(next);
      next.scrollIntoView({ block: "nearest" });
    };
  }
  tolmanKeys.on("picture-before", neighbour(-1));
  tolmanKeys.on("picture-after", neighbour(1));
  window.addEventListener("resize", () => stages().forEach((stage) => show(stage, viewOf(stage))));
  document.addEventListener("tolman:tool", () => stages().forEach((stage) => show(stage, viewOf(stage))));

  window.tolmanViewer = { meant, use };
})();
