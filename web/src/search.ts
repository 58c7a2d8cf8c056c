/* Search: a regular expression over names, the share of weight it touches, and marks for drawing. */

import type { Profile } from './decode';
import type { Layout } from './layout';
import type { Tree } from './trie';

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

/** Weight under the outermost matches: a stack that matches twice counts once. */
function matchedWeight(tree: Tree, width: Float64Array, frames: Uint8Array): number {
  const within = new Uint8Array(tree.n);
  let callees = 0;
  let callers = 0;
  const rootMatches = tree.frame[0]! >= 0 && frames[tree.frame[0]!] === 1;
  if (rootMatches) return width[0]!;
  for (let i = 1; i < tree.n; i++) {
    if (within[tree.parent[i]!]) {
      within[i] = 1;
    } else if (frames[tree.frame[i]!]) {
      within[i] = 1;
      if (tree.depth[i]! > 0) callees += width[i]!;
      else callers += width[i]!;
    }
  }
  // Callers and callees of an inspected frame are two readings of the same weight.
  return Math.max(callees, callers);
}

export function match(layout: Layout, frames: Uint8Array): Matches {
  const { order, tree, width } = layout;
  const before = new Int32Array(order.length + 1);
  for (let i = 0; i < order.length; i++) {
    const frame = tree.frame[order[i]!]!;
    before[i + 1] = before[i]! + (frame >= 0 ? frames[frame]! : 0);
  }
  return { frames, before, count: before[order.length]!, weight: matchedWeight(tree, width, frames) };
}
