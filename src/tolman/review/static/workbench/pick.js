// Boxes by two corners in the cloud or a rectangle in a frame, fitted by the server; and the scale by two points.
import { el } from "./boxes.js";

export async function send(address, csrf, body) {
  const json = body instanceof FormData ? {} : { "content-type": "application/json" };
  const answer = await fetch(address, { method: "POST", credentials: "same-origin", headers: { ...json, "x-csrf-token": csrf }, body: body instanceof FormData ? body : JSON.stringify(body) });
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}

export function picker(state, csrf) {
  const told = el("p", { class: "hint", role: "status", "data-picked": true });
  const metres = el("input", { type: "number", id: "workbench-metres", step: "any", min: 0, inputmode: "decimal", autocomplete: "off" });
  const asks = { box: "Press on two opposite corners of the object in the view.", frame: "Draw a rectangle around the object in the frame.", scale: "Press on two points whose distance you know." };
  const buttons = Object.entries({ box: "Pick two corners", frame: "Draw in the frame", ...(state.data.pick.scalable ? { scale: "Pick two points for the scale" } : {}) }).map(([mode, text]) => {
    const made = el("button", { type: "button", class: "quiet", "aria-pressed": "false", onclick: () => begin(state.picking === mode ? null : mode) }, text);
    made.dataset.mode = mode;
    return made;
  });
  function begin(mode) {
    state.picking = mode;
    state.points = [];
    for (const one of buttons) one.setAttribute("aria-pressed", String(one.dataset.mode === mode));
    told.textContent = mode ? asks[mode] : "";
    state.tell("points");
  }
  async function fit(what, body) {
    told.textContent = "Measuring …";
    try {
      const found = await send(`${state.base}/${what}`, csrf, body);
      begin(null);
      state.add(found.box);
      told.textContent = found.said;
      document.getElementById("workbench-name").focus();
    } catch (error) { begin(state.picking); told.textContent = error.message; }
  }
  state.point = (place) => {
    state.points.push(place);
    state.tell("points");
    if (state.points.length === 1) told.textContent = "And on the second one.";
    else if (state.picking === "box") fit("between", { first: state.points[0], second: state.points[1] });
    else { told.textContent = "Give their distance."; metres.focus(); }
  };
  state.rectangle = (pixels) => fit("rectangle", { camera: state.camera, frame: state.frame, pixels });
  async function declare() {
    if (state.points.length !== 2 || state.picking !== "scale") { told.textContent = "Pick two points first."; return; }
    try {
      await send(`${state.base}/scale`, csrf, { first: state.points[0], second: state.points[1], metres: metres.valueAsNumber });
      location.reload();
    } catch (error) { told.textContent = error.message; }
  }
  return el("div", { class: "edit", "data-picker": true }, el("div", { class: "actions", role: "group", "aria-label": "Pick" }, buttons),
    state.data.pick.scalable ? el("p", { class: "field" }, el("label", { for: metres.id }, "Distance of the two points (m)"), metres, el("button", { type: "button", class: "quiet", onclick: declare }, "Set the scale")) : "", told);
}
