// Oriented boxes and cameras in numbers. Axes are the rows of a rotation; a pose is the upper three rows of the matrix
// camera -> scene; a camera looks along +z, with y down.
const EDGES = [[0, 1], [2, 3], [4, 5], [6, 7], [0, 2], [1, 3], [4, 6], [5, 7], [0, 4], [1, 5], [2, 6], [3, 7]];
const NEAR = 0.05; // metres before a camera, from which on it sees

export function corners({ center, axes, extents }) {
  return Array.from({ length: 8 }, (_, n) => [0, 1, 2].map((k) =>
    center[k] + [0, 1, 2].reduce((sum, a) => sum + ((n >> a) & 1 ? 0.5 : -0.5) * extents[a] * axes[a][k], 0)));
}

// Degrees by which a box is turned about the vertical, counter-clockwise from above.
export function heading({ axes }) {
  const [x, y] = Math.hypot(axes[0][0], axes[0][1]) > 0.5 ? axes[0] : axes[1];
  return (Math.atan2(y, x) * 180) / Math.PI;
}

export function turned(axes, degrees) {
  const angle = (degrees * Math.PI) / 180, c = Math.cos(angle), s = Math.sin(angle);
  return axes.map(([x, y, z]) => [c * x - s * y, s * x + c * y, z]);
}

export function outline(box) {
  const points = corners(box).map(([x, y]) => [x, y]).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const half = (some) => {
    const hull = [];
    for (const p of some) {
      while (hull.length > 1) {
        const [a, b] = hull.slice(-2);
        if ((b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) > 1e-12) break;
        hull.pop();
      }
      hull.push(p);
    }
    return hull.slice(0, -1);
  };
  return [...half(points), ...half([...points].reverse())];
}

export function holds(ring, [x, y]) {
  return ring.reduce((inside, [ax, ay], i) => {
    const [bx, by] = ring[(i + 1) % ring.length];
    return (ay > y) !== (by > y) && x < ((bx - ax) * (y - ay)) / (by - ay) + ax ? !inside : inside;
  }, false);
}

function seenFrom(pose, [x, y, z]) {
  const d = [x - pose[3], y - pose[7], z - pose[11]];
  return [0, 1, 2].map((k) => pose[k] * d[0] + pose[4 + k] * d[1] + pose[8 + k] * d[2]);
}

// The edges of a box in a picture, as pairs of pixels; what is behind the camera is cut off.
export function edgesIn(box, pose, [fx, fy, cx, cy]) {
  const there = corners(box).map((p) => seenFrom(pose, p));
  const pixel = (p) => [cx + (fx * p[0]) / p[2], cy + (fy * p[1]) / p[2]];
  return EDGES.flatMap(([i, j]) => {
    const [a, b] = there[i][2] < there[j][2] ? [there[i], there[j]] : [there[j], there[i]];
    if (b[2] <= NEAR) return [];
    const share = a[2] < NEAR ? (NEAR - a[2]) / (b[2] - a[2]) : 0;
    return [[pixel(a.map((v, k) => v + share * (b[k] - v))), pixel(b)]];
  });
}

export function intrinsicsOf(camera, frame) {
  return camera.intrinsics[camera.intrinsics.length === 1 ? 0 : frame] || null;
}

export const same = (a, b) => JSON.stringify([a.name, a.center, a.axes, a.extents]) === JSON.stringify([b.name, b.center, b.axes, b.extents]);

export function el(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
}
