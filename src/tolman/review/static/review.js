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

// Keys: letters choose, Enter submits, Space and the arrows ← → drive the video. None of the latter ever changes what is
// chosen: ↑ ↓ go from option to option without choosing, and Space chooses an option only where it isn't chosen yet.
const TEXTS = "textarea, input:not([type=radio]):not([type=checkbox])";
const SEEK_SECONDS = 1;
function shownVideo() {
  const videos = [...document.querySelectorAll(".media video, .chosen video")];
  return videos.find((video) => !video.paused) || videos.find((video) => video.offsetParent !== null) || null;
}
document.addEventListener("keydown", (event) => {
  const target = event.target;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (target.matches(TEXTS)) return;
  const form = document.querySelector("form[data-ask]");
  if (mediaKey(event, target, form) || target.matches("select")) return;
  const choice = form && form.querySelector(`input[data-key="${CSS.escape(event.key.toLowerCase())}"], input[type=radio][name=answer][value="${CSS.escape(event.key.toUpperCase())}"]`);
  if (choice && event.key.length === 1) {
    choice.checked = choice.type === "radio" || !choice.checked;
    choice.dispatchEvent(new Event("change", { bubbles: true }));
    event.preventDefault();
  } else if (event.key === "Enter" && form && !target.closest("button, a, summary")) {
    form.requestSubmit();
    event.preventDefault();
  }
});
function mediaKey(event, target, form) {
  const video = shownVideo();
  const option = target.matches("input[type=radio], input[type=checkbox]") ? target : null;
  const ours = target.closest("form[data-ask]") !== null || document.querySelector(".media") !== null;
  if (event.key === "ArrowUp" || event.key === "ArrowDown") {
    if (!option || option.type !== "radio" || !ours) return false;
    const group = [...document.querySelectorAll(`input[type=radio][name="${CSS.escape(option.name)}"]`)].filter((one) => one.form === option.form);
    const place = group.indexOf(option) + (event.key === "ArrowUp" ? -1 : 1);
    group[(place + group.length) % group.length].focus();
  } else if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
    if (target.closest("video") || !(video || (option && ours))) return false;
    if (video) video.currentTime += event.key === "ArrowLeft" ? -SEEK_SECONDS : SEEK_SECONDS;
  } else if (event.key === " " && video) {
    if (target.closest("button, a, summary, video") || (option && !option.checked)) return false;
    if (video.paused) video.play().catch(() => {}); else video.pause(); // It may be paused again before it plays.
  } else {
    return false;
  }
  event.preventDefault();
  return true;
}
// Firefox moves a radio, and every browser ticks a box, when a key is let go.
document.addEventListener("keyup", (event) => {
  if (event.key === " " && shownVideo() && event.target.matches("input[type=radio]:checked, input[type=checkbox]:checked, select")) event.preventDefault();
});
// What was chosen with the pointer doesn't keep the keys to itself.
let byPointer = false;
document.addEventListener("pointerdown", () => { byPointer = true; }, true);
document.addEventListener("keydown", () => { byPointer = false; }, true);
document.addEventListener("click", (event) => {
  if (byPointer && event.target.matches("form[data-ask] :is(input[type=radio], input[type=checkbox], button[type=button])")) event.target.blur();
});

// Whether the question could be seen: "waiting", "ready", or "broken", which takes a report in place of an answer.
const seen = new WeakSet();
function isReady(medium) {
  const now = medium.tagName === "VIDEO" ? medium.readyState >= HTMLMediaElement.HAVE_CURRENT_DATA : medium.complete && medium.naturalWidth > 0;
  if (now) seen.add(medium);
  return seen.has(medium);
}
function isBroken(medium) {
  if (isReady(medium)) return false;
  if (medium.tagName === "VIDEO") return medium.error !== null || medium.networkState === HTMLMediaElement.NETWORK_NO_SOURCE;
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
