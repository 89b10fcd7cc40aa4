// What pages do beyond htmx: time while visible, keys, pictures one at a time, and sending again after a lost connection.
"use strict";

const KEEP_SECONDS = 10;
const RETRY_MILLISECONDS = 2000;

// Time while the page is visible, into the hidden field of the form that asks.
let lastTick = performance.now();
function tick() {
  const now = performance.now();
  const passed = (now - lastTick) / 1000;
  lastTick = now;
  const field = document.querySelector("[data-seconds]");
  // A machine that slept, or a tab whose timers were held back, did not show the page all that time.
  if (field && !document.hidden && passed < 5) {
    field.value = (parseFloat(field.value || "0") + passed).toFixed(1);
  }
}
setInterval(tick, 500);
document.addEventListener("visibilitychange", () => {
  if (document.hidden) {
    keep();
  }
  tick();
  lastTick = performance.now();
});
function keep() {
  if (document.querySelector("[data-seconds]")) {
    htmx.trigger(document.body, "keep");
  }
}
setInterval(() => { if (!document.hidden) keep(); }, KEEP_SECONDS * 1000);

// A lost connection: say so, and send again what did not arrive, the form or what was typed. The server counts it once.
let submitted = null; // The form that was submitted and has no answer yet; whatever else it would send could abort that.
let unkept = false; // Something typed did not arrive.
let retry = null;
function formOf(source) {
  const [place] = (source.getAttribute("hx-sync") || "").split(":");
  return place ? document.querySelector(place) : source.closest("form[data-ask]");
}
document.addEventListener("htmx:confirm", (event) => {
  const source = event.detail.elt;
  const form = formOf(source);
  if (form === null) return;
  if (source === form) {
    submitted = form;
    clearTimeout(retry);
    retry = null;
  } else if (form === submitted) {
    event.preventDefault();
  }
});
document.addEventListener("htmx:validation:halted", (event) => {
  if (event.detail.elt === submitted) submitted = null;
});
["htmx:sendError", "htmx:sendAbort"].forEach((name) => document.addEventListener(name, waitAndSend));
document.addEventListener("htmx:beforeSwap", (event) => {
  if (event.detail.xhr.status >= 502) {
    event.detail.shouldSwap = false;
    waitAndSend(event);
  }
});
function waitAndSend(event) {
  // The element of the event itself may be where the answer would have been shown.
  const source = event.detail.requestConfig.elt;
  const form = formOf(source);
  const aborted = event.type === "htmx:sendAbort";
  if (!aborted) document.getElementById("offline").hidden = false;
  if (form === null || (aborted && source !== form)) return; // What is typed goes with what it was aborted for.
  unkept = unkept || source !== form;
  if (retry === null) retry = setTimeout(sendAgain, RETRY_MILLISECONDS);
}
function sendAgain() {
  clearTimeout(retry);
  retry = null;
  if (submitted && submitted.isConnected) {
    const form = submitted;
    submitted = null; // What was changed meanwhile may keep it from being submitted.
    form.requestSubmit();
  } else if (unkept) {
    keep();
  }
}
window.addEventListener("online", () => { if (retry !== null) sendAgain(); });
document.addEventListener("htmx:afterOnLoad", (event) => {
  if (event.detail.xhr.status >= 502) return;
  const source = event.detail.requestConfig.elt;
  if (source === submitted) submitted = null;
  if (source.isConnected ? formOf(source) : event.detail.boosted) unkept = false;
  const notice = document.getElementById("offline");
  if (notice) notice.hidden = true;
  const saved = document.querySelector("[data-saved]");
  if (saved && event.detail.pathInfo.requestPath.endsWith("/draft")) {
    saved.textContent = event.detail.xhr.status === 204 ? "Kept." : "";
  }
});

// A new page: readers of the screen hear its heading.
document.addEventListener("htmx:afterSettle", (event) => {
  if (event.detail.elt !== document.body && !event.detail.boosted) return;
  const heading = document.querySelector("main .problem, main h1");
  if (heading) {
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
  }
  window.scrollTo(0, 0);
});

// Keys: letters choose, Enter submits, Space and arrows drive the video.
document.addEventListener("keydown", (event) => {
  const target = event.target;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (target.matches("textarea, select, input:not([type=radio]):not([type=checkbox])")) return;
  const form = document.querySelector("form[data-ask]");
  const video = document.querySelector(".media video");
  const choice = form && form.querySelector(`input[data-key="${CSS.escape(event.key.toLowerCase())}"], input[type=radio][name=answer][value="${CSS.escape(event.key.toUpperCase())}"]`);
  if (choice && event.key.length === 1) {
    choice.checked = choice.type === "radio" || !choice.checked;
    choice.focus();
    choice.dispatchEvent(new Event("change", { bubbles: true }));
    event.preventDefault();
  } else if (event.key === "Enter" && form && !target.closest("button, a, summary")) {
    form.requestSubmit();
    event.preventDefault();
  } else if (video && !target.closest("button, a, summary, video, input")) {
    if (event.key === " ") {
      if (video.paused) video.play(); else video.pause();
      event.preventDefault();
    } else if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
      video.currentTime += event.key === "ArrowLeft" ? -1 : 1;
      event.preventDefault();
    }
  }
});

// Pictures side by side, or one at a time.
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-view], [data-step]");
  const media = button && button.closest("[data-media]");
  if (!media) return;
  const figures = [...media.querySelectorAll("figure")];
  let place = parseInt(media.dataset.place || "0", 10);
  if (button.dataset.view) {
    media.classList.toggle("single", button.dataset.view === "single");
    media.querySelectorAll("[data-view]").forEach((b) => b.setAttribute("aria-pressed", String(b === button)));
  } else {
    place = (place + parseInt(button.dataset.step, 10) + figures.length) % figures.length;
  }
  const single = media.classList.contains("single");
  media.dataset.place = String(place);
  figures.forEach((figure, number) => { figure.hidden = single && number !== place; });
  media.querySelectorAll("[data-step], .place").forEach((part) => { part.hidden = !single; });
  media.querySelector(".place").textContent = `${place + 1} of ${figures.length}`;
});
