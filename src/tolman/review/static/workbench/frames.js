// The frames of a camera, one at a time, with the boxes drawn on them; the page's video and the frame go together.
import { edgesIn, el, intrinsicsOf } from "./boxes.js";

const WAIT = 120; // milliseconds in which no further frame is asked for
const SVG = "http://www.w3.org/2000/svg";

export function frames(state) {
  const { cameras, shots, follows } = state.data;
  const image = el("img", { alt: "" });
  const over = document.createElementNS(SVG, "svg");
  over.setAttribute("aria-hidden", "true");
  const place = el("div", { class: "framed" }, image, over);
  const slider = el("input", { type: "range", min: 0, step: 1, id: "workbench-frame", oninput: () => state.show(state.camera, Number(slider.value)) });
  const said = el("output", { for: "workbench-frame", "data-frame": true });
  const step = (by, text, label) => el("button", { type: "button", class: "quiet", "aria-label": label, onclick: () => state.show(state.camera, state.frame + by) }, text);
  const chosen = cameras.length > 1 ? el("select", { "aria-label": "Camera", onchange: () => state.show(Number(chosen.value), 0) }, cameras.map((one, i) => el("option", { value: i }, one.name))) : null;
  const all = el("input", { type: "checkbox", id: "workbench-all", onchange: () => draw() });
  const best = el("p", { class: "actions", "data-best": true });
  const pictures = shots.length ? el("p", { class: "actions" }, shots.map(([camera, frame], i) => el("button", { type: "button", class: "quiet", onclick: () => state.show(camera, frame) }, `Picture ${i + 1} of the question`))) : null;
  let loaded = null, waiting = null;

  function ask() {
    clearTimeout(waiting);
    const { camera, frame } = state;
    if (!cameras[camera].pictures) { loaded = [camera, frame]; draw(); return; }
    waiting = setTimeout(() => {
      image.onload = () => { loaded = [camera, frame]; image.alt = `${cameras[camera].name}, frame ${frame}`; draw(); };
      image.onerror = () => { loaded = null; draw(); said.textContent += " (this picture can't be shown)"; };
      image.src = `${state.base}/frame/${camera}/${frame}`;
    }, loaded ? WAIT : 0);
  }

  // A rectangle that is drawn around an object, where one is asked for.
  let corner = null;
  const pixelAt = (event) => { const frame = place.getBoundingClientRect(), size = cameras[state.camera].size || [1, 1]; return [((event.clientX - frame.left) / frame.width) * size[0], ((event.clientY - frame.top) / frame.height) * size[1]]; };
  place.addEventListener("pointerdown", (event) => {
    if (state.picking !== "frame" || !loaded) return;
    event.preventDefault();
    place.setPointerCapture(event.pointerId);
    corner = pixelAt(event);
  });
  place.addEventListener("pointermove", (event) => {
    if (!corner) return;
    const [x, y] = pixelAt(event), drawn = over.querySelector("path.drawn") || document.createElementNS(SVG, "path");
    drawn.setAttribute("d", `M${corner} L${x},${corner[1]} L${x},${y} L${corner[0]},${y} Z`);
    drawn.setAttribute("class", "named drawn");
    over.append(drawn);
  });
  place.addEventListener("pointerup", (event) => {
    if (corner) state.rectangle([...corner, ...pixelAt(event)]);
    corner = null;
  });

  // On the picture that is there, by that frame's pose: never boxes of another frame.
  function draw() {
    over.replaceChildren();
    if (!loaded) return;
    const [number, frame] = loaded, camera = cameras[number], pose = camera.poses[frame], inside = intrinsicsOf(camera, frame);
    if (!pose || !inside || !camera.size) return;
    over.setAttribute("viewBox", `0 0 ${camera.size[0]} ${camera.size[1]}`);
    for (const box of state.boxes) {
      if (!all.checked && box.id !== state.chosen && !state.named.has(box.id) && !box.added) continue;
      if (box.moves) continue; // its box is that of the time 0
      const path = document.createElementNS(SVG, "path");
      path.setAttribute("d", edgesIn(box, pose, inside).map(([a, b]) => `M${a.map((v) => v.toFixed(1)).join(",")} L${b.map((v) => v.toFixed(1)).join(",")}`).join(" "));
      path.setAttribute("class", box.id === state.chosen ? "chosen" : state.named.has(box.id) ? "named" : "other");
      over.append(path);
    }
    place.dataset.shown = String(frame);
  }

  function tell() {
    const camera = cameras[state.camera], unknown = camera.poses[state.frame] ? "" : ", its pose isn't known";
    slider.max = String(camera.poses.length - 1);
    slider.value = String(state.frame);
    said.textContent = `frame ${state.frame} of ${camera.poses.length - 1}, ${(camera.seconds[state.frame] || 0).toFixed(3)} s${unknown}`;
    slider.setAttribute("aria-valuetext", said.textContent);
    if (chosen) chosen.value = String(state.camera);
  }

  function tellBest() {
    const box = state.box;
    best.replaceChildren(...(box ? box.best.map(([camera, frame, pixels], i) => el("button", { type: "button", class: "quiet", onclick: () => state.show(camera, frame) }, `${i ? "" : "Best frame of the "}${i ? "" : `${box.name}: `}${frame} (${cameras[camera].seconds[frame].toFixed(1)} s, ${pixels.toLocaleString("en")} px)`)) : []));
    if (box && !box.best.length) best.append(el("span", { class: "hint" }, `No frame is known to show the ${box.name || "new object"}.`));
  }

  // The page's video: what it shows is the frame, and the frame is what it shows.
  const video = follows === null ? null : document.querySelector(".work .media video");
  if (video) {
    const times = cameras[follows].seconds;
    const nearest = (seconds) => {
      let low = 0, high = times.length - 1;
      while (low < high) { const middle = (low + high + 1) >> 1; if (times[middle] <= seconds + 0.001) low = middle; else high = middle - 1; }
      return low;
    };
    const follow = (now, frame) => { state.show(follows, nearest(frame.mediaTime), "video"); if (video.isConnected) video.requestVideoFrameCallback(follow); };
    if (video.requestVideoFrameCallback) video.requestVideoFrameCallback(follow);
    else video.addEventListener("timeupdate", () => state.show(follows, nearest(video.currentTime), "video"));
    state.on((what, from) => {
      if (what !== "frame" || from === "video" || state.camera !== follows) return;
      const begin = times[state.frame], end = state.frame + 1 < times.length ? times[state.frame + 1] : begin + 0.02;
      video.pause();
      video.currentTime = (begin + end) / 2; // in the middle of the frame, so that no rounding shows its neighbour
    });
  }

  state.on((what) => {
    if (what === "frame") { tell(); ask(); }
    else { draw(); tellBest(); }
  });
  tell();
  ask();
  return el("figure", { class: "frames" }, place,
    el("figcaption", {}, el("div", { class: "scrub" }, chosen, step(-1, "‹", "One frame back"), el("label", { for: "workbench-frame", class: "sr" }, "Frame"), slider, step(1, "›", "One frame on"), said),
      el("label", { class: "tick", for: "workbench-all" }, all, " all boxes on the frame"), pictures, best));
}
