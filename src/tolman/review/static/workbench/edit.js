// Numbers for a box, beside the drawings: whatever the mouse does there is done here by keyboard.
import { el, heading, same, turned } from "./boxes.js";
import { send } from "./pick.js";

const LEAST = 0.01; // metres that an added or resized side has at least

export function editor(state, action, csrf) {
  state.edits = true;
  const picks = Boolean(state.data.pick); // of a scene alone, without items
  const number = (name, label, step, get, set, least) => {
    const field = el("input", { type: "number", id: `workbench-${name}`, step: "any", "data-step": step, inputmode: "decimal", autocomplete: "off", ...(least === undefined ? {} : { min: least }) });
    field.addEventListener("change", () => {
      const value = field.valueAsNumber;
      if (!state.box || !Number.isFinite(value) || (least !== undefined && value < least)) { fill(); return; }
      state.remember();
      state.change(set(state.box, value));
    });
    // Up and down go by a step of their own, since any number is valid.
    field.addEventListener("keydown", (event) => {
      const by = { ArrowUp: 1, ArrowDown: -1 }[event.key];
      if (!by || !Number.isFinite(field.valueAsNumber)) return;
      event.preventDefault();
      field.value = String(Math.round((field.valueAsNumber + by * step) * 1e6) / 1e6);
      field.dispatchEvent(new Event("change"));
    });
    return { field, get, part: el("p", { class: "field" }, el("label", { for: field.id }, label), field) };
  };
  const item = (key, k, name, label, least) => number(name, label, 0.05, (box) => box[key][k], (box, value) => ({ [key]: box[key].map((v, i) => (i === k ? value : v)) }), least);
  const fields = [
    item("center", 0, "x", "x (m)"), item("center", 1, "y", "y (m)"), item("center", 2, "z", "z (m, up)"),
    item("extents", 0, "length", "Length (m)", LEAST), item("extents", 1, "width", "Width (m)", LEAST), item("extents", 2, "height", "Height (m)", LEAST),
    number("turn", "Turned (°)", 5, (box) => Math.round(heading(box) * 100) / 100, (box, value) => ({ axes: turned(box.axes, value - heading(box)) })),
  ];
  const name = el("input", { id: "workbench-name", maxlength: 100, autocomplete: "off", list: "workbench-names" });
  name.addEventListener("change", () => { if (state.box) { state.remember(); state.change({ name: name.value.trim() }); } });
  const names = el("datalist", { id: "workbench-names" }, [...new Set(state.boxes.map((box) => box.name))].sort().map((one) => el("option", { value: one })));
  const object = el("select", { id: "workbench-object", onchange: () => state.choose(object.value || null) });
  const note = el("textarea", { id: "workbench-note", name: "note", rows: 2, required: !picks, maxlength: 20000 });
  const changes = el("input", { type: "hidden", name: "changes" });
  const told = el("p", { class: "hint", role: "status", "data-changes": true });
  const button = (text, act, kind = "quiet") => el("button", { type: "button", class: kind, onclick: act }, text);
  const remove = button("Remove the object", () => state.remove(), "bad"), undo = button("Undo", () => state.undo()), save = el("button", { type: "submit" }, picks ? "Save the boxes" : "Save and make the items again");

  function fill() {
    const box = state.box;
    for (const one of fields) {
      one.field.disabled = !box || box.moves;
      one.field.value = box ? String(Math.round(one.get(box) * 1e4) / 1e4) : ""; // what isn't written in keeps its exact value
    }
    name.disabled = !box;
    name.value = box ? box.name : "";
    remove.disabled = !box;
    undo.disabled = !state.past.length;
    const title = (one) => `${one.name || "(no name yet)"}${one.added ? " (new)" : ` ${one.id}`}${one.moves ? " (moves: only its name can be changed)" : ""}`;
    object.replaceChildren(el("option", { value: "" }, "none"), ...state.boxes.map((one) => el("option", { value: one.id }, title(one))));
    object.value = state.chosen || "";
    const some = state.changes();
    changes.value = JSON.stringify(some);
    save.disabled = !some.length;
    const gone = some.filter((one) => !one.box).length, added = some.filter((one) => one.object === "").length, other = some.length - gone - added;
    told.textContent = some.length ? `Not saved yet: ${[other && `${other} changed`, added && `${added} added`, gone && `${gone} removed`].filter(Boolean).join(", ")}.` : "Nothing is changed.";
  }
  state.on((what) => { if (what !== "frame") fill(); });
  const form = el("form", { method: "post", action, class: "edit", "hx-boost": "false" },
    el("input", { type: "hidden", name: "csrf", value: csrf }), changes, names,
    el("div", { class: "fields" }, el("p", { class: "field wide" }, el("label", { for: "workbench-object" }, "Object"), object), el("p", { class: "field" }, el("label", { for: "workbench-name" }, "Name"), name), fields.map((one) => one.part)),
    el("p", { class: "actions" }, button("Add an object", () => { state.add(); name.focus(); }), remove, undo),
    told,
    el("p", { class: "field" }, el("label", { for: "workbench-note" }, picks ? "Note" : "Reason of the correction"), note),
    el("p", { class: "actions" }, save, el("span", { class: "hint" }, `Written to corrections.json beside the scenes${picks ? "" : "; the items that change are reviewed again"}.`)));
  form.addEventListener("submit", (event) => {
    const unnamed = state.boxes.find((box) => !box.name && (box.added || !same(box, state.original.get(box.id))));
    if (picks || unnamed) event.preventDefault();
    if (picks && !unnamed) {
      told.textContent = "Saving …";
      send(action, csrf, new FormData(form)).then(() => location.reload(), (error) => { told.textContent = error.message; });
    }
    if (!unnamed) return;
    state.choose(unnamed.id);
    name.focus();
    told.textContent = "Each object needs a name.";
  });
  fill();
  return form;
}
