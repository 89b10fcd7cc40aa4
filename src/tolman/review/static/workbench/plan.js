// The floor plan of the explorer of reports, in a tree of its own with the explorer's styles: what is chosen, where the
// camera is, and boxes that are dragged.
import { el, holds, outline } from "./boxes.js";

const SVG = "http://www.w3.org/2000/svg";
const svg = (tag, attributes) => {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
};

// Metres in the drawing: found from an outline, so that the explorer may draw at whatever scale it likes.
function scaleOf(plan, element) {
  const thing = element.querySelectorAll("path.thing")[0];
  if (!thing) return null;
  const drawn = thing.getAttribute("d").match(/-?\d+(\.\d+)?,-?\d+(\.\d+)?/g).map((pair) => pair.split(",").map(Number));
  const found = plan.objects.map((one) => one.outline).filter((ring) => ring.length === drawn.length);
  let best = null;
  for (const ring of found) {
    const far = ring.reduce((a, p, i) => (Math.hypot(p[0] - ring[0][0], p[1] - ring[0][1]) > Math.hypot(ring[a][0] - ring[0][0], ring[a][1] - ring[0][1]) ? i : a), 0);
    const metre = Math.hypot(drawn[far][0] - drawn[0][0], drawn[far][1] - drawn[0][1]) / Math.hypot(ring[far][0] - ring[0][0], ring[far][1] - ring[0][1]);
    const off = ring.reduce((sum, p, i) => sum + Math.hypot(drawn[0][0] + (p[0] - ring[0][0]) * metre - drawn[i][0], drawn[0][1] - (p[1] - ring[0][1]) * metre - drawn[i][1]), 0);
    if (best === null || off < best.off) best = { off, metre, left: drawn[0][0] - ring[0][0] * metre, top: drawn[0][1] + ring[0][1] * metre };
  }
  return best;
}

export function plan(state) {
  const host = el("div", { class: "plan-host" });
  const tree = host.attachShadow({ mode: "open" });
  const figure = el("figure", { class: "planned" }, host);
  const drawn = window.tolman.drawPlan(state.data.plan, state.data.marks);
  tree.append(el("link", { rel: "stylesheet", href: new URL("../explorer/site.css", import.meta.url).href }), drawn.element);
  figure.append(el("figcaption", { class: "hint", "data-evidence": true }, drawn.element.getAttribute("aria-label"), state.data.undrawn ? ` ${state.data.undrawn}` : ""));
  const scale = scaleOf(state.data.plan, drawn.element);
  const over = svg("g", {});
  drawn.element.append(over);
  const at = ([x, y]) => [scale.left + x * scale.metre, scale.top - y * scale.metre];

  function draw() {
    over.replaceChildren();
    if (!scale) return;
    for (const box of state.boxes) {
      const changed = box.added || state.original.get(box.id).center.some((v, k) => v !== box.center[k]) || JSON.stringify(state.original.get(box.id).axes) !== JSON.stringify(box.axes) || JSON.stringify(state.original.get(box.id).extents) !== JSON.stringify(box.extents);
      if (!changed && box.id !== state.chosen) continue;
      over.append(svg("path", { d: `M${outline(box).map((p) => at(p).map((v) => v.toFixed(1)).join(",")).join(" L")} Z`, class: changed ? "route" : "facing" }));
    }
    const camera = state.data.cameras[state.camera], pose = camera && camera.poses[state.frame];
    if (pose) {
      const [px, py] = at([pose[3], pose[7]]), angle = Math.atan2(-pose[6], pose[2]);
      const ray = (turn) => `${(px + 62 * Math.cos(angle + turn)).toFixed(1)},${(py + 62 * Math.sin(angle + turn)).toFixed(1)}`;
      over.append(svg("path", { d: `M${px.toFixed(1)},${py.toFixed(1)} L${ray(-0.5)} A62,62 0 0 1 ${ray(0.5)} Z`, class: "cone" }), svg("circle", { cx: px.toFixed(1), cy: py.toFixed(1), r: 6, class: "camera" }));
    }
  }
  state.on(draw);
  draw();

  // Pressing a thing chooses it, dragging the chosen one moves it, pressing the camera's way goes to that frame.
  const metres = (event) => {
    const p = new DOMPoint(event.clientX, event.clientY).matrixTransform(drawn.element.getScreenCTM().inverse());
    return [(p.x - scale.left) / scale.metre, (scale.top - p.y) / scale.metre];
  };
  let drag = null;
  if (scale) {
    drawn.element.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      const place = metres(event), inside = state.boxes.filter((box) => holds(outline(box), place));
      const box = inside.find((one) => one.id === state.chosen) || inside.sort((a, b) => a.extents[0] * a.extents[1] - b.extents[0] * b.extents[1])[0];
      if (!box) { goNear(place); return; }
      state.choose(box.id);
      if (state.edits && !box.moves) {
        drag = { from: place, center: [...box.center], begun: false };
        drawn.element.setPointerCapture(event.pointerId);
        event.preventDefault();
      }
    });
    drawn.element.addEventListener("pointermove", (event) => {
      if (!drag) return;
      const [x, y] = metres(event);
      if (!drag.begun) { if (Math.hypot(x - drag.from[0], y - drag.from[1]) * scale.metre < 3) return; state.remember(); drag.begun = true; }
      state.change({ center: [rounded(drag.center[0] + x - drag.from[0]), rounded(drag.center[1] + y - drag.from[1]), drag.center[2]] });
    });
    for (const name of ["pointerup", "pointercancel"]) drawn.element.addEventListener(name, () => { drag = null; });
  }
  function goNear([x, y]) {
    const camera = state.data.cameras[state.camera];
    if (!camera) return;
    let best = null;
    camera.poses.forEach((pose, frame) => {
      const off = pose && Math.hypot(pose[3] - x, pose[7] - y);
      if (pose && (best === null || off < best.off)) best = { off, frame };
    });
    if (best && best.off * scale.metre < 14) state.show(state.camera, best.frame);
  }
  return figure;
}

const rounded = (metres) => Math.round(metres * 1000) / 1000;
