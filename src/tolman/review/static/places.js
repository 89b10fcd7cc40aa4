// Points clicked and boxes dragged in the picture of a question, kept as JSON in the field of its answer: shares of the
// picture's width and height. The field can be written in as well, and what is written is drawn.
"use strict";
(() => {
  const STILL_PIXELS = 4; // A shorter way is a click.
  const NEAR_PIXELS = 10;
  const DECIMALS = 4;
  let drag = null;

  // The field and the picture; where a question has several pictures, the last. A video can't be drawn in.
  function asked() {
    const field = document.querySelector("form[data-ask] [data-place]");
    const pictures = document.querySelectorAll("img[data-shown]");
    return field && pictures.length ? { field, picture: pictures[pictures.length - 1] } : null;
  }

  function placesOf(field) {
    const boxes = field.dataset.place === "boxes";
    let found;
    try {
      found = JSON.parse(field.value);
    } catch {
      return [];
    }
    if (found && !Array.isArray(found)) found = found.size || found.in ? [] : found.points || found.boxes || (found.box ? [found.box] : []);
    if (Array.isArray(found) && typeof found[0] === "number") found = [found];
    const length = boxes ? 4 : 2;
    const fits = (one) => Array.isArray(one) && one.length === length && one.every((n) => typeof n === "number" && n >= 0 && n <= 1);
    return Array.isArray(found) && found.every(fits) ? found : [];
  }

  function keepPlaces(field, places) {
    const boxes = field.dataset.place === "boxes";
    const record = !boxes ? { points: places } : places.length === 1 ? { box: places[0] } : { boxes: places };
    field.value = places.length ? JSON.stringify(record) : "";
    field.dispatchEvent(new Event("change", { bubbles: true }));
    drawPlaces();
  }

  function drawPlaces() {
    const now = asked();
    if (!now) return;
    let area = now.picture.parentElement;
    if (!area.classList.contains("placing")) {
      area = document.createElement("span");
      area.className = "placing";
      now.picture.replaceWith(area);
      area.append(now.picture);
    }
    area.querySelectorAll(".placed:not(.drawn)").forEach((one) => one.remove());
    placesOf(now.field).forEach((place) => area.append(markOf(place)));
  }

  function markOf(place) {
    const mark = document.createElement("i");
    mark.className = place.length === 2 ? "placed point" : "placed area";
    mark.style.left = `${place[0] * 100}%`;
    mark.style.top = `${place[1] * 100}%`;
    if (place.length === 4) {
      mark.style.width = `${(place[2] - place[0]) * 100}%`;
      mark.style.height = `${(place[3] - place[1]) * 100}%`;
    }
    return mark;
  }

  function shareAt(area, event) {
    const frame = area.getBoundingClientRect();
    const share = (value, length) => Number(Math.min(Math.max(value / length, 0), 1).toFixed(DECIMALS));
    return [share(event.clientX - frame.left, frame.width), share(event.clientY - frame.top, frame.height)];
  }

  function boxOf(from, to) {
    return [Math.min(from[0], to[0]), Math.min(from[1], to[1]), Math.max(from[0], to[0]), Math.max(from[1], to[1])];
  }

  function clicked(field, area, at) {
    const places = placesOf(field);
    const { width, height } = area.getBoundingClientRect();
    const hit = places.findLastIndex((place) => place.length === 2
      ? Math.hypot((place[0] - at[0]) * width, (place[1] - at[1]) * height) <= NEAR_PIXELS
      : place[0] <= at[0] && at[0] <= place[2] && place[1] <= at[1] && at[1] <= place[3]);
    if (hit >= 0) places.splice(hit, 1);
    else if (field.dataset.place === "points") places.push(at);
    else return;
    keepPlaces(field, places);
  }

  document.addEventListener("pointerdown", (event) => {
    const area = event.target.closest(".placing");
    const now = asked();
    if (!area || !now || event.button !== 0) return;
    const mark = now.field.dataset.place === "boxes" ? markOf([...shareAt(area, event), ...shareAt(area, event)]) : null;
    if (mark) {
      mark.classList.add("drawn");
      area.append(mark);
    }
    area.setPointerCapture(event.pointerId);
    drag = { area, field: now.field, from: shareAt(area, event), x: event.clientX, y: event.clientY, mark };
    event.preventDefault();
  });
  document.addEventListener("pointermove", (event) => {
    if (!drag || !drag.mark) return;
    const drawn = markOf(boxOf(drag.from, shareAt(drag.area, event)));
    drawn.classList.add("drawn");
    drag.mark.replaceWith(drawn);
    drag.mark = drawn;
  });
  document.addEventListener("pointerup", (event) => {
    if (!drag) return;
    const { area, field, from, x, y, mark } = drag;
    drag = null;
    if (mark) mark.remove();
    const box = boxOf(from, shareAt(area, event));
    const still = Math.hypot(event.clientX - x, event.clientY - y) <= STILL_PIXELS;
    if (still) clicked(field, area, from);
    else if (mark && box[0] < box[2] && box[1] < box[3]) keepPlaces(field, [...placesOf(field), box]);
  });
  document.addEventListener("pointercancel", () => {
    if (drag && drag.mark) drag.mark.remove();
    drag = null;
  });
  document.addEventListener("click", (event) => {
    const now = event.target.closest("[data-unplace]") && asked();
    if (now) keepPlaces(now.field, []);
  });
  document.addEventListener("input", (event) => { if (event.target.matches("[data-place]")) drawPlaces(); });
  document.addEventListener("DOMContentLoaded", drawPlaces);
  document.addEventListener("htmx:afterSettle", drawPlaces);
})();
