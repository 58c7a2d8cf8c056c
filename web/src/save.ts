/* Files the reader takes away. */

import type { Theme } from './colours';
import { download } from './dom';
import { toPng, toSvg, type Caption } from './export';
import type { Shown } from './model';

export type SaveKind = 'svg' | 'png' | 'tsv' | 'link';

export interface View {
  shown: Shown;
  theme: Theme;
  caption: Caption;
  width: number;
  nameOf(node: number): string;
  tsv(): string;
}

/** Narrower pictures would cut most names. */
const LEAST_WIDTH = 1200;

function fileName(view: View, ending: string): string {
  const stem = view.caption.title
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60);
  return `${stem || 'flame'}-${view.shown.measure.event.word}.${ending}`;
}

export async function saveAs(kind: Exclude<SaveKind, 'link'>, view: View): Promise<void> {
  const { shown, theme, caption } = view;
  const width = Math.max(LEAST_WIDTH, view.width);
  if (kind === 'png') {
    download(await toPng(shown.scene, caption, theme, width), fileName(view, kind));
    return;
  }
  const tip = (node: number): string => `${view.nameOf(node)} (${shown.measure.nodeFacts(node)[0]!.values.join(', ')})`;
  const text = kind === 'svg' ? toSvg(shown.scene, caption, theme, width, tip) : view.tsv();
  const type = kind === 'svg' ? 'image/svg+xml' : 'text/tab-separated-values';
  download(new Blob([text], { type }), fileName(view, kind));
}
