/* Start: read the two data elements, decode, show. What goes wrong is said on the page, with the way out. */

import { App } from './app';
import { decodeBody, inflate, type Meta } from './decode';
import { byId, make, setText } from './dom';

/** A read-only look inside for the tests of the page. */
export interface Handle {
  state(): unknown;
  names(): string[];
  tree(): { nodes: number; width: number; zoom: string; zoomShare: number; selected: string; depth: number };
  /** Where the widest frame of this name is on screen, for pointers that cannot see. */
  find(name: string): { x: number; y: number; width: number } | null;
  contrasts(): number[];
  marks: Record<string, number>;
}

declare global {
  interface Window {
    charcloth?: Readonly<Handle>;
  }
}

function readMeta(): Meta {
  const meta = JSON.parse(byId('meta').textContent ?? '') as Partial<Meta>;
  if (!Array.isArray(meta.events) || meta.events.length === 0) throw new Error('the header names no event');
  return {
    version: '',
    title: 'Profile',
    source: [],
    generated: '',
    event: 0,
    metric: 'total',
    series: [],
    notes: [],
    view: { inverted: false, reverse: false, minwidth: 0.5 },
    ...meta,
  } as Meta;
}

function handle(app: App, marks: Record<string, number>): Handle {
  return {
    state: () => structuredClone(app.state),
    names: () => app.table.names(50),
    tree: () => {
      const { scene, tree } = app.shown;
      const { width } = scene.layout;
      return {
        nodes: scene.layout.order.length,
        width: width[0]!,
        zoom: app.nameOf(scene.zoom),
        zoomShare: width[scene.zoom]! / width[0]!,
        selected: app.graph.selected < 0 ? '' : app.nameOf(app.graph.selected),
        depth: tree.depth[scene.zoom]!,
      };
    },
    find: (name) => {
      const spots = [...app.shown.scene.layout.order]
        .filter((node) => app.nameOf(node) === name)
        .map((node) => app.graph.positionOf(node))
        .sort((a, b) => b.width - a.width);
      return spots[0] ?? null;
    },
    contrasts: () => app.shown.scene.palette.swatches.map((swatch) => swatch.contrast),
    marks,
  };
}

function broken(error: unknown): void {
  const reason = error instanceof Error ? error.message : String(error);
  const empty = byId('empty');
  byId('canvas').hidden = true;
  empty.hidden = false;
  empty.replaceChildren(
    make('h2', {}, 'This page cannot be read'),
    make('p', {}, `Its data is damaged: ${reason}.`),
    make('p', {}, 'Write it again: ', make('code', { class: 'mono' }, 'charcloth convert IN -o OUT.html')),
  );
}

async function start(): Promise<void> {
  const marks: Record<string, number> = { script: performance.now() };
  const empty = byId('empty');
  try {
    const meta = readMeta();
    setText(byId('title'), meta.title);
    empty.hidden = false;
    empty.replaceChildren(make('p', {}, 'Unpacking the profile…'));
    const bytes = await inflate(byId('body').textContent ?? '');
    marks['inflated'] = performance.now();
    const profile = decodeBody(bytes, meta);
    marks['decoded'] = performance.now();
    const app = new App(meta, profile);
    marks['ready'] = performance.now();
    requestAnimationFrame(() => (marks['drawn'] = performance.now()));
    window.charcloth = Object.freeze(handle(app, marks));
  } catch (error) {
    broken(error);
  }
}

void start();
