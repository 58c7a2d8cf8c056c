/* Pictures to take away: the whole view (not only what is scrolled into sight) with title and source, SVG or PNG. */

import type { Theme } from './colours';
import { CanvasTarget, contentHeight, paint, type Scene, type Target, type View } from './draw';
import { shown } from './format';
import { canvasFont } from './graph';

export interface Caption {
  title: string;
  facts: string;
  foot: string;
}

const MARGIN = 16;
const HEAD = 48;
const FOOT = 32;
/** Browsers refuse larger canvases. */
const MOST_PIXELS = 16_000;

function view(scene: Scene, width: number, row: number, char: number): View {
  return { width, top: 0, bottom: contentHeight(scene.layout, row), row, char };
}

export function escapeXml(text: string): string {
  // Characters XML 1.0 cannot carry at all are left out; shown() has already spelled out those that matter.
  return text
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
}

class SvgTarget implements Target {
  readonly parts: string[] = [];
  constructor(
    private readonly dx: number,
    private readonly dy: number,
    private readonly baseline: number,
    private readonly tip: (node: number) => string,
  ) {}

  frame(
    x: number,
    y: number,
    width: number,
    height: number,
    fill: string,
    span: { node: number; count: number },
  ): void {
    const n = (v: number): string => String(+v.toFixed(2));
    const tip = span.count === 1 ? this.tip(span.node) : `${span.count} frames, each too narrow to draw`;
    this.parts.push(
      `<rect x="${n(x + this.dx)}" y="${n(y + this.dy)}" width="${n(Math.max(0, width))}" height="${n(height)}" ` +
        `fill="${fill}"><title>${escapeXml(tip)}</title></rect>`,
    );
  }

  text(text: string, x: number, y: number, _width: number, fill: string): void {
    const left = (x + this.dx).toFixed(1);
    this.parts.push(`<text x="${left}" y="${y + this.dy + this.baseline}" fill="${fill}">${escapeXml(text)}</text>`);
  }
}

export function toSvg(
  scene: Scene,
  caption: Caption,
  theme: Theme,
  width: number,
  tip: (node: number) => string,
): string {
  const row = 18;
  const char = 7.25;
  const inner = width - 2 * MARGIN;
  const tall = contentHeight(scene.layout, row);
  const target = new SvgTarget(MARGIN, HEAD, 13, tip);
  paint(target, scene, view(scene, inner, row, char));
  const height = HEAD + tall + FOOT;
  const title = escapeXml(shown(caption.title));
  const foot = escapeXml(caption.foot);
  const sans = 'font-family="system-ui, sans-serif"';
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" ` +
      'font-family="ui-monospace, Menlo, Consolas, monospace" font-size="12">',
    `<rect width="100%" height="100%" fill="rgb(${theme.surface.join(',')})"/>`,
    `<text x="${MARGIN}" y="20" ${sans} font-size="15" font-weight="600" fill="${theme.text}">${title}</text>`,
    `<text x="${MARGIN}" y="38" ${sans} fill="${theme.muted}">${escapeXml(caption.facts)}</text>`,
    ...target.parts,
    `<text x="${MARGIN}" y="${height - 11}" ${sans} font-size="11" fill="${theme.muted}">${foot}</text>`,
    '</svg>',
    '',
  ].join('\n');
}

export function toPng(scene: Scene, caption: Caption, theme: Theme, width: number): Promise<Blob> {
  const row = 18;
  const tall = contentHeight(scene.layout, row);
  const height = HEAD + tall + FOOT;
  const scale = Math.min(2, MOST_PIXELS / Math.max(width, height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const context = canvas.getContext('2d')!;
  context.scale(scale, scale);
  context.fillStyle = `rgb(${theme.surface.join(',')})`;
  context.fillRect(0, 0, width, height);
  const line = (text: string, y: number, font: string, fill: string): void => {
    context.font = `${font} system-ui, sans-serif`;
    context.fillStyle = fill;
    context.fillText(text, MARGIN, y, width - 2 * MARGIN);
  };
  line(shown(caption.title), 20, '600 15px', theme.text);
  line(caption.facts, 38, '12px', theme.muted);
  line(caption.foot, height - 11, '11px', theme.muted);
  context.translate(MARGIN, HEAD);
  context.font = canvasFont(14);
  paint(new CanvasTarget(context, 13), scene, view(scene, width - 2 * MARGIN, row, context.measureText('0').width));
  return new Promise((resolve, reject) => {
    canvas.toBlob(
      (blob) => (blob ? resolve(blob) : reject(new Error('the browser could not write the picture'))),
      'image/png',
    );
  });
}
