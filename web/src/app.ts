/* The page: keeps the state, asks the model for a scene, hands it to the panels. */

import { actionsFor, Menu, type Action } from './actions';
import { Address } from './address';
import { readTheme, type Theme } from './colours';
import { chipsFor } from './chips';
import { Controls } from './controls';
import type { Meta, Profile } from './decode';
import { byId, button, copyText, make, setText } from './dom';
import { saveAs, type SaveKind } from './save';
import { count } from './format';
import { Graph, type Spot } from './graph';
import { showHelp } from './help';
import { factsLine, Info } from './info';
import { bindKeys } from './keys';
import { pathOf } from './layout';
import { MatchWalk } from './matches';
import { Model, type Shown } from './model';
import { initial, WHOLE, type Sort, type State, type Zoom } from './state';
import { Table } from './table';
import { Timeline } from './timeline';
import type { Filter } from './views';

/** Where the table stands beside the graph unless the reader decides otherwise. */
const ROOM_FOR_TABLE = '(min-width: 1100px)';

export class App {
  state: State;
  shown!: Shown;
  readonly graph: Graph;
  readonly table: Table;
  private readonly address: Address;
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
  private readonly walk = new MatchWalk();

  constructor(
    readonly meta: Meta,
    readonly profile: Profile,
  ) {
    this.model = new Model(meta, profile);
    this.address = new Address(meta, initial(meta), profile.labelKeys);
    this.state = this.address.read();
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
    matchMedia(ROOM_FOR_TABLE).addEventListener('change', () => this.render(false));
    this.render(true);
  }

  /** The way every change takes: new state, new hash, new picture. */
  go(patch: Partial<State>, replace = false): void {
    const before = this.state;
    this.state = { ...before, ...patch };
    if (replace) this.address.replace(this.state);
    else this.address.push(this.state);
    this.refresh(this.moved(before));
  }

  private restore(): void {
    // Going back fires two events; the second finds nothing to do.
    if (this.address.matches(this.state)) return;
    this.address.forget();
    const before = this.state;
    this.state = this.address.read();
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
    const key = (s: State): string =>
      JSON.stringify([s.event, s.icicle, s.hotspots, s.inspect, s.zoom, s.zoomUp, s.filters, s.split, s.labels]);
    return key(before) !== key(this.state);
  }

  private applyTheme(): void {
    const root = document.documentElement;
    if (this.state.theme === 'auto') delete root.dataset['theme'];
    else root.dataset['theme'] = this.state.theme;
  }

  get tableShown(): boolean {
    return this.state.table ?? matchMedia(ROOM_FOR_TABLE).matches;
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
    const weight = measure.amount(shown.scene.layout.width[0]!);
    const what = `${state.icicle ? 'Icicle' : 'Flame'} graph of ${measure.event.word}, ${weight}`;
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
    const filtered =
      state.filters.length > 0 || Object.keys(state.labels).length > 0 || state.time !== null || state.inspect !== '';
    const word = meta.events[state.event]!.word;
    const parts = filtered
      ? [
          make('h2', {}, 'No samples left'),
          make('p', {}, 'The filters together leave nothing to draw.'),
          button('Clear filters', {}, () => this.clearFilters()),
        ]
      : [
          make('h2', {}, `No ${word} samples`),
          make('p', {}, 'The input holds none of this event. What it does hold:'),
          make('p', {}, make('code', { class: 'mono' }, `charcloth top ${meta.source[0] ?? 'IN'}`)),
        ];
    empty.replaceChildren(...parts);
  }

  private showChips(): void {
    const chips = chipsFor(this.state, (frame) => this.model.frameName(frame));
    this.info.chips(
      chips,
      (undo) => this.go(undo),
      () => this.clearFilters(),
    );
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
    return pathOf(this.shown.tree, node)
      .reverse()
      .map((frame) => this.model.frameName(frame));
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

  /** Zooms into a frame or a band; false when that is what is shown already. */
  private open(spot: Spot): boolean {
    const before = this.state;
    if (spot.count === 1) this.zoom(spot.node);
    else this.openBand(spot);
    return this.state !== before;
  }

  private openBand(spot: Spot): void {
    const { layout, zoom } = this.shown.scene;
    const wide = layout.width[zoom]!;
    const part: [number, number] = [(spot.from - layout.x[zoom]!) / wide, (spot.to - layout.x[zoom]!) / wide];
    this.zoomTo({
      zoom: this.state.zoom,
      zoomUp: this.state.zoomUp,
      part: [Math.max(0, part[0]), Math.min(1, part[1])],
    });
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
    const zoom = gone
      ? this.state.zoom.filter((frame) => this.model.frameName(frame) !== filter.name)
      : this.state.zoom;
    this.go({ filters: [...this.state.filters, filter], zoom });
  }

  private sort(column: Sort): void {
    const same = this.state.sort === column;
    this.go({ sort: column, ascending: same ? !this.state.ascending : false }, true);
  }

  nextMatch(step: 1 | -1): void {
    const found = this.walk.step(this.shown, step);
    if (!found) return;
    this.makeVisible(found.node);
    const said = byId('live').textContent ?? '';
    this.announce(`Match ${count(found.position)} of ${count(found.count)}: ${said}`);
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

  private async save(kind: SaveKind): Promise<void> {
    const { state, shown, theme } = this;
    if (kind === 'link') {
      await copyText(location.href);
      this.announce('Copied the link');
      return;
    }
    // A table that is not on screen has not been filled.
    if (kind === 'tsv') this.table.show(this.profile, this.model.table(state), shown.measure, state);
    const caption = {
      title: this.meta.title,
      facts: factsLine(this.meta, state, shown).join(' · '),
      foot: this.info.footLine(),
    };
    const width = byId('graph').clientWidth;
    const nameOf = (node: number): string => this.nameOf(node);
    await saveAs(kind, { shown, theme, caption, width, nameOf, tsv: () => this.table.tsv() });
  }
}
