// The media of a question: the frames that were sent, pictures in their place in the text, videos with a time line.
"use strict";
(() => {
  const { el, svg, clock } = tolman;

  function enlarge(source, alt) {
    const image = el("img", { src: source, alt });
    const box = el("dialog", { class: "large", "aria-label": alt, onclick: () => box.close(), onclose: () => box.remove() },
      el("form", { method: "dialog" }, el("button", { autofocus: true, onclick: (event) => { event.preventDefault(); box.close(); } }, "Close")), image);
    document.body.append(box);
    box.showModal();
  }

  function picture(source, alt, caption) {
    const image = el("img", { src: source, alt, loading: "lazy", decoding: "async" });
    image.addEventListener("error", () => figure.replaceChildren(el("p", { class: "problem" }, `${source} is missing from the site.`)));
    const figure = el("figure", { class: "picture" }, el("button", { class: "plain", "aria-label": `${alt}: enlarge`, onclick: () => enlarge(source, alt) }, image), caption ? el("figcaption", {}, caption) : null);
    return figure;
  }

  // One medium. `way` is the number of the sampling whose frames are shown; moved(seconds) follows the video or a frame.
  function showMedium(medium, number, way, evidence, moved) {
    const name = `${medium.kind === "video" ? "Video" : "Picture"} ${number + 1}`;
    if (medium.problem) return el("div", { class: "problem" }, `${name} (${medium.path}) isn't shown: ${medium.problem}.`);
    if (medium.image) return picture(medium.image, name, number === null ? "" : name);
    const frames = (medium.frames || [])[way] || [], parts = [];
    let video = null;
    if (medium.video) {
      video = el("video", { src: medium.video, controls: true, preload: "metadata", playsinline: true, "aria-label": name });
      video.addEventListener("timeupdate", () => moved(video.currentTime));
      video.addEventListener("error", () => video.replaceWith(el("p", { class: "problem" }, `${medium.video} can't be played by this browser.`)));
      parts.push(video);
    }
    parts.push(timeLine(medium, frames, evidence, (seconds) => { if (video) video.currentTime = seconds; moved(seconds); }));
    const strip = el("div", { class: "strip" }, frames.map(([file, seconds, frame], i) => {
      const alt = `${name}, frame ${i + 1} of ${frames.length}${seconds === null ? "" : ` at ${clock(seconds)}`}`;
      const one = picture(file, alt, seconds === null ? `frame ${frame}` : clock(seconds));
      for (const kind of ["focusin", "pointerenter"]) one.addEventListener(kind, () => moved(seconds || 0));
      return one;
    }));
    return el("div", { class: "medium" }, el("p", { class: "note" }, `${name}: ${medium.path}${medium.start !== undefined ? `, from ${medium.start} s to ${medium.end} s` : ""}`), parts, strip);
  }

  // Ticks where frames were taken, bands where things that the answer needs are in view.
  function timeLine(medium, frames, evidence, seek) {
    const needed = evidence.needed_frames || {}, bands = Array.isArray(needed.needed) ? needed.needed : [];
    const first = Object.entries(evidence.first_seen || {}).filter(([, s]) => typeof s === "number");
    const ends = [needed.seconds, ...frames.map((f) => f[1]), ...first.map(([, s]) => s)].filter((s) => typeof s === "number");
    const end = ends.length ? Math.max(...ends) : 0;
    if (!end || (!frames.length && !bands.length)) return null;
    const at = (seconds) => 4 + (92 * seconds) / end, rows = [];
    for (const band of bands) {
      const spans = (band.seconds || []).filter((s) => Array.isArray(s) && s.length === 2);
      if (!spans.length) continue;
      rows.push(el("div", { class: "band" }, el("span", {}, `${band.name} in view`), svg("svg", { viewBox: "0 0 100 4", preserveAspectRatio: "none", "aria-hidden": true },
        spans.map(([from, to]) => svg("rect", { x: at(from), y: 0.5, width: Math.max(0.6, at(to) - at(from)), height: 3, class: "seen" })))));
    }
    for (const [name, seconds] of first) {
      rows.push(el("div", { class: "band" }, el("span", {}, `${name} first seen at ${clock(seconds)}`), svg("svg", { viewBox: "0 0 100 4", preserveAspectRatio: "none", "aria-hidden": true }, svg("rect", { x: at(seconds), y: 0, width: 0.7, height: 4, class: "seen" }))));
    }
    const ticks = el("div", { class: "ticks" }, frames.map(([, seconds], i) => {
      if (typeof seconds !== "number") return null;
      const tick = el("button", { class: "tick", title: `frame ${i + 1}: ${clock(seconds)}`, "aria-label": `Go to frame ${i + 1}, ${clock(seconds)}`, tabindex: i ? -1 : 0, onclick: () => seek(seconds) });
      tick.style.left = `${at(seconds)}%`;
      return tick;
    }));
    ticks.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      const next = step && [...ticks.children][[...ticks.children].indexOf(event.target) + step];
      if (next) { event.preventDefault(); next.focus(); next.click(); }
    });
    return el("div", { class: "timeline", role: "group", "aria-label": "When frames were taken" }, ticks, rows);
  }

  // A text with pictures at its marks. Takes media off the front of `waiting`.
  function withPictures(text, waiting, interleaved) {
    if (!interleaved) return [text];
    const parts = [];
    text.split("<image>").forEach((piece, i, all) => {
      parts.push(piece);
      if (i < all.length - 1 && waiting.length) parts.push(waiting.shift());
    });
    return parts;
  }

  Object.assign(tolman, { showMedium, withPictures });
})();
