// Pages on which people make questions: times taken from a player.
"use strict";

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-mark]");
  if (!button) return;
  const place = button.closest("li");
  const video = button.dataset.player ? document.querySelector(button.dataset.player) : place && place.querySelector("video");
  const field = button.form ? button.form.elements[button.dataset.mark] : null;
  if (!video || !field) return;
  field.value = video.currentTime.toFixed(2);
  field.dispatchEvent(new Event("change", { bubbles: true }));
});

// A floor plan: what is pressed is where the route begins, then where it goes on.
document.addEventListener("click", (event) => {
  const thing = event.target.closest("[data-landmark]");
  const form = document.getElementById("routing");
  if (!form || (!thing && !event.target.closest("[data-clear]"))) return;
  const places = ["start", ...form.querySelectorAll("[name=stop]")].map((one) => (one === "start" ? form.elements.start : one));
  if (!thing) {
    [...places, form.elements.facing].forEach((one) => { one.value = ""; });
  } else {
    const chosen = places.find((one) => one.value === thing.dataset.landmark);
    const free = places.find((one) => one.value === "");
    if (chosen) chosen.value = "";
    else if (free) free.value = thing.dataset.landmark;
  }
  form.dispatchEvent(new Event("change", { bubbles: true }));
});
