/* The graph panel: a canvas as large as what is on screen inside a scroller as tall as the picture. */

import { CanvasTarget, contentHeight, depthAt, paint, rowTop, windowOf, type Scene, type View } from './draw';
import type { Theme } from './colours';
import { nodeAt, sideways, spans, widestChild, type Span } from './layout';

/** A place under the pointer: a frame, or a band of frames too narrow to be told apart. */
export interface Spot {
  node: number;
  /** Frames in the band; 1 for a frame that is drawn by itself. */
  count: number;
  /** Extent of the band in weight units. */
  from: number;
  to: number;
}

export interface GraphEvents {
  hover(spot: Spot | null, x: number, y: number): void;
  /** Returns whether the view changed. */
  open(spot: Spot): boolean;
  /** A double click; `opened` when its first click had changed the view. */
  back(opened: boolean): void;
  menu(spot: Spot, x: number, y: number): void;
  /** Show the part [from, to] of the zoomed frame, in shares of its width. */
  pan(part: [number, number] | null): void;
}

export class Graph {
  scene: Scene | null = null;
  selected = -1;
  /** Frames this says yes to are outlined. */
  highlight: ((frame: number) => boolean) | null = null;
  row = 18;
  private hovered = -1;
  private scheduled = 0;
  private touched = 0;
  private opened = false;
  /** A long press opened the menu; the click that ends it must not zoom. */
  private held = false;
  /** Pixels of the picture below the visible part, and the panel's height they belong to. */
  private below = 0;
  private high = 0;
  private readonly context: CanvasRenderingContext2D;
  private readonly spacer: HTMLElement;

  constructor(
    private readonly scroller: HTMLElement,
    private readonly canvas: HTMLCanvasElement,
    private readonly theme: () => Theme,
    private readonly events: GraphEvents,
  ) {
    this.context = canvas.getContext('2d', { alpha: false })!;
    this.spacer = canvas.parentElement!;
    scroller.addEventListener(
      'scroll',
      () => {
        this.remember();
        this.redraw();
      },
      { passive: true },
    );
    new ResizeObserver(() => {
      this.fit();
      // A flame stands on its root: what was at the bottom stays there when lines below the picture take room.
      if (this.scene && !this.scene.icicle) {
        scroller.scrollTop = scroller.scrollHeight - scroller.clientHeight - this.below;
      }
      // Not in the next frame: a new size has cleared the canvas, which would show black in this one.
      this.drawNow();
    }).observe(scroller);
    canvas.addEventListener('pointermove', (e) => this.onMove(e));
    canvas.addEventListener('pointerleave', () => this.setHover(null, 0, 0));
    canvas.addEventListener('pointerdown', (e) => this.onTouch(e));
    canvas.addEventListener('click', (e) => this.onClick(e));
    canvas.addEventListener('dblclick', () => events.back(this.opened));
    canvas.addEventListener('contextmenu', (e) => this.onMenu(e));
    canvas.addEventListener('wheel', (e) => this.onWheel(e), { passive: false });
  }

  /** Shows another scene. `home` scrolls to the root, which a flame has at its bottom. */
  show(scene: Scene, home: boolean): void {
    this.scene = scene;
    this.hovered = -1;
    this.fit();
    if (home) this.scrollHome();
    this.redraw();
  }

  /** Notes where the reader is, unless the panel has just changed its height: the observer will tell. */
  private remember(): void {
    const { scroller } = this;
    if (scroller.clientHeight !== this.high) return;
    this.below = scroller.scrollHeight - scroller.scrollTop - this.high;
  }

  scrollHome(): void {
    const scene = this.scene;
    if (!scene) return;
    const { scroller } = this;
    if (scene.layout.minDepth === 0) {
      const zoomTop = rowTop(scene, scene.layout.tree.depth[scene.zoom]!, this.row);
      // Keep the zoomed frame in sight: near the bottom of a flame, near the top of an icicle.
      const slack = this.row * 3;
      scroller.scrollTop = scene.icicle
        ? Math.max(0, zoomTop - slack)
        : zoomTop + this.row + slack - scroller.clientHeight;
    } else {
      scroller.scrollTop = rowTop(scene, 0, this.row) - scroller.clientHeight / 2;
    }
    this.remember();
  }

  private get fontSize(): number {
    return parseFloat(getComputedStyle(document.documentElement).fontSize);
  }

  /** Sizes canvas and scroller to the panel and the scene. */
  fit(): void {
    const { scroller, canvas, scene } = this;
    const width = scroller.clientWidth;
    const height = (this.high = scroller.clientHeight);
    // A low flame in a tall panel may stand a little taller: it is read from further away.
    const rows = scene ? scene.layout.maxDepth - scene.layout.minDepth + 1 : 1;
    this.row = Math.round(Math.min(this.fontSize * 1.6, Math.max(this.fontSize * 1.3, height / rows)));
    const ratio = window.devicePixelRatio || 1;
    const [wide, high] = [Math.max(1, Math.round(width * ratio)), Math.max(1, Math.round(height * ratio))];
    // Setting the size clears the canvas even when it stays the same.
    if (canvas.width !== wide || canvas.height !== high) {
      canvas.width = wide;
      canvas.height = high;
      canvas.style.width = `${width}px`;
      canvas.style.height = `${height}px`;
    }
    if (scene) this.spacer.style.height = `${Math.max(height, contentHeight(scene.layout, this.row))}px`;
  }

  /** At most once per frame of the screen. */
  redraw(): void {
    if (this.scheduled) return;
    this.scheduled = requestAnimationFrame(() => {
      this.scheduled = 0;
      this.drawNow();
    });
  }

  /** A flame lower than the panel stands on the panel's floor. */
  private get offset(): number {
    if (!this.scene || this.scene.icicle) return 0;
    return Math.max(0, this.scroller.clientHeight - contentHeight(this.scene.layout, this.row));
  }

  private view(): View {
    const top = this.scroller.scrollTop - this.offset;
    return {
      width: this.scroller.clientWidth,
      top,
      bottom: top + this.scroller.clientHeight,
      row: this.row,
      char: this.context.measureText('0').width,
    };
  }

  private drawNow(): void {
    const { scene, context, canvas } = this;
    const theme = this.theme();
    const ratio = window.devicePixelRatio || 1;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = `rgb(${theme.surface.join(',')})`;
    context.fillRect(0, 0, canvas.width, canvas.height);
    if (!scene) return;
    context.font = canvasFont(this.fontSize);
    context.textBaseline = 'alphabetic';
    context.direction = 'ltr';
    const view = this.view();
    paint(new CanvasTarget(context, Math.round(this.row / 2 + this.fontSize * 0.26)), scene, view);
    this.outlines(scene, view, theme);
  }

  private outlines(scene: Scene, view: View, theme: Theme): void {
    const { context } = this;
    const { tree, order } = scene.layout;
    if (this.highlight) {
      const wanted = this.highlight;
      context.strokeStyle = theme.text;
      context.lineWidth = 1.5;
      this.visibleLevels(scene, view, (depth) => {
        const y = rowTop(scene, depth, view.row) - view.top;
        spans(scene.layout, depth, windowOf(scene, depth, view.width), scene.least, (span) => {
          if (span.first !== span.last || !wanted(tree.frame[order[span.first]!]!)) return;
          const left = Math.max(0, span.x);
          const width = Math.min(view.width, span.x + span.width) - left;
          context.strokeRect(left + 0.75, y + 0.75, Math.max(0.5, width - 2), view.row - 2.5);
        });
      });
    }
    if (this.hovered >= 0) this.outline(scene, view, this.hovered, theme.text, 1);
    if (scene.centred) this.outline(scene, view, 0, theme.accent, 2);
    if (this.selected > 0) this.outline(scene, view, this.selected, theme.accent, 2.5);
  }

  private visibleLevels(scene: Scene, view: View, visit: (depth: number) => void): void {
    const ends = [depthAt(scene, view.top, view.row), depthAt(scene, view.bottom, view.row)];
    const from = Math.max(scene.layout.minDepth, Math.min(...ends));
    const to = Math.min(scene.layout.maxDepth, Math.max(...ends));
    for (let depth = from; depth <= to; depth++) visit(depth);
  }

  private outline(scene: Scene, view: View, node: number, colour: string, thickness: number): void {
    const { tree, x, width } = scene.layout;
    const depth = tree.depth[node]!;
    const win = windowOf(scene, depth, view.width);
    const left = Math.max(0, (x[node]! - win.from) * win.scale);
    const right = Math.min(view.width, (x[node]! + width[node]! - win.from) * win.scale);
    if (right < 0 || left > view.width) return;
    this.context.strokeStyle = colour;
    this.context.lineWidth = thickness;
    const inset = thickness / 2;
    const y = rowTop(scene, depth, view.row) - view.top;
    const wide = Math.max(1, right - left - 1 - thickness);
    this.context.strokeRect(left + inset, y + inset, wide, view.row - 1 - thickness);
  }

  private spotAt(event: MouseEvent): Spot | null {
    const { scene } = this;
    if (!scene) return null;
    const box = this.canvas.getBoundingClientRect();
    const view = this.view();
    const depth = depthAt(scene, event.clientY - box.top + view.top, view.row);
    if (depth < scene.layout.minDepth || depth > scene.layout.maxDepth) return null;
    const win = windowOf(scene, depth, view.width);
    const px = event.clientX - box.left;
    const { order, x, width } = scene.layout;
    let band: Span | null = null;
    spans(scene.layout, depth, win, scene.least, (span) => {
      if (span.last > span.first && span.x <= px && px < span.x + span.width) band = { ...span };
    });
    const found = band as Span | null;
    const node = found
      ? order[(found.first + found.last) >> 1]!
      : nodeAt(scene.layout, depth, win.from + px / win.scale);
    if (node < 0) return null;
    const first = found ? order[found.first]! : node;
    const last = found ? order[found.last]! : node;
    return { node, count: found ? found.last - found.first + 1 : 1, from: x[first]!, to: x[last]! + width[last]! };
  }

  private setHover(spot: Spot | null, x: number, y: number): void {
    const node = spot && spot.count === 1 ? spot.node : -1;
    if (node !== this.hovered) {
      this.hovered = node;
      this.redraw();
    }
    this.events.hover(spot, x, y);
  }

  private onMove(event: PointerEvent): void {
    if (event.pointerType === 'touch') return;
    const spot = this.spotAt(event);
    this.canvas.classList.toggle('over', spot !== null);
    this.setHover(spot, event.clientX, event.clientY);
  }

  /** A long press is the right click of a finger; browsers on phones do not all send one. */
  private onTouch(event: PointerEvent): void {
    if (event.pointerType !== 'touch') return;
    clearTimeout(this.touched);
    const cancel = (): void => clearTimeout(this.touched);
    this.held = false;
    this.touched = window.setTimeout(() => {
      this.held = true;
      this.onMenu(event);
    }, 550);
    for (const end of ['pointerup', 'pointercancel']) this.canvas.addEventListener(end, cancel, { once: true });
    this.scroller.addEventListener('scroll', cancel, { once: true });
  }

  private onClick(event: MouseEvent): void {
    this.scroller.focus({ preventScroll: true });
    // The second click of a double click goes back instead; see dblclick.
    if (event.detail > 1 || this.held) {
      this.held = false;
      return;
    }
    const spot = this.spotAt(event);
    this.opened = spot !== null && this.events.open(spot);
  }

  private onMenu(event: MouseEvent): void {
    const spot = this.spotAt(event);
    if (!spot) return;
    event.preventDefault();
    this.events.menu(spot, event.clientX, event.clientY);
  }

  /** Wheel scrolls the stacks; with Ctrl (or a pinch) it zooms about the pointer, sideways it pans: as a map does. */
  private onWheel(event: WheelEvent): void {
    const { scene } = this;
    if (!scene) return;
    const [from, to] = scene.part ?? [0, 1];
    const span = to - from;
    const box = this.canvas.getBoundingClientRect();
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      const at = (event.clientX - box.left) / box.width;
      const wide = Math.min(1, span * Math.exp(Math.max(-60, Math.min(60, event.deltaY)) * 0.01));
      const least = scene.layout.width[scene.zoom]! > 0 ? 1e-7 : 1;
      this.moveTo(from + at * (span - Math.max(least, wide)), Math.max(least, wide));
      return;
    }
    const sideways = event.shiftKey ? event.deltaY : event.deltaX;
    if (sideways !== 0 && Math.abs(sideways) > (event.shiftKey ? 0 : Math.abs(event.deltaY))) {
      event.preventDefault();
      this.moveTo(from + (sideways / box.width) * span, span);
    }
  }

  private moveTo(from: number, span: number): void {
    const left = Math.min(Math.max(0, from), 1 - span);
    this.events.pan(span >= 1 ? null : [left, left + span]);
  }

  /** Arrow keys: up and down follow the picture, left and right the neighbours. Returns the new node or -1. */
  step(key: string): number {
    const { scene } = this;
    if (!scene) return -1;
    const { tree } = scene.layout;
    const at = this.selected >= 0 ? this.selected : scene.zoom;
    if (this.selected < 0) return at;
    if (key === 'ArrowLeft' || key === 'ArrowRight') return sideways(scene.layout, at, key === 'ArrowLeft' ? -1 : 1);
    const up = (key === 'ArrowUp') !== scene.icicle ? 1 : -1;
    const depth = tree.depth[at]!;
    // Away from the root means to a child; towards it, to the parent.
    if (depth === 0 || Math.sign(depth) === up) return widestChild(scene.layout, at, up);
    return tree.parent[at]!;
  }

  reveal(node: number): void {
    const { scene, scroller } = this;
    if (!scene) return;
    const top = rowTop(scene, scene.layout.tree.depth[node]!, this.row) + this.offset;
    if (top < scroller.scrollTop) scroller.scrollTop = top - this.row;
    else if (top + this.row > scroller.scrollTop + scroller.clientHeight) {
      scroller.scrollTop = top + 2 * this.row - scroller.clientHeight;
    }
    this.redraw();
  }

  /** Middle of a node on screen, and how much of its width is there. */
  positionOf(node: number): { x: number; y: number; width: number } {
    const { scene, scroller } = this;
    const box = scroller.getBoundingClientRect();
    if (!scene) return { x: box.left, y: box.top, width: 0 };
    const { tree, x, width } = scene.layout;
    const win = windowOf(scene, tree.depth[node]!, scroller.clientWidth);
    const left = Math.max(0, (x[node]! - win.from) * win.scale);
    const right = Math.min(scroller.clientWidth, (x[node]! + width[node]! - win.from) * win.scale);
    const y = rowTop(scene, tree.depth[node]!, this.row) + this.offset - scroller.scrollTop;
    return {
      x: box.left + Math.max(0, (left + right) / 2),
      y: box.top + y + this.row / 2,
      width: Math.max(0, right - left),
    };
  }
}

export function canvasFont(rem: number): string {
  return `${Math.round(rem * 0.86)}px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace`;
}
