// What one run answered to one question: text with the span that was read, reasoning, turns, tokens, map.
"use strict";
(() => {
  const { el, number, badge, drawMap } = tolman;

  // Marks are [start, counted from the text's end; length; who read it].
  function markedText(text, marks) {
    const parts = [];
    let end = 0;
    for (const [start, length, rules] of marks || []) {
      const from = text.length + start, to = from + length;
      parts.push(text.slice(end, from), el("mark", { title: `read by ${rules}` }, text.slice(from, to)));
      end = to;
    }
    parts.push(text.slice(end));
    return el("pre", {}, parts);
  }

  // What readers missed in the response may stand in the reasoning; where it does, it is said and not marked.
  function readings(scores) {
    return el("dl", { class: "readings" }, Object.entries(scores).map(([scorer, [reading, note, score, , state, rule]]) => {
      const read = state && state !== "read" ? state : reading || note || "–";
      return [el("dt", {}, scorer), el("dd", {}, el("b", {}, read), ` → ${score === null ? "not scored" : +score.toFixed(4)}`,
        el("span", { class: "note" }, [reading && note ? ` ${note}` : "", rule ? ` by ${rule}` : ""].join("")))];
    }));
  }

  function took(answer) {
    const said = [];
    const [input, output, reasoning, cached, media] = ["input", "output", "reasoning", "cached", "media"].map((kind) => answer[`${kind}_tokens`] || 0);
    if (input || output) {
      const kinds = [[cached, "cached"], [media, "of media"], [reasoning, "of reasoning"]].filter(([n]) => n).map(([n, kind]) => `${number(n)} ${kind}`);
      said.push(`${number(input)} + ${number(output)} tokens${kinds.length ? ` (${kinds.join(", ")})` : ""}`);
    }
    if (answer.seconds !== undefined) said.push(`${answer.seconds.toFixed(1)} s`);
    if (answer.cost !== undefined) said.push(`cost ${answer.cost.toPrecision(3)}`);
    if (answer.finish_reason) said.push(`ended: ${answer.finish_reason}`);
    if (answer.served) said.push(`served by ${answer.served}`);
    for (const [what, count] of Object.entries(answer.notes || {})) said.push(`${what}: ${count}`);
    return said.length ? el("p", { class: "note" }, said.join(" · ")) : null;
  }

  function maps(map) {
    if (!map) return null;
    const boxes = [];
    for (const [title, places] of [["drawn by the model", map.drawn], ["true", map.true]]) {
      boxes.push(el("figure", {}, places ? drawMap(`Map ${title}`, map.grid, places) : el("p", { class: "problem" }, title === "true" ? "The scene isn't at hand." : "No map could be read."), el("figcaption", {}, title)));
    }
    return el("section", { "aria-label": "Cognitive map" }, el("h4", {}, "Cognitive map"), el("div", { class: "maps" }, boxes), map.problems.length ? el("p", { class: "note" }, map.problems.join("; ")) : null);
  }

  const folded = (title, text, open) => el("details", { open }, el("summary", {}, title), el("pre", {}, text));

  // What one sample said: failure or texts, readings, turns, map, tokens.
  function sampleParts(one, answer) {
    const parts = [];
    if (answer.failure) parts.push(el("p", { class: "problem" }, `${answer.failure}${answer.attempts > 1 ? ` (${answer.attempts} attempts)` : ""}`));
    else if (!answer.texts.length) parts.push(el("p", { class: "problem" }, one && one.word === "not asked" ? "This run wasn't asked this question." : "No response."));
    if (answer.scores) parts.push(readings(answer.scores));
    const turns = [];
    for (const [kind, text] of answer.texts) {
      if (kind === "response") parts.push(el("h4", {}, "Response"), text ? markedText(text, answer.marks) : el("p", { class: "note" }, "an empty text"));
      else if (kind === "reasoning") parts.push(folded("Reasoning", text, true));
      else turns.push(folded(kind, text, false));
    }
    if (turns.length) parts.push(el("details", { class: "turns" }, el("summary", {}, "Turns"), turns));
    parts.push(maps(answer.map), took(answer));
    return parts;
  }

  // A sample's line: its number and how each scorer read it.
  function sampleTitle(sample) {
    const read = Object.entries(sample.scores || {}).map(([scorer, [reading, , score, , state]]) => `${scorer}: ${state && state !== "read" ? state : reading || "–"} → ${score === null ? "not scored" : +score.toFixed(4)}`);
    return `Sample ${sample.number}: ${sample.failure ? "failed" : read.join("; ") || "not scored"}`;
  }

  function showAnswer(run, one, answer, counted) {
    const parts = [el("h3", {}, badge(one), " ", run.name, " ", el("small", {}, one.word))];
    if (answer.asked) parts.push(folded("asked in other words or another order", answer.asked.join("\n"), false));
    const samples = answer.samples || [];
    if (samples.length) parts.push(el("p", { class: "samples" }, el("b", {}, `${number(samples.length + 1)} samples`), counted ? `, ${number(counted.right)} right. ` : ". ", "This is the first:"));
    parts.push(...sampleParts(one, answer));
    for (const sample of samples) parts.push(el("details", { class: "sample" }, el("summary", {}, sampleTitle(sample)), sampleParts(null, sample)));
    return el("article", { class: "answer" }, parts);
  }

  Object.assign(tolman, { showAnswer });
})();
