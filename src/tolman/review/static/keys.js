// Keys. What a key does stands in the page's own table (pages.py), which `?` shows; letters and digits press the element
// that names them (data-key). Scripts say what an act does by `tolmanKeys.on`; buttons name theirs by data-act.
"use strict";
const tolmanKeys = (() => {
  // Whoever types has the keys; a list has its letters.
  const TEXTS = "textarea, input:not([type=radio]):not([type=checkbox])";
  const acts = new Map();
  const names = { " ": "Space" };
  let byPointer = false;

  function table() {
    return JSON.parse(document.getElementById("keys").dataset.keys);
  }
  function isShown(element) {
    return element.getClientRects().length > 0;
  }
  function holds(row) {
    return row.needs === "" || [...document.querySelectorAll(row.needs)].some(isShown);
  }
  function choices() {
    return [...document.querySelectorAll("[data-key]")].filter((one) => one.dataset.key && !one.disabled && isShown(one.closest("label") || one));
  }
  function nameOf(event) {
    if (event.getModifierState("AltGraph") && event.key.length === 1) return event.key; // Only how a layout writes it.
    const key = names[event.key] || (event.key.length === 1 ? event.key.toLowerCase() : event.key);
    return `${event.ctrlKey || event.metaKey ? "Ctrl+" : ""}${event.altKey ? "Alt+" : ""}${event.shiftKey && key.length > 1 ? "Shift+" : ""}${key}`;
  }
  function labelOf(element) {
    const named = element.getAttribute("aria-label") || (element.closest("label") || element).innerText;
    const group = element.closest("fieldset");
    const legend = group && group.querySelector("legend");
    const text = named.replace(/\s+/g, " ").trim().replace(new RegExp(`^${element.dataset.key} `, "i"), "").slice(0, 80);
    return legend ? `${legend.innerText.replace(/\s+/g, " ").trim()}: ${text}` : text;
  }

  // All that keys do on the page as it is now.
  function list() {
    const rows = table().filter(holds).map((row) => ({ key: row.key, shown: row.shown, does: row.does, act: row.act }));
    return [...rows, ...choices().map((one) => ({ key: one.dataset.key, shown: one.dataset.key.toUpperCase(), does: labelOf(one), act: "press" }))];
  }
  function act(name, event) {
    const does = acts.get(name);
    return does ? does(event, event.target) !== false : false;
  }
  function press(element) {
    if (!element.matches("input[type=radio], input[type=checkbox]")) {
      element.click();
      return;
    }
    element.checked = element.type === "radio" || !element.checked;
    element.dispatchEvent(new Event("change", { bubbles: true }));
  }

  document.addEventListener("keydown", (event) => {
    byPointer = false;
    const target = event.target;
    const shown = document.getElementById("keys");
    if (event.defaultPrevented || event.isComposing || !shown || !target.matches || target.matches(TEXTS)) return;
    const name = nameOf(event);
    const row = table().find((one) => one.key === name);
    if (shown.open) {
      if (row && row.act === "keys" && act("keys", event)) event.preventDefault();
      return;
    }
    // No arrow moves a radio, whether it does something else here or not.
    const option = target.matches("input[type=radio]") && (target.closest("form[data-ask]") || document.querySelector(".media"));
    if (option && event.key.startsWith("Arrow")) event.preventDefault();
    if (row) {
      if (holds(row) && act(row.act, event)) event.preventDefault();
      return;
    }
    const choice = target.matches("select") ? null : choices().find((one) => one.dataset.key === name);
    if (choice) {
      press(choice);
      event.preventDefault();
    }
  });
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-act]");
    if (button) act(button.dataset.act, event);
  });

  // What was chosen with the pointer doesn't keep the keys to itself.
  document.addEventListener("pointerdown", () => { byPointer = true; }, true);
  document.addEventListener("click", (event) => {
    if (byPointer && event.target.matches("form[data-ask] :is(input[type=radio], input[type=checkbox], button[type=button]), .media button")) event.target.blur();
  });

  acts.set("keys", () => {
    const dialog = document.getElementById("keys");
    if (dialog.open) {
      dialog.close();
      return;
    }
    dialog.querySelector("tbody").replaceChildren(...list().map((row) => {
      const line = document.createElement("tr");
      const head = document.createElement("th");
      head.scope = "row";
      row.shown.split(/(?<=.)\+/).forEach((one, place) => {
        const key = document.createElement("kbd");
        key.textContent = one;
        head.append(...(place ? ["+", key] : [key]));
      });
      const cell = document.createElement("td");
      cell.textContent = row.does;
      line.append(head, cell);
      return line;
    }));
    dialog.showModal();
  });
  acts.set("submit", (event, target) => {
    const form = document.querySelector("form[data-ask]");
    const own = target.closest("button, a, summary, select"); // What a dialog that was just closed still holds has no keys.
    if (!form || (own && isShown(own))) return false;
    form.requestSubmit();
  });
  acts.set("undo", () => document.querySelector("[data-undo]").requestSubmit());
  // ↑ ↓ go from option to option without choosing.
  function among(step) {
    return (event, option) => {
      const ours = option.closest("form[data-ask]") !== null || document.querySelector(".media") !== null;
      if (!option.matches("input[type=radio]") || !ours) return false;
      const group = [...document.querySelectorAll(`input[type=radio][name="${CSS.escape(option.name)}"]`)].filter((one) => one.form === option.form);
      group[(group.indexOf(option) + step + group.length) % group.length].focus();
    };
  }
  acts.set("option-before", among(-1));
  acts.set("option-after", among(1));

  return { on: (name, does) => acts.set(name, does), list, isShown };
})();
window.tolmanKeys = tolmanKeys;
