// What pages do beyond htmx: time while visible, whether media could be seen, and sending again after a lost connection.
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
  if (source === form && form.hasAttribute("data-broken")) {
    event.preventDefault();
  } else if (source === form) {
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

// A press on a button counts where it began: what appears meanwhile above the button may move it from under the pointer,
// so that the browser would give the click to something else.
const STILL_PIXELS = 8;
let pressed = null;
document.addEventListener("pointerdown", (event) => {
  const button = event.button === 0 ? event.target.closest("form[data-ask] button") : null;
  pressed = button && { button, x: event.clientX, y: event.clientY };
}, true);
document.addEventListener("click", (event) => {
  if (pressed === null || event.detail === 0) return;
  const { button, x, y } = pressed;
  pressed = null;
  const still = Math.hypot(event.clientX - x, event.clientY - y) <= STILL_PIXELS;
  if (!still || !button.isConnected || event.target.closest("button") === button) return;
  event.stopPropagation();
  event.preventDefault();
  button.click();
}, true);

// Whether the question could be seen: "waiting", "ready", or "broken", which takes a report in place of an answer.
const seen = new WeakSet();
function isReady(medium) {
  const now = medium.tagName === "VIDEO" ? medium.readyState >= HTMLMediaElement.HAVE_CURRENT_DATA : medium.complete && medium.naturalWidth > 0;
  if (now) seen.add(medium);
  return seen.has(medium);
}
function isBroken(medium) {
  if (isReady(medium)) return false;
  // A video's networkState says NO_SOURCE for a moment before every load as well; only a failed load leaves an error.
  if (medium.tagName === "VIDEO") return medium.error !== null;
  return medium.complete && medium.naturalWidth === 0;
}
function lookAtMedia() {
  const field = document.querySelector("[data-shown-state]");
  if (!field) return;
  const media = [...document.querySelectorAll("[data-shown]")];
  const broken = media.some(isBroken);
  field.value = broken ? "broken" : media.every(isReady) ? "ready" : "waiting";
  const report = document.querySelector("[data-report]");
  if (!report) return;
  report.hidden = !broken;
  field.form.toggleAttribute("data-broken", broken);
}
["load", "error", "loadeddata", "emptied"].forEach((name) => document.addEventListener(name, (event) => {
  if (event.target.matches && event.target.matches("[data-shown]")) lookAtMedia();
}, true));
document.addEventListener("DOMContentLoaded", lookAtMedia);
document.addEventListener("htmx:afterSettle", lookAtMedia);
document.addEventListener("submit", lookAtMedia, true);
function loadAgain() {
  [...document.querySelectorAll("[data-shown]")].filter(isBroken).forEach((medium) => {
    if (medium.tagName === "VIDEO") medium.load(); else medium.src = medium.getAttribute("src");
  });
  lookAtMedia();
}
window.addEventListener("online", loadAgain);
document.addEventListener("click", (event) => { if (event.target.closest("[data-load-again]")) loadAgain(); });
