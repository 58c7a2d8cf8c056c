/* The chips below the toolbar: everything that narrows the view, each with the change that undoes it. */

import { WHOLE, type State } from './state';
import type { Filter } from './views';

export interface Chip {
  text: string;
  /** In full, for the tooltip. */
  title: string;
  undo: Partial<State>;
}

const VERBS: Record<Filter['act'], string> = { focus: 'Focus', hide: 'Hidden', drop: 'Dropped' };

export function chipsFor(state: State, frameName: (frame: number) => string): Chip[] {
  const chips: Chip[] = [];
  const add = (text: string, title: string, undo: Partial<State>): void => {
    chips.push({ text, title, undo });
  };
  if (state.inspect !== '') add(`Inspect: ${state.inspect}`, state.inspect, { inspect: '', ...WHOLE });
  state.filters.forEach(({ act, by, name }, i) => {
    const what = by === 'package' ? `${VERBS[act]} package` : VERBS[act];
    add(`${what}: ${name}`, name, { filters: state.filters.filter((_, k) => k !== i) });
  });
  for (const [key, value] of Object.entries(state.labels)) {
    const labels = { ...state.labels };
    delete labels[key];
    add(`${key}: ${value}`, `${key}=${value}`, { labels });
  }
  if (state.split !== '') add(`Split by ${state.split}`, '', { split: '', ...WHOLE });
  if (state.zoom.length > 0 || state.part) {
    const name = frameName(state.zoom[state.zoom.length - 1] ?? -1);
    add(`Zoom: ${state.part ? 'part of ' : ''}${name}`, name, WHOLE);
  }
  return chips;
}
