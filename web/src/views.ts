/* Trees derived from the selected stacks: frames hidden, stacks kept or dropped, merged by leaf, one frame's kin. */

import type { Profile, Trie } from './decode';
import { inPackage } from './format';
import { LABEL_KIND, type Weighted } from './select';
import { accumulateAll, SLICE, TrieBuilder, type Tree } from './trie';

/**
 * hide: the frames leave the stacks and their weight stays with the caller; focus: only stacks through them remain;
 * drop: stacks through them go.
 */
export interface Filter {
  act: 'hide' | 'focus' | 'drop';
  by: 'frame' | 'package';
  name: string;
}

/** Above this many nodes a tree merged upwards keeps its small branches folded until they are zoomed into. */
const MERGE_LIMIT = 400_000;
const FOLD_BELOW = 1 / 4000;

/** Which strings a filter means, as flags. */
function flaggedStrings(profile: Profile, filter: Filter): Uint8Array {
  const { strings } = profile;
  const flags = new Uint8Array(strings.count);
  for (let id = 0; id < flags.length; id++) {
    const name = strings.at(id);
    const hit = filter.by === 'frame' ? name === filter.name : inPackage(name, filter.name);
    flags[id] = hit ? 1 : 0;
  }
  return flags;
}

function flaggedFrames(profile: Profile, filter: Filter): Uint8Array {
  const flags = flaggedStrings(profile, filter);
  return Uint8Array.from(profile.frameString, (id) => flags[id]!);
}

/** Flags of the frames with this name, whatever their kind. */
export function framesNamed(profile: Profile, name: string): Uint8Array {
  return flaggedFrames(profile, { act: 'focus', by: 'frame', name });
}

/** Per node: 1 when it or an ancestor carries the flag. Preorder makes this one pass. */
function inside(trie: Trie, flags: Uint8Array): Uint8Array {
  const out = new Uint8Array(trie.n);
  for (let i = 1; i < trie.n; i++) out[i] = out[trie.parent[i]!]! | flags[trie.frame[i]!]!;
  return out;
}

const ranks = new WeakMap<Int32Array, Int32Array>();

/** Position of every frame in the order of names: siblings of derived trees stand in it. */
function nameRank(profile: Profile): Int32Array {
  const key = profile.frameString;
  let rank = ranks.get(key);
  if (rank) return rank;
  const { strings } = profile;
  const order = Int32Array.from(key, (_, i) => i);
  order.sort((a, b) => {
    const left = strings.at(key[a]!);
    const right = strings.at(key[b]!);
    return left < right ? -1 : left > right ? 1 : profile.frameKind[a]! - profile.frameKind[b]!;
  });
  rank = new Int32Array(key.length);
  order.forEach((frame, at) => (rank![frame] = at));
  ranks.set(key, rank);
  return rank;
}

/** Applies the filters in the order they were made. */
export function filtered(profile: Profile, base: Weighted, filters: Filter[]): Weighted {
  let { trie, selves } = base;
  for (const filter of filters) {
    const flags = flaggedFrames(profile, filter);
    if (filter.act === 'hide') {
      ({ trie, selves } = withoutFrames(profile, { trie, selves }, flags));
      continue;
    }
    const keep = filter.act === 'focus' ? 1 : 0;
    const within = inside(trie, flags);
    selves = shared(selves, (self) => self.map((weight, i) => (within[i] === keep ? weight : 0)));
  }
  return { trie, selves };
}

/** Maps columns once each, so that columns sharing one array go on sharing one. */
function shared(selves: Float64Array[], map: (self: Float64Array) => Float64Array): Float64Array[] {
  const done = new Map<Float64Array, Float64Array>();
  return selves.map((self) => {
    let out = done.get(self);
    if (!out) done.set(self, (out = map(self)));
    return out;
  });
}

function withoutFrames(profile: Profile, base: Weighted, hidden: Uint8Array): Weighted {
  const { trie, selves } = base;
  const builder = new TrieBuilder(selves.length, trie.n);
  const place = new Int32Array(trie.n);
  for (let i = 0; i < trie.n; i++) {
    if (i > 0) {
      const up = place[trie.parent[i]!]!;
      const frame = trie.frame[i]!;
      place[i] = hidden[frame] ? up : builder.child(up, frame);
    }
    for (let c = 0; c < selves.length; c++) builder.add(place[i]!, c, selves[c]![i]!);
  }
  return builder.finish(nameRank(profile));
}

export function plain(base: Weighted): Tree {
  return { ...base.trie, columns: accumulateAll(base.trie, base.selves), partial: false };
}

/** Stacks to merge upwards: each starts at a node and carries weights. */
interface Starts {
  at: Int32Array;
  weights: Float64Array[];
}

type Merged = Weighted & { partial: boolean };

/**
 * Merges stacks from their inner end towards the root, level by level. When the result outgrows MERGE_LIMIT, groups
 * lighter than FOLD_BELOW of everything stop there (their weight stays visible, only their callers stay folded),
 * except along `path`, the frames the reader has zoomed into. Yields the share of stacks already settled.
 */
function* mergeUpwards(profile: Profile, trie: Trie, starts: Starts, path: number[]): Generator<number, Merged> {
  const columns = starts.weights.length;
  const builder = new TrieBuilder(columns, Math.min(starts.at.length * 4, MERGE_LIMIT));
  let live = new Int32Array(starts.at.length);
  for (let i = 0; i < live.length; i++) live[i] = i;
  const at = starts.at.slice();
  const group = new Int32Array(at.length);
  const onPath = new Uint8Array(at.length).fill(1);
  const weight = new Float64Array(at.length);
  for (const column of starts.weights) for (let i = 0; i < at.length; i++) weight[i]! += column[i]!;
  const everything = weight.reduce((a, b) => a + b, 0);
  const settle = (item: number): void => {
    for (let c = 0; c < columns; c++) builder.add(group[item]!, c, starts.weights[c]![item]!);
  };
  let partial = false;
  for (let level = 0; live.length > 0; level++) {
    let kept = 0;
    for (let k = 0; k < live.length; k++) {
      if (k % SLICE === 0) yield 1 - live.length / at.length;
      const item = live[k]!;
      const node = at[item]!;
      if (node === 0) {
        settle(item);
        continue;
      }
      const frame = trie.frame[node]!;
      group[item] = builder.child(group[item]!, frame);
      if (level < path.length && path[level] !== frame) onPath[item] = 0;
      at[item] = trie.parent[node]!;
      live[kept++] = item;
    }
    live = live.subarray(0, kept);
    if (builder.n < MERGE_LIMIT) continue;
    const sums = new Float64Array(builder.n);
    for (const item of live) sums[group[item]!]! += weight[item]!;
    const spare = path.length > 0 && builder.n < 2 * MERGE_LIMIT;
    live = live.filter((item) => {
      if (sums[group[item]!]! >= everything * FOLD_BELOW || (spare && onPath[item])) return true;
      if (at[item] !== 0) partial = true;
      settle(item);
      return false;
    });
  }
  return { ...(yield* builder.finishing(nameRank(profile))), partial };
}

/** Nodes that carry weight of their own in any column. */
function nonZero(selves: Float64Array[], n: number): Int32Array {
  const flags = new Uint8Array(n);
  for (const self of new Set(selves)) for (let i = 0; i < n; i++) if (self[i] !== 0) flags[i] = 1;
  const out = new Int32Array(n);
  let count = 0;
  for (let i = 0; i < n; i++) if (flags[i]) out[count++] = i;
  return out.slice(0, count);
}

function gathered(weights: Float64Array, nodes: ArrayLike<number>): Float64Array {
  const out = new Float64Array(nodes.length);
  for (let i = 0; i < out.length; i++) out[i] = weights[nodes[i]!]!;
  return out;
}

/** Stacks merged from the leaf: the first level is where the weight was spent, above it who called. */
export function* hotspots(profile: Profile, base: Weighted, path: number[]): Generator<number, Tree> {
  const at = nonZero(base.selves, base.trie.n);
  yield 0;
  const weights = shared(base.selves, (self) => gathered(self, at));
  const merged = yield* mergeUpwards(profile, base.trie, { at, weights }, path);
  return { ...merged.trie, columns: accumulateAll(merged.trie, merged.selves), partial: merged.partial };
}

/** One frame in the middle: everything it calls on one side, everyone who calls it on the other. */
export function* inspect(profile: Profile, base: Weighted, name: string, path: number[]): Generator<number, Tree> {
  const { trie, selves } = base;
  const flags = framesNamed(profile, name);
  const within = inside(trie, flags);
  const builder = new TrieBuilder(selves.length);
  const place = new Int32Array(trie.n);
  const tops: number[] = [];
  let frame = -1;
  for (let i = 1; i < trie.n; i++) {
    if (!within[i]) continue;
    // Only the outermost occurrence counts; a recursive call is one of its callees.
    if (within[trie.parent[i]!]) {
      place[i] = builder.child(place[trie.parent[i]!]!, trie.frame[i]!);
    } else {
      tops.push(i);
      if (frame < 0) frame = trie.frame[i]!;
    }
    for (let c = 0; c < selves.length; c++) builder.add(place[i]!, c, selves[c]![i]!);
  }
  const rank = nameRank(profile);
  const down = yield* builder.finishing(rank);
  const totals = accumulateAll(trie, selves).map((column) => column.total);
  const up = yield* mergeUpwards(
    profile,
    trie,
    {
      at: Int32Array.from(tops, (node) => trie.parent[node]!),
      weights: totals.map((total) => gathered(total, tops)),
    },
    path,
  );
  return joined(down, up, frame);
}

function joined(down: Weighted, up: Merged, frame: number): Tree {
  const shift = down.trie.n - 1;
  const n = down.trie.n + up.trie.n - 1;
  const parent = new Int32Array(n);
  const frames = new Int32Array(n);
  const depth = new Int32Array(n);
  parent.set(down.trie.parent);
  frames.set(down.trie.frame);
  depth.set(down.trie.depth);
  frames[0] = frame;
  for (let i = 1; i < up.trie.n; i++) {
    const p = up.trie.parent[i]!;
    parent[shift + i] = p === 0 ? 0 : shift + p;
    frames[shift + i] = up.trie.frame[i]!;
    depth[shift + i] = -up.trie.depth[i]!;
  }
  const trie = { n, parent, frame: frames, depth };
  const selves = down.selves.map((self, c) => {
    const out = new Float64Array(n);
    out.set(self);
    out.set(up.selves[c]!.subarray(1), shift + 1);
    return out;
  });
  return { ...trie, columns: accumulateAll(trie, selves), partial: up.partial };
}

/** Self and total per name. A recursive method counts once per stack in its total. */
export interface ByName {
  /** String ids with weight, unordered. */
  ids: Int32Array;
  /** Per column, indexed by string id. */
  self: Float64Array[];
  total: Float64Array[];
}

export function byName(profile: Profile, tree: Tree): ByName {
  const { frameString } = profile;
  const names = profile.strings.count;
  const active = new Int32Array(names);
  const path = new Int32Array(tree.n);
  const self = tree.columns.map(() => new Float64Array(names));
  const total = tree.columns.map(() => new Float64Array(names));
  const seen = new Uint8Array(names);
  let height = 0;
  for (let i = 1; i < tree.n; i++) {
    while (height >= tree.depth[i]!) active[path[height--]!]!--;
    const id = frameString[tree.frame[i]!]!;
    height = tree.depth[i]!;
    path[height] = id;
    const outermost = active[id]!++ === 0;
    for (let c = 0; c < tree.columns.length; c++) {
      const column = tree.columns[c]!;
      self[c]![id]! += column.self[i]!;
      if (outermost) total[c]![id]! += column.total[i]!;
      // A label value at the root of a split is no method.
      if (column.total[i] !== 0 && profile.frameKind[tree.frame[i]!] !== LABEL_KIND) seen[id] = 1;
    }
  }
  const ids: number[] = [];
  for (let id = 0; id < names; id++) if (seen[id]) ids.push(id);
  return { ids: Int32Array.from(ids), self, total };
}
