// Videos: play, seek, speed, and one frame at a time by the frame times of the file itself.
//
// Whenever a frame is shown the video sends `tolman:frame` with {time, frame, count}: seconds in the video's own time,
// the frame's number from 0, and how many there are (null until the file's times are known).
"use strict";
(() => {
  const SEEK_SECONDS = 1;
  const SPEEDS = [0.1, 0.25, 0.5, 1, 1.5, 2, 4];
  const states = new WeakMap(); // video → what is known of it; `wanted` is the frame that a step asked for and that isn't shown yet

  function videos() {
    return [...document.querySelectorAll(".stage video")];
  }
  // Which video the keys mean: one that plays, or the one last used, or the first that can be seen.
  let last = null;
  function meant() {
    const all = videos();
    return all.find((video) => !video.paused) || all.find((video) => video === last && tolmanKeys.isShown(video)) || all.find(tolmanKeys.isShown) || null;
  }
  function of(event) {
    const tools = event.target.closest ? event.target.closest("figure, li, .tool-bar") : null;
    const own = tools && event.type !== "keydown" ? tools.querySelector("video") : null;
    last = own || meant();
    return last;
  }

  // The times of all frames; fetched once, and only when somebody steps.
  async function timesOf(video) {
    const state = states.get(video);
    if (state.times === null && video.dataset.frames) {
      state.times = fetch(video.dataset.frames, { credentials: "same-origin" })
        .then((answer) => (answer.ok ? answer.json() : null))
        .then((told) => (told && told.times.length ? told.times : null))
        .catch(() => null);
      state.known = await state.times;
      if (state.known === null) state.times = null; // The connection was lost, say: asked again at the next step.
      tell(video);
    }
    return state.times;
  }
  function frameAt(times, seconds) {
    let low = 0;
    let high = times.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (times[middle] <= seconds + 1e-4) low = middle; else high = middle - 1;
    }
    return low;
  }
  async function step(video, by) {
    video.pause();
    const state = states.get(video);
    const times = await timesOf(video);
    if (!times || !video.isConnected) return;
    const now = state.wanted !== null ? state.wanted : frameAt(times, state.shown === null ? video.currentTime : state.shown);
    const frame = Math.min(Math.max(now + by, 0), times.length - 1);
    state.wanted = frame;
    // The middle of the time for which the frame is shown: its edges are where players round.
    const end = frame + 1 < times.length ? times[frame + 1] : Math.max(video.duration, times[frame] + 0.002);
    state.target = (times[frame] + end) / 2;
    video.currentTime = state.target;
  }

  function tell(video) {
    const state = states.get(video);
    const shown = state.shown === null ? video.currentTime : state.shown;
    const frame = state.known ? frameAt(state.known, shown) : null;
    const time = state.known ? state.known[frame] : shown;
    const tools = video.closest("figure, li");
    const place = tools && tools.querySelector("[data-clock]");
    if (place) place.textContent = `${time.toFixed(3)} s${frame === null ? "" : `, frame ${frame + 1} of ${state.known.length}`}`;
    const button = tools && tools.querySelector("[data-act=play]");
    if (button) {
      button.textContent = video.paused ? "Play" : "Pause";
    }
    video.dispatchEvent(new CustomEvent("tolman:frame", { bubbles: true, detail: { time, frame, count: state.known ? state.known.length : null } }));
  }
  function watch(video) {
    if (states.has(video)) return;
    const state = { times: null, known: null, wanted: null, target: 0, shown: null };
    states.set(video, state);
    if (video.requestVideoFrameCallback) {
      const shown = (now, frame) => {
        state.shown = frame.mediaTime;
        if (state.known && frameAt(state.known, state.shown) === state.wanted) state.wanted = null;
        tell(video);
        video.requestVideoFrameCallback(shown);
      };
      video.requestVideoFrameCallback(shown);
    } else {
      ["seeked", "timeupdate"].forEach((name) => video.addEventListener(name, () => tell(video)));
    }
    // A seek of another kind: the next step counts from what it shows.
    video.addEventListener("seeking", () => { if (Math.abs(video.currentTime - state.target) > 1e-3) state.wanted = null; });
    video.addEventListener("play", () => { state.wanted = null; });
    ["play", "pause", "loadedmetadata", "ratechange"].forEach((name) => video.addEventListener(name, () => tell(video)));
  }
  function watchAll() {
    videos().forEach(watch);
  }
  document.addEventListener("DOMContentLoaded", watchAll);
  document.addEventListener("htmx:afterSettle", watchAll);
  ["play", "seeking"].forEach((name) => document.addEventListener(name, (event) => { if (event.target.matches("video")) last = event.target; }, true));

  function speed(video, value) {
    video.playbackRate = value;
    const list = video.closest("figure, li") && video.closest("figure, li").querySelector("[data-speed]");
    if (list) list.value = String(value);
  }
  function faster(by) {
    return (event) => {
      const video = of(event);
      const place = SPEEDS.findIndex((one) => one >= video.playbackRate - 1e-6);
      speed(video, SPEEDS[Math.min(Math.max(place + by, 0), SPEEDS.length - 1)]);
    };
  }
  document.addEventListener("change", (event) => {
    if (event.target.matches("[data-speed]")) speed(of(event), parseFloat(event.target.value));
  });

  function seek(by) {
    return (event) => { of(event).currentTime += by; };
  }
  tolmanKeys.on("second-back", seek(-SEEK_SECONDS));
  tolmanKeys.on("second-on", seek(SEEK_SECONDS));
  tolmanKeys.on("frame-back", (event) => { step(of(event), -1); });
  tolmanKeys.on("frame-on", (event) => { step(of(event), 1); });
  tolmanKeys.on("slower", faster(-1));
  tolmanKeys.on("faster", faster(1));
  tolmanKeys.on("play", (event, target) => {
    const option = target.matches("input[type=radio], input[type=checkbox]") ? target : null;
    if (event.type === "keydown" && (target.closest("button, a, summary") || (option && !option.checked))) return false;
    const video = of(event);
    if (video.paused) video.play().catch(() => {}); else video.pause(); // It may be paused again before it plays.
  });
  // Firefox moves a radio, and every browser ticks a box, when a key is let go.
  document.addEventListener("keyup", (event) => {
    if (event.key === " " && meant() && event.target.matches("input[type=radio]:checked, input[type=checkbox]:checked, select")) event.preventDefault();
  });

  // For other scripts: go to a moment, rest there.
  window.tolmanPlayer = {
    frameTime: (video) => {
      const state = states.get(video);
      return state && state.shown !== null ? state.shown : video.currentTime;
    },
    seek: (video, seconds) => { last = video; video.pause(); video.currentTime = seconds; },
    meant,
  };
})();
