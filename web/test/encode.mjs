// Writes pages in the format of docs/page-format.md, as src/render/html.c does, from plain stacks.

import { readFile } from 'node:fs/promises';
import { deflateSync } from 'node:zlib';

/** Bytes that grow. */
export class Writer {
  constructor() {
    this.bytes = new Uint8Array(1 << 16);
    this.length = 0;
  }

  reserve(more) {
    if (this.length + more <= this.bytes.length) return;
    const bigger = new Uint8Array(Math.max(this.bytes.length * 2, this.length + more));
    bigger.set(this.bytes);
    this.bytes = bigger;
  }

  varint(value) {
    this.reserve(10);
    while (value >= 128) {
      this.bytes[this.length++] = (value % 128) | 128;
      value = Math.floor(value / 128);
    }
    this.bytes[this.length++] = value;
  }

  text(text) {
    const bytes = Buffer.from(text, 'utf8');
    this.varint(bytes.length);
    this.reserve(bytes.length);
    this.bytes.set(bytes, this.length);
    this.length += bytes.length;
  }

  done() {
    return this.bytes.subarray(0, this.length);
  }
}

/** Numbers things in the order they are met. */
class Table {
  constructor() {
    this.ids = new Map();
    this.items = [];
  }

  id(key, item = key) {
    let id = this.ids.get(key);
    if (id === undefined) {
      id = this.items.push(item) - 1;
      this.ids.set(key, id);
    }
    return id;
  }
}

const byName = (a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.kind - b.kind);

/**
 * profile: { meta, events: [{ word, type, unit, samples: [{ stack: ['name', ['name', kind], …], labels, bucket,
 * samples, value }] }] }, stacks from the root to the leaf. Returns { meta, body }.
 */
export function encode(profile) {
  const strings = new Table();
  const frames = new Table();
  const sets = new Table();
  const keys = new Table();
  const root = { children: new Map() };
  sets.id('[]', []);
  const tables = profile.events.map((event) =>
    event.samples.map((sample) => {
      let node = root;
      for (const frame of sample.stack) {
        const [name, kind] = Array.isArray(frame) ? frame : [frame, 1];
        const key = `${kind} ${name}`;
        let child = node.children.get(key);
        if (!child) node.children.set(key, (child = { name, kind, children: new Map() }));
        node = child;
      }
      const pairs = Object.entries(sample.labels ?? {}).map(([key, value]) => [
        keys.id(key),
        strings.id(String(value)),
      ]);
      return {
        node,
        set: sets.id(JSON.stringify(pairs), pairs),
        bucket: sample.bucket ?? 0,
        samples: sample.samples ?? 1,
        value: sample.value,
      };
    }),
  );

  const nodes = new Writer();
  let count = 0;
  let depth = 0;
  root.id = 0;
  const visit = (node, at) => {
    for (const child of [...node.children.values()].sort(byName)) {
      child.id = ++count;
      nodes.varint(depth - at);
      nodes.varint(frames.id(`${child.kind} ${child.name}`, [strings.id(child.name), child.kind]));
      depth = at + 1;
      visit(child, at + 1);
    }
  };
  visit(root, 0);
  const keyStrings = keys.items.map((key) => strings.id(key));

  const out = new Writer();
  out.varint(strings.items.length);
  for (const text of strings.items) out.text(text);
  out.varint(frames.items.length);
  for (const [string, kind] of frames.items) {
    out.varint(string);
    out.varint(kind);
  }
  out.varint(count);
  const trie = nodes.done();
  out.reserve(trie.length);
  out.bytes.set(trie, out.length);
  out.length += trie.length;
  out.varint(keyStrings.length);
  for (const id of keyStrings) out.varint(id);
  out.varint(sets.items.length);
  for (const pairs of sets.items) {
    out.varint(pairs.length);
    for (const pair of pairs) for (const part of pair) out.varint(part);
  }
  for (const rows of tables) {
    rows.sort((a, b) => a.node.id - b.node.id);
    const valued = rows.some((row) => row.value !== undefined && row.value !== row.samples);
    const flags = (keyStrings.length > 0 ? 1 : 0) | (profile.meta.time ? 2 : 0) | (valued ? 4 : 0);
    out.varint(rows.length);
    out.varint(flags);
    let last = 0;
    for (const row of rows) {
      out.varint(row.node.id - last);
      last = row.node.id;
    }
    if (flags & 1) for (const row of rows) out.varint(row.set);
    if (flags & 2) for (const row of rows) out.varint(row.bucket);
    for (const row of rows) out.varint(row.samples);
    if (flags & 4) for (const row of rows) out.varint(row.value ?? row.samples);
  }

  const events = profile.events.map((event, i) => ({
    word: event.word,
    type: event.type ?? event.word,
    unit: event.unit ?? 'count',
    scale: 1,
    samples: tables[i].reduce((sum, row) => sum + row.samples, 0),
    total: tables[i].reduce((sum, row) => sum + (row.value ?? row.samples), 0),
  }));
  return { meta: { ...defaults, ...profile.meta, events }, body: out.done(), nodes: count };
}

const defaults = {
  version: '0.1.0',
  title: 'Profile',
  source: ['profile.jfr'],
  generated: '2024-05-01T12:00:00Z',
  event: 0,
  metric: 'total',
  series: [],
  view: { inverted: false, reverse: false, minwidth: 0.5 },
  notes: [],
};

const escapeHtml = (text) => text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);

/** Splices data into the built page. Returns the page's text. */
export async function page(template, { meta, body }) {
  const html = await readFile(template, 'utf8');
  const parts = {
    '@@TITLE@@': escapeHtml(meta.title),
    '@@META@@': JSON.stringify(meta).replaceAll('<', '\\u003c'),
    '@@BODY@@': deflateSync(body, { level: 6 }).toString('base64'),
  };
  return html.replace(/@@[A-Z]+@@/g, (marker) => parts[marker] ?? marker);
}
