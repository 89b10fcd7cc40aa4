// Pages on which people make questions: times taken from a player.
"use strict";

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-mark]");
  if (!button) return;
  const place = button.closest("li, .player");
  const video = place && place.querySelector("video");
  const field = button.form ? button.form.elements[button.dataset.mark] : null;
  if (!video || !field) return;
  field.value = video.currentTime.toFixed(2);
  field.dispatchEvent(new Event("change", { bubbles: true }));
});
