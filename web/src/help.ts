/* The list of keys. */

import { byId, button, make } from './dom';

const KEYS: [keys: string[], what: string][] = [
  [['Click', 'Enter'], 'zoom into a frame'],
  [['Double click', 'Esc'], 'go back'],
  [['0'], 'show everything'],
  [['↑', '↓', '←', '→'], 'walk the frames'],
  [['+', '−', 'Ctrl wheel'], 'wider, narrower'],
  [['Shift wheel', '<', '>'], 'pan sideways'],
  [['/'], 'search (regular expression; capitals make it exact)'],
  [['n', 'N'], 'next, previous match, widest first'],
  [['i'], 'flame or icicle'],
  [['r'], 'hotspots: stacks merged from the leaf'],
  [['c'], 'callers and callees of the frame'],
  [['f', 'F'], 'focus on the frame, its package'],
  [['h', 'H'], 'hide the frame, its package'],
  [['x', 'X'], 'drop stacks with the frame, its package'],
  [['s'], 'search the name of the frame'],
  [['y', 'Y'], 'copy the name, the stack'],
  [['t'], 'table'],
  [['m', 'right click'], 'all actions of a frame'],
  [['Alt ←'], 'undo: every step is in the history'],
  [['?'], 'this list'],
];

export function showHelp(): void {
  const dialog = byId<HTMLDialogElement>('help');
  if (dialog.childElementCount === 0) {
    const list = make('dl');
    for (const [keys, what] of KEYS) {
      const names = make('dt');
      keys.forEach((key, i) => names.append(...(i > 0 ? [' '] : []), make('kbd', {}, key)));
      list.append(names, make('dd', {}, what));
    }
    dialog.append(
      make('h2', { id: 'help-title' }, 'Keys'),
      list,
      make(
        'p',
        {},
        `Width is weight. Frames too narrow to draw are joined into a band; zoom opens it. The address of the page holds
        the view: copy it to share what you see.`,
      ),
      button('Close', { autofocus: true }, () => dialog.close()),
    );
    dialog.addEventListener('click', (e) => {
      if (e.target === dialog) dialog.close();
    });
  }
  dialog.showModal();
}
