/* Everything the reader can change, kept in the URL hash: a link reproduces the view, the back button undoes. */

import type { ColourMode } from './colours';
import type { Meta } from './decode';
import type { Filter } from './views';

export type Sort = 'name' | 'self' | 'total' | 'before' | 'after' | 'change';

export interface State {
  event: number;
  metric: 'samples' | 'total';
  icicle: boolean;
  hotspots: boolean;
  /** Name of the inspected frame, or ''. */
  inspect: string;
  /** Frames from the root to the zoomed one; `zoomUp` when it is a caller of the inspected frame. */
  zoom: number[];
  zoomUp: boolean;
  /** Part of the zoomed frame on screen, in shares of its width; null for all of it. */
  part: [number, number] | null;
  search: string;
  colour: ColourMode;
  mine: string;
  filters: Filter[];
  labels: Record<string, string>;
  split: string;
  time: [number, number] | null;
  /** null: as wide as the window allows. */
  table: boolean | null;
  sort: Sort;
  ascending: boolean;
  tableFilter: string;
  side: 'before' | 'after' | 'both';
  theme: 'auto' | 'light' | 'dark';
}

export type Zoom = Pick<State, 'zoom' | 'zoomUp' | 'part'>;

/** No zoom at all. */
export const WHOLE: Zoom = { zoom: [], zoomUp: false, part: null };

export function initial(meta: Meta): State {
  return {
    event: Math.min(Math.max(meta.event ?? 0, 0), Math.max(meta.events.length - 1, 0)),
    metric: meta.metric === 'samples' ? 'samples' : 'total',
    icicle: meta.view?.inverted ?? false,
    hotspots: meta.view?.reverse ?? false,
    inspect: '',
    zoom: [],
    zoomUp: false,
    part: null,
    search: '',
    colour: meta.diff ? 'diff' : 'kind',
    mine: '',
    filters: [],
    labels: {},
    split: '',
    time: null,
    table: null,
    sort: meta.diff ? 'change' : 'self',
    ascending: false,
    tableFilter: '',
    side: 'after',
    theme: 'auto',
  };
}

const ACTS: Record<string, Filter['act']> = { h: 'hide', f: 'focus', d: 'drop' };
const SORTS: Sort[] = ['name', 'self', 'total', 'before', 'after', 'change'];

/** Only what differs from the page's first view is written. */
export function toHash(state: State, first: State, meta: Meta): string {
  const out = new URLSearchParams();
  const put = (key: string, now: string, then: string): void => {
    if (now !== then) out.append(key, now);
  };
  put('event', meta.events[state.event]?.word ?? '', meta.events[first.event]?.word ?? '');
  put('metric', state.metric, first.metric);
  put('icicle', state.icicle ? '1' : '0', first.icicle ? '1' : '0');
  put('hot', state.hotspots ? '1' : '0', first.hotspots ? '1' : '0');
  put('inspect', state.inspect, '');
  put('zoom', (state.zoomUp ? '-' : '') + state.zoom.map((f) => f.toString(36)).join('.'), '');
  put('part', state.part ? state.part.map((v) => +v.toFixed(9)).join('_') : '', '');
  put('q', state.search, '');
  put('colour', state.colour, first.colour);
  put('mine', state.mine, '');
  for (const { act, by, name } of state.filters) out.append('filter', `${act[0]}${by[0]}:${name}`);
  for (const [key, value] of Object.entries(state.labels)) out.append('label', `${key}=${value}`);
  put('split', state.split, '');
  put('time', state.time ? state.time.join('_') : '', '');
  put('table', state.table === null ? '' : state.table ? '1' : '0', '');
  put('sort', (state.ascending ? '-' : '') + state.sort, (first.ascending ? '-' : '') + first.sort);
  put('rows', state.tableFilter, '');
  put('side', state.side, first.side);
  put('theme', state.theme, 'auto');
  const text = out.toString();
  return text === '' ? '' : `#${text}`;
}

function pair(text: string | null): [number, number] | null {
  const [from, to] = (text ?? '').split('_').map(Number);
  return from !== undefined && to !== undefined && from >= 0 && to >= from ? [from, to] : null;
}

/** A hash is typed by people and cut by chat programs: what cannot be read falls back to the first view. */
export function fromHash(hash: string, first: State, meta: Meta, labelKeys: string[]): State {
  const given = new URLSearchParams(hash.replace(/^#/, ''));
  const state: State = { ...first, filters: [], labels: {} };
  const oneOf = <T extends string>(key: string, words: readonly T[], fallback: T): T => {
    const word = given.get(key) as T | null;
    return word !== null && words.includes(word) ? word : fallback;
  };
  const flag = (key: string, fallback: boolean): boolean => oneOf(key, ['0', '1'], fallback ? '1' : '0') === '1';
  const event = meta.events.findIndex((e) => e.word === given.get('event'));
  if (event >= 0) state.event = event;
  state.metric = oneOf('metric', ['samples', 'total'], first.metric);
  state.icicle = flag('icicle', first.icicle);
  state.hotspots = flag('hot', first.hotspots);
  state.inspect = given.get('inspect') ?? '';
  const zoom = given.get('zoom') ?? '';
  state.zoomUp = zoom.startsWith('-');
  state.zoom = zoom
    .replace(/^-/, '')
    .split('.')
    .map((f) => parseInt(f, 36))
    .filter((f) => f >= 0);
  const part = pair(given.get('part'));
  state.part = part && part[1] <= 1 && part[1] > part[0] ? part : null;
  state.search = given.get('q') ?? '';
  state.colour = oneOf(
    'colour',
    meta.diff ? ['kind', 'package', 'mine', 'diff'] : ['kind', 'package', 'mine'],
    first.colour,
  );
  state.mine = given.get('mine') ?? '';
  for (const text of given.getAll('filter')) {
    const found = /^([hfd])([fp]):([^]+)$/.exec(text);
    if (found)
      state.filters.push({ act: ACTS[found[1]!]!, by: found[2] === 'p' ? 'package' : 'frame', name: found[3]! });
  }
  for (const text of given.getAll('label')) {
    const at = text.indexOf('=');
    if (labelKeys.includes(text.slice(0, at))) state.labels[text.slice(0, at)] = text.slice(at + 1);
  }
  const split = given.get('split') ?? '';
  state.split = labelKeys.includes(split) ? split : '';
  const time = pair(given.get('time'));
  const buckets = meta.time?.buckets ?? 0;
  state.time = time && time[0] < buckets ? [Math.floor(time[0]), Math.min(Math.floor(time[1]), buckets - 1)] : null;
  const table = given.get('table');
  state.table = table === '1' ? true : table === '0' ? false : null;
  const sort = given.get('sort');
  const column = SORTS.find((s) => s === sort?.replace(/^-/, ''));
  if (sort && column) {
    state.sort = column;
    state.ascending = sort.startsWith('-');
  }
  state.tableFilter = given.get('rows') ?? '';
  state.side = oneOf('side', ['before', 'after', 'both'], first.side);
  state.theme = oneOf('theme', ['auto', 'light', 'dark'], 'auto');
  return state;
}
