// A floor plan with the evidence of a question on it, and grids of cognitive maps.
"use strict";
(() => {
  const { svg, drawMarks, inWords, planLabels } = tolman;
  const WIDTH = 600, MARGIN = 30, LETTER = 7.2;

  function bounds(plan, marks) {
    const ends = marks.flatMap((m) => [m.at, m.facing, m.toward, ...(m.points || [])]).filter(Array.isArray);
    const points = [...ends, ...plan.floor.flat(), ...plan.objects.flatMap((o) => [...o.outline, ...o.track]), ...plan.cameras.flatMap((c) => c.places)];
    if (!points.length) points.push([-1, -1], [1, 1]);
    const xs = points.map((p) => p[0]), ys = points.map((p) => p[1]);
    const least = (values) => values.reduce((a, b) => Math.min(a, b)), most = (values) => values.reduce((a, b) => Math.max(a, b));
    return { left: least(xs), right: most(xs), bottom: least(ys), top: most(ys) };
  }

  // The plan as an SVG element; show(seconds) draws where a camera looks then.
  function drawPlan(plan, marks) {
    const box = bounds(plan, marks);
    const metre = (WIDTH - 2 * MARGIN) / Math.max(box.right - box.left, 0.6 * (box.top - box.bottom), 0.5);
    const height = 2 * MARGIN + (box.top - box.bottom) * metre;
    const x = (p) => MARGIN + (p[0] - box.left) * metre, y = (p) => MARGIN + (box.top - p[1]) * metre;
    const at = (p) => `${x(p).toFixed(1)},${y(p).toFixed(1)}`;
    const path = (points, close) => (points.length ? `M${points.map(at).join(" L")}${close ? " Z" : ""}` : "");
    const named = new Map();
    for (const mark of marks) if (mark.kind === "objects") for (const i of mark.objects) named.set(i, mark.name);

    const root = svg("svg", { viewBox: `0 0 ${WIDTH} ${height.toFixed(0)}`, class: "plan", role: "img", "aria-label": describe(plan, marks) });
    root.append(svg("path", { d: plan.floor.map((ring) => path(ring, true)).join(" "), class: "floor" }));
    const order = plan.objects.map((o, i) => i).sort((a, b) => area(plan.objects[b].outline) - area(plan.objects[a].outline));
    for (const i of [...order.filter((i) => !named.has(i)), ...order.filter((i) => named.has(i))]) {
      const thing = plan.objects[i];
      root.append(svg("path", { d: path(thing.outline, true), class: named.has(i) ? "thing named" : "thing" }, svg("title", {}, thing.name)));
      if (thing.track.length > 1) root.append(svg("path", { d: path(thing.track), class: "track" }));
    }
    for (const camera of plan.cameras) {
      const still = camera.places.every((p) => Math.hypot(p[0] - camera.places[0][0], p[1] - camera.places[0][1]) < 0.05);
      if (!still) root.append(svg("path", { d: path(camera.places), class: "way" }, svg("title", {}, camera.name)));
      root.append(svg("circle", { cx: x(camera.places[0]), cy: y(camera.places[0]), r: 4, class: "start" }, svg("title", {}, `${camera.name}: start`)));
    }
    const room = planLabels(WIDTH, height);
    const view = svg("g", { class: "view" });
    root.append(view);
    root.append(...drawMarks(plan, marks, { x, y, metre, path }, room));
    names(root, plan, order, named, x, y, room);
    root.append(...scale(metre, height));
    // Pictures have cameras of their own among the marks.
    const still = marks.some((mark) => mark.kind === "view" && mark.name !== "end");
    return { element: root, show: (seconds) => still || view.replaceChildren(...plan.cameras.map((camera) => viewAt(camera, seconds, x, y)).filter(Boolean)) };
  }

  function viewAt(camera, seconds, x, y) {
    if (!camera.seconds.length) return null;
    let best = 0;
    camera.seconds.forEach((s, i) => { if (Math.abs(s - seconds) < Math.abs(camera.seconds[best] - seconds)) best = i; });
    const [vx, vy] = camera.views[best], px = x(camera.places[best]), py = y(camera.places[best]);
    const angle = Math.atan2(-vy, vx), ray = (turn) => `${(px + 62 * Math.cos(angle + turn)).toFixed(1)},${(py + 62 * Math.sin(angle + turn)).toFixed(1)}`;
    return svg("g", {}, svg("path", { d: `M${px.toFixed(1)},${py.toFixed(1)} L${ray(-0.5)} A62,62 0 0 1 ${ray(0.5)} Z`, class: "cone" }),
      svg("circle", { cx: px, cy: py, r: 6, class: "camera" }));
  }

  // Names where they hide no other: those of the question first, then the largest objects.
  function names(root, plan, order, named, x, y, room) {
    for (const i of [...order.filter((i) => named.has(i)), ...order.filter((i) => !named.has(i))]) {
      const thing = plan.objects[i], middle = thing.outline.reduce((a, p) => [a[0] + p[0] / thing.outline.length, a[1] + p[1] / thing.outline.length], [0, 0]);
      const text = thing.name.length > 24 ? `${thing.name.slice(0, 23)}…` : thing.name;
      const one = room.put(text, x(middle), y(middle) + 4, named.has(i) ? "name named" : "name", LETTER, named.has(i));
      if (one) root.append(one);
    }
  }

  function scale(metre, height) {
    const length = [0.5, 1, 2, 5, 10, 20, 50].find((m) => m * metre >= 50) || 100, px = length * metre;
    return [svg("path", { d: `M${MARGIN},${height - 9} h${px.toFixed(1)}`, class: "ruler" }), svg("text", { x: MARGIN + px + 6, y: height - 5, class: "note" }, `${length} m`)];
  }

  function area(points) {
    return Math.abs(points.reduce((sum, p, i) => { const q = points[(i + 1) % points.length]; return sum + p[0] * q[1] - q[0] * p[1]; }, 0)) / 2;
  }

  function describe(plan, marks) {
    const said = inWords(marks);
    const names = marks.filter((m) => m.kind === "objects").map((m) => m.name);
    return `Floor plan with ${plan.objects.length} ${plan.objects.length === 1 ? "object" : "objects"}${names.length ? `; the question names ${names.join(", ")}` : ""}${said.length ? `; ${said.join("; ")}` : ""}.`;
  }

  // A cognitive map: names in the cells of a grid, y up.
  function drawMap(title, grid, places) {
    const size = 220, pad = 12, unit = (size - 2 * pad) / grid;
    const root = svg("svg", { viewBox: `0 0 ${size} ${size}`, class: "map", role: "img", "aria-label": `${title}: ${Object.entries(places).map(([n, p]) => `${n} at ${p.map((q) => q.join(", ")).join(" and ")}`).join("; ")}` });
    let lines = "";
    for (let i = 0; i <= grid; i += Math.max(1, Math.round(grid / 10))) lines += `M${pad + i * unit},${pad} V${size - pad} M${pad},${pad + i * unit} H${size - pad} `;
    root.append(svg("path", { d: lines, class: "grid" }));
    Object.entries(places).forEach(([name, own], i) => own.forEach(([px, py]) => {
      const cx = pad + px * unit, cy = size - pad - py * unit, right = cx > size * 0.6;
      root.append(svg("circle", { cx, cy, r: 4.5, class: `spot spot${i % 6}` }, svg("title", {}, `${name} (${px}, ${py})`)),
        svg("text", { x: cx + (right ? -7 : 7), y: cy + 4, class: "spot-name", "text-anchor": right ? "end" : "start" }, name.length > 20 ? `${name.slice(0, 19)}…` : name));
    }));
    return root;
  }

  Object.assign(tolman, { drawPlan, drawMap });
})();
