/* Walking through the matches of a search. */

import type { Matches } from './search';
import type { Shown } from './model';

/** Goes round the outermost matches, widest first; those inside them are seen on the way. */
export class MatchWalk {
  private of: Matches | null = null;
  private nodes: Int32Array = new Int32Array(0);
  private at = -1;

  /** The next or previous match, or null when nothing matches. */
  step(shown: Shown, step: 1 | -1): { node: number; position: number; count: number } | null {
    const { matches } = shown;
    if (!matches || matches.count === 0) return null;
    if (this.of !== matches) {
      this.of = matches;
      this.nodes = outermost(shown, matches);
      this.at = step > 0 ? -1 : 0;
    }
    const count = this.nodes.length;
    this.at = (this.at + step + count) % count;
    return { node: this.nodes[this.at]!, position: this.at + 1, count };
  }
}

function outermost(shown: Shown, matches: Matches): Int32Array {
  const { tree } = shown;
  const { width } = shown.scene.layout;
  const within = new Uint8Array(tree.n);
  const nodes: number[] = [];
  for (let i = 0; i < tree.n; i++) {
    const frame = tree.frame[i]!;
    if (i > 0 && within[tree.parent[i]!]) {
      within[i] = 1;
    } else if (frame >= 0 && matches.frames[frame] && width[i]! > 0) {
      within[i] = 1;
      nodes.push(i);
    }
  }
  return Int32Array.from(nodes).sort((a, b) => width[b]! - width[a]! || a - b);
}
