/* Search: a regular expression over names, the share of weight it touches, and marks for drawing. */

import type { Profile, Trie } from './decode';
import type { Layout } from './layout';

export interface Pattern {
  test: RegExp;
  /** Why the text could not be read as a regular expression; it is then searched for as it stands. */
  problem: string;
}

/** Lower-case text matches any case; a capital anywhere makes the search exact, as in most editors. */
export function compile(text: string): Pattern {
  const flags = /[A-Z]/.test(text.replace(/\\[A-Z]/g, '')) ? 'u' : 'iu';
  try {
    return { test: new RegExp(text, flags), problem: '' };
  } catch (error) {
    const problem = error instanceof Error ? error.message.replace(/^Invalid regular expression: /, '') : 'not valid';
    return { test: new RegExp(text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'), flags), problem };
  }
}

export interface Matches {
  /** Per frame: does its name match? */
  frames: Uint8Array;
  /** before[i] = matching nodes among order[0…i); tells in O(1) whether a band hides a match. */
  before: Int32Array;
  count: number;
  /** Weight of stacks with at least one match. */
  weight: number;
}

export function matchFrames(profile: Profile, pattern: RegExp): Uint8Array {
  const { strings, frameString } = profile;
  const known = new Int8Array(strings.count).fill(-1);
  const out = new Uint8Array(frameString.length);
  for (let frame = 0; frame < out.length; frame++) {
    const id = frameString[frame]!;
    if (known[id]! < 0) known[id] = pattern.test(strings.at(id)) ? 1 : 0;
    out[frame] = known[id]!;
  }
  return out;
}

/**
 * Weight of the stacks that hold a match, each once. Always taken from the plain stacks: a tree merged by leaf may be
 * folded, and one around an inspected frame shows every stack on two sides. With `through`, only stacks that also
 * pass one of those frames count.
 */
export function matchedWeight(
  stacks: Trie,
  width: Float64Array,
  frames: Uint8Array,
  through: Uint8Array | null,
): number {
  const MATCH = 1;
  const THROUGH = 2;
  const BOTH = MATCH | THROUGH;
  const seen = new Uint8Array(stacks.n);
  seen[0] = through ? 0 : THROUGH;
  let sum = 0;
  for (let i = 1; i < stacks.n; i++) {
    const above = seen[stacks.parent[i]!]!;
    const frame = stacks.frame[i]!;
    const here = above | (frames[frame] ? MATCH : 0) | (through && through[frame] ? THROUGH : 0);
    seen[i] = here;
    // The first node to complete the pair carries all stacks beyond it.
    if (here === BOTH && above !== BOTH) sum += width[i]!;
  }
  return sum;
}

/** Marks for drawing; `weight` comes from `matchedWeight`. */
export function match(layout: Layout, frames: Uint8Array, weight: number): Matches {
  const { order, tree } = layout;
  const before = new Int32Array(order.length + 1);
  for (let i = 0; i < order.length; i++) {
    const frame = tree.frame[order[i]!]!;
    before[i + 1] = before[i]! + (frame >= 0 ? frames[frame]! : 0);
  }
  return { frames, before, count: before[order.length]!, weight };
}
