// Fills each place for a scene once it is on the page; what it needs is loaded only then.
"use strict";
(() => {
  const begun = new WeakSet();
  const main = new URL("main.js", document.currentScript.src).href; // under whatever path a proxy shows the server
  function fill() {
    for (const place of document.querySelectorAll("[data-workbench]")) {
      if (begun.has(place)) continue;
      begun.add(place);
      import(main).then((loaded) => loaded.begin(place)).catch((error) => {
        const told = place.querySelector("[data-told]");
        if (told) told.textContent = `The scene can't be drawn: ${error.message}`;
      });
    }
  }
  document.addEventListener("DOMContentLoaded", fill);
  document.addEventListener("htmx:afterSettle", fill);
})();
