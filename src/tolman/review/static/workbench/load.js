// Fills each place for a scene once it is on the page; what it needs is loaded only then.
"use strict";
(() => {
  const begun = new WeakSet();
  function fill() {
    for (const place of document.querySelectorAll("[data-workbench]")) {
      if (begun.has(place)) continue;
      begun.add(place);
      import("/static/workbench/main.js").then((main) => main.begin(place)).catch((error) => {
        const told = place.querySelector("[data-told]");
        if (told) told.textContent = `The scene can't be drawn: ${error.message}`;
      });
    }
  }
  document.addEventListener("DOMContentLoaded", fill);
  document.addEventListener("htmx:afterSettle", fill);
})();
