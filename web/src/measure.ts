/* What the columns of a tree mean: samples and value, or before and after; and how to say them. */

import type { EventMeta, Meta } from './decode';
import { percent, points, quantity, samples } from './format';
import type { State } from './state';
import type { Tree } from './trie';

export interface Fact {
  label: string;
  /** Most telling first. */
  values: string[];
}

export class Measure {
  readonly width: Float64Array;
  readonly event: EventMeta;
  readonly diff: boolean;
  /** Unit of widths: the event's own, or samples. */
  readonly unit: string;
  private readonly metric: 0 | 1;
  private readonly normalized: boolean;
  private readonly scale: number;
  private readonly side: State['side'];

  constructor(
    meta: Meta,
    state: State,
    private readonly tree: Tree,
    readonly whole: number[],
  ) {
    this.event = meta.events[state.event]!;
    this.diff = meta.diff !== undefined;
    this.normalized = meta.diff?.normalized ?? false;
    this.metric = state.metric === 'samples' ? 0 : 1;
    // A plain count of samples is better called by its name.
    const counted = this.event.unit === 'count' && this.event.total === this.event.samples;
    this.unit = this.metric === 0 || counted ? 'samples' : this.event.unit;
    this.scale = this.event.scale > 0 ? this.event.scale : 1;
    this.side = state.side;
    this.width = this.diff ? this.diffWidth() : tree.columns[this.metric]!.total;
  }

  /** What both sides together weigh: as if they were equally long, else the longer recording would drown the other. */
  private get factor(): number {
    return this.normalized && this.whole[0]! > 0 && this.whole[1]! > 0 ? this.whole[1]! / this.whole[0]! : 1;
  }

  private diffWidth(): Float64Array {
    const before = this.tree.columns[0]!.total;
    const after = this.tree.columns[1]!.total;
    if (this.side !== 'both') return this.side === 'before' ? before : after;
    return after.map((weight, i) => weight + before[i]! * this.factor);
  }

  /** Width a node does not pass on to its children. */
  own(node: number): number {
    const [first, second] = this.tree.columns.map((column) => column.self[node]!);
    if (!this.diff) return this.metric === 0 ? first! : second!;
    if (this.side !== 'both') return this.side === 'before' ? first! : second!;
    return second! + first! * this.factor;
  }

  /** Weight of everything selected, in the unit of the widths. */
  get all(): number {
    return this.diff ? this.whole[1]! : this.whole[this.metric]!;
  }

  /** As `all`, but what the chosen widths add up to when nothing is inspected. */
  get wholeWidth(): number {
    if (!this.diff) return this.all;
    if (this.side !== 'both') return this.whole[this.side === 'before' ? 0 : 1]!;
    return this.whole[1]! + this.whole[0]! * this.factor;
  }

  amount(value: number): string {
    return this.unit === 'samples' ? samples(value / this.scale) : quantity(value / this.scale, this.unit);
  }

  /** Change as a share of the total: of each side's own total when normalized, else of the larger one. */
  changeOf(before: number, after: number): number {
    const [a, b] = [this.whole[0]!, this.whole[1]!];
    if (this.normalized) return (b > 0 ? after / b : 0) - (a > 0 ? before / a : 0);
    return (after - before) / Math.max(a, b, 1);
  }

  change(node: number): number {
    return this.changeOf(this.tree.columns[0]!.total[node]!, this.tree.columns[1]!.total[node]!);
  }

  private weights(values: number[]): string[] {
    const out = [percent(values[this.metric]!, this.whole[this.metric]!), samples(values[0]! / this.scale)];
    if (this.event.unit !== 'count' && this.tree.columns[0] !== this.tree.columns[1]) {
      out.push(quantity(values[1]! / this.scale, this.event.unit));
    }
    return out;
  }

  /** Self and total of anything that has them: a node of the tree, a row of the table. */
  facts(self: number[], total: number[]): Fact[] {
    if (!this.diff) {
      return [
        { label: 'Total', values: this.weights(total) },
        { label: 'Self', values: this.weights(self) },
      ];
    }
    return [
      { label: 'Change', values: [points(this.changeOf(total[0]!, total[1]!))] },
      { label: 'After', values: [percent(total[1]!, this.whole[1]!), this.amount(total[1]!)] },
      { label: 'Before', values: [percent(total[0]!, this.whole[0]!), this.amount(total[0]!)] },
    ];
  }

  nodeFacts(node: number): Fact[] {
    const self = this.tree.columns.map((column) => column.self[node]!);
    const total = this.tree.columns.map((column) => column.total[node]!);
    const facts = this.facts(self, total);
    const parent = this.tree.parent[node]!;
    if (parent > 0 && !this.diff) facts[0]!.values.push(`${percent(this.width[node]!, this.width[parent]!)} of parent`);
    return facts;
  }
}
