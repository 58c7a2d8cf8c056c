/* From rows to weights: which event, which labels, which stretch of time; split by a label when asked. */

import type { Profile, Rows, Trie } from './decode';

export interface Selection {
  event: number;
  /** Key → value; a row must carry all of them. */
  labels: Record<string, string>;
  /** First and last bucket, both included. */
  time: [number, number] | null;
  /** Label key whose values become the first level of the tree; '' for none. */
  split: string;
  /** In a comparison the two columns are before and after of this measure; else samples and value. */
  diff: boolean;
  metric: 'samples' | 'total';
}

export interface Weighted {
  trie: Trie;
  /** Self weights: [samples, value], or [before, after] in a comparison. */
  selves: Float64Array[];
}

/** Kind code of frames that stand for a label value. */
export const LABEL_KIND = 11;

/** Which label sets pass the filter; null when all do. */
function wantedSets(profile: Profile, labels: Record<string, string>): Uint8Array | null {
  const entries = Object.entries(labels);
  if (entries.length === 0) return null;
  const wanted = new Uint8Array(profile.labelSets.length);
  profile.labelSets.forEach((set, id) => {
    const passes = entries.every(([key, value]) => set.get(profile.labelKeys.indexOf(key)) === value);
    wanted[id] = passes ? 1 : 0;
  });
  return wanted;
}

/** 0 or 1 per label set: the side of a comparison it belongs to. */
function sides(profile: Profile): Uint8Array {
  const key = profile.labelKeys.indexOf('side');
  return Uint8Array.from(profile.labelSets, (set) => (set.get(key) === 'before' ? 0 : 1));
}

/** A test "does row i count?" that stays cheap in a loop over millions of rows. */
function rowTest(profile: Profile, rows: Rows, pick: Selection): (i: number) => boolean {
  const wanted = wantedSets(profile, pick.labels);
  const { label, bucket } = rows;
  const from = pick.time?.[0] ?? 0;
  const to = pick.time?.[1] ?? Infinity;
  const timed = pick.time !== null && bucket !== null;
  if (wanted && !label) return () => false;
  if (wanted && timed) return (i) => wanted[label![i]!] === 1 && bucket![i]! >= from && bucket![i]! <= to;
  if (wanted) return (i) => wanted[label![i]!] === 1;
  if (timed) return (i) => bucket![i]! >= from && bucket![i]! <= to;
  return () => true;
}

/** Adds the selected rows to self columns; `nodeOf` says where row i lands. */
function addRows(profile: Profile, pick: Selection, n: number, nodeOf: (i: number) => number): Float64Array[] {
  const rows = profile.rows[pick.event]!;
  const test = rowTest(profile, rows, pick);
  if (pick.diff) {
    const weight = pick.metric === 'samples' ? rows.samples : rows.value;
    const side = sides(profile);
    const selves = [new Float64Array(n), new Float64Array(n)];
    for (let i = 0; i < rows.count; i++) {
      if (test(i)) selves[rows.label ? side[rows.label[i]!]! : 1]![nodeOf(i)]! += weight[i]!;
    }
    return selves;
  }
  const samples = new Float64Array(n);
  const value = rows.value === rows.samples ? samples : new Float64Array(n);
  for (let i = 0; i < rows.count; i++) {
    if (!test(i)) continue;
    const node = nodeOf(i);
    samples[node]! += rows.samples[i]!;
    if (value !== samples) value[node]! += rows.value[i]!;
  }
  return [samples, value];
}

export function select(profile: Profile, pick: Selection): Weighted {
  const rows = profile.rows[pick.event]!;
  if (pick.split !== '' && rows.label) return splitBy(profile, pick, rows, rows.label);
  const selves = addRows(profile, pick, profile.trie.n, (i) => rows.node[i]!);
  return { trie: profile.trie, selves };
}

const splitFrames = new WeakMap<Profile, Map<string, number>>();

/** The frames that stand for label values; each is added to the frame table once. */
function labelFrames(profile: Profile, texts: string[]): number[] {
  let known = splitFrames.get(profile);
  if (!known) splitFrames.set(profile, (known = new Map()));
  const fresh = texts.filter((text) => !known.has(text));
  const before = profile.frameString.length;
  const strings = new Int32Array(before + fresh.length);
  const kinds = new Uint8Array(before + fresh.length).fill(LABEL_KIND);
  strings.set(profile.frameString);
  kinds.set(profile.frameKind);
  fresh.forEach((text, i) => {
    strings[before + i] = profile.strings.add(text);
    known.set(text, before + i);
  });
  if (fresh.length > 0) {
    profile.frameString = strings;
    profile.frameKind = kinds;
  }
  return texts.map((text) => known.get(text)!);
}

/**
 * One branch per value of a label. Rows come sorted by node and nodes are preorder, so walking each value's rows in
 * order meets every node of its branch parents first: the copy needs stamps, not a hash table.
 */
function splitBy(profile: Profile, pick: Selection, rows: Rows, label: Int32Array): Weighted {
  const key = profile.labelKeys.indexOf(pick.split);
  const names = [...new Set(profile.labelSets.map((set) => set.get(key)))].sort(byLabelValue);
  const position = new Map(names.map((name, v) => [name, v]));
  const valueOfSet = Int32Array.from(profile.labelSets, (set) => position.get(set.get(key))!);
  const test = rowTest(profile, rows, pick);
  const starts = new Int32Array(names.length + 1);
  for (let i = 0; i < rows.count; i++) if (test(i)) starts[valueOfSet[label[i]!]! + 1]!++;
  for (let v = 0; v < names.length; v++) starts[v + 1]! += starts[v]!;
  const order = new Int32Array(starts[names.length]!);
  const cursor = starts.slice();
  for (let i = 0; i < rows.count; i++) if (test(i)) order[cursor[valueOfSet[label[i]!]!]!++] = i;

  const { parent, frame, depth, n } = profile.trie;
  const stamp = new Int32Array(n).fill(-1);
  const place = new Int32Array(n);
  const landed = new Int32Array(rows.count);
  const outParent: number[] = [-1];
  const outFrame: number[] = [-1];
  const outDepth: number[] = [0];
  const path: number[] = [];
  const heads = labelFrames(
    profile,
    names.map((name) => (name === undefined ? `no ${pick.split}` : `${pick.split}=${name}`)),
  );
  names.forEach((_, v) => {
    if (starts[v] === starts[v + 1]) return;
    stamp[0] = v;
    place[0] = outParent.length;
    outParent.push(0);
    outFrame.push(heads[v]!);
    outDepth.push(1);
    for (let k = starts[v]!; k < starts[v + 1]!; k++) {
      const row = order[k]!;
      for (let at = rows.node[row]!; stamp[at] !== v; at = parent[at]!) path.push(at);
      while (path.length > 0) {
        const node = path.pop()!;
        stamp[node] = v;
        place[node] = outParent.length;
        outParent.push(place[parent[node]!]!);
        outFrame.push(frame[node]!);
        outDepth.push(depth[node]! + 1);
      }
      landed[row] = place[rows.node[row]!]!;
    }
  });
  const trie = {
    n: outParent.length,
    parent: Int32Array.from(outParent),
    frame: Int32Array.from(outFrame),
    depth: Int32Array.from(outDepth),
  };
  return { trie, selves: addRows(profile, pick, trie.n, (i) => landed[i]!) };
}

/** Numbers as numbers (stage 2 before stage 10), the rest by name, rows without the label last. */
export function byLabelValue(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return a === b ? 0 : a === undefined ? 1 : -1;
  return a.localeCompare(b, 'en', { numeric: true });
}

/** Values of each label key present in an event, with their samples, for the filter menus. */
export function labelValues(profile: Profile, event: number): Map<string, [string, number][]> {
  const rows = profile.rows[event]!;
  const out = new Map<string, [string, number][]>();
  if (!rows.label) return out;
  const perSet = new Float64Array(profile.labelSets.length);
  for (let i = 0; i < rows.count; i++) perSet[rows.label[i]!]! += rows.samples[i]!;
  profile.labelKeys.forEach((key, index) => {
    if (key === 'side') return;
    const sums = new Map<string, number>();
    profile.labelSets.forEach((set, id) => {
      const value = set.get(index);
      if (value !== undefined && perSet[id]! > 0) sums.set(value, (sums.get(value) ?? 0) + perSet[id]!);
    });
    if (sums.size > 0)
      out.set(
        key,
        [...sums].sort((a, b) => byLabelValue(a[0], b[0])),
      );
  });
  return out;
}

/** Selected weight per time bucket, for the time panel; null when the event carries no time. */
export function perBucket(profile: Profile, pick: Selection, buckets: number): Float64Array | null {
  const rows = profile.rows[pick.event]!;
  if (!rows.bucket) return null;
  const test = rowTest(profile, rows, { ...pick, time: null });
  const out = new Float64Array(buckets);
  for (let i = 0; i < rows.count; i++) if (test(i)) out[rows.bucket[i]!]! += rows.samples[i]!;
  return out;
}
