/* What the page says in words: the facts on top, the widest path, the frame in hand, legend and footer. */

import type { Action } from './actions';
import type { Chip } from './chips';
import { KINDS, kindSwatch, type Theme } from './colours';
import type { Meta, Profile } from './decode';
import { byId, button, make, setText } from './dom';
import { count, cut, duration, percent, quantity, samples, shown as visible } from './format';
import { widestPath, type Shown } from './model';
import { LABEL_KIND } from './select';
import type { State } from './state';
import type { Tree } from './trie';

/** Names longer than this are cut in the middle wherever they stand in a line; tooltips hold more. */
const LINE = 120;
const TIP = 2000;
/** Room for the name of an input. */
const NAME = 40;

const short = (name: string, room: number): string =>
  cut(visible(name.length > 4 * LINE ? `${name.slice(0, 2 * LINE)}…${name.slice(-2 * LINE)}` : name), room);

/** "cpu · jdk.ExecutionSample · 12.3 s · 1,234 samples · 60 s": what was profiled, in one line. */
export function factsLine(meta: Meta, state: State, shown: Shown): string[] {
  const event = meta.events[state.event]!;
  const scale = event.scale > 0 ? event.scale : 1;
  const facts: string[] = [event.word];
  if (event.type && event.type !== event.word) facts.push(event.type);
  if (meta.diff) {
    facts.push(`before ${short(meta.diff.before, NAME)}: ${shown.measure.amount(shown.measure.whole[0]!)}`);
    facts.push(`after ${short(meta.diff.after, NAME)}: ${shown.measure.amount(shown.measure.whole[1]!)}`);
    facts.push(meta.diff.normalized ? 'compared by share of each total' : 'compared by amount');
    return facts;
  }
  facts.push(samples(event.samples / scale));
  if (event.unit !== 'count') facts.push(quantity(event.total / scale, event.unit));
  if (meta.time) facts.push(`over ${duration(meta.time.buckets * meta.time.bucket_ms)}`);
  const part = shown.measure.all;
  const whole = shown.measure.unit === 'samples' ? event.samples : event.total;
  if (part < whole) facts.push(`shown: ${shown.measure.amount(part)}, ${percent(part, whole)} of all`);
  return facts;
}

export class Info {
  private readonly tip = byId('tip');
  private readonly detail = byId('detail');

  constructor(
    private readonly meta: Meta,
    private readonly profile: Profile,
    private readonly nameOf: (frame: number) => string,
  ) {
    setText(byId('title'), visible(meta.title));
    byId('title').title = visible(meta.title);
    const foot = this.footLine();
    setText(byId('foot'), foot);
    byId('foot').title = foot;
    const notes = byId('notes');
    notes.hidden = meta.notes.length === 0;
    notes.append(...meta.notes.map((note) => make('li', {}, visible(note))));
  }

  footLine(): string {
    const { meta } = this;
    const when = new Date(meta.generated);
    const stamp = Number.isNaN(when.getTime())
      ? meta.generated
      : `${when.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
    const source =
      meta.source.length > 3
        ? `${meta.source.slice(0, 3).join(', ')} and ${meta.source.length - 3} more`
        : meta.source.join(', ');
    return visible([meta.title, source, stamp, `charcloth ${meta.version}`].filter((part) => part !== '').join(' · '));
  }

  facts(state: State, shown: Shown): void {
    const [event, ...rest] = factsLine(this.meta, state, shown);
    byId('facts').replaceChildren(make('b', {}, event!), ` · ${rest.join(' · ')}`);
  }

  /** The one widest path, each step a button that zooms there. */
  path(shown: Shown, open: (node: number) => void): void {
    const { layout } = shown.scene;
    const frameAt = (node: number): number => layout.tree.frame[node]!;
    // A recursion is one step: its last turn.
    const nodes = widestPath(layout, shown.measure).filter(
      (node, i, path) => i + 1 === path.length || frameAt(node) !== frameAt(path[i + 1]!),
    );
    const line = byId('path');
    line.hidden = nodes.length === 0;
    if (nodes.length === 0) return;
    // Ends tell most: where it starts and where the weight is spent. The middle folds.
    const letter = parseFloat(getComputedStyle(line).fontSize) * 0.6;
    const letters = Math.floor(line.clientWidth / letter) - 24;
    const room = Math.max(1, Math.min(8, Math.floor(letters / 22)));
    const picked = nodes.length <= room ? nodes : room === 1 ? nodes.slice(-1) : [nodes[0]!, ...nodes.slice(1 - room)];
    const chars = Math.max(18, Math.floor(letters / picked.length) - 3);
    const last = nodes[nodes.length - 1]!;
    const all = shown.measure.wholeWidth;
    const parts: (Node | string)[] = ['Widest path ', make('b', {}, percent(layout.width[last]!, all)), ' of all '];
    picked.forEach((node, i) => {
      const name = this.nameOf(layout.tree.frame[node]!);
      const folded = picked.length < nodes.length && i === Math.min(1, picked.length - 1);
      if (i > 0 || folded) parts.push(folded ? ' › … › ' : ' › ');
      parts.push(button(short(tail(name), chars), { title: visible(name.slice(0, TIP)) }, () => open(node)));
    });
    line.replaceChildren(...parts);
  }

  chips(chips: Chip[], remove: (undo: Chip['undo']) => void, clear: () => void): void {
    const list = byId('chips');
    list.hidden = chips.length === 0;
    const items = chips.map(({ text, title, undo }) =>
      make(
        'li',
        { title: visible(title.slice(0, TIP)) },
        make('span', {}, short(text, 70)),
        button('×', { 'aria-label': `Remove ${short(text, 70)}` }, () => remove(undo)),
      ),
    );
    if (items.length > 1) items.push(make('li', { class: 'clear' }, button('Clear all', {}, clear)));
    list.replaceChildren(...items);
  }

  /** The line below the graph: the frame in hand, and what can be done with it. */
  inHand(shown: Shown, node: number, actions: Action[]): void {
    const { detail } = this;
    const { tree } = shown;
    const frame = tree.frame[node]!;
    const name = this.nameOf(frame);
    const words = make('dl');
    for (const fact of shown.measure.nodeFacts(node)) {
      words.append(make('div', {}, make('dt', {}, fact.label), make('dd', {}, fact.values.join(' · '))));
    }
    const acts = make('div', { class: 'acts' });
    for (const action of actions.filter((a) => a.short !== '')) {
      acts.append(button(action.short, { title: `${action.label} (${action.key})` }, () => action.run()));
    }
    if (frame < 0) acts.append('Click a frame to zoom, right click or hold for more, ? for the keys');
    const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
    // What the kind and the buttons leave; on a narrow page these have a line of their own.
    const taken = detail.clientWidth > 45 * rem ? 34 : 10;
    const room = Math.max(16, Math.floor((detail.clientWidth / rem - taken) / (0.929 * 0.605)));
    detail.replaceChildren(
      make('bdi', { class: 'name', title: visible(name.slice(0, TIP)) }, short(name, room)),
      make('span', { class: 'kind' }, frame < 0 ? '' : this.kindOf(frame)),
      acts,
      words,
    );
  }

  kindOf(frame: number): string {
    return KINDS[this.profile.frameKind[frame]!]?.name ?? 'other';
  }

  /** One sentence for a screen reader. */
  sentence(shown: Shown, node: number): string {
    const frame = shown.tree.frame[node]!;
    const facts = shown.measure
      .nodeFacts(node)
      .map((fact) => `${fact.label} ${fact.values[0]}`)
      .join(', ');
    const depth = shown.tree.depth[node]!;
    const level = depth < 0 ? `caller ${-depth}` : `level ${depth}`;
    return `${short(this.nameOf(frame), LINE)}, ${frame < 0 ? 'root' : this.kindOf(frame)}, ${facts}, ${level}`;
  }

  showTip(shown: Shown, node: number, band: number, x: number, y: number): void {
    const { tip } = this;
    if (band > 1) {
      tip.replaceChildren(
        make('div', {}, `${count(band)} frames, each narrower than half a pixel`),
        make('div', { class: 'kind' }, 'Click to open'),
      );
    } else {
      const frame = shown.tree.frame[node]!;
      const table = make('table');
      for (const fact of shown.measure.nodeFacts(node)) {
        table.append(make('tr', {}, make('th', {}, fact.label), ...fact.values.map((value) => make('td', {}, value))));
      }
      tip.replaceChildren(
        make('div', { class: 'name' }, visible(this.nameOf(frame).slice(0, TIP))),
        make('div', { class: 'kind' }, frame < 0 ? 'everything shown' : this.kindOf(frame)),
        table,
      );
    }
    tip.hidden = false;
    const box = tip.getBoundingClientRect();
    // Beside the pointer, flipped where the window ends.
    const left = x + 14 + box.width > innerWidth ? x - box.width - 10 : x + 14;
    const top = y + 18 + box.height > innerHeight ? y - box.height - 10 : y + 18;
    tip.style.left = `${Math.max(4, left)}px`;
    tip.style.top = `${Math.max(4, top)}px`;
  }

  hideTip(): void {
    this.tip.hidden = true;
  }

  legend(state: State, shown: Shown, theme: Theme): void {
    const swatches: [string, string][] = [];
    if (state.colour === 'diff') {
      const full = shown.scene.fullChange;
      const most = `${(full * 100).toFixed(full < 0.1 ? 1 : 0)} points`;
      swatches.push([shown.scene.palette.change(-1, 1).fill, `less, up to ${most}`]);
      swatches.push([shown.scene.palette.change(0, 1).fill, 'same']);
      swatches.push([shown.scene.palette.change(1, 1).fill, `more, up to ${most}`]);
    } else if (state.colour !== 'package') {
      const present = kindsIn(shown.tree, this.profile.frameKind);
      KINDS.forEach((kind, code) => {
        if (present.has(code) && code !== LABEL_KIND) swatches.push([kindSwatch(code, theme), kind.name]);
      });
      if (state.colour === 'mine') swatches.push(['', 'pale: not my code']);
    } else {
      swatches.push(['', 'one colour per package']);
    }
    byId('legend').replaceChildren(
      ...swatches.map(([fill, text]) => {
        const item = make('li', {}, text);
        if (fill !== '') {
          const swatch = make('i', { class: 'swatch', 'aria-hidden': 'true' });
          swatch.style.background = fill;
          item.prepend(swatch);
        }
        return item;
      }),
    );
  }
}

const kindsOf = new WeakMap<Tree, Set<number>>();

function kindsIn(tree: Tree, frameKind: Uint8Array): Set<number> {
  let kinds = kindsOf.get(tree);
  if (!kinds) {
    const seen = new Uint8Array(256);
    const { total } = tree.columns[0]!;
    for (let i = 1; i < tree.n; i++) if (total[i]! > 0) seen[frameKind[tree.frame[i]!]!] = 1;
    kindsOf.set(tree, (kinds = new Set([...seen.keys()].filter((kind) => seen[kind]))));
  }
  return kinds;
}

/** Class and method without the package: enough to recognise a step. Addresses of hidden classes are no part of it. */
function tail(full: string): string {
  const name = full.replace(/[+/.]0x[0-9a-f]+(\/\d+)?(?=\.)/i, '');
  const cutAt = name.lastIndexOf('.', name.search(/[(<]|$/) - 1);
  const before = name.lastIndexOf('.', cutAt - 1);
  const slash = name.lastIndexOf('/', cutAt < 0 ? name.length : cutAt);
  const from = Math.max(before, slash);
  return from > 0 && from < name.length - 1 ? name.slice(from + 1) : name;
}
