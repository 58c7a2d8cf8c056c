/* What can be done with one frame, in one list: the menu, the detail line and the keys all read it. */

import { byId, make } from './dom';
import { cut, packageOf, shown } from './format';
import type { Filter } from './views';

export interface FrameActions {
  zoom(node: number): void;
  inspect(name: string): void;
  filter(filter: Filter): void;
  search(name: string): void;
  copy(text: string, what: string): void;
  stackOf(node: number): string[];
}

export interface Action {
  key: string;
  label: string;
  /** Short form for the detail line; '' keeps it to the menu. */
  short: string;
  run(): void;
}

export function escapeRegex(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

export function actionsFor(node: number, name: string, isRoot: boolean, act: FrameActions): Action[] {
  const zoom: Action = { key: 'Enter', label: 'Zoom in', short: '', run: () => act.zoom(node) };
  const copyStack: Action = {
    key: 'Y',
    label: 'Copy stack',
    short: '',
    run: () => act.copy(act.stackOf(node).join('\n'), 'stack'),
  };
  if (isRoot) return [zoom];
  const scope = packageOf(name);
  const list: Action[] = [
    zoom,
    { key: 'c', label: 'Inspect: callers and callees', short: 'Inspect', run: () => act.inspect(name) },
    {
      key: 'f',
      label: 'Focus: only stacks with this frame',
      short: 'Focus',
      run: () => act.filter({ act: 'focus', by: 'frame', name }),
    },
    {
      key: 'h',
      label: 'Hide this frame, keep its weight',
      short: 'Hide',
      run: () => act.filter({ act: 'hide', by: 'frame', name }),
    },
    {
      key: 'x',
      label: 'Drop stacks with this frame',
      short: 'Drop',
      run: () => act.filter({ act: 'drop', by: 'frame', name }),
    },
  ];
  if (scope !== '') {
    const say = cut(shown(scope), 32);
    list.push(
      {
        key: 'F',
        label: `Focus package ${say}`,
        short: '',
        run: () => act.filter({ act: 'focus', by: 'package', name: scope }),
      },
      {
        key: 'H',
        label: `Hide package ${say}`,
        short: '',
        run: () => act.filter({ act: 'hide', by: 'package', name: scope }),
      },
      {
        key: 'X',
        label: `Drop package ${say}`,
        short: '',
        run: () => act.filter({ act: 'drop', by: 'package', name: scope }),
      },
    );
  }
  list.push(
    { key: 's', label: 'Search this name', short: '', run: () => act.search(`^${escapeRegex(name)}$`) },
    { key: 'y', label: 'Copy name', short: 'Copy', run: () => act.copy(name, 'name') },
    copyStack,
  );
  return list;
}

/** The floating menu of a frame; closes on choice, Escape, Tab or a press elsewhere. */
export class Menu {
  private readonly root = byId('menu');
  private giveBack: HTMLElement | null = null;

  constructor() {
    document.addEventListener('pointerdown', (e) => {
      if (!this.root.hidden && e.target instanceof Node && !this.root.contains(e.target)) this.close(false);
    });
    this.root.addEventListener('keydown', (e) => this.onKey(e));
  }

  get open(): boolean {
    return !this.root.hidden;
  }

  show(actions: Action[], x: number, y: number, giveBack: HTMLElement): void {
    this.giveBack = giveBack;
    this.root.replaceChildren(
      ...actions.map((action) => {
        const item = make('button', { type: 'button', role: 'menuitem', tabindex: '-1' });
        item.append(make('span', {}, action.label), make('kbd', {}, action.key));
        item.addEventListener('click', () => {
          this.close(true);
          action.run();
        });
        return item;
      }),
    );
    this.root.hidden = false;
    const box = this.root.getBoundingClientRect();
    this.root.style.left = `${Math.max(4, Math.min(x, innerWidth - box.width - 4))}px`;
    this.root.style.top = `${Math.max(4, Math.min(y, innerHeight - box.height - 4))}px`;
    (this.root.firstElementChild as HTMLElement | null)?.focus();
  }

  close(restoreFocus: boolean): void {
    this.root.hidden = true;
    if (restoreFocus) this.giveBack?.focus({ preventScroll: true });
  }

  private onKey(event: KeyboardEvent): void {
    const items = [...this.root.children] as HTMLElement[];
    const at = items.indexOf(document.activeElement as HTMLElement);
    const moves: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 };
    const to = moves[event.key];
    event.stopPropagation();
    if (to !== undefined) {
      event.preventDefault();
      items[(to + items.length) % items.length]?.focus();
    } else if (event.key === 'Escape' || event.key === 'Tab') {
      event.preventDefault();
      this.close(true);
    }
  }
}
