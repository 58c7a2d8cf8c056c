/* The toolbar: every control shows the state and asks for a change of it; none keeps a state of its own. */

import type { Meta, Profile } from './decode';
import { byId, button, fillSelect, make, setText } from './dom';
import { count, percent, shown as visible } from './format';
import type { Shown } from './model';
import type { SaveKind } from './save';
import { labelValues } from './select';
import { WHOLE, type State } from './state';
import type { Filter } from './views';

export interface ControlEvents {
  change(patch: Partial<State>, replace?: boolean): void;
  filter(filter: Filter): void;
  nextMatch(step: 1 | -1): void;
  save(kind: SaveKind): void;
  tableShown(): boolean;
  help(): void;
}

const THEMES: Record<State['theme'], [next: State['theme'], label: string]> = {
  auto: ['dark', 'Auto'],
  dark: ['light', 'Dark'],
  light: ['auto', 'Light'],
};

export class Controls {
  private readonly search = byId<HTMLInputElement>('search');
  private readonly matched = byId<HTMLOutputElement>('matched');
  private readonly event = byId<HTMLSelectElement>('event');
  private readonly metric = byId<HTMLSelectElement>('metric');
  private readonly side = byId<HTMLSelectElement>('side');
  private readonly colour = byId<HTMLSelectElement>('colour');
  private readonly mine = byId<HTMLInputElement>('mine');
  private readonly prefix = make('input', {
    type: 'text',
    placeholder: 'org.apache.spark',
    'aria-label': 'Package prefix',
    autocomplete: 'off',
    spellcheck: 'false',
  });
  private filterKey = '';
  private state: State | null = null;

  constructor(
    private readonly meta: Meta,
    private readonly profile: Profile,
    private readonly on: ControlEvents,
  ) {
    this.bindSelects();
    this.bindSearch();
    this.bindButtons();
    this.bindPopovers();
  }

  focusSearch(): void {
    this.search.focus();
    this.search.select();
  }

  private bindSelects(): void {
    const { on } = this;
    this.event.addEventListener('change', () => on.change({ event: Number(this.event.value), time: null }));
    this.metric.addEventListener('change', () => on.change({ metric: this.metric.value as State['metric'] }));
    this.side.addEventListener('change', () => on.change({ side: this.side.value as State['side'] }));
    this.colour.addEventListener('change', () => {
      on.change({ colour: this.colour.value as State['colour'] });
      if (this.colour.value === 'mine') this.mine.focus();
    });
    // One history entry per colour choice, not one per letter.
    this.mine.addEventListener('input', () => on.change({ mine: this.mine.value }, true));
  }

  private bindSearch(): void {
    const { on, search } = this;
    search.addEventListener('input', () => on.change({ search: search.value }, true));
    search.addEventListener('keydown', (e) => {
      if (e.key === 'Enter') {
        e.preventDefault();
        on.nextMatch(e.shiftKey ? -1 : 1);
      } else if (e.key === 'Escape') {
        e.preventDefault();
        e.stopPropagation();
        if (search.value !== '') on.change({ search: '' }, true);
        search.value = '';
        byId('graph').focus({ preventScroll: true });
      }
    });
    byId('previous').addEventListener('click', () => on.nextMatch(-1));
    byId('next').addEventListener('click', () => on.nextMatch(1));
  }

  private bindButtons(): void {
    const { on } = this;
    const click = (id: string, act: () => void): void => byId(id).addEventListener('click', act);
    click('flame', () => on.change({ icicle: false }));
    click('icicle', () => on.change({ icicle: true }));
    click('stacks', () => on.change({ hotspots: false, inspect: '', ...WHOLE }));
    click('hotspots', () => on.change({ hotspots: true, inspect: '', ...WHOLE }));
    click('table-toggle', () => on.change({ table: !on.tableShown() }));
    click('help-open', () => on.help());
    byId('theme').addEventListener('click', () => {
      const now = document.documentElement.dataset['theme'] as State['theme'] | undefined;
      on.change({ theme: THEMES[now ?? 'auto'][0] }, true);
    });
  }

  private bindPopovers(): void {
    const { on } = this;
    const pops = [...document.querySelectorAll<HTMLDetailsElement>('details.pop')];
    document.addEventListener('pointerdown', (e) => {
      for (const pop of pops) if (pop.open && e.target instanceof Node && !pop.contains(e.target)) pop.open = false;
    });
    // Counting the values of all labels takes time in a large file: only when someone looks.
    byId('filter-pop').addEventListener('toggle', () => this.state && this.showFilter(this.state));
    for (const pop of pops) {
      pop.addEventListener('keydown', (e) => {
        if (e.key !== 'Escape' || !pop.open) return;
        e.stopPropagation();
        pop.open = false;
        pop.querySelector('summary')?.focus();
      });
    }
    const save = (label: string, kind: SaveKind): HTMLElement =>
      button(label, {}, () => {
        byId<HTMLDetailsElement>('export-pop').open = false;
        on.save(kind);
      });
    byId('export-panel').append(
      save('Picture as SVG', 'svg'),
      save('Picture as PNG', 'png'),
      save('Table as TSV', 'tsv'),
      save('Copy link to this view', 'link'),
    );
  }

  show(state: State, shown: Shown): void {
    const { meta } = this;
    const event = meta.events[state.event]!;
    fillSelect(
      this.event,
      meta.events.map((e, i) => [String(i), e.word]),
      String(state.event),
    );
    byId('event-field').hidden = meta.events.length < 2;
    const rows = this.profile.rows[state.event]!;
    const unit: Record<string, string> = { ns: 'time', bytes: 'bytes', count: 'count' };
    fillSelect(
      this.metric,
      [
        ['samples', 'samples'],
        ['total', unit[event.unit] ?? event.unit],
      ],
      state.metric,
    );
    byId('metric-field').hidden = rows.value === rows.samples;
    fillSelect(
      this.side,
      [
        ['after', 'after'],
        ['before', 'before'],
        ['both', 'both'],
      ],
      state.side,
    );
    byId('side-field').hidden = meta.diff === undefined;
    const colours: [string, string][] = [
      ['kind', 'by kind'],
      ['package', 'by package'],
      ['mine', 'my code'],
    ];
    fillSelect(this.colour, meta.diff ? [['diff', 'by change'], ...colours] : colours, state.colour);
    this.mine.hidden = state.colour !== 'mine';
    if (document.activeElement !== this.mine) this.mine.value = state.mine;
    const press = (id: string, on: boolean): void => byId(id).setAttribute('aria-pressed', String(on));
    press('flame', !state.icicle);
    press('icicle', state.icicle);
    press('stacks', !state.hotspots && state.inspect === '');
    press('hotspots', state.hotspots && state.inspect === '');
    press('table-toggle', this.on.tableShown());
    const theme = byId('theme');
    setText(theme, `◐ ${THEMES[state.theme][1]}`);
    theme.setAttribute('aria-label', `Theme: ${THEMES[state.theme][1]}`);
    theme.title = 'Theme: as the system, dark, light';
    this.showMatches(state, shown);
    this.state = state;
    const active = Object.keys(state.labels).length + state.filters.length + (state.split ? 1 : 0);
    document.querySelector('#filter-pop summary')!.classList.toggle('on', active > 0);
    this.showFilter(state);
  }

  private showMatches(state: State, shown: Shown): void {
    if (document.activeElement !== this.search) this.search.value = state.search;
    const { matched } = this;
    matched.classList.toggle('bad', shown.searchProblem !== '');
    const some = shown.matches !== null && shown.matches.count > 0;
    byId('previous').hidden = !some;
    byId('next').hidden = !some;
    matched.title = '';
    if (!shown.matches) {
      setText(matched, '');
    } else if (shown.searchProblem !== '') {
      setText(matched, 'read as plain text');
      matched.title = shown.searchProblem;
    } else if (shown.matches.weight === 0) {
      // Not the count: matches may lie in branches of a large tree that are still folded.
      setText(matched, 'no match');
    } else {
      const share = percent(shown.matches.weight, shown.measure.wholeWidth);
      matched.replaceChildren(make('b', {}, share), ' matched');
      matched.title = `${count(shown.matches.count)} frames`;
    }
  }

  /** Labels, split and package filters; rebuilt only when the event or a choice changes. */
  private showFilter(state: State): void {
    const key = JSON.stringify([state.event, state.labels, state.split]);
    if (key === this.filterKey || !byId<HTMLDetailsElement>('filter-pop').open) return;
    this.filterKey = key;
    const { on } = this;
    const parts: HTMLElement[] = [];
    const values = labelValues(this.profile, state.event);
    const held = document.activeElement?.getAttribute('data-label');
    if (values.size > 0) {
      parts.push(make('h2', {}, 'Only samples with'));
      for (const [label, options] of values) {
        const select = make('select', { 'data-label': label });
        fillSelect(
          select,
          [
            ['', 'all'],
            ...options.map(([v, n]): [string, string] => [`=${v}`, `${visible(v.slice(0, 200))} (${count(n)})`]),
          ],
          state.labels[label] === undefined ? '' : `=${state.labels[label]}`,
        );
        select.addEventListener('change', () => {
          const labels = { ...state.labels };
          if (select.value === '') delete labels[label];
          else labels[label] = select.value.slice(1);
          on.change({ labels });
        });
        parts.push(make('label', { class: 'field' }, make('span', {}, visible(label)), select));
      }
      const split = make('select', { 'data-label': '/split' });
      fillSelect(
        split,
        [['', 'none'], ...[...values.keys()].map((k): [string, string] => [k, visible(k)])],
        state.split,
      );
      split.addEventListener('change', () => on.change({ split: split.value, ...WHOLE }));
      parts.push(
        make('h2', {}, 'One branch per'),
        make('label', { class: 'field' }, make('span', {}, 'Split by'), split),
      );
    }
    const apply = (act: Filter['act']) => (): void => {
      if (this.prefix.value.trim() !== '') on.filter({ act, by: 'package', name: this.prefix.value.trim() });
      this.prefix.value = '';
    };
    parts.push(
      make('h2', {}, 'Package'),
      make('div', { class: 'row' }, this.prefix),
      make(
        'div',
        { class: 'row' },
        button('Focus', { title: 'Only stacks through it' }, apply('focus')),
        button('Hide', { title: 'Fold its frames into their callers' }, apply('hide')),
        button('Drop', { title: 'Without stacks through it' }, apply('drop')),
      ),
    );
    const panel = byId('filter-panel');
    panel.replaceChildren(...parts);
    if (held)
      [...panel.querySelectorAll<HTMLElement>('[data-label]')].find((e) => e.dataset['label'] === held)?.focus();
  }
}
