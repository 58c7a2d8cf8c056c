/* Where every frame lies: x in units of weight, one sorted list per level, so that a redraw costs what is visible. */

import type { Tree } from './trie';

export interface Layout {
  tree: Tree;
  /** Width of every node; its start is `x`. */
  width: Float64Array;
  x: Float64Array;
  minDepth: number;
  maxDepth: number;
  /** Nodes by depth, then x; nodes of no width are left out. Level d is order[start[d - minDepth]…). */
  order: Int32Array;
  start: Int32Array;
}

export function layOut(tree: Tree, width: Float64Array): Layout {
  const { n, parent, depth } = tree;
  const x = new Float64Array(n);
  const cursor = new Float64Array(n);
  let minDepth = 0;
  let maxDepth = 0;
  let callers = false;
  for (let i = 1; i < n; i++) {
    const p = parent[i]!;
    const d = depth[i]!;
    if (d < 0 && !callers) {
      callers = true;
      cursor[0] = 0;
    }
    x[i] = cursor[p]!;
    cursor[i] = x[i]!;
    cursor[p]! += width[i]!;
    if (width[i] === 0) continue;
    if (d < minDepth) minDepth = d;
    if (d > maxDepth) maxDepth = d;
  }
  const start = new Int32Array(maxDepth - minDepth + 2);
  for (let i = 0; i < n; i++) if (width[i] !== 0 || i === 0) start[depth[i]! - minDepth + 1]!++;
  for (let d = 1; d < start.length; d++) start[d]! += start[d - 1]!;
  const order = new Int32Array(start[start.length - 1]!);
  const fill = start.slice();
  // Preorder visits each level from left to right, so this needs no sorting.
  for (let i = 0; i < n; i++) if (width[i] !== 0 || i === 0) order[fill[depth[i]! - minDepth]!++] = i;
  return { tree, width, x, minDepth, maxDepth, order, start };
}

/** First index in `order` of this level whose node ends right of `at`; the level's end when there is none. */
export function firstEndingAfter(layout: Layout, depth: number, at: number, from = -1): number {
  const { order, x, width, start } = layout;
  const level = depth - layout.minDepth;
  let low = Math.max(start[level]!, from);
  const end = start[level + 1]!;
  // Gallop first: the next node is mostly close to the last one.
  let step = 1;
  let high = low;
  while (high < end && x[order[high]!]! + width[order[high]!]! <= at) {
    low = high + 1;
    high += step;
    step *= 2;
  }
  if (high > end) high = end;
  while (low < high) {
    const middle = (low + high) >> 1;
    const node = order[middle]!;
    if (x[node]! + width[node]! > at) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The part of a level that is on screen, in weight units. */
export interface Window {
  from: number;
  to: number;
  /** Pixels per unit of weight. */
  scale: number;
}

/** A drawn thing: one frame (first === last), or a band of neighbours each too narrow to be seen alone. */
export interface Span {
  first: number;
  last: number;
  /** In pixels from the left edge, not clipped. */
  x: number;
  width: number;
}

/**
 * Visits what a level shows, left to right. Frames narrower than `least` pixels are joined into bands as wide as
 * their weight; every step moves at least `least` pixels, whatever the number of frames beneath.
 */
export function spans(layout: Layout, depth: number, win: Window, least: number, visit: (span: Span) => void): void {
  const { order, x, width, start } = layout;
  const end = start[depth - layout.minDepth + 1]!;
  const unit = least / win.scale;
  const span: Span = { first: 0, last: 0, x: 0, width: 0 };
  let i = firstEndingAfter(layout, depth, win.from);
  while (i < end) {
    const node = order[i]!;
    const left = x[node]!;
    if (left >= win.to) return;
    span.first = i;
    span.x = (left - win.from) * win.scale;
    let right = left + width[node]!;
    if (width[node]! < unit) {
      // Extend the band by half-pixel jumps until a frame that can be seen, or a gap that can.
      for (let next = i + 1; ;) {
        const jump = firstEndingAfter(layout, depth, right + unit, next);
        const last = jump - 1;
        if (last >= next) {
          const tail = order[last]!;
          right = x[tail]! + width[tail]!;
          i = last;
        }
        if (jump >= end || right >= win.to) break;
        const beyond = order[jump]!;
        if (width[beyond]! >= unit || x[beyond]! - right >= unit) break;
        right = x[beyond]! + width[beyond]!;
        i = jump;
        next = jump + 1;
      }
    }
    span.last = i;
    span.width = (right - left) * win.scale;
    visit(span);
    i++;
  }
}

/** The node covering `at` on a level, or -1. */
export function nodeAt(layout: Layout, depth: number, at: number): number {
  if (depth < layout.minDepth || depth > layout.maxDepth) return -1;
  const i = firstEndingAfter(layout, depth, at);
  if (i >= layout.start[depth - layout.minDepth + 1]!) return -1;
  const node = layout.order[i]!;
  return layout.x[node]! <= at ? node : -1;
}

/** Widest child of a node, or -1: in the direction away from the root. */
export function widestChild(layout: Layout, node: number, direction: 1 | -1): number {
  const { tree, order, x, width, start } = layout;
  const depth = tree.depth[node]! + direction;
  if (depth < layout.minDepth || depth > layout.maxDepth) return -1;
  const end = start[depth - layout.minDepth + 1]!;
  let best = -1;
  for (let i = firstEndingAfter(layout, depth, x[node]!); i < end; i++) {
    const child = order[i]!;
    if (tree.parent[child] !== node) break;
    if (best < 0 || width[child]! > width[best]!) best = child;
  }
  return best;
}

/** The neighbour on the same level, or -1. */
export function sideways(layout: Layout, node: number, step: 1 | -1): number {
  const depth = layout.tree.depth[node]!;
  const level = depth - layout.minDepth;
  const here = firstEndingAfter(layout, depth, layout.x[node]!);
  const at = here + step;
  return at < layout.start[level]! || at >= layout.start[level + 1]! ? -1 : layout.order[at]!;
}

/** Frames from the root to a node, for the hash: stable across filters of the same file. */
export function pathOf(tree: Tree, node: number): number[] {
  const path: number[] = [];
  for (let at = node; at > 0; at = tree.parent[at]!) path.push(tree.frame[at]!);
  return path.reverse();
}

/** The node a path leads to, or the deepest one of it that has any width. */
export function findPath(layout: Layout, path: number[], direction: 1 | -1): number {
  const { tree, order, x, width, start } = layout;
  let node = 0;
  for (const frame of path) {
    const depth = tree.depth[node]! + direction;
    if (depth < layout.minDepth || depth > layout.maxDepth) return node;
    const end = start[depth - layout.minDepth + 1]!;
    let found = -1;
    for (let i = firstEndingAfter(layout, depth, x[node]!); i < end; i++) {
      const child = order[i]!;
      if (x[child]! >= x[node]! + width[node]!) break;
      if (tree.frame[child] === frame && tree.parent[child] === node) {
        found = child;
        break;
      }
    }
    if (found < 0) return node;
    node = found;
  }
  return node;
}
