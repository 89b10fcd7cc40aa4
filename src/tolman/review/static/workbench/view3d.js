// The scene in three dimensions, by three.js: boxes, floor, cloud, the camera's way and frustum, the evidence.
import * as T from "./three.min.js";
import { corners, el, intrinsicsOf } from "./boxes.js";

const LIFT = 0.03; // metres above the floor in which evidence is drawn
const DEPTH = 0.7; // metres, of the camera's frustum
const ROUND = 24;

export function view(figure, state) {
  const canvas = el("canvas", { tabindex: 0, role: "img", "aria-label": `The scene ${state.data.scene} in three dimensions. Arrow keys turn the view, plus and minus come nearer and go back.` });
  const renderer = new T.WebGLRenderer({ canvas, antialias: true });
  const scene = new T.Scene(), camera = new T.PerspectiveCamera(50, 1, 0.05, 500);
  camera.up.set(0, 0, 1);
  const things = new T.Group(), drawn = new T.Group(), frustum = new T.Group(), dots = new T.Group();
  scene.add(things, drawn, frustum, dots, new T.AmbientLight(0xffffff, 1.6));
  const light = new T.DirectionalLight(0xffffff, 1.4);
  light.position.set(3, -5, 8);
  scene.add(light);
  const points = [...((state.data.pick || {}).bounds || []), ...state.boxes.flatMap(corners), ...state.data.plan.floor.flat().map(([x, y]) => [x, y, 0]), ...state.data.cameras.flatMap((one) => one.poses.filter(Boolean).map((p) => [p[3], p[7], p[11]]))];
  const bounds = new T.Box3().setFromPoints((points.length ? points : [[-1, -1, 0], [1, 1, 1]]).map((p) => new T.Vector3(...p)));
  const middle = bounds.getCenter(new T.Vector3()), size = bounds.getSize(new T.Vector3()).length() || 2, ground = bounds.min.z;

  const controls = new T.OrbitControls(camera, canvas);
  const gizmo = new T.TransformControls(camera, canvas);
  const held = new T.Group(); // what the handles hold on to: the chosen box's place
  scene.add(held);
  if (state.edits) scene.add(gizmo.getHelper());
  let asked = false, mode = "translate";
  const render = () => {
    if (asked || !canvas.isConnected) return;
    asked = true;
    requestAnimationFrame(() => { asked = false; renderer.render(scene, camera); mark(); });
  };
  controls.addEventListener("change", render);
  gizmo.addEventListener("change", render);

  const look = () => { const style = getComputedStyle(figure); return (name) => new T.Color(style.getPropertyValue(name).trim() || "#888"); };
  let colour = look();

  function boxes() {
    clear(things);
    for (const box of state.boxes) {
      const chosen = box.id === state.chosen, named = state.named.has(box.id);
      const paint = colour(chosen ? "--wb-chosen" : named ? "--wb-named" : "--wb-other");
      const shape = new T.BoxGeometry(1, 1, 1), [a, b, c] = box.axes;
      const mesh = new T.Mesh(shape, new T.MeshLambertMaterial({ color: paint, transparent: true, opacity: chosen ? 0.5 : named ? 0.4 : 0.14, depthWrite: false }));
      const lines = new T.LineSegments(new T.EdgesGeometry(shape), new T.LineBasicMaterial({ color: paint }));
      const group = new T.Group();
      group.add(mesh, lines);
      const m = new T.Matrix4().makeBasis(new T.Vector3(...a), new T.Vector3(...b), new T.Vector3(...c));
      group.quaternion.setFromRotationMatrix(m);
      group.position.set(...box.center);
      group.scale.set(...box.extents.map((v) => Math.max(v, 0.002)));
      mesh.userData.id = box.id;
      things.add(group);
      if (chosen || named) things.add(label(box.name, [box.center[0], box.center[1], Math.max(...corners(box).map((p) => p[2])) + 0.12], paint));
    }
    render();
  }

  function label(text, at, paint) {
    const sheet = el("canvas", { width: 512, height: 64 }), pen = sheet.getContext("2d"), short = text.length > 28 ? `${text.slice(0, 27)}…` : text;
    pen.font = "600 40px system-ui, sans-serif";
    pen.textAlign = "center";
    pen.lineWidth = 6;
    pen.strokeStyle = `#${colour("--wb-ground").getHexString()}`;
    pen.strokeText(short, 256, 46);
    pen.fillStyle = `#${paint.getHexString()}`;
    pen.fillText(short, 256, 46);
    const map = new T.CanvasTexture(sheet);
    map.colorSpace = "srgb";
    const sprite = new T.Sprite(new T.SpriteMaterial({ map, depthTest: false, sizeAttenuation: false }));
    sprite.renderOrder = 9;
    sprite.position.set(...at);
    sprite.scale.set(0.44, 0.055, 1);
    return sprite;
  }

  // Bars between points, since lines are a pixel wide in most browsers; over all else where `over` says so.
  const line = (some, paint, over = true) => {
    const made = new T.Group(), wide = size / (over ? 350 : 600);
    some.slice(1).forEach((to, i) => {
      const a = new T.Vector3(...some[i]), b = new T.Vector3(...to), length = a.distanceTo(b);
      if (length < 1e-6) return;
      const bar = new T.Mesh(new T.BoxGeometry(wide, wide, length + wide), new T.MeshBasicMaterial({ color: paint, depthTest: !over, transparent: over })); // what is transparent is drawn after the floor
      bar.position.copy(a).add(b).multiplyScalar(0.5);
      bar.lookAt(b);
      bar.renderOrder = over ? 5 : 0;
      made.add(bar);
    });
    return made;
  };
  const area = (rings, paint, opacity, up) => {
    const shape = new T.Shape(rings[0].map(([x, y]) => new T.Vector2(x, y)));
    shape.holes = rings.slice(1).map((ring) => new T.Shape(ring.map(([x, y]) => new T.Vector2(x, y))));
    const made = new T.Mesh(new T.ShapeGeometry(shape), new T.MeshBasicMaterial({ color: paint, transparent: true, opacity, side: T.DoubleSide, depthWrite: false }));
    made.position.z = up;
    return made;
  };

  // The kinds of marks that the plan knows, drawn just above the floor.
  const MARKS = {
    line: (m, put) => { put([m.from, m.to]); sign(`${m.metres.toFixed(2)} m`, half(m.from, m.to)); },
    wedge: (m, put) => {
      const begin = Math.atan2(m.facing[1] - m.at[1], m.facing[0] - m.at[0]), turn = ((m.degrees > 180 ? m.degrees - 360 : m.degrees) * Math.PI) / 180;
      const radius = Math.max(0.25, 0.45 * Math.min(...[m.facing, m.toward].map((p) => Math.hypot(p[0] - m.at[0], p[1] - m.at[1]))));
      const arc = Array.from({ length: ROUND + 1 }, (_, i) => [m.at[0] + radius * Math.cos(begin + (turn * i) / ROUND), m.at[1] + radius * Math.sin(begin + (turn * i) / ROUND)]);
      if (Math.abs(turn) > 0.01) drawn.add(area([[m.at, ...arc]], colour("--wb-mark"), 0.35, ground + LIFT));
      put([m.at, m.facing], "--wb-facing");
      put([m.at, m.toward]);
      sign(`${Math.abs((turn * 180) / Math.PI).toFixed(0)}° ${turn >= 0 ? "left" : "right"}`, arc[ROUND / 2]);
    },
    route: (m, put) => { put(m.points); if (m.facing) put([m.points[0], m.facing], "--wb-facing"); m.points.forEach((p, i) => sign(String(i + 1), p)); },
    way: (m, put) => put(m.points),
    view: (m, put) => {
      const angle = Math.atan2(m.ahead[1], m.ahead[0]), wide = (m.half * Math.PI) / 180, ray = (turn) => [m.at[0] + Math.cos(angle + turn), m.at[1] + Math.sin(angle + turn)];
      put([ray(-wide), m.at, ray(wide)], "--wb-facing");
      sign(m.name, m.at);
    },
    area: (m) => { if (m.rings[0] && m.rings[0].length > 2) drawn.add(area(m.rings, colour("--wb-mark"), 0.25, ground + LIFT)); },
    size: (m) => { const box = state.data.boxes[m.object]; if (box) sign(m.text, box.center, box.center[2]); },
    places: (m) => m.points.forEach((p, i) => sign(m.names[i], p)),
    sight: (m, put) => { put([m.at, m.to], "--wb-facing"); sign(m.name, m.at); },
  };
  const half = (a, b) => [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
  const sign = (text, at, up = ground + LIFT) => drawn.add(label(String(text), [at[0], at[1], up + 0.1], colour("--wb-mark")));

  function evidence() {
    clear(drawn);
    const { plan, cameras, marks } = state.data;
    if (plan.floor.length) drawn.add(area(plan.floor, colour("--wb-floor"), 0.9, ground - 0.005));
    for (const one of cameras) {
      const way = one.poses.filter(Boolean).map((p) => [p[3], p[7], p[11]]);
      if (way.length > 1) drawn.add(line(way, colour("--wb-way"), false));
    }
    for (const mark of marks) {
      // What doesn't fit the scene isn't drawn; the rest is.
      try { if (MARKS[mark.kind]) MARKS[mark.kind](mark, (some, paint = "--wb-mark") => drawn.add(line(some.map((p) => [p[0], p[1], ground + LIFT]), colour(paint)))); } catch { continue; }
    }
    if (cloud) drawn.add(cloud);
    render();
  }

  let cloud = null;
  async function loadCloud() {
    const answer = await fetch(`${state.base}/cloud`, { credentials: "same-origin" });
    if (!answer.ok) return;
    const places = new Float32Array(await answer.arrayBuffer()), colours = new Float32Array(places.length);
    let low = Infinity, high = -Infinity;
    for (let i = 2; i < places.length; i += 3) { low = Math.min(low, places[i]); high = Math.max(high, places[i]); }
    const paint = new T.Color();
    for (let i = 0; i < places.length; i += 3) { paint.setHSL(0.66 * (1 - (places[i + 2] - low) / Math.max(high - low, 0.01)), 0.7, 0.5); paint.toArray(colours, i); }
    const shape = new T.BufferGeometry();
    shape.setAttribute("position", new T.BufferAttribute(places, 3));
    shape.setAttribute("color", new T.BufferAttribute(colours, 3));
    cloud = new T.Points(shape, new T.PointsMaterial({ size: 0.025, vertexColors: true }));
    cloud.userData.kept = true;
    figure.dataset.points = String(places.length / 3);
    evidence();
  }

  function sees() {
    clear(frustum);
    const one = state.data.cameras[state.camera], pose = one && one.poses[state.frame], inside = one && intrinsicsOf(one, state.frame);
    if (pose) {
      const [fx, fy, cx, cy] = inside || [1, 1, 0.5, 0.5], [w, h] = one.size || [1, 1];
      const at = (u, v) => { const d = [((u - cx) / fx) * DEPTH, ((v - cy) / fy) * DEPTH, DEPTH]; return [0, 1, 2].map((k) => pose[4 * k] * d[0] + pose[4 * k + 1] * d[1] + pose[4 * k + 2] * d[2] + pose[4 * k + 3]); };
      const eye = [pose[3], pose[7], pose[11]], [a, b, c, d] = [at(0, 0), at(w, 0), at(w, h), at(0, h)], paint = colour("--wb-facing");
      frustum.add(line([a, b, c, d, a, eye, b], paint), line([c, eye, d], paint));
    }
    render();
  }

  function clear(group) {
    for (const child of [...group.children]) {
      group.remove(child);
      child.traverse((one) => { if (one.userData.kept) return; if (one.geometry) one.geometry.dispose(); if (one.material) { if (one.material.map) one.material.map.dispose(); one.material.dispose(); } });
    }
  }

  // Where the chosen box is on the page, for those who look for it.
  function mark() {
    if (!state.box) { delete figure.dataset.at; return; }
    const p = new T.Vector3(...state.box.center).project(camera);
    figure.dataset.at = `${(((p.x + 1) / 2) * canvas.clientWidth).toFixed(1)},${(((1 - p.y) / 2) * canvas.clientHeight).toFixed(1)}`;
  }

  // A press chooses; dragging the chosen box moves it over the ground, with Shift up and down.
  const ray = new T.Raycaster(), spot = new T.Vector3();
  const aim = (event) => {
    const frame = canvas.getBoundingClientRect();
    ray.setFromCamera(new T.Vector2(((event.clientX - frame.left) / frame.width) * 2 - 1, 1 - ((event.clientY - frame.top) / frame.height) * 2), camera);
  };
  const hit = () => ray.intersectObjects(things.children.flatMap((one) => one.children || [])).filter((one) => one.object.userData.id !== undefined);
  const over = (z) => { const t = (z - ray.ray.origin.z) / ray.ray.direction.z; return t > 0 && Number.isFinite(t) ? spot.copy(ray.ray.direction).multiplyScalar(t).add(ray.ray.origin) : null; };
  let press = null;
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button === 0 && state.picking) { press = { x: event.clientX, y: event.clientY, id: null, drag: null }; return; }
    if (event.button !== 0 || (gizmo.axis && (gizmo.axis !== "XYZ" || mode !== "translate"))) return;
    aim(event);
    const found = hit();
    press = { x: event.clientX, y: event.clientY, id: found.length ? found[0].object.userData.id : null, drag: null };
    const own = found.find((one) => one.object.userData.id === state.chosen);
    if (state.edits && own && state.box && !state.box.moves && mode === "translate") {
      press.drag = { from: own.point.clone(), center: [...state.box.center], begun: false };
      controls.enabled = gizmo.enabled = false; // the handle in the middle would move it in the plane of the screen
      canvas.setPointerCapture(event.pointerId);
    }
  }, true);
  canvas.addEventListener("pointermove", (event) => {
    if (!press || !press.drag) return;
    if (!press.drag.begun) { if (Math.hypot(event.clientX - press.x, event.clientY - press.y) < 3) return; state.remember(); press.drag.begun = true; }
    aim(event);
    const { from, center } = press.drag, round = (v) => Math.round(v * 1000) / 1000;
    if (event.shiftKey) {
      const metres = (camera.position.distanceTo(from) * 2 * Math.tan((camera.fov * Math.PI) / 360)) / canvas.clientHeight;
      state.change({ center: [center[0], center[1], round(center[2] + (press.y - event.clientY) * metres)] });
      return;
    }
    const place = over(from.z);
    if (place) state.change({ center: [round(center[0] + place.x - from.x), round(center[1] + place.y - from.y), center[2]] });
  });
  for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, (event) => {
    const now = press;
    press = null;
    controls.enabled = gizmo.enabled = true;
    if (!now || name === "pointercancel" || (now.drag && now.drag.begun)) return;
    if (Math.hypot(event.clientX - now.x, event.clientY - now.y) < 4) {
      if (state.picking) pick(event);
      else if (now.id !== null) state.choose(now.id);
      else goNear(event);
    }
  });
  // The point of the cloud under a press: of the front ones, the nearest to its ray.
  function pick(event) {
    if (!cloud || state.picking === "frame") return;
    aim(event);
    ray.params.Points.threshold = size / 250;
    const found = ray.intersectObject(cloud).sort((a, b) => a.distance - b.distance);
    const front = found.filter((one) => one.distance < found[0].distance + size / 60).sort((a, b) => a.distanceToRay - b.distanceToRay)[0];
    if (!front) return;
    const at = cloud.geometry.attributes.position;
    state.point([at.getX(front.index), at.getY(front.index), at.getZ(front.index)]);
  }
  function dotted() {
    clear(dots);
    for (const place of state.points) {
      const dot = new T.Mesh(new T.SphereGeometry(size / 200), new T.MeshBasicMaterial({ color: colour("--wb-mark"), depthTest: false, transparent: true }));
      dot.position.set(...place);
      dots.add(dot);
    }
    render();
  }
  // A press beside all boxes and near the camera's way goes to that frame.
  function goNear(event) {
    const one = state.data.cameras[state.camera], frame = canvas.getBoundingClientRect();
    if (!one) return;
    let best = null;
    one.poses.forEach((pose, number) => {
      if (!pose) return;
      const p = new T.Vector3(pose[3], pose[7], pose[11]).project(camera);
      const off = Math.hypot(((p.x + 1) / 2) * frame.width - (event.clientX - frame.left), ((1 - p.y) / 2) * frame.height - (event.clientY - frame.top));
      if (p.z < 1 && (best === null || off < best.off)) best = { off, number };
    });
    if (best && best.off < 14) state.show(state.camera, best.number);
  }

  // Handles that move, turn and resize.
  gizmo.addEventListener("dragging-changed", (event) => { controls.enabled = !event.value; if (event.value) state.remember(); else hold(); });
  gizmo.addEventListener("objectChange", () => {
    if (!state.box) return;
    const round = (v, digits = 1000) => Math.round(v * digits) / digits;
    if (mode === "translate") state.change({ center: held.position.toArray().map((v) => round(v)) });
    else if (mode === "rotate") {
      const m = new T.Matrix4().makeRotationFromQuaternion(held.quaternion).elements;
      state.change({ axes: [[m[0], m[1], m[2]], [m[4], m[5], m[6]], [m[8], m[9], m[10]]] });
    } else state.change({ extents: held.scale.toArray().map((v) => Math.max(0.01, round(Math.abs(v)))) });
  });
  function hold() {
    const box = state.box;
    if (!box || box.moves || !state.edits) { gizmo.detach(); render(); return; }
    if (gizmo.dragging) return;
    held.position.set(...box.center);
    held.quaternion.setFromRotationMatrix(new T.Matrix4().makeBasis(...box.axes.map((axis) => new T.Vector3(...axis))));
    held.scale.set(...box.extents.map((v) => Math.max(v, 0.01)));
    gizmo.setMode(mode);
    gizmo.setSpace(mode === "scale" ? "local" : "world");
    gizmo.showX = gizmo.showY = mode !== "rotate"; // turning is about the vertical
    gizmo.attach(held);
    render();
  }

  function fit(from) {
    controls.target.copy(middle);
    const away = from || [0.5, -0.75, 0.9];
    camera.position.set(...middle.toArray().map((v, k) => v + away[k] * size * 0.75));
    controls.update();
    render();
  }
  // From where the frame's camera stands, looking as it does.
  function through() {
    const one = state.data.cameras[state.camera], pose = one && one.poses[state.frame];
    if (!pose) return;
    camera.position.set(pose[3], pose[7], pose[11]);
    controls.target.set(pose[3] + pose[2], pose[7] + pose[6], pose[11] + pose[10]);
    controls.update();
    render();
  }
  // Keys of the view stay in it: beside it, the arrows belong to the video.
  canvas.addEventListener("keydown", (event) => {
    const turn = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1] }[event.key], zoom = { "+": 0.9, "=": 0.9, "-": 1.1 }[event.key];
    if (!turn && !zoom) return;
    event.preventDefault();
    event.stopPropagation();
    const away = camera.position.clone().sub(controls.target), reach = away.length() * (zoom || 1);
    const round = Math.atan2(away.y, away.x) + (turn ? turn[0] : 0), down = Math.min(Math.max(Math.acos(away.z / away.length()) + (turn ? turn[1] : 0), 0.05), 3.1);
    camera.position.copy(controls.target).add(new T.Vector3(reach * Math.sin(down) * Math.cos(round), reach * Math.sin(down) * Math.sin(round), reach * Math.cos(down)));
    controls.update();
    render();
  });

  const button = (text, act, pressed) => el("button", { type: "button", class: "quiet", "aria-pressed": pressed === undefined ? null : String(pressed), onclick: act }, text);
  const modes = [["translate", "Move"], ["rotate", "Turn"], ["scale", "Resize"]].map(([one, text]) => {
    const made = button(text, () => { mode = one; modes.forEach((other) => other.setAttribute("aria-pressed", String(other === made))); hold(); }, one === mode);
    return made;
  });
  figure.append(el("div", { class: "space" }, canvas), el("figcaption", {}, el("div", { class: "actions", role: "group", "aria-label": "View" },
    button("Whole scene", () => fit()), button("From above", () => fit([0, -0.001, 1.35])), button("As the camera", through), state.edits ? modes : [])));
  state.on((what, from) => {
    if (what === "frame") sees();
    else if (what === "points") dotted();
    else { boxes(); hold(); }
  });
  new ResizeObserver(() => {
    const wide = figure.querySelector(".space").clientWidth, high = Math.round(Math.min(wide * 0.75, window.innerHeight * 0.7));
    renderer.setPixelRatio(Math.min(window.devicePixelRatio || 1, 2));
    renderer.setSize(wide, high);
    camera.aspect = wide / Math.max(high, 1);
    camera.updateProjectionMatrix();
    render();
  }).observe(figure);
  const repaint = () => { colour = look(); renderer.setClearColor(colour("--wb-ground")); boxes(); evidence(); sees(); };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
  repaint();
  fit();
  hold();
  if (state.data.cloud) loadCloud();
}
