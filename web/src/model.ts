/* From state to scene in steps, each remembered: changing the search must not rebuild the tree. */

import { Palette, type Theme } from './colours';
import type { Meta, Profile } from './decode';
import type { Scene } from './draw';
import { findPath, layOut, widestChild, type Layout } from './layout';
import { Measure } from './measure';
import { compile, match, matchedWeight, matchFrames, type Matches } from './search';
import { perBucket, select, type Selection, type Weighted } from './select';
import type { State } from './state';
import { finished, type Tree } from './trie';
import { byName, filtered, framesNamed, hotspots, inspect, plain, type ByName } from './views';

/** Remembers the last result; made again only when an argument changed. */
function memo<K extends unknown[], V>(make: (...key: K) => V): (...key: K) => V {
  let last: { key: K; value: V } | undefined;
  return (...key) => {
    if (!last || key.some((part, i) => part !== last!.key[i])) last = { key, value: make(...key) };
    return last.value;
  };
}

/** A change of this many points of the total gets the full colour at least; smaller ones are noise on most days. */
const LEAST_FULL_CHANGE = 0.02;

/** Below this share of its caller even the widest callee says little about where the weight goes. */
const SCATTERED = 0.25;
/** … or that what is left is too little of the whole to be worth a look. */
const NARROW = 0.1;

/** A folded tree is built anew around the zoomed frame once that is narrower than this share of everything. */
const UNFOLD_BELOW = 0.05;
/** Trees up to this many nodes are derived at once; larger ones in slices, so that the page goes on answering. */
const AT_ONCE = 150_000;

export interface Shown {
  scene: Scene;
  measure: Measure;
  tree: Tree;
  matches: Matches | null;
  searchProblem: string;
}

export class Model {
  constructor(
    readonly meta: Meta,
    readonly profile: Profile,
  ) {}

  /** Labels and filters as text: what is equal by value counts as unchanged. */
  private readonly base = memo(
    (event: number, labels: string, from: number, to: number, split: string, metric: string): Weighted =>
      select(this.profile, this.selection(event, labels, from, to, split, metric)),
  );

  private selection(event: number, labels: string, from: number, to: number, split: string, metric: string): Selection {
    return {
      event,
      labels: JSON.parse(labels) as Record<string, string>,
      time: from < 0 ? null : [from, to],
      split,
      diff: this.meta.diff !== undefined,
      metric: metric as State['metric'],
    };
  }

  private baseOf(state: State): Weighted {
    const metric = this.meta.diff ? state.metric : 'total';
    const [from, to] = state.time ?? [-1, -1];
    return this.base(state.event, JSON.stringify(state.labels), from, to, state.split, metric);
  }

  private readonly stacks = memo((base: Weighted, filters: string): Weighted =>
    filtered(this.profile, base, JSON.parse(filters) as State['filters']),
  );
  private readonly stackTree = memo((stacks: Weighted): Tree => plain(stacks));
  /** The last whole tree and the last one unfolded around a zoom. */
  private readonly derived = new Map<
    'whole' | 'unfolded',
    { stacks: Weighted; name: string; unfold: string; tree: Tree }
  >();

  private known(stacks: Weighted, name: string, unfold: string): Tree | undefined {
    const kept = this.derived.get(unfold === '' ? 'whole' : 'unfolded');
    return kept && kept.stacks === stacks && kept.name === name && kept.unfold === unfold ? kept.tree : undefined;
  }

  private *derive(stacks: Weighted, name: string, unfold: string): Generator<number, Tree> {
    const found = this.known(stacks, name, unfold);
    if (found) return found;
    const path = unfold === '' ? [] : unfold.split('.').map(Number);
    const tree = yield* name === '' ? hotspots(this.profile, stacks, path) : inspect(this.profile, stacks, name, path);
    this.derived.set(unfold === '' ? 'whole' : 'unfolded', { stacks, name, unfold, tree });
    return tree;
  }

  /** The tree of a state that is not plain stacks. Yields now and then, with the share of work done. */
  private *derivedTree(state: State, stacks: Weighted): Generator<number, Tree> {
    const whole = yield* this.derive(stacks, state.inspect, '');
    if (!whole.partial || state.zoom.length === 0) return whole;
    const column = whole.columns[this.meta.diff || state.metric === 'total' ? 1 : 0]!.total;
    const zoom = findPath(this.layout(whole, column), state.zoom, state.zoomUp ? -1 : 1);
    if (column[zoom]! > column[0]! * UNFOLD_BELOW) return whole;
    return yield* this.derive(stacks, state.inspect, state.zoom.join('.'));
  }

  /** Long work a state needs before it can be shown, to be run in slices; null when there is none. */
  prepare(state: State): Generator<number, Tree> | null {
    if (!state.hotspots && state.inspect === '') return null;
    const stacks = this.stacks(this.baseOf(state), JSON.stringify(state.filters));
    return stacks.trie.n > AT_ONCE ? this.derivedTree(state, stacks) : null;
  }
  private measureOf(tree: Tree, stacks: Tree, event: number, metric: string, side: string): Measure {
    const whole = stacks.columns.map((column) => column.total[0]!);
    return new Measure(this.meta, { event, metric, side } as State, tree, whole);
  }
  private readonly measure = memo((...key: Parameters<Model['measureOf']>) => this.measureOf(...key));
  /** Widths of the plain stacks while another tree is shown. */
  private readonly stackMeasure = memo((...key: Parameters<Model['measureOf']>) => this.measureOf(...key));
  private readonly layout = memo((tree: Tree, width: Float64Array): Layout => layOut(tree, width));
  private readonly palette = memo(
    (_frames: Int32Array, mode: State['colour'], theme: Theme, mine: string): Palette =>
      new Palette(
        this.profile,
        mode,
        theme,
        mine.split(/[\s,]+/).filter((prefix) => prefix !== ''),
      ),
  );
  private readonly pattern = memo(compile);
  private readonly frames = memo((_frames: Int32Array, pattern: RegExp): Uint8Array =>
    matchFrames(this.profile, pattern),
  );
  private readonly matches = memo(
    (layout: Layout, stacks: Tree, width: Float64Array, frames: Uint8Array, inspected: string): Matches => {
      const through = inspected === '' ? null : framesNamed(this.profile, inspected);
      return match(layout, frames, matchedWeight(stacks, width, frames, through));
    },
  );
  private readonly fullChange = memo((layout: Layout, measure: Measure): number => {
    let most = LEAST_FULL_CHANGE;
    for (const node of layout.order) most = Math.max(most, Math.abs(measure.change(node)));
    return most;
  });
  private readonly names = memo((tree: Tree): ByName => byName(this.profile, tree));
  private readonly histogram = memo((event: number, labels: string): Float64Array | null =>
    perBucket(this.profile, this.selection(event, labels, -1, -1, '', 'samples'), this.meta.time?.buckets ?? 0),
  );

  show(state: State, theme: Theme): Shown {
    const base = this.baseOf(state);
    const stacks = this.stacks(base, JSON.stringify(state.filters));
    const stackTree = this.stackTree(stacks);
    const derived = state.hotspots || state.inspect !== '';
    const tree = derived ? finished(this.derivedTree(state, stacks)) : stackTree;
    const measure = this.measure(tree, stackTree, state.event, state.metric, state.side);
    const layout = this.layout(tree, measure.width);
    const pattern = state.search === '' ? null : this.pattern(state.search);
    const frames = pattern && this.frames(this.profile.frameString, pattern.test);
    const widths = derived ? this.stackMeasure(stackTree, stackTree, state.event, state.metric, state.side) : measure;
    const matches = frames && this.matches(layout, stackTree, widths.width, frames, state.inspect);
    const byChange = this.meta.diff !== undefined && state.colour === 'diff';
    const scene: Scene = {
      layout,
      palette: this.palette(this.profile.frameString, state.colour, theme, state.colour === 'mine' ? state.mine : ''),
      nameOf: (frame) => this.frameName(frame),
      change: byChange ? (node) => measure.change(node) : null,
      fullChange: byChange ? this.fullChange(layout, measure) : 1,
      matches,
      zoom: findPath(layout, state.zoom, state.zoomUp ? -1 : 1),
      part: state.part,
      icicle: state.icicle,
      centred: state.inspect !== '',
      least: Math.max(0.1, this.meta.view?.minwidth ?? 0.5),
    };
    return { scene, measure, tree, matches, searchProblem: pattern?.problem ?? '' };
  }

  /** Self and total per name of the stacks shown; built when a table asks for it. */
  table(state: State): ByName {
    return this.names(this.stackTree(this.stacks(this.baseOf(state), JSON.stringify(state.filters))));
  }

  overTime(state: State): Float64Array | null {
    return this.meta.time ? this.histogram(state.event, JSON.stringify(state.labels)) : null;
  }

  frameName(frame: number): string {
    return frame < 0 ? 'all' : this.profile.strings.at(this.profile.frameString[frame]!);
  }
}

/**
 * The path a reader would follow first: always into the widest child, until a frame keeps more than any child has or
 * the weight scatters.
 */
export function widestPath(layout: Layout, measure: Measure): number[] {
  const path: number[] = [];
  for (let node = 0; ;) {
    const child = widestChild(layout, node, 1);
    if (child < 0) return path;
    const wide = layout.width[child]!;
    if (node > 0 && (measure.own(node) > wide || wide < layout.width[node]! * SCATTERED)) return path;
    if (node > 0 && wide < layout.width[0]! * NARROW) return path;
    path.push(child);
    node = child;
  }
}
