/* The body of the page: base64 → inflate → varints → typed arrays. See docs/page-format.md. */

export interface EventMeta {
  word: string;
  type: string;
  unit: string;
  scale: number;
  samples: number;
  total: number;
  /** Value of one sample where the rows have no values of their own; 1 when missing. */
  per_sample?: number;
}

export interface Series {
  name: string;
  unit: string;
  t_ms: number[];
  v: number[];
}

export interface Meta {
  version: string;
  title: string;
  source: string[];
  generated: string;
  events: EventMeta[];
  event: number;
  metric: 'samples' | 'total';
  time?: { start_ms: number; bucket_ms: number; buckets: number };
  series: Series[];
  diff?: { before: string; after: string; normalized: boolean };
  view: { inverted: boolean; reverse: boolean; minwidth: number };
  notes: string[];
}

/** One event's rows, as columns. A missing column means: no labels, no time, value = samples. */
export interface Rows {
  count: number;
  node: Int32Array;
  label: Int32Array | null;
  bucket: Int32Array | null;
  samples: Float64Array;
  value: Float64Array;
}

/** Nodes in preorder; node 0 is the root, whose parent is -1 and whose frame is -1. */
export interface Trie {
  n: number;
  parent: Int32Array;
  frame: Int32Array;
  depth: Int32Array;
}

export interface Profile {
  strings: Strings;
  frameString: Int32Array;
  frameKind: Uint8Array;
  trie: Trie;
  labelKeys: string[];
  /** Per label set: key index → value. */
  labelSets: Map<number, string>[];
  rows: Rows[];
}

/** The string table, decoded on demand: a page with many names must not pay for those nobody looks at. */
export class Strings {
  private readonly cache: (string | undefined)[];
  private readonly decoder = new TextDecoder();

  constructor(
    private readonly bytes: Uint8Array,
    private readonly start: Int32Array,
    private readonly length: Int32Array,
  ) {
    this.cache = new Array(start.length);
  }

  get count(): number {
    return this.cache.length;
  }

  at(id: number): string {
    let text = this.cache[id];
    if (text === undefined) {
      const from = this.start[id]!;
      text = this.decoder.decode(this.bytes.subarray(from, from + this.length[id]!));
      this.cache[id] = text;
    }
    return text;
  }

  add(text: string): number {
    return this.cache.push(text) - 1;
  }
}

class Reader {
  at = 0;
  constructor(readonly bytes: Uint8Array) {}

  /** An unsigned varint. Values beyond 2^53 lose low bits, which no width on a screen can show. */
  varint(): number {
    return this.fill(this.one)[0]!;
  }

  private readonly one = new Float64Array(1);

  /** As many varints as `out` holds. The first picture waits for this loop, so it keeps everything in locals. */
  fill(out: Float64Array): Float64Array {
    const { bytes } = this;
    const end = bytes.length;
    let at = this.at;
    for (let i = 0; i < out.length; i++) {
      if (at >= end) throw new Error('the data ends in the middle of a number');
      let byte = bytes[at++]!;
      if (byte < 0x80) {
        out[i] = byte;
        continue;
      }
      let value = byte & 0x7f;
      let scale = 128;
      do {
        if (at >= end) throw new Error('the data ends in the middle of a number');
        byte = bytes[at++]!;
        value += (byte & 0x7f) * scale;
        scale *= 128;
      } while (byte >= 0x80 && scale < 2 ** 70);
      out[i] = value;
    }
    this.at = at;
    return out;
  }

  /** A count of things that take at least `least` bytes each: more than the bytes left is damage, not a request. */
  size(least: number): number {
    const value = this.varint();
    if (value * least > this.bytes.length - this.at) throw new Error('a count is larger than the data that follows');
    return value;
  }

  below(limit: number, what: string): number {
    const value = this.varint();
    if (value >= limit) throw new Error(`a ${what} points outside its table`);
    return value;
  }
}

function readStrings(r: Reader): Strings {
  const n = r.size(1);
  const start = new Int32Array(n);
  const length = new Int32Array(n);
  for (let i = 0; i < n; i++) {
    const bytes = r.size(1);
    start[i] = r.at;
    length[i] = bytes;
    r.at += bytes;
  }
  return new Strings(r.bytes, start, length);
}

function readTrie(r: Reader, frames: number): Trie {
  const n = r.size(2) + 1;
  const parent = new Int32Array(n);
  const frame = new Int32Array(n);
  const depth = new Int32Array(n);
  const pairs = r.fill(new Float64Array(2 * (n - 1)));
  parent[0] = -1;
  frame[0] = -1;
  for (let i = 1; i < n; i++) {
    let up = pairs[2 * i - 2]!;
    const id = pairs[2 * i - 1]!;
    let p = i - 1;
    if (up > depth[p]!) throw new Error('a node climbs above the root');
    for (; up > 0; up--) p = parent[p]!;
    parent[i] = p;
    depth[i] = depth[p]! + 1;
    if (id >= frames) throw new Error('a node names a frame that does not exist');
    frame[i] = id;
  }
  return { n, parent, frame, depth };
}

function readRows(r: Reader, nodes: number, sets: number, buckets: number, perSample: number): Rows {
  const n = r.size(2);
  const flags = r.varint();
  const node = new Int32Array(n);
  const deltas = r.fill(new Float64Array(n));
  for (let i = 0, last = 0; i < n; i++) {
    last += deltas[i]!;
    if (last >= nodes) throw new Error('a row names a node that does not exist');
    node[i] = last;
  }
  const column = (limit: number, what: string): Int32Array => {
    const ids = r.fill(new Float64Array(n));
    for (let i = 0; i < n; i++) if (ids[i]! >= limit) throw new Error(`a ${what} points outside its table`);
    return Int32Array.from(ids);
  };
  const weights = (): Float64Array => r.fill(new Float64Array(n));
  const label = flags & 1 ? column(sets, 'label set') : null;
  const bucket = flags & 2 ? column(Math.max(buckets, 1), 'time bucket') : null;
  const samples = weights();
  const value = flags & 4 ? weights() : perSample === 1 ? samples : samples.map((count) => count * perSample);
  return { count: n, node, label, bucket, samples, value };
}

/** Reads the inflated body. Throws an Error with a sentence for the reader when the bytes make no sense. */
export function decodeBody(bytes: Uint8Array, meta: Meta): Profile {
  const r = new Reader(bytes);
  const strings = readStrings(r);
  const frames = r.size(2);
  const frameString = new Int32Array(frames);
  const frameKind = new Uint8Array(frames);
  for (let i = 0; i < frames; i++) {
    frameString[i] = r.below(strings.count, 'frame name');
    frameKind[i] = r.varint();
  }
  const trie = readTrie(r, frames);
  const labelKeys: string[] = [];
  for (let n = r.size(1); n > 0; n--) labelKeys.push(strings.at(r.below(strings.count, 'label key')));
  const labelSets: Map<number, string>[] = [];
  for (let n = r.size(1); n > 0; n--) {
    const set = new Map<number, string>();
    for (let pairs = r.size(2); pairs > 0; pairs--) {
      const key = r.below(labelKeys.length, 'label');
      set.set(key, strings.at(r.below(strings.count, 'label value')));
    }
    labelSets.push(set);
  }
  const rows = meta.events.map((event) =>
    readRows(r, trie.n, labelSets.length, meta.time?.buckets ?? 0, event.per_sample ?? 1),
  );
  return { strings, frameString, frameKind, trie, labelKeys, labelSets, rows };
}

type WithFromBase64 = typeof Uint8Array & { fromBase64?: (text: string) => Uint8Array<ArrayBuffer> };

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const native = (Uint8Array as WithFromBase64).fromBase64;
  if (native) return native.call(Uint8Array, text);
  const binary = atob(text);
  const out = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) out[i] = binary.charCodeAt(i);
  return out;
}

/** base64 of a zlib stream → the raw body. */
export async function inflate(base64: string): Promise<Uint8Array> {
  const inflater = new DecompressionStream('deflate');
  const writer = inflater.writable.getWriter();
  // Errors of the stream surface where its output is read.
  writer.write(fromBase64(base64.trim())).catch(() => {});
  writer.close().catch(() => {});
  return new Uint8Array(await new Response(inflater.readable).arrayBuffer());
}
