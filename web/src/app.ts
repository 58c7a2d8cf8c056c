/* The page: keeps the state, asks the model for a scene, hands it to the panels. */

import { actionsFor, Menu, type Action } from './actions';
import { readTheme, type Theme } from './colours';
import { Controls } from './controls';
import type { Meta, Profile } from './decode';
import { byId, button, copyText, download, make, setText } from './dom';
import { toPng, toSvg, type Caption } from './export';
import { count } from './format';
import { Graph, type Spot } from './graph';
import { showHelp } from './help';
import { factsLine, Info } from './info';
import { bindKeys } from './keys';
import { pathOf } from './layout';
import { Model, type Shown } from './model';
import { fromHash, initial, toHash, type Sort, type State } from './state';
import { Table } from './table';
import { Timeline } from './timeline';
import type { Filter } from './views';

type Zoom = Pick<State, 'zoom' | 'zoomUp' | 'part'>;
/** Milliseconds between two rewrites of the address. */
const REPLACE_EVERY = 250;
const WHOLE: Zoom = { zoom: [], zoomUp: false, part: null };

export class App {
  state: State;
  shown!: Shown;
  readonly graph: Graph;
  readonly table: Table;
  private readonly first: State;
  private readonly model: Model;
  private readonly menu = new Menu();
  private readonly info: Info;
  private readonly controls: Controls;
  private readonly timeline: Timeline | null;
  private theme: Theme;
  /** Zooms to return to; the browser's history holds more than zooms, so Escape keeps its own. */
  private trail: Zoom[] = [];
  /** Counts changes of state; work for an older one is dropped. */
  private turn = 0;
  private working = false;
  /** Name of the table row last chosen; its frames stay outlined. */
  private picked = -1;
  private lastReplace = -Infinity;
  private laterReplace = 0;
  private matchOrder: { of: unknown; nodes: Int32Array; at: number } | null = null;

  constructor(readonly meta: Meta, readonly profile: Profile) {
    this.model = new Model(meta, profile);
    this.first = initial(meta);
    this.state = this.parse();
    this.applyTheme();
    this.theme = readTheme(document.documentElement);
    this.info = new Info(meta, profile, (frame) => this.model.frameName(frame));
    this.graph = new Graph(byId('graph'), byId<HTMLCanvasElement>('canvas'), () => this.theme, {
      hover: (spot, x, y) => this.hover(spot, x, y),
      open: (spot) => this.open(spot),
      back: (opened) => {
        if (opened) this.back();
        this.back();
      },
      menu: (spot, x, y) => this.openMenu(spot.node, x, y),
      pan: (part) => this.go({ part }, true),
    });
    this.table = new Table({
      sort: (column) => this.sort(column),
      filter: (tableFilter) => this.go({ tableFilter }, true),
      point: (id) => this.highlight(id),
      pick: (id) => {
        this.picked = id;
        this.highlight(id);
      },
      inspect: (id) => this.inspect(profile.strings.at(id)),
      copied: (rows) => this.announce(`Copied ${count(rows)} rows`),
    });
    this.controls = new Controls(meta, profile, {
      change: (patch, replace) => this.go(patch, replace),
      filter: (filter) => this.filter(filter),
      nextMatch: (step) => this.nextMatch(step),
      save: (kind) => void this.save(kind),
      tableShown: () => this.tableShown,
      help: showHelp,
    });
    const brush = (time: [number, number] | null): void => this.go({ time });
    this.timeline = meta.time ? new Timeline(meta, () => this.theme, { brush }) : null;
    bindKeys(this, this.controls, this.menu);
    window.addEventListener('popstate', () => this.restore());
    window.addEventListener('hashchange', () => this.restore());
    byId('skip').addEventListener('click', (e) => {
      // The hash holds the state; a jump must not overwrite it.
      e.preventDefault();
      byId('graph').focus();
    });
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.render(false));
    matchMedia('(min-width: 900px)').addEventListener('change', () => this.render(false));
    this.render(true);
  }

  private parse(): State {
    return fromHash(location.hash, this.first, this.meta, this.profile.labelKeys);
  }

  /** The way every change takes: new state, new hash, new picture. */
  go(patch: Partial<State>, replace = false): void {
    const before = this.state;
    clearTimeout(this.laterReplace);
    // The entry about to be left must hold what was last seen there.
    if (this.laterReplace && !replace) this.writeHash(true);
    this.laterReplace = 0;
    this.state = { ...before, ...patch };
    const wait = this.lastReplace + REPLACE_EVERY - performance.now();
    // Browsers refuse to take an address per wheel step or letter; the last one is what counts.
    if (replace && wait > 0) this.laterReplace = window.setTimeout(() => this.writeHash(true), wait);
    else this.writeHash(replace);
    this.refresh(this.moved(before));
  }

  private writeHash(replace: boolean): void {
    const hash = toHash(this.state, this.first, this.meta);
    if (replace) this.lastReplace = performance.now();
    if (hash === location.hash) return;
    const url = location.pathname + location.search + hash;
    try {
      if (replace) history.replaceState(null, '', url);
      else history.pushState(null, '', url);
    } catch {
      // Sandboxed frames forbid history; the page works without links then.
    }
  }

  private restore(): void {
    // Going back fires two events; the second finds nothing to do.
    if (toHash(this.state, this.first, this.meta) === location.hash) return;
    clearTimeout(this.laterReplace);
    const before = this.state;
    this.state = this.parse();
    this.refresh(this.moved(before));
  }

  /** Shows the state, at once or after long work done in slices; a newer state makes older work stop. */
  private refresh(home: boolean): void {
    const turn = ++this.turn;
    const work = this.model.prepare(this.state);
    const busy = byId('busy');
    const end = (): void => {
      this.working = false;
      busy.hidden = true;
      byId('graph').removeAttribute('aria-busy');
      this.render(home);
    };
    if (!work) return end();
    this.working = true;
    const slice = (): void => {
      if (turn !== this.turn) return;
      const until = performance.now() + 30;
      for (;;) {
        const step = work.next();
        if (step.done) return end();
        if (performance.now() < until) continue;
        busy.hidden = false;
        byId('graph').setAttribute('aria-busy', 'true');
        setText(busy, `Merging stacks… ${Math.round(step.value * 100)}%`);
        setTimeout(slice);
        return;
      }
    };
    slice();
  }

  /** Whether the picture is another one, so that scrolling should start at its root again. */
  private moved(before: State): boolean {
    const key = (s: State): string => JSON.stringify([s.event, s.icicle, s.hotspots, s.inspect, s.zoom, s.zoomUp, s.filters, s.split, s.labels]);
    return key(before) !== key(this.state);
  }

  private applyTheme(): void {
    const root = document.documentElement;
    if (this.state.theme === 'auto') delete root.dataset['theme'];
    else root.dataset['theme'] = this.state.theme;
  }

  get tableShown(): boolean {
    return this.state.table ?? matchMedia('(min-width: 1100px)').matches;
  }

  private render(home: boolean): void {
    const { state } = this;
    this.applyTheme();
    const theme = readTheme(document.documentElement);
    if (JSON.stringify(theme) !== JSON.stringify(this.theme)) this.theme = theme;
    document.documentElement.toggleAttribute('data-dark', theme.dark);
    const before = this.shown;
    this.shown = this.model.show(state, this.theme);
    const { shown } = this;
    if (!before || before.tree !== shown.tree) this.graph.selected = -1;
    byId('table').hidden = !this.tableShown;
    this.info.facts(state, shown);
    this.info.path(shown, (node) => this.zoom(node));
    this.showChips();
    this.controls.show(state, shown);
    const histogram = this.model.overTime(state);
    if (this.timeline) byId('time').hidden = histogram === null;
    if (histogram) this.timeline?.show(histogram, state.time);
    this.showEmpty();
    this.graph.show(shown.scene, home);
    this.showInHand();
    this.info.legend(state, shown, this.theme);
    this.showTable(before === undefined);
    const { measure } = shown;
    const what = `${state.icicle ? 'Icicle' : 'Flame'} graph of ${measure.event.word}, ${measure.amount(shown.scene.layout.width[0]!)}`;
    byId('canvas').setAttribute('aria-label', what);
    byId('graph').setAttribute('aria-label', what);
    this.info.hideTip();
  }

  /** The picture comes first: the table of a very large profile takes longer than the eye should wait. */
  private showTable(later: boolean): void {
    const fill = (): void => {
      if (this.tableShown) this.table.show(this.profile, this.model.table(this.state), this.shown.measure, this.state);
    };
    if (later) requestAnimationFrame(() => setTimeout(fill));
    else fill();
  }

  private showEmpty(): void {
    const empty = byId('empty');
    empty.hidden = this.shown.scene.layout.width[0]! > 0;
    byId('canvas').hidden = !empty.hidden;
    if (empty.hidden) return;
    const { meta, state } = this;
    const filtered = state.filters.length > 0 || Object.keys(state.labels).length > 0 || state.time !== null || state.inspect !== '';
    const word = meta.events[state.event]!.word;
    const parts = filtered
      ? [make('h2', {}, 'No samples left'), make('p', {}, 'The filters together leave nothing to draw.'), button('Clear filters', {}, () => this.clearFilters())]
      : [
          make('h2', {}, `No ${word} samples`),
          make('p', {}, 'The input holds none of this event. What it does hold:'),
          make('p', {}, make('code', { class: 'mono' }, `charcloth top ${meta.source[0] ?? 'IN'}`)),
        ];
    empty.replaceChildren(...parts);
  }

  private showChips(): void {
    const { state } = this;
    const verbs: Record<Filter['act'], string> = { focus: 'Focus', hide: 'Hidden', drop: 'Dropped' };
    const chips: { text: string; title: string; remove: () => void }[] = [];
    if (state.inspect !== '') {
      chips.push({ text: `Inspect: ${state.inspect}`, title: state.inspect, remove: () => this.go({ inspect: '', ...WHOLE }) });
    }
    state.filters.forEach((filter, i) => {
      chips.push({
        text: `${verbs[filter.act]}${filter.by === 'package' ? ' package' : ''}: ${filter.name}`,
        title: filter.name,
        remove: () => this.go({ filters: state.filters.filter((_, k) => k !== i) }),
      });
    });
    for (const [key, value] of Object.entries(state.labels)) {
      const labels = { ...state.labels };
      delete labels[key];
      chips.push({ text: `${key}: ${value}`, title: `${key}=${value}`, remove: () => this.go({ labels }) });
    }
    if (state.split !== '') {
      chips.push({ text: `Split by ${state.split}`, title: '', remove: () => this.go({ split: '', ...WHOLE }) });
    }
    if (state.zoom.length > 0 || state.part) {
      const name = this.model.frameName(state.zoom[state.zoom.length - 1] ?? -1);
      chips.push({ text: `Zoom: ${state.part ? 'part of ' : ''}${name}`, title: name, remove: () => this.zoomTo(WHOLE) });
    }
    this.info.chips(chips, () => this.clearFilters());
  }

  private clearFilters(): void {
    this.go({ filters: [], labels: {}, time: null, split: '', inspect: '', ...WHOLE });
  }

  nameOf(node: number): string {
    return this.model.frameName(this.shown.tree.frame[node]!);
  }

  actions(node: number): Action[] {
    return actionsFor(node, this.nameOf(node), this.shown.tree.frame[node]! < 0, {
      zoom: (at) => this.zoom(at),
      inspect: (name) => this.inspect(name),
      filter: (filter) => this.filter(filter),
      search: (search) => this.go({ search }),
      copy: (text, what) => void copyText(text).then(() => this.announce(`Copied the ${what}`)),
      stackOf: (at) => this.stackOf(at),
    });
  }

  /** Names from the frame down to its root. */
  private stackOf(node: number): string[] {
    return pathOf(this.shown.tree, node).reverse().map((frame) => this.model.frameName(frame));
  }

  announce(text: string): void {
    setText(byId('live'), text);
  }

  private hover(spot: Spot | null, x: number, y: number): void {
    if (!spot || this.menu.open) {
      this.info.hideTip();
      this.table.mark(-1, false);
      return;
    }
    this.info.showTip(this.shown, spot.node, spot.count, x, y);
    const frame = this.shown.tree.frame[spot.node]!;
    this.table.mark(spot.count === 1 && frame >= 0 ? this.profile.frameString[frame]! : -1, false);
  }

  /** Outlines all frames of a name; without one, those of the row last chosen. */
  private highlight(id: number): void {
    const { frameString } = this.profile;
    const wanted = id < 0 ? this.picked : id;
    this.graph.highlight = wanted < 0 ? null : (frame) => frame >= 0 && frameString[frame] === wanted;
    this.graph.redraw();
  }

  private showInHand(): void {
    const { selected } = this.graph;
    const node = selected >= 0 ? selected : this.shown.scene.zoom;
    this.info.inHand(this.shown, node, this.actions(node));
  }

  /** Takes a frame in hand: outline, detail line, table row, and words for a screen reader. */
  select(node: number): void {
    this.graph.selected = node;
    this.graph.reveal(node);
    this.showInHand();
    const frame = this.shown.tree.frame[node]!;
    if (frame >= 0) this.table.mark(this.profile.frameString[frame]!, true);
    this.announce(this.info.sentence(this.shown, node));
  }

  get inHand(): number {
    return this.graph.selected >= 0 ? this.graph.selected : this.shown.scene.zoom;
  }

  openMenu(node: number, x: number, y: number): void {
    this.info.hideTip();
    this.select(node);
    this.menu.show(this.actions(node), x, y, byId('graph'));
  }

  private open(spot: Spot): void {
    if (spot.count === 1) {
      this.zoom(spot.node);
      return;
    }
    const { layout, zoom } = this.shown.scene;
    const wide = layout.width[zoom]!;
    const part: [number, number] = [(spot.from - layout.x[zoom]!) / wide, (spot.to - layout.x[zoom]!) / wide];
    this.zoomTo({ zoom: this.state.zoom, zoomUp: this.state.zoomUp, part: [Math.max(0, part[0]), Math.min(1, part[1])] });
  }

  zoom(node: number): void {
    const { tree } = this.shown;
    this.zoomTo({ zoom: pathOf(tree, node), zoomUp: tree.depth[node]! < 0, part: null });
    // A tree folded for its size is rebuilt first; its nodes are others then.
    if (!this.working) this.select(this.shown.scene.zoom);
  }

  private zoomTo(to: Zoom): void {
    const { zoom, zoomUp, part } = this.state;
    if (JSON.stringify({ zoom, zoomUp, part }) === JSON.stringify(to)) return;
    this.trail.push({ zoom, zoomUp, part });
    this.go(to);
  }

  /** One step out: the zoom before this one, else everything; without a zoom, out of an inspected frame or a search. */
  back(): void {
    const { state } = this;
    if (state.zoom.length > 0 || state.part) this.go(this.trail.pop() ?? WHOLE);
    else if (state.inspect !== '') this.go({ inspect: '' });
    else if (state.search !== '') this.go({ search: '' });
    else if (this.graph.selected >= 0 || this.picked >= 0) {
      this.graph.selected = -1;
      this.picked = -1;
      this.graph.highlight = null;
      this.graph.redraw();
      this.showInHand();
    }
  }

  showAll(): void {
    this.zoomTo(WHOLE);
  }

  /** Zooms sideways about the middle, or pans, by key. */
  shift(factor: number, pan: number): void {
    const [from, to] = this.state.part ?? [0, 1];
    const span = Math.min(1, Math.max(1e-7, (to - from) * factor));
    const middle = (from + to) / 2 + pan * (to - from);
    const left = Math.min(Math.max(0, middle - span / 2), 1 - span);
    this.go({ part: span >= 1 ? null : [left, left + span] }, true);
  }

  inspect(name: string): void {
    this.trail = [];
    this.go({ inspect: name, ...WHOLE });
    this.announce(`Callers and callees of ${name.slice(0, 200)}`);
  }

  filter(filter: Filter): void {
    const same = (other: Filter): boolean => JSON.stringify(other) === JSON.stringify(filter);
    if (this.state.filters.some(same)) return;
    // The path to the zoomed frame may lose a step; what is left of it is found again.
    const gone = filter.act === 'hide' && filter.by === 'frame';
    const zoom = gone ? this.state.zoom.filter((frame) => this.model.frameName(frame) !== filter.name) : this.state.zoom;
    this.go({ filters: [...this.state.filters, filter], zoom });
  }

  private sort(column: Sort): void {
    const same = this.state.sort === column;
    this.go({ sort: column, ascending: same ? !this.state.ascending : false }, true);
  }

  /** Widest match first; outermost ones only, the rest lie inside them. */
  nextMatch(step: 1 | -1): void {
    const { matches, scene, tree } = this.shown;
    if (!matches || matches.count === 0) return;
    const { layout } = scene;
    if (this.matchOrder?.of !== matches) {
      const within = new Uint8Array(tree.n);
      const nodes: number[] = [];
      for (let i = 0; i < tree.n; i++) {
        const frame = tree.frame[i]!;
        if (i > 0 && within[tree.parent[i]!]) within[i] = 1;
        else if (frame >= 0 && matches.frames[frame] && layout.width[i]! > 0) {
          within[i] = 1;
          nodes.push(i);
        }
      }
      const sorted = Int32Array.from(nodes).sort((a, b) => layout.width[b]! - layout.width[a]! || a - b);
      this.matchOrder = { of: matches, nodes: sorted, at: step > 0 ? -1 : 0 };
    }
    const order = this.matchOrder;
    order.at = (order.at + step + order.nodes.length) % order.nodes.length;
    this.makeVisible(order.nodes[order.at]!);
    this.announce(`Match ${count(order.at + 1)} of ${count(order.nodes.length)}: ${byId('live').textContent}`);
  }

  /** Selects a node; zooms only when it is out of sight or too narrow to be seen. */
  private makeVisible(node: number): void {
    const { layout, zoom, part } = this.shown.scene;
    const { x, width, tree } = layout;
    const start = x[zoom]! + width[zoom]! * (part?.[0] ?? 0);
    const span = width[zoom]! * ((part?.[1] ?? 1) - (part?.[0] ?? 0));
    const inside = x[node]! >= start && x[node]! + width[node]! <= start + span;
    if (!inside || width[node]! / span < 0.004) {
      let to = node;
      while (to > 0 && width[to]! < width[node]! * 20) to = tree.parent[to]!;
      this.zoomTo({ zoom: pathOf(tree, to), zoomUp: tree.depth[to]! < 0, part: null });
    }
    this.select(node);
  }

  private caption(): Caption {
    return { title: this.meta.title, facts: factsLine(this.meta, this.state, this.shown).join(' · '), foot: this.info.footLine() };
  }

  private async save(kind: 'svg' | 'png' | 'tsv' | 'link'): Promise<void> {
    const { shown } = this;
    const stem = `${this.meta.title.replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^-+|-+$/g, '').slice(0, 60) || 'flame'}-${shown.measure.event.word}`;
    const width = Math.max(800, byId('graph').clientWidth);
    if (kind === 'link') {
      await copyText(location.href);
      this.announce('Copied the link');
    } else if (kind === 'svg') {
      const tip = (node: number): string => `${this.nameOf(node)} (${shown.measure.nodeFacts(node)[0]!.values.join(', ')})`;
      download(new Blob([toSvg(shown.scene, this.caption(), this.theme, width, tip)], { type: 'image/svg+xml' }), `${stem}.svg`);
    } else if (kind === 'png') {
      download(await toPng(shown.scene, this.caption(), this.theme, width), `${stem}.png`);
    } else {
      this.table.show(this.profile, this.model.table(this.state), shown.measure, this.state);
      download(new Blob([this.table.tsv()], { type: 'text/tab-separated-values' }), `${stem}.tsv`);
    }
  }
}
