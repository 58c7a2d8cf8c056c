/* The table of methods: sorted by any column, filtered by typing, copied as TSV; only visible rows exist. */

import type { Profile } from './decode';
import { byId, button, copyText, make, setText } from './dom';
import { count, cut, percent, points, shown } from './format';
import type { Measure } from './measure';
import { compile } from './search';
import type { Sort, State } from './state';
import type { ByName } from './views';

export interface TableEvents {
  sort(column: Sort): void;
  filter(text: string): void;
  /** A row under the pointer or the keyboard; -1 for none. */
  point(string: number): void;
  pick(string: number): void;
  inspect(string: number): void;
  copied(rows: number): void;
}

interface ColumnSpec {
  key: string;
  sort: Sort;
  title: string;
  width: string;
  /** Shown only when the table is wide. */
  wide?: boolean;
  text(id: number): string;
  /** Share of everything, drawn as a thin bar. */
  share?(id: number): number;
  tone?(id: number): string;
}

const HEIGHT = 1.857;

export class Table {
  private readonly root = byId('table');
  private readonly filter = make('input', {
    type: 'search',
    placeholder: 'Filter rows',
    'aria-label': 'Filter rows by regular expression',
    autocomplete: 'off',
    spellcheck: 'false',
  });
  private readonly counter = make('span');
  private readonly head = make('div', { class: 'tr head-row', role: 'row' });
  private readonly headGroup = make('div', { role: 'rowgroup', class: 'head-group' });
  private readonly body = make('div', { role: 'rowgroup' });
  private readonly rows = make('div', { class: 'rows', role: 'grid', tabindex: '0', 'aria-label': 'Methods' });
  private columns: ColumnSpec[] = [];
  private ids: Int32Array = new Int32Array(0);
  private active = -1;
  private hot = -1;
  private scheduled = false;
  private profile!: Profile;
  private data!: ByName;
  private measure!: Measure;
  private columnKey = '';
  private orderKey = '';

  constructor(private readonly events: TableEvents) {
    const copy = button('Copy TSV', { title: 'Copy all rows as tab-separated values' }, () => {
      void copyText(this.tsv()).then(() => events.copied(this.ids.length));
    });
    this.headGroup.append(this.head);
    this.rows.append(this.headGroup, this.body);
    this.root.append(make('div', { class: 'table-bar' }, this.filter, this.counter, copy), this.rows);
    this.filter.addEventListener('input', () => events.filter(this.filter.value));
    this.rows.addEventListener('scroll', () => this.redraw(), { passive: true });
    this.rows.addEventListener('keydown', (e) => this.onKey(e));
    this.body.addEventListener('pointermove', (e) => events.point(this.idOf(e.target)));
    this.body.addEventListener('pointerleave', () => events.point(-1));
    this.body.addEventListener('click', (e) => this.onClick(e, (id) => events.pick(id)));
    this.body.addEventListener('dblclick', (e) => this.onClick(e, (id) => events.inspect(id)));
    new ResizeObserver(() => this.redraw()).observe(this.rows);
  }

  get rowCount(): number {
    return this.ids.length;
  }

  /** Names in the order shown, for tests and export. */
  names(limit: number): string[] {
    return Array.from(this.ids.subarray(0, limit), (id) => this.profile.strings.at(id));
  }

  show(profile: Profile, data: ByName, measure: Measure, state: State): void {
    const { sort, ascending, tableFilter } = state;
    const same = this.data === data && this.measure === measure;
    const key = JSON.stringify([sort, ascending, tableFilter]);
    if (same && key === this.orderKey) return;
    this.orderKey = key;
    this.profile = profile;
    this.data = data;
    this.measure = measure;
    this.columns = this.makeColumns();
    if (document.activeElement !== this.filter) this.filter.value = state.tableFilter;
    this.ids = this.sorted(state);
    setText(this.counter, `${count(this.ids.length)} methods`);
    this.showHead(state);
    this.redraw();
  }

  private makeColumns(): ColumnSpec[] {
    const { data, measure } = this;
    const name: ColumnSpec = {
      key: 'name',
      sort: 'name',
      title: 'Method',
      width: '1fr',
      text: (id) => this.profile.strings.at(id),
    };
    if (measure.diff) {
      const side = (at: 0 | 1) => (id: number) => percent(data.total[at]![id]!, measure.whole[at]!);
      const change = (id: number): number => measure.changeOf(data.total[0]![id]!, data.total[1]![id]!);
      return [
        name,
        { key: 'before', sort: 'before', title: 'Before', width: '5.286rem', text: side(0) },
        { key: 'after', sort: 'after', title: 'After', width: '5.286rem', text: side(1) },
        {
          key: 'change',
          sort: 'change',
          title: 'Change',
          width: '6.286rem',
          text: (id) => points(change(id)),
          tone: (id) => (change(id) > 0 ? 'more' : change(id) < 0 ? 'less' : ''),
        },
      ];
    }
    const at = this.measure.unit === 'samples' ? 0 : 1;
    const pair = (sort: 'self' | 'total', title: string): ColumnSpec[] => [
      {
        key: `${sort}-amount`,
        sort,
        title,
        width: '7.143rem',
        wide: true,
        text: (id) => measure.amount(data[sort][at]![id]!).replace(/ samples?$/, ''),
      },
      {
        key: sort,
        sort,
        title: `${title} %`,
        width: '5.286rem',
        text: (id) => percent(data[sort][at]![id]!, measure.all),
        share: (id) => data[sort][at]![id]! / (measure.all || 1),
      },
    ];
    return [name, ...pair('self', 'Self'), ...pair('total', 'Total')];
  }

  private sorted(state: State): Int32Array {
    const { data, measure, profile } = this;
    let ids = data.ids;
    if (state.tableFilter) {
      const { test } = compile(state.tableFilter);
      ids = ids.filter((id) => test.test(profile.strings.at(id)));
    }
    const order = ids.slice();
    const sign = state.ascending ? 1 : -1;
    if (state.sort === 'name') {
      const up = -sign;
      return order.sort((a, b) => (profile.strings.at(a) < profile.strings.at(b) ? -up : up));
    }
    const at = measure.unit === 'samples' ? 0 : 1;
    const key = new Float64Array(profile.strings.count);
    for (const id of order) {
      if (state.sort === 'change') key[id] = Math.abs(measure.changeOf(data.total[0]![id]!, data.total[1]![id]!));
      else if (state.sort === 'before' || state.sort === 'after')
        key[id] = data.total[state.sort === 'before' ? 0 : 1]![id]!;
      else key[id] = data[state.sort][measure.diff ? 1 : at]![id]!;
    }
    return order.sort((a, b) => sign * (key[a]! - key[b]!) || a - b);
  }

  private showHead(state: State): void {
    const key = JSON.stringify([this.columns.map((c) => c.title), state.sort, state.ascending]);
    if (key === this.columnKey) return;
    this.columnKey = key;
    const held = document.activeElement?.closest('[data-column]')?.getAttribute('data-column');
    this.head.replaceChildren(
      ...this.columns.map((column) => {
        const on = column.sort === state.sort;
        // Names sort downwards first (a to z), numbers from the largest.
        const down = column.sort === 'name' ? !state.ascending : state.ascending;
        const arrow = on ? (down ? ' ▴' : ' ▾') : '';
        const cell = make('div', {
          role: 'columnheader',
          'data-column': column.key,
          'aria-sort': on ? (down ? 'ascending' : 'descending') : 'none',
        });
        cell.append(
          button(column.title + arrow, { title: `Sort by ${column.title}` }, () => this.events.sort(column.sort)),
        );
        cell.hidden = column.wide === true && this.narrow;
        return cell;
      }),
    );
    // Rebuilding the head must not take the keyboard away from the heading just pressed.
    if (held) this.head.querySelector<HTMLElement>(`[data-column="${held}"] button`)?.focus();
  }

  private get narrow(): boolean {
    return this.rows.clientWidth < 45 * this.rem; // amounts are worth less than half of the names
  }

  private get rem(): number {
    return parseFloat(getComputedStyle(document.documentElement).fontSize);
  }

  redraw(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    requestAnimationFrame(() => {
      this.scheduled = false;
      if (!this.root.hidden && this.profile) this.draw();
    });
  }

  private draw(): void {
    const row = HEIGHT * this.rem;
    const { narrow } = this;
    const visible = this.columns.filter((column) => !(column.wide && narrow));
    const template = visible.map((column) => (column.width === '1fr' ? 'minmax(0, 1fr)' : column.width)).join(' ');
    this.head.style.gridTemplateColumns = template;
    this.columns.forEach(
      (column, i) => ((this.head.children[i] as HTMLElement).hidden = column.wide === true && narrow),
    );
    this.body.style.height = `${this.ids.length * row}px`;
    this.rows.setAttribute('aria-rowcount', String(this.ids.length + 1));
    const from = Math.max(0, Math.floor(this.rows.scrollTop / row) - 4);
    const to = Math.min(this.ids.length, from + Math.ceil(this.rows.clientHeight / row) + 8);
    const fixed = visible.slice(1).reduce((sum, column) => sum + parseFloat(column.width), 0);
    const room = Math.floor((this.rows.clientWidth - (fixed + 1.2) * this.rem) / (0.857 * this.rem * 0.604));
    const out: HTMLElement[] = [];
    for (let i = from; i < to; i++) out.push(this.makeRow(i, row, template, visible, room));
    this.body.replaceChildren(...out);
    if (this.active >= 0) this.rows.setAttribute('aria-activedescendant', `row-${this.active}`);
    else this.rows.removeAttribute('aria-activedescendant');
  }

  private makeRow(i: number, height: number, template: string, columns: ColumnSpec[], room: number): HTMLElement {
    const id = this.ids[i]!;
    const row = make('div', {
      class: 'tr body-row',
      role: 'row',
      id: `row-${i}`,
      'aria-rowindex': String(i + 2),
      'data-id': String(id),
    });
    row.classList.toggle('on', i === this.active);
    row.classList.toggle('hot', id === this.hot);
    if (i === this.active) row.setAttribute('aria-selected', 'true');
    row.style.top = `${i * height}px`;
    row.style.gridTemplateColumns = template;
    for (const column of columns) {
      const cell = make('div', { class: `td ${column.tone?.(id) ?? ''}`, role: 'gridcell' });
      if (column.key === 'name') {
        const name = column.text(id);
        cell.textContent = cut(
          shown(name.length > 4096 ? `${name.slice(0, 2048)}…${name.slice(-2048)}` : name),
          Math.max(8, room),
        );
        cell.title = shown(name.slice(0, 4096));
      } else {
        cell.append(make('span', { class: 'number' }, column.text(id)));
      }
      if (column.share) {
        const bar = make('span', { class: 'bar-fill' });
        bar.style.width = `${Math.min(100, column.share(id) * 100)}%`;
        cell.prepend(bar);
      }
      row.append(cell);
    }
    return row;
  }

  private idOf(target: EventTarget | null): number {
    const row = target instanceof Element ? target.closest<HTMLElement>('[data-id]') : null;
    return row ? Number(row.dataset['id']) : -1;
  }

  private onClick(event: MouseEvent, act: (id: number) => void): void {
    const id = this.idOf(event.target);
    if (id < 0) return;
    this.active = this.ids.indexOf(id);
    this.redraw();
    act(id);
  }

  /** The picture points at a name: mark its row, and bring it into sight when it was chosen, not merely passed over. */
  mark(string: number, chosen: boolean): void {
    if (this.root.hidden) return;
    this.hot = string;
    if (chosen) {
      this.active = this.ids.indexOf(string);
      if (this.active >= 0) this.scrollTo(this.active);
    }
    this.redraw();
  }

  private scrollTo(i: number): void {
    const row = HEIGHT * this.rem;
    const { rows } = this;
    if (i * row < rows.scrollTop) rows.scrollTop = i * row;
    else if ((i + 3) * row > rows.scrollTop + rows.clientHeight) rows.scrollTop = (i + 3) * row - rows.clientHeight;
  }

  private onKey(event: KeyboardEvent): void {
    if (event.target !== this.rows || event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor(this.rows.clientHeight / (HEIGHT * this.rem)) - 2);
    const steps: Record<string, number> = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: page,
      PageUp: -page,
      Home: -Infinity,
      End: Infinity,
    };
    const step = steps[event.key];
    if (step !== undefined) {
      event.preventDefault();
      event.stopPropagation();
      this.active = Math.min(this.ids.length - 1, Math.max(0, this.active + step));
      this.scrollTo(this.active);
      this.redraw();
      if (this.active >= 0) this.events.pick(this.ids[this.active]!);
    } else if (event.key === 'Enter' && this.active >= 0) {
      event.preventDefault();
      event.stopPropagation();
      this.events.inspect(this.ids[this.active]!);
    }
  }

  /** All rows as shown (filter, order), with full names and bare numbers. */
  tsv(): string {
    const { data, measure, profile } = this;
    const scale = measure.event.scale > 0 ? measure.event.scale : 1;
    const heads = measure.diff
      ? ['method', 'before self', 'after self', 'before total', 'after total']
      : ['method', 'self samples', `self ${measure.event.unit}`, 'total samples', `total ${measure.event.unit}`];
    const lines = [heads.join('\t')];
    for (const id of this.ids) {
      const numbers = [data.self[0]!, data.self[1]!, data.total[0]!, data.total[1]!].map(
        (column) => column[id]! / scale,
      );
      lines.push([profile.strings.at(id).replace(/[\t\r\n]/g, ' '), ...numbers].join('\t'));
    }
    return `${lines.join('\n')}\n`;
  }
}
