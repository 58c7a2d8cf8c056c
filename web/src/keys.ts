/* Keys of the whole page. Typing in a field is typing; with Ctrl, Alt or Meta the browser keeps its own. */

import type { Menu } from './actions';
import type { App } from './app';
import type { Controls } from './controls';
import { byId } from './dom';
import { showHelp } from './help';
import { WHOLE } from './state';

function typing(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('input, select, textarea, dialog, [role="menu"]') !== null;
}

export function bindKeys(app: App, controls: Controls, menu: Menu): void {
  const page: Record<string, () => void> = {
    '/': () => controls.focusSearch(),
    n: () => app.nextMatch(1),
    N: () => app.nextMatch(-1),
    i: () => app.go({ icicle: !app.state.icicle }),
    r: () => app.go({ hotspots: !app.state.hotspots, inspect: '', ...WHOLE }),
    t: () => app.go({ table: !app.tableShown }),
    '?': showHelp,
    '0': () => app.showAll(),
    '+': () => app.shift(0.5, 0),
    '=': () => app.shift(0.5, 0),
    '-': () => app.shift(2, 0),
    '<': () => app.shift(1, -0.25),
    '>': () => app.shift(1, 0.25),
    Escape: () => app.back(),
    m: () => {
      const { x, y } = app.graph.positionOf(app.inHand);
      app.openMenu(app.inHand, x, y);
    },
  };
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || menu.open || typing(event.target)) return;
    const copying = (event.ctrlKey || event.metaKey) && event.key === 'c' && !event.altKey;
    if (copying && event.target === byId('graph') && getSelection()?.isCollapsed !== false) {
      event.preventDefault();
      run('y');
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (page[event.key]) {
      event.preventDefault();
      page[event.key]!();
    } else if (run(event.key)) {
      event.preventDefault();
    }
  });

  /** Keys of single frames. Enter and Space belong to a button when one has the focus. */
  function run(key: string): boolean {
    if (key === 'Enter') return false;
    const action = app.actions(app.inHand).find((a) => a.key === key);
    action?.run();
    return action !== undefined;
  }

  const graph = byId('graph');
  graph.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (/^Arrow(Up|Down|Left|Right)$/.test(event.key)) {
      event.preventDefault();
      const node = app.graph.step(event.key);
      if (node >= 0) app.select(node);
    } else if (event.key === 'Enter') {
      event.preventDefault();
      app.zoom(app.inHand);
    } else if (event.key === 'Home') {
      event.preventDefault();
      app.select(0);
    }
  });
}
