// What makes an answer true, on a floor plan: each kind of mark that the site's data hold, and what it says in words.
"use strict";
(() => {
  const { svg } = tolman;
  const TAU = 2 * Math.PI, TEXT = 15;

  // Texts where they hide no other, as near to a place as there is room.
  function labels(width, height) {
    const taken = [];
    const free = (x, y, half) => !taken.some(([tx, ty, th]) => Math.abs(ty - y) < TEXT && Math.abs(tx - x) < half + th);
    return {
      take: (x, y, half) => taken.push([x, y, half]),
      put(text, x, y, kind, letter, must) {
        const half = (text.length * letter) / 2, px = Math.min(Math.max(x, half + 2), width - half - 2);
        for (const dy of must ? [0, -16, 16, -32, 32, -48, 48] : [0, -16, 16]) {
          const py = Math.min(Math.max(y + dy, 14), height - 20);
          if (!free(px, py, half)) continue;
          taken.push([px, py, half]);
          return svg("text", { x: px.toFixed(1), y: py.toFixed(1), class: kind }, text);
        }
        return null;
      },
    };
  }

  const DRAWN = {
    line({ from, to, metres }, { x, y, path, measured }) {
      return [svg("path", { d: path([from, to]), class: "measure" }), measured(`${metres.toFixed(2)} m`, (x(from) + x(to)) / 2, (y(from) + y(to)) / 2 - 5)];
    },
    wedge({ at, facing, toward, degrees }, { x, y, metre, path, measured }) {
      const begin = Math.atan2(facing[1] - at[1], facing[0] - at[0]);
      const turn = ((degrees > 180 ? degrees - 360 : degrees) * Math.PI) / 180;
      const reach = (p) => Math.hypot(p[0] - at[0], p[1] - at[1]);
      const radius = Math.max(0.25, 0.45 * Math.min(reach(facing), reach(toward)));
      const on = (angle, r) => [at[0] + r * Math.cos(angle), at[1] + r * Math.sin(angle)];
      const steps = Array.from({ length: 25 }, (_, i) => on(begin + (turn * i) / 24, radius));
      const where = on(begin + turn / 2, radius + 16 / metre);
      return [
        svg("path", { d: path([at, ...steps], true), class: "wedge" }),
        svg("path", { d: path([at, facing]), class: "facing" }, svg("title", {}, "faced")),
        ...arrow([at, toward], "measure", { x, y, path }),
        svg("circle", { cx: x(at), cy: y(at), r: 5, class: "stand" }, svg("title", {}, "standing here")),
        measured(leftOrRight(degrees), x(where), y(where)),
      ];
    },
    route({ points, names, facing }, { x, y, path, numbered }) {
      const found = [svg("path", { d: path(points), class: "route" })];
      if (facing) found.push(svg("path", { d: path([points[0], facing]), class: "facing" }, svg("title", {}, "faced at first")));
      points.forEach((p, i) => found.push(...numbered(p, String(i + 1), names[i])));
      return found;
    },
    way({ points, aimed }, tools) { return arrow(points, aimed ? "facing" : "route", tools); },
    view({ name, at, ahead, half }, { x, y, numbered }) {
      const px = x(at), py = y(at), angle = Math.atan2(-ahead[1], ahead[0]), wide = (half * TAU) / 360, length = 80;
      const ray = (turn) => `${(px + length * Math.cos(angle + turn)).toFixed(1)},${(py + length * Math.sin(angle + turn)).toFixed(1)}`;
      return [svg("path", { d: `M${px.toFixed(1)},${py.toFixed(1)} L${ray(-wide)} A${length},${length} 0 0 1 ${ray(wide)} Z`, class: "view-cone" }),
        ...numbered(at, name, `camera of picture ${name}`, "camera-stop")];
    },
    area({ rings, text }, { path, x, y, measured }) {
      const ring = rings[0] || [], middle = [0, 1].map((k) => ring.reduce((sum, p) => sum + p[k] / ring.length, 0));
      return [svg("path", { d: rings.map((one) => path(one, true)).join(" "), class: "area" }, svg("title", {}, text)), ring.length && text ? measured(text, x(middle), y(middle)) : null];
    },
    size({ object, text }, { plan, path, x, y, measured }) {
      const { outline } = plan.objects[object], low = outline.reduce((a, b) => (a[1] < b[1] ? a : b));
      return [svg("path", { d: path(outline, true), class: "measure" }), measured(text, x(low), y(low) + 18)];
    },
    places({ points, names }, { numbered }) { return points.flatMap((p, i) => numbered(p, names[i], names[i])); },
    sight({ at, to, name, text }, { x, y, path, numbered }) {
      return [svg("path", { d: path([at, to]), class: "facing" }), svg("circle", { cx: x(at), cy: y(at), r: 4, class: "stand" }), ...numbered(to, name, text)];
    },
  };

  function arrow(points, kind, { x, y, path }) {
    const end = points[points.length - 1], before = [...points].reverse().find((p) => Math.hypot(x(p) - x(end), y(p) - y(end)) > 4);
    const found = [svg("path", { d: path(points), class: kind })];
    if (before) {
      const angle = Math.atan2(y(end) - y(before), x(end) - x(before)), wing = (turn) => `${(x(end) - 12 * Math.cos(angle + turn)).toFixed(1)},${(y(end) - 12 * Math.sin(angle + turn)).toFixed(1)}`;
      found.push(svg("path", { d: `M${wing(0.45)} L${x(end).toFixed(1)},${y(end).toFixed(1)} L${wing(-0.45)}`, class: kind }));
    }
    return found;
  }

  // The elements of all marks; `room` keeps texts apart.
  function drawMarks(plan, marks, { x, y, metre, path }, room) {
    const texts = [], discs = [];
    const measured = (text, px, py) => { texts.push([text, px, py]); return null; };
    const numbered = (p, text, title, kind = "stop") => {
      const half = Math.max(9, text.length * 3.6 + 4), px = x(p);
      let py = y(p);
      for (const [qx, qy, qh] of discs) if (Math.abs(qx - px) < half + qh && Math.abs(qy - py) < 17) py = qy + 17;
      discs.push([px, py, half]);
      room.take(px, py + 4, half);
      return [svg("rect", { x: (px - half).toFixed(1), y: (py - 9).toFixed(1), width: 2 * half, height: 18, rx: 9, class: kind }, title ? svg("title", {}, title) : null),
        svg("text", { x: px.toFixed(1), y: (py + 4).toFixed(1), class: "stop-number" }, text)];
    };
    const tools = { plan, x, y, metre, path, numbered, measured };
    const found = marks.flatMap((mark) => (DRAWN[mark.kind] ? DRAWN[mark.kind](mark, tools) : [])).filter(Boolean);
    for (const [text, px, py] of texts) { const one = room.put(text, px, py, "measured", 7.8, true); if (one) found.push(one); }
    return found;
  }

  const leftOrRight = (degrees) => { const turn = degrees > 180 ? degrees - 360 : degrees; return `${Math.abs(turn).toFixed(0)}° ${turn >= 0 ? "left" : "right"}`; };

  // What the marks say, a phrase for each.
  function inWords(marks) {
    const said = marks.map((m) => {
      if (m.kind === "line") return `distance to ${m.name} ${m.metres.toFixed(2)} m`;
      if (m.kind === "wedge") return `${m.text ? `${m.text}: ` : ""}direction ${leftOrRight(m.degrees)} of what is faced`;
      if (m.kind === "route") return `route over ${m.names.map((name, i) => `${i + 1} ${name}`).join(", ")}`;
      if (m.kind === "view") return m.name === "end" ? "camera at the video's end" : "";
      return m.text || "";
    });
    const cameras = marks.filter((m) => m.kind === "view" && m.name !== "end").map((m) => m.name);
    if (cameras.length) said.push(`in blue the cameras of pictures ${cameras.join(", ")}`);
    return said.filter(Boolean);
  }

  Object.assign(tolman, { drawMarks, inWords, planLabels: labels });
})();
