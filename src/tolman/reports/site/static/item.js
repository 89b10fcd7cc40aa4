// The page of one question: what was shown and asked, the truth with its evidence, and the answers side by side.
"use strict";
(() => {
  const { el, href, badge, outcomeOf, number, showMedium, withPictures, showAnswer, drawPlan, inWords, select } = tolman;

  function neighbours(shown, place, query, index) {
    const at = shown ? shown.indexOf(place) : -1;
    const link = (text, to, key) => to === undefined ? el("span", { class: "button off", "aria-hidden": "true" }, text) : el("a", { class: "button", href: href(["item", index.ids[to]], query), "data-key": key, "aria-keyshortcuts": key, title: `key ${key}` }, text);
    if (at < 0) return [link("‹ previous", place > 0 ? place - 1 : undefined, "k"), link("next ›", place + 1 < index.ids.length ? place + 1 : undefined, "j")];
    return [link("‹ previous", shown[at - 1], "k"), el("span", { class: "note" }, `${number(at + 1)} of ${number(shown.length)} in the list`), link("next ›", shown[at + 1], "j")];
  }

  const SHOWN = 3; // answers that are open at first
  const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

  // The options, with the true one marked and the runs that chose each; `chosen` is letter → names.
  function optionList(item, figures, chosen) {
    if (!item.options) return null;
    const quiet = item.verbatim && !item.interleaved; // the question lists them already
    return el("ol", { class: quiet ? "options quiet" : "options", "aria-label": "Options" }, item.options.map((text, i) => {
      const right = item.answer === LETTERS[i], names = chosen.get(LETTERS[i]) || [];
      return el("li", { class: right ? "truth" : "" }, el("b", {}, `${LETTERS[i]}. `), withPictures(text, figures, item.interleaved), right ? el("span", { class: "tick-mark" }, " ✓ right") : null,
        names.length ? el("small", { class: "chose" }, names.join(", ")) : null);
    }));
  }

  // Which ways of sampling there are among the runs, each with the runs that were sent them.
  function ways(index) {
    const found = new Map();
    index.runs.forEach((run, r) => {
      const own = run.seen;
      if (own.what !== "frames" || own.sampling === null || own.sampling === undefined) return;
      if (!found.has(own.sampling)) found.set(own.sampling, { way: own.sampling, why: own.why, runs: [] });
      found.get(own.sampling).runs.push(r);
    });
    return [...found.values()];
  }

  function sent(index) {
    return el("details", { class: "sent" }, el("summary", {}, "What each run was shown"), el("ul", {}, index.runs.map((run) => el("li", {}, el("b", {}, run.name), `: ${run.seen.why}`))));
  }

  async function showItem(target, set, index, place, query, shown) {
    const item = await tolman.item(set, index, place);
    const media = await Promise.all((item.media || []).map((n) => tolman.medium(set, index, n)));
    const evidence = item.evidence && typeof item.evidence === "object" ? item.evidence : {};
    let plan = null;
    if (item.plan !== undefined) plan = drawPlan(await tolman.json(`${set}-plan-${item.plan}`), item.marks || []);
    const moved = (seconds) => plan && plan.show(seconds);
    const all = ways(index);
    let way = all.length ? Number(query.way) : 0;
    if (!all.some((one) => one.way === way)) way = all.length ? all[0].way : 0;

    const kept = { ...query };
    const figures = media.map((one, i) => showMedium(one, i, way, evidence, moved));
    const text = item.verbatim && !item.interleaved ? item.verbatim : item.question;
    const inside = item.interleaved ? [...figures] : [];
    const chips = index.labels.map((label) => [label.name, label.values[label.codes[place]]]).filter(([, value]) => value !== "not labelled");
    const choice = all.length > 1 ? select("Frames as sent to", String(way), all.map((one) => [String(one.way), `${one.why}: ${one.runs.map((r) => index.runs[r].name).join(", ")}`]), (value) => { location.hash = href(["item", index.ids[place]], { ...kept, way: value }); }, "way") : null;
    const frames = all.length ? el("p", { class: "note" }, `Frames as sent: ${all.find((one) => one.way === way).why}, to ${all.find((one) => one.way === way).runs.map((r) => index.runs[r].name).join(", ")}.`)
      : media.some((one) => one.frames) ? el("p", { class: "note" }, "No run here was sent these frames; they are what the runs' settings would take.") : null;

    const order = tolman.inOrder(index), outcomes = index.runs.map((run) => outcomeOf(run, place, query.scorer));
    const asked = order.filter((r) => outcomes[r].word !== "not asked");
    let chosen = (query.runs || "").split(",").filter((r) => /^\d+$/.test(r) && index.runs[r]).map(Number);
    if (!chosen.length) {
      const wanted = [query.a, query.b].filter((r) => r !== undefined && index.runs[r]).map(Number);
      chosen = [...new Set([...wanted, ...asked])].slice(0, Math.max(wanted.length, SHOWN));
    }
    const readings = item.options ? await tolman.json(`${set}-readings`) : null, said = new Map();
    for (const r of readings ? asked : []) {
      const read = readings.runs[r][place], at = item.options.indexOf(read), letter = at < 0 ? read : LETTERS[at];
      if (letter) said.set(letter, [...(said.get(letter) || []), index.runs[r].name]);
    }
    const question = el("section", { class: "asked", "aria-label": "Question" }, el("div", { class: "question" }, withPictures(text, inside, item.interleaved).map((part) => typeof part === "string" ? el("span", { class: "text" }, part) : part)),
      optionList(item, inside, said),
      el("p", { class: "true" }, el("b", {}, "True answer: "), item.text || item.answer, item.unit ? ` ${item.unit}` : "", item.options ? ` (${item.answer})` : ""),
      item.reasoning ? el("details", {}, el("summary", {}, "Reasoning that came with the question"), el("pre", {}, item.reasoning)) : null);
    const shownMedia = el("section", { class: "media-part", "aria-label": "Media" }, media.length ? [choice, frames, item.interleaved ? null : el("div", { class: "media" }, figures), sent(index)] : el("p", { class: "note" }, "This question has no media."));
    const words = inWords(item.marks || []);
    const planned = el("section", { class: "plan-part", "aria-label": "Evidence" },
      plan ? el("figure", { class: "planned" }, plan.element, el("figcaption", { class: "note" }, "From above; up is the scene's y axis. The thin line is the camera's path, from its dot on; point at a frame or play the video to see its view."),
        words.length ? el("p", { class: "said" }, el("b", {}, "Drawn: "), `${words.join("; ")}.`) : null,
        item.undrawn ? el("p", { class: "note" }, item.undrawn) : null)
        : el("p", { class: "note" }, index.plans_missing ? `No floor plan: ${index.plans_missing}.` : item.scene ? "There is no floor plan of this scene." : ""),
      Object.keys(evidence).length ? el("details", {}, el("summary", {}, "Evidence, as stored"), el("pre", {}, JSON.stringify(evidence, null, 2))) : null);
    const answers = el("div", { class: "answers" });
    const boxes = el("fieldset", { class: "runs" }, el("legend", {}, "Answers of"), order.map((r) => el("label", {}, el("input", { type: "checkbox", checked: chosen.includes(r), value: r, onchange: pick }), " ", badge(outcomes[r]), " ", index.runs[r].name)));
    async function pick() {
      const picked = [...boxes.querySelectorAll("input:checked")].map((box) => Number(box.value));
      kept.runs = picked.join(",");
      history.replaceState(null, "", href(["item", index.ids[place]], kept));
      await draw(picked);
    }
    async function draw(picked) {
      const found = await Promise.all(picked.map((r) => tolman.answer(set, index, r, place)));
      answers.replaceChildren(...found.map((answer, i) => showAnswer(index.runs[picked[i]], outcomes[picked[i]], answer, tolman.samplesOf(index.runs[picked[i]], place, query.scorer))));
    }
    const given = el("section", { class: "given", "aria-label": "Answers" }, boxes, answers), wide = item.interleaved || !media.length;
    const back = { ...kept };
    delete back.runs; delete back.way;
    target.replaceChildren(
      el("div", { class: "bar" }, el("a", { class: "button", href: href(["items"], back), "data-key": "u", "aria-keyshortcuts": "u", title: "key u" }, "↑ list"), neighbours(shown, place, kept, index)),
      el("h1", {}, index.names[place], el("small", {}, ` ${index.ids[place]}`)),
      el("div", { class: "columns" }, el("div", { class: "column" }, question, wide ? [shownMedia, planned] : given), el("div", { class: "column" }, wide ? given : [shownMedia, planned])),
      el("ul", { class: "chips", "aria-label": "Labels" }, chips.map(([name, value]) => el("li", {}, el("a", { href: href(["items"], { set: query.set, [`label.${name}`]: value }) }, el("span", { class: "note" }, `${name} `), value)))));
    await draw(chosen);
    moved(0);
  }

  Object.assign(tolman, { showItem });
})();
