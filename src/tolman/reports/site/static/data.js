// Data arrive as scripts that call tolman.add(key, packed), since a page opened from a disk may not fetch. Packed is
// base64 of gzip of UTF-8.
"use strict";
window.tolman = (() => {
  const MOST_CHARACTERS = 250e6; // of unpacked texts that are kept
  const waiting = new Map(), texts = new Map();
  let kept = 0;

  function add(key, packed) {
    const one = waiting.get(key);
    waiting.delete(key);
    if (one) one.resolve(packed);
  }

  function load(key) {
    return new Promise((resolve, reject) => {
      const script = document.createElement("script");
      waiting.set(key, { resolve });
      script.src = `data/${key}.js`;
      script.onload = () => { script.remove(); if (waiting.delete(key)) reject(new Error(`data/${key}.js holds something else`)); };
      script.onerror = () => { script.remove(); waiting.delete(key); reject(new Error(`data/${key}.js is missing`)); };
      document.head.append(script);
    });
  }

  async function unpack(packed) {
    const bytes = Uint8Array.fromBase64 ? Uint8Array.fromBase64(packed) : Uint8Array.from(atob(packed), (c) => c.charCodeAt(0));
    const stream = new DecompressionStream("gzip"), writer = stream.writable.getWriter(), reader = stream.readable.getReader();
    const written = writer.write(bytes).then(() => writer.close());
    const chunks = [];
    let size = 0;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      chunks.push(value);
      size += value.length;
    }
    await written;
    const whole = new Uint8Array(size);
    let at = 0;
    for (const chunk of chunks) { whole.set(chunk, at); at += chunk.length; }
    return new TextDecoder().decode(whole);
  }

  function text(key) {
    let found = texts.get(key);
    if (found === undefined) {
      found = load(key).then(unpack).then((one) => { kept += one.length; forget(key); return one; });
      found.catch(() => texts.delete(key));
      texts.set(key, found);
    }
    return found;
  }

  function forget(last) {
    for (const [key, one] of texts) {
      if (kept <= MOST_CHARACTERS || key === last) return;
      texts.delete(key);
      one.then((old) => { kept -= old.length; });
    }
  }

  const values = new Map();
  function json(key) {
    if (!values.has(key)) {
      const one = load(key).then(unpack).then(JSON.parse);
      one.catch(() => values.delete(key));
      values.set(key, one);
    }
    return values.get(key);
  }

  // The number of the shard that an item is in: the last that begins at or before it.
  function shardOf(starts, place) {
    let low = 0, high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (starts[middle] <= place) low = middle; else high = middle - 1;
    }
    return low;
  }

  async function item(set, index, place) {
    const shard = shardOf(index.shards.items, place);
    return (await json(`${set}-items-${shard}`))[place - index.shards.items[shard]];
  }

  async function medium(set, index, number) {
    const shard = shardOf(index.shards.media, number);
    return (await json(`${set}-media-${shard}`))[number - index.shards.media[shard]];
  }

  const BEFORE_TEXTS = "\u0001", BETWEEN_TEXTS = "\u0000";
  const parsed = new Map(); // the last shards of answers that were looked at
  async function answer(set, index, run, place) {
    const starts = index.shards.answers[run], shard = shardOf(starts, place), key = `${set}-run${run}-${shard}`;
    if (!parsed.has(key)) {
      const whole = await text(key), end = whole.indexOf(BEFORE_TEXTS);
      if (parsed.size > 20) parsed.clear();
      parsed.set(key, { head: JSON.parse(whole.slice(0, end)), texts: whole.slice(end + 1).split(BETWEEN_TEXTS) });
    }
    const { head, texts: all } = parsed.get(key), at = place - starts[shard], found = { texts: [] };
    for (const [name, values] of Object.entries(head.columns)) if (values[at] !== null) found[name] = values[at];
    let first = 0;
    for (const kinds of (head.columns.texts || []).slice(0, at)) first += (kinds || []).length;
    found.texts = found.texts.map((kind, i) => [kind, all[first + i]]);
    if (found.samples) parted(found);
    for (const [scorer, own] of Object.entries(head.scores)) {
      if (own.asked[at] !== null) (found.scores ||= {})[scorer] = [own.reading[at], own.note[at], own.score[at], own.asked[at], own.state[at], own.rule[at]];
    }
    return found;
  }

  // Texts of further samples are named '#2 response': each sample gets its own.
  function parted(answer) {
    const own = new Map(answer.samples.map((sample) => [String(sample.number), []]));
    answer.texts = answer.texts.filter(([kind, text]) => {
      const [, sample, name] = /^#(\d+) (.*)$/s.exec(kind) || [];
      if (own.has(sample)) own.get(sample).push([name, text]);
      return !own.has(sample);
    });
    answer.samples = answer.samples.map((sample) => ({ ...sample, texts: own.get(String(sample.number)) }));
  }

  return { add, text, json, item, medium, answer, shardOf, BEFORE_TEXTS, BETWEEN_TEXTS };
})();
