// The workbench: what its parts share (boxes, the chosen one, camera and frame), and the parts side by side.
import { el, same } from "./boxes.js";
import { editor } from "./edit.js";
import { frames } from "./frames.js";
import { picker } from "./pick.js";
import { plan } from "./plan.js";

// What changes, and who is told: "frame", "chosen", "boxes".
class State {
  constructor(data, base) {
    Object.assign(this, { data, base, camera: data.follows || 0, frame: 0, chosen: null, listeners: [], past: [], picking: null, points: [] });
    this.original = new Map(data.boxes.map((box) => [box.id, structuredClone(box)]));
    this.boxes = data.boxes.map((box) => structuredClone(box));
    this.named = new Set(data.marks.flatMap((mark) => (mark.kind === "objects" ? mark.objects : [])).map((i) => data.boxes[i] && data.boxes[i].id));
  }
  on(listener) { this.listeners.push(listener); }
  tell(what, from) { this.listeners.forEach((listener) => listener(what, from)); }
  get box() { return this.boxes.find((box) => box.id === this.chosen) || null; }
  choose(id) { if (id !== this.chosen) { this.chosen = id; this.tell("chosen"); } }
  show(camera, frame, from) {
    const there = this.data.cameras[camera];
    if (!there) return;
    const kept = Math.min(Math.max(frame, 0), there.poses.length - 1);
    if (camera === this.camera && kept === this.frame) return;
    Object.assign(this, { camera, frame: kept });
    this.tell("frame", from);
  }
  // Before a change: what undo goes back to. While something is dragged, once for all.
  remember() { this.past.push(JSON.stringify([this.boxes, this.chosen])); }
  undo() {
    if (!this.past.length) return;
    [this.boxes, this.chosen] = JSON.parse(this.past.pop());
    this.tell("boxes");
    this.tell("chosen");
  }
  change(fields) { Object.assign(this.box, fields); this.tell("boxes"); }
  add(box) {
    const middle = this.data.cameras[this.camera] ? this.data.cameras[this.camera].poses[this.frame] : null;
    const near = this.box ? this.box.center : middle ? [middle[3] + 1.5 * middle[2], middle[7] + 1.5 * middle[6], 0.25] : [0, 0, 0.25];
    this.remember();
    const id = `\u0000${this.past.length}`;
    this.boxes.push({ id, added: true, name: "", center: [near[0], near[1], near[2]], axes: [[1, 0, 0], [0, 1, 0], [0, 0, 1]], extents: [0.5, 0.5, 0.5], moves: false, best: [], ...box });
    this.chosen = id;
    this.tell("boxes");
    this.tell("chosen");
  }
  remove() {
    if (!this.box) return;
    this.remember();
    this.boxes = this.boxes.filter((box) => box.id !== this.chosen);
    this.chosen = null;
    this.tell("boxes");
    this.tell("chosen");
  }
  // What the server is sent: every object that isn't as it was.
  changes() {
    const now = new Map(this.boxes.map((box) => [box.id, box]));
    const gone = [...this.original.keys()].filter((id) => !now.has(id)).map((id) => ({ object: id }));
    const other = this.boxes.filter((box) => box.added || !same(box, this.original.get(box.id)));
    return [...gone, ...other.map((box) => ({ object: box.added ? "" : box.id, name: box.name, box: { center: box.center, axes: box.axes, extents: box.extents } }))];
  }
}

async function scripts(names) {
  window.tolman = window.tolman || {};
  for (const name of names) {
    const source = new URL(`../explorer/${name}`, import.meta.url).href;
    if (document.querySelector(`script[src="${source}"]`)) continue;
    await new Promise((resolve, reject) => {
      const script = el("script", { src: source });
      script.onload = resolve;
      script.onerror = () => reject(new Error(`${source} is missing`));
      document.head.append(script);
    });
  }
}

export async function begin(place) {
  const base = place.dataset.workbench, told = place.querySelector("[data-told]");
  told.textContent = "Loading the scene …";
  const answer = await fetch(`${base}/scene`, { credentials: "same-origin" });
  if (!answer.ok) {
    told.textContent = answer.status === 404 ? "The scene of this item isn't at hand, so it isn't drawn." : `The scene can't be had (${answer.status}).`;
    return;
  }
  const data = await answer.json();
  await scripts(data.scripts);
  const state = new State(data, base);
  if (data.follows === null && data.shots.length) [state.camera, state.frame] = data.shots[0];
  const views = el("div", { class: "views" });
  const rest = el("div", { class: "rest" });
  place.append(views, rest);
  told.textContent = `${data.scene}: ${data.boxes.length} ${data.boxes.length === 1 ? "object" : "objects"}${data.whole ? "" : " that the question names; the others answer questions that are still to be asked"}${data.cloud ? ", its cloud" : ""}.`;
  const three = el("figure", { class: "three" });
  views.append(el("div", {}, three, data.cameras.length ? frames(state) : ""), plan(state));
  if (data.pick) rest.append(picker(state, place.dataset.csrf));
  if (place.dataset.action) rest.append(editor(state, place.dataset.action, place.dataset.csrf));
  else rest.append(list(state));
  try {
    const { view } = await import("./view3d.js");
    view(three, state);
  } catch (error) {
    three.replaceChildren(el("p", { class: "hint", "data-no-webgl": true }, "This browser draws nothing in three dimensions (it has no WebGL); plan, frames and fields do all the same."));
  }
  place.dataset.ready = "true";
}

// For those who only look: the objects, to be chosen.
function list(state) {
  const box = el("select", { id: "workbench-object", onchange: () => state.choose(box.value || null) }, el("option", { value: "" }, "none"),
    state.boxes.map((one) => el("option", { value: one.id }, `${one.name} ${one.id}`)));
  state.on((what) => { if (what === "chosen") box.value = state.chosen || ""; });
  return el("p", { class: "field" }, el("label", { for: "workbench-object" }, "Object"), box);
}
