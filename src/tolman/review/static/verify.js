// The mode Verify: moments of videos as key frames, boxes dragged in pictures of a point cloud, taking a measured value over.
"use strict";

function videosShown() {
  return [...document.querySelectorAll(".media video")];
}

// Which of the question's media a video is, by the list of the places of its videos.
function mark() {
  const button = document.querySelector("[data-mark]");
  const field = document.getElementById("frames");
  const videos = videosShown();
  if (!button || !field || !videos.length) return;
  const watched = videos.find((video) => !video.paused) || videos.find((video) => video === lastVideo) || videos[0];
  const place = button.dataset.mark.split(" ")[videos.indexOf(watched)];
  const seconds = watched.currentTime.toFixed(2);
  const entry = "only" in field.dataset ? seconds : `${place}@${seconds}`;
  field.value = field.value.trim() ? `${field.value.trim().replace(/,$/, "")}, ${entry}` : entry;
  field.dispatchEvent(new Event("change", { bubbles: true }));
}
let lastVideo = null;
document.addEventListener("timeupdate", (event) => { lastVideo = event.target; }, true);

function seek(place, seconds) {
  const marks = document.querySelector("[data-mark]");
  const places = marks ? marks.dataset.mark.split(" ") : null;
  const shown = [...document.querySelectorAll(".media video, .media img")];
  const video = places ? videosShown()[places.indexOf(String(place))] : shown[place - 1];
  if (!video || !("currentTime" in video)) return;
  video.pause();
  video.currentTime = seconds;
  video.scrollIntoView({ block: "nearest" });
}

// Buttons that go to the moments entered.
function showMoments() {
  const field = document.getElementById("frames");
  const place = document.querySelector("[data-moments]");
  if (!field || !place) return;
  place.replaceChildren();
  for (const text of field.value.split(/[,;\n]/)) {
    const found = text.trim().match(/^(?:(\d{1,3})\s*@\s*)?(\d+(?:\.\d+)?)$/);
    if (!found || (found[1] === undefined && !("only" in field.dataset))) continue;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "quiet";
    button.textContent = text.trim();
    button.setAttribute("aria-label", `Show ${text.trim()} s`);
    button.addEventListener("click", () => seek(found[1] || "1", parseFloat(found[2])));
    place.append(button, " ");
  }
}
document.addEventListener("change", (event) => { if (event.target.id === "frames") showMoments(); });
document.addEventListener("DOMContentLoaded", showMoments);
document.addEventListener("htmx:afterSettle", showMoments);

tolmanKeys.on("moment", () => {
  if (!document.querySelector("form[data-ask] [data-mark]")) return false;
  mark();
});

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-mark], [data-seek], [data-take], [data-unmeasure], [data-now]");
  if (!button) return;
  const form = document.querySelector("form[data-ask]");
  if ("mark" in button.dataset) mark();
  if ("seek" in button.dataset) seek(button.dataset.medium, parseFloat(button.dataset.seek));
  if ("take" in button.dataset) {
    form.elements.answer.value = button.dataset.take;
    form.elements.measured.value = button.dataset.number;
    form.querySelector("[data-measured-note]").hidden = false;
    form.elements.answer.focus();
    form.elements.answer.dispatchEvent(new Event("change", { bubbles: true }));
  }
  if ("unmeasure" in button.dataset) {
    form.elements.measured.value = "";
    form.querySelector("[data-measured-note]").hidden = true;
    form.elements.answer.focus();
    form.elements.answer.dispatchEvent(new Event("change", { bubbles: true }));
  }
  if ("now" in button.dataset) {
    const video = lastVideo && lastVideo.isConnected ? lastVideo : videosShown()[0];
    if (video) {
      const field = document.getElementById("at");
      field.value = video.currentTime.toFixed(2);
      field.dispatchEvent(new Event("change", { bubbles: true }));
    }
  }
});

// Another moment shows another frame; boxes drawn in the old one are gone. Distances and angles take two regions.
document.addEventListener("change", (event) => {
  if (event.target.id === "at") {
    const picture = document.querySelector("[data-frame]");
    if (picture) {
      picture.src = `${picture.dataset.frame}?at=${encodeURIComponent(event.target.value.replace(",", "."))}`;
      picture.parentElement.querySelectorAll(".box").forEach((box) => box.remove());
    }
  }
  if (event.target.id === "quantity") {
    const two = event.target.dataset.two.split(" ").includes(event.target.value);
    document.querySelector("[data-second]").hidden = !two;
    if (!two) event.target.form.elements.which.value = "first";
  }
});

// Dragging a box.
let drag = null;
document.addEventListener("pointerdown", (event) => {
  const area = event.target.closest("[data-pick]");
  if (!area || event.button !== 0) return;
  const form = area.closest("form");
  const which = form.elements.which.value;
  document.querySelectorAll(`.pick .box.${which}`).forEach((box) => box.remove());
  const box = document.createElement("div");
  box.className = `box ${which}`;
  area.append(box);
  area.setPointerCapture(event.pointerId);
  drag = { area, form, which, box, start: place(area, event) };
  event.preventDefault();
});
document.addEventListener("pointermove", (event) => {
  if (drag) draw(place(drag.area, event));
});
document.addEventListener("pointerup", (event) => {
  if (!drag) return;
  const end = place(drag.area, event);
  draw(end);
  const { area, form, which, start } = drag;
  drag = null;
  const factor = parseFloat(area.dataset.width) / area.querySelector("img").clientWidth;
  const x = [start.x * factor, end.x * factor].sort((a, b) => a - b);
  const y = [start.y * factor, end.y * factor].sort((a, b) => a - b);
  if (x[1] - x[0] < 1 || y[1] - y[0] < 1) return;
  let numbers = [x[0], y[0], x[1], y[1]].map((value) => value.toFixed(1));
  if (area.dataset.pick === "top") {
    const scale = parseFloat(area.dataset.scale);
    const left = parseFloat(area.dataset.left);
    const top = parseFloat(area.dataset.top);
    const low = form.elements.low.value;
    const high = form.elements.high.value;
    numbers = [left + x[0] / scale, top - y[1] / scale, low, left + x[1] / scale, top - y[0] / scale, high];
    numbers = numbers.map((value) => (typeof value === "number" ? value.toFixed(2) : value));
  }
  form.elements[which].value = numbers.join(", ");
});
document.addEventListener("pointercancel", () => { drag = null; });

function place(area, event) {
  const frame = area.getBoundingClientRect();
  return {
    x: Math.min(Math.max(event.clientX - frame.left, 0), frame.width),
    y: Math.min(Math.max(event.clientY - frame.top, 0), frame.height),
  };
}
function draw(end) {
  const { start, box } = drag;
  box.style.left = `${Math.min(start.x, end.x)}px`;
  box.style.top = `${Math.min(start.y, end.y)}px`;
  box.style.width = `${Math.abs(end.x - start.x)}px`;
  box.style.height = `${Math.abs(end.y - start.y)}px`;
}
