/* Turns a layout into rectangles and texts, for the canvas on screen and for exported pictures alike. */

import type { Palette, Swatch } from './colours';
import { cut, shown } from './format';
import { spans, type Layout, type Window } from './layout';
import type { Matches } from './search';

/** All that is needed to draw, whatever it is drawn on. */
export interface Scene {
  layout: Layout;
  palette: Palette;
  nameOf(frame: number): string;
  /** Change of a node as a share of the total, in a comparison drawn by change; else null. */
  change: ((node: number) => number) | null;
  fullChange: number;
  matches: Matches | null;
  /** The zoomed node; windows of its side show it, the other side shows everything. */
  zoom: number;
  part: [number, number] | null;
  icicle: boolean;
  /** The root is an inspected frame and gets an outline. */
  centred: boolean;
  /** Frames narrower than this many pixels are joined into bands. */
  least: number;
}

export interface View {
  width: number;
  /** The stretch of the picture to draw, in pixels from its top. */
  top: number;
  bottom: number;
  row: number;
  char: number;
}

export interface Target {
  frame(x: number, y: number, width: number, height: number, fill: string, span: { node: number; count: number }): void;
  text(text: string, x: number, y: number, width: number, fill: string): void;
}

export function contentHeight(layout: Layout, row: number): number {
  return (layout.maxDepth - layout.minDepth + 1) * row;
}

export function rowTop(scene: Scene, depth: number, row: number): number {
  const { minDepth, maxDepth } = scene.layout;
  return (scene.icicle ? depth - minDepth : maxDepth - depth) * row;
}

export function depthAt(scene: Scene, y: number, row: number): number {
  const { minDepth, maxDepth } = scene.layout;
  const at = Math.floor(y / row);
  return scene.icicle ? minDepth + at : maxDepth - at;
}

/** The weight interval a level shows. */
export function windowOf(scene: Scene, depth: number, pixels: number): Window {
  const { layout, zoom, part } = scene;
  const side = layout.tree.depth[zoom]!;
  const zoomed = side === 0 || Math.sign(side) === Math.sign(depth);
  const node = zoomed ? zoom : 0;
  let from = layout.x[node]!;
  let width = layout.width[node]!;
  if (part && zoomed) {
    from += width * part[0];
    width *= part[1] - part[0];
  }
  return { from, to: from + width, scale: width > 0 ? pixels / width : 0 };
}

function swatchOf(scene: Scene, node: number): Swatch {
  if (scene.change) return scene.palette.change(scene.change(node), scene.fullChange);
  return scene.palette.frame(scene.layout.tree.frame[node]!);
}

/** Narrowest text worth drawing, in characters. */
const LEAST_CHARS = 3;

export function paint(target: Target, scene: Scene, view: View): void {
  const { layout, palette, matches } = scene;
  const { tree, order } = layout;
  const first = depthAt(scene, view.top, view.row);
  const last = depthAt(scene, Math.max(view.top, view.bottom - 1), view.row);
  const from = Math.max(layout.minDepth, Math.min(first, last));
  const to = Math.min(layout.maxDepth, Math.max(first, last));
  const pad = Math.round(view.row / 5);
  const ids = { node: 0, count: 0 };
  for (let depth = from; depth <= to; depth++) {
    const win = windowOf(scene, depth, view.width);
    if (win.scale === 0) continue;
    const y = rowTop(scene, depth, view.row) - view.top;
    spans(layout, depth, win, scene.least, (span) => {
      const band = span.last > span.first;
      // A band takes the colour of its middle; what is in it shows when it is opened.
      const node = order[(span.first + span.last) >> 1]!;
      const frame = tree.frame[node]!;
      const swatch = swatchOf(scene, node);
      const hit = matches !== null && matches.before[span.last + 1]! > matches.before[span.first]!;
      const faded = matches !== null ? !hit : palette.faded(frame);
      const left = Math.max(0, span.x);
      const right = Math.min(view.width, span.x + span.width);
      const width = right - left;
      // Hairlines part the frames while they are wide enough to afford one.
      const gap = width > 3 ? 1 : 0;
      ids.node = node;
      ids.count = span.last - span.first + 1;
      target.frame(left, y, width - gap, view.row - 1, faded ? swatch.fadedFill : swatch.fill, ids);
      if (band) return;
      const room = Math.floor((width - gap - 2 * pad) / view.char);
      if (room < LEAST_CHARS) return;
      const text = cut(label(scene.nameOf(frame), room), room);
      target.text(text, left + pad, y, width - gap - 2 * pad, faded ? swatch.fadedInk : swatch.ink);
    });
  }
}

/** A 64 KB name must not be scanned whole for the twenty letters that fit. */
function label(name: string, room: number): string {
  const keep = room + 512;
  if (name.length <= 2 * keep) return shown(name);
  return shown(`${name.slice(0, keep)}…${name.slice(-keep)}`);
}

/** A Target that draws on a canvas. Font and baseline are set by the caller. */
export class CanvasTarget implements Target {
  private fill = '';
  constructor(
    private readonly context: CanvasRenderingContext2D,
    private readonly baseline: number,
  ) {}

  private style(fill: string): void {
    if (fill !== this.fill) this.context.fillStyle = this.fill = fill;
  }

  frame(x: number, y: number, width: number, height: number, fill: string): void {
    this.style(fill);
    this.context.fillRect(x, y, width, height);
  }

  text(text: string, x: number, y: number, width: number, fill: string): void {
    this.style(fill);
    // Letters outside ASCII may be wider than the monospace cell the cut was made for.
    if (/^[ -~…]*$/.test(text)) this.context.fillText(text, x, y + this.baseline);
    else this.context.fillText(text, x, y + this.baseline, width);
  }
}
