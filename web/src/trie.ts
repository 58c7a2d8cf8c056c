/* Prefix trees in typed arrays: building one from (parent, frame) pairs, and adding weights up. */

import type { Trie } from './decode';

/** One measure of a tree: weight that ends at a node, and weight that passes through it. */
export interface Column {
  self: Float64Array;
  total: Float64Array;
}

/**
 * A tree ready to be drawn. `depth` may be negative: an inspected frame is the root, its callees lie at 1, 2, …
 * and its callers at -1, -2, …; both halves are preorder, callees first.
 */
export interface Tree extends Trie {
  columns: Column[];
  /** True when small branches were left folded to bound the size; zooming unfolds them. */
  partial: boolean;
}

/** Sums self weights up the preorder. Callers (negative depth) do not add to the root they hang under. */
export function accumulate(trie: Trie, self: Float64Array): Column {
  const { n, parent, depth } = trie;
  const total = self.slice();
  for (let i = n - 1; i > 0; i--) {
    const p = parent[i]!;
    if (p !== 0 || depth[i]! > 0) total[p]! += total[i]!;
  }
  return { self, total };
}

/** Columns may share one array (value = samples); summing it twice would be waste. */
export function accumulateAll(trie: Trie, selves: Float64Array[]): Column[] {
  const done = new Map<Float64Array, Column>();
  return selves.map((self) => {
    let column = done.get(self);
    if (!column) done.set(self, (column = accumulate(trie, self)));
    return column;
  });
}

/** Steps between two pauses of long work: some 10 ms. */
export const SLICE = 50_000;

/** Runs work that could pause straight to its end. */
export function finished<T>(work: Generator<number, T>): T {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

function grown<T extends Int32Array | Float64Array>(array: T, size: number): T {
  const bigger = new (array.constructor as new (n: number) => T)(size);
  bigger.set(array as never);
  return bigger;
}

/** Builds a trie child by child, weights included, with an open-addressing table instead of objects. */
export class TrieBuilder {
  n = 1;
  private parent: Int32Array;
  private frame: Int32Array;
  private selves: Float64Array[];
  private table: Int32Array;

  constructor(columns: number, expected = 1024) {
    let size = 1024;
    while (size < expected) size *= 2;
    this.parent = new Int32Array(size);
    this.frame = new Int32Array(size);
    this.parent[0] = -1;
    this.frame[0] = -1;
    this.selves = Array.from({ length: columns }, () => new Float64Array(size));
    this.table = new Int32Array(size * 4);
  }

  private slot(parent: number, frame: number): number {
    const mask = this.table.length - 1;
    let h = Math.imul(parent, 0x9e3779b1) ^ Math.imul(frame + 1, 0x85ebca6b);
    h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
    h = (h ^ (h >>> 13)) & mask;
    for (;;) {
      const node = this.table[h]!;
      if (node === 0 || (this.parent[node] === parent && this.frame[node] === frame)) return h;
      h = (h + 1) & mask;
    }
  }

  private grow(): void {
    const size = this.parent.length * 2;
    this.parent = grown(this.parent, size);
    this.frame = grown(this.frame, size);
    this.selves = this.selves.map((self) => grown(self, size));
    this.table = new Int32Array(size * 4);
    for (let i = 1; i < this.n; i++) this.table[this.slot(this.parent[i]!, this.frame[i]!)] = i;
  }

  /** The child of `parent` for `frame`, made when it is not there yet. */
  child(parent: number, frame: number): number {
    let slot = this.slot(parent, frame);
    const found = this.table[slot]!;
    if (found !== 0) return found;
    if (this.n === this.parent.length) {
      this.grow();
      slot = this.slot(parent, frame);
    }
    const node = this.n++;
    this.parent[node] = parent;
    this.frame[node] = frame;
    this.table[slot] = node;
    return node;
  }

  add(node: number, column: number, weight: number): void {
    this.selves[column]![node]! += weight;
  }

  /** Orders siblings by `rank` of their frame and renumbers everything into preorder. */
  finish(rank: Int32Array): { trie: Trie; selves: Float64Array[] } {
    return finished(this.finishing(rank));
  }

  /** As `finish`, with pauses: yields 0 so that a caller with a screen to serve may do so. */
  *finishing(rank: Int32Array): Generator<number, { trie: Trie; selves: Float64Array[] }> {
    const n = this.n;
    const byRank = this.orderByRank(rank);
    yield 0;
    const first = new Int32Array(n).fill(-1);
    const next = new Int32Array(n).fill(-1);
    // Prepending in descending rank leaves every sibling list in ascending rank.
    for (let k = byRank.length - 1; k >= 0; k--) {
      const node = byRank[k]!;
      const p = this.parent[node]!;
      next[node] = first[p]!;
      first[p] = node;
    }
    const parent = new Int32Array(n);
    const frame = new Int32Array(n);
    const depth = new Int32Array(n);
    const selves = this.selves.map(() => new Float64Array(n));
    const place = new Int32Array(n);
    parent[0] = -1;
    frame[0] = -1;
    for (let old = 0, id = 0; old >= 0; id++) {
      if (id % SLICE === 0) yield 0;
      place[old] = id;
      if (id > 0) {
        const p = place[this.parent[old]!]!;
        parent[id] = p;
        frame[id] = this.frame[old]!;
        depth[id] = depth[p]! + 1;
      }
      for (let c = 0; c < selves.length; c++) selves[c]![id] = this.selves[c]![old]!;
      let step = first[old]!;
      while (step < 0 && old > 0) {
        step = next[old]!;
        old = this.parent[old]!;
      }
      old = step;
    }
    return { trie: { n, parent, frame, depth }, selves };
  }

  /** Counting sort of all nodes but the root by the rank of their frame. */
  private orderByRank(rank: Int32Array): Int32Array {
    const starts = new Int32Array(rank.length + 1);
    for (let i = 1; i < this.n; i++) starts[rank[this.frame[i]!]! + 1]!++;
    for (let i = 1; i < starts.length; i++) starts[i]! += starts[i - 1]!;
    const out = new Int32Array(this.n - 1);
    for (let i = 1; i < this.n; i++) {
      const r = rank[this.frame[i]!]!;
      out[starts[r]!++] = i;
    }
    return out;
  }
}
