/* The time panel: samples and series over one axis, and a brush that filters everything else. */

import type { Theme } from './colours';
import type { Meta, Series } from './decode';
import { byId, button, make, setText } from './dom';
import { clock, count, date, duration, quantity, shown } from './format';

export interface TimeEvents {
  /** Buckets chosen, first and last included; null for all of them. */
  brush(range: [number, number] | null): void;
}

/** Height of one strip in rem, and where there are many or the screen is small: the picture below needs the room. */
const STRIP = 2.6;
const LOW_STRIP = 1.9;
const FEW_STRIPS = 3;
/** Height of its name. */
const LABEL = 1.05;

export class Timeline {
  private readonly canvas = make('canvas', { role: 'img' });
  private readonly box = make('div', { class: 'time-box' });
  private readonly grips = [this.makeGrip(0, 'Start of the time range'), this.makeGrip(1, 'End of the time range')];
  private readonly local = make('span');
  private readonly utc = make('span');
  private readonly clear = button('All time', { title: 'Forget the time range' }, () => this.events.brush(null));
  private readonly buckets: number;
  private readonly start: number;
  private readonly step: number;
  /** Series of one name are lines of one strip. */
  private readonly metrics: Series[][];
  private range: [number, number] | null = null;
  private histogram: Float64Array = new Float64Array(0);
  private drag: { from: number; grip: number } | null = null;

  constructor(
    meta: Meta,
    private readonly theme: () => Theme,
    private readonly events: TimeEvents,
  ) {
    this.buckets = meta.time!.buckets;
    this.start = meta.time!.start_ms;
    this.step = meta.time!.bucket_ms;
    const names = [...new Set(meta.series.map((series) => series.name))];
    this.metrics = names.map((name) => meta.series.filter((series) => series.name === name));
    const root = byId('time');
    root.hidden = false;
    this.box.append(this.canvas, ...this.grips);
    root.append(this.box, make('div', { class: 'time-line' }, this.local, this.clear, this.utc));
    this.canvas.addEventListener('pointerdown', (e) => this.begin(e, -1));
    new ResizeObserver(() => this.draw()).observe(this.box);
  }

  private makeGrip(which: 0 | 1, label: string): HTMLElement {
    const grip = make('div', {
      class: 'grip',
      role: 'slider',
      tabindex: '0',
      'aria-label': label,
      'aria-valuemin': '0',
    });
    grip.addEventListener('pointerdown', (e) => this.begin(e, which));
    grip.addEventListener('keydown', (e) => this.onKey(e, which));
    return grip;
  }

  show(histogram: Float64Array, range: [number, number] | null): void {
    this.histogram = histogram;
    if (!this.drag) this.range = range;
    this.draw();
  }

  private bucketAt(clientX: number): number {
    const box = this.canvas.getBoundingClientRect();
    const share = Math.min(1, Math.max(0, (clientX - box.left) / box.width));
    return Math.min(this.buckets - 1, Math.floor(share * this.buckets));
  }

  private begin(event: PointerEvent, grip: number): void {
    if (event.button !== 0) return;
    event.preventDefault();
    const target = event.currentTarget as HTMLElement;
    target.setPointerCapture(event.pointerId);
    const whole = this.range ?? [0, this.buckets - 1];
    this.drag = { from: grip < 0 ? this.bucketAt(event.clientX) : whole[1 - grip]!, grip };
    const move = (e: PointerEvent): void => {
      const to = this.bucketAt(e.clientX);
      const from = this.drag!.from;
      this.range = [Math.min(from, to), Math.max(from, to)];
      this.draw();
    };
    const end = (e: PointerEvent): void => {
      target.removeEventListener('pointermove', move);
      target.removeEventListener('pointerup', end);
      target.removeEventListener('pointercancel', end);
      const moved = grip >= 0 || Math.abs(e.clientX - event.clientX) > 3;
      this.drag = null;
      // A click without a drag clears the brush: the quickest way out.
      const all = !this.range || (this.range[0] === 0 && this.range[1] === this.buckets - 1);
      this.events.brush(moved && !all ? this.range : null);
    };
    target.addEventListener('pointermove', move);
    target.addEventListener('pointerup', end);
    target.addEventListener('pointercancel', end);
  }

  private onKey(event: KeyboardEvent, which: 0 | 1): void {
    const big = Math.max(1, Math.round(this.buckets / 20));
    const steps: Record<string, number> = {
      ArrowLeft: -1,
      ArrowRight: 1,
      PageDown: -big,
      PageUp: big,
      Home: -Infinity,
      End: Infinity,
    };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const range: [number, number] = [...(this.range ?? [0, this.buckets - 1])];
    const low = which === 0 ? 0 : range[0];
    const high = which === 0 ? range[1] : this.buckets - 1;
    range[which] = Math.min(high, Math.max(low, range[which]! + step));
    this.events.brush(range[0] === 0 && range[1] === this.buckets - 1 ? null : range);
  }

  private msOf(bucket: number): number {
    return this.start + bucket * this.step;
  }

  draw(): void {
    const { canvas, box } = this;
    const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
    const low = window.innerWidth < 640 || this.metrics.length >= FEW_STRIPS;
    const tall = rem * (low ? LOW_STRIP : STRIP);
    const strips = 1 + this.metrics.length;
    const width = box.clientWidth;
    const height = Math.round(tall * strips + rem * 1.3);
    const ratio = window.devicePixelRatio || 1;
    canvas.width = Math.max(1, Math.round(width * ratio));
    canvas.height = Math.max(1, Math.round(height * ratio));
    canvas.style.height = `${height}px`;
    const context = canvas.getContext('2d')!;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.font = `${Math.round(rem * 0.79)}px system-ui, sans-serif`;
    const theme = this.theme();
    this.metrics.forEach((lines, i) => this.drawMetric(context, lines, i * tall, tall, width, theme));
    this.drawSamples(context, (strips - 1) * tall, tall, width, theme);
    this.drawAxis(context, strips * tall, width, rem, theme);
    this.drawBrush(context, width, strips * tall, theme);
    this.describe();
  }

  private label(
    context: CanvasRenderingContext2D,
    name: string,
    most: string,
    y: number,
    width: number,
    theme: Theme,
  ): void {
    const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
    context.textBaseline = 'top';
    const write = (text: string, x: number, align: CanvasTextAlign): void => {
      // A plate keeps the words readable where a line runs through them.
      const wide = Math.min(width / 2, context.measureText(text).width) + 6;
      context.fillStyle = `rgb(${theme.surface.join(' ')} / .85)`;
      context.fillRect(align === 'left' ? x - 3 : x - wide + 3, y + 2, wide, LABEL * rem);
      context.textAlign = align;
      context.fillStyle = theme.muted;
      context.fillText(text, x, y + 4, width / 2);
    };
    write(shown(name.slice(0, 80)), 8, 'left');
    write(most, width - 8, 'right');
    context.textAlign = 'left';
  }

  private drawSamples(context: CanvasRenderingContext2D, y: number, height: number, width: number, theme: Theme): void {
    const columns = Math.max(1, Math.min(this.buckets, Math.floor(width / 2)));
    const sums = new Float64Array(columns);
    for (let b = 0; b < this.buckets; b++) sums[Math.floor((b * columns) / this.buckets)]! += this.histogram[b] ?? 0;
    const most = sums.reduce((a, b) => Math.max(a, b), 0);
    context.fillStyle = theme.accent;
    context.globalAlpha = 0.55;
    const step = width / columns;
    for (let c = 0; c < columns; c++) {
      const tall = most > 0 ? (sums[c]! / most) * (height - 6) : 0;
      // A bucket with few samples still shows that there were some.
      if (sums[c]! > 0)
        context.fillRect(
          c * step,
          y + height - Math.max(1, tall),
          Math.max(1, step - (step > 3 ? 1 : 0)),
          Math.max(1, tall),
        );
    }
    context.globalAlpha = 1;
    const per = duration((this.buckets / columns) * this.step);
    this.label(context, 'Samples', `peak ${count(most)} in ${per}`, y, width, theme);
  }

  /** The lines of one metric, one for each process that was recorded. */
  private drawMetric(
    context: CanvasRenderingContext2D,
    lines: Series[],
    y: number,
    height: number,
    width: number,
    theme: Theme,
  ): void {
    const { name, unit } = lines[0]!;
    const most = lines.reduce((high, line) => line.v.reduce((a, b) => Math.max(a, b), high), 0);
    // Percentages are read against 100, not against their own peak.
    const top = unit === '%' ? Math.max(100, most) : most || 1;
    context.strokeStyle = theme.text;
    context.globalAlpha = Math.max(0.15, 0.75 / Math.sqrt(lines.length));
    context.lineWidth = 1.25;
    for (const line of lines) this.drawLine(context, line, y, height, width, top);
    context.globalAlpha = 1;
    context.fillStyle = theme.line;
    context.fillRect(0, y + height - 0.5, width, 1);
    const peak = unit === '%' ? `${+most.toFixed(1)}%` : quantity(most, unit);
    const of = lines.length > 1 ? `${name} (${lines.length} processes)` : name;
    this.label(context, of, `peak ${peak}`, y, width, theme);
  }

  private drawLine(
    context: CanvasRenderingContext2D,
    line: Series,
    y: number,
    height: number,
    width: number,
    top: number,
  ): void {
    const span = this.buckets * this.step;
    const gap = gapLimit(line.t_ms);
    context.beginPath();
    for (let i = 0; i < line.t_ms.length; i++) {
      const px = ((line.t_ms[i]! - this.start) / span) * width;
      const py = y + height - 2 - (line.v[i]! / top) * (height - 8);
      // Where nothing was measured nothing is drawn.
      if (i === 0 || line.t_ms[i]! - line.t_ms[i - 1]! > gap) context.moveTo(px, py);
      else context.lineTo(px, py);
    }
    context.stroke();
  }

  private drawAxis(context: CanvasRenderingContext2D, y: number, width: number, rem: number, theme: Theme): void {
    const span = this.buckets * this.step;
    const step = niceStep((span * rem * 7) / Math.max(width, 1));
    const shift = new Date(this.start).getTimezoneOffset() * 60_000;
    context.fillStyle = theme.line;
    context.fillRect(0, y, width, 1);
    context.fillStyle = theme.muted;
    context.textBaseline = 'top';
    for (let t = Math.ceil((this.start - shift) / step) * step + shift; t <= this.start + span; t += step) {
      const px = ((t - this.start) / span) * width;
      context.fillRect(px, y, 1, 4);
      if (px + rem * 4.5 < width) context.fillText(clock(t, false, step < 1000), px + 3, y + 4);
    }
  }

  private drawBrush(context: CanvasRenderingContext2D, width: number, height: number, theme: Theme): void {
    const [from, to] = this.range ?? [0, this.buckets - 1];
    const left = (from / this.buckets) * width;
    const right = ((to + 1) / this.buckets) * width;
    if (this.range) {
      context.fillStyle = `rgb(${theme.surface.join(' ')} / .72)`;
      context.fillRect(0, 0, left, height);
      context.fillRect(right, 0, width - right, height);
    }
    // At rest the grips stand at the edges, half inside, so that a hand and the Tab key find them.
    this.grips[0]!.style.left = `${left}px`;
    this.grips[1]!.style.left = `${right}px`;
  }

  private describe(): void {
    const [from, to] = this.range ?? [0, this.buckets - 1];
    const [begin, end] = [this.msOf(from), this.msOf(to + 1)];
    const fine = this.step < 1000 && end - begin < 600_000;
    const say = (utc: boolean): string => {
      const last = date(end, utc) === date(begin, utc) ? '' : `${date(end, utc)} `;
      return `${date(begin, utc)} ${clock(begin, utc, fine)} – ${last}${clock(end, utc, fine)} ${utc ? 'UTC' : 'local'}`;
    };
    setText(this.local, `${this.range ? 'Selected ' : ''}${duration(end - begin)} · ${say(false)}`);
    setText(this.utc, say(true));
    this.clear.hidden = this.range === null;
    this.canvas.setAttribute('aria-label', `Samples over time, ${duration(end - begin)} from ${say(true)}`);
    this.grips.forEach((grip, which) => {
      grip.setAttribute('aria-valuemax', String(this.buckets - 1));
      grip.setAttribute('aria-valuenow', String(which === 0 ? from : to));
      grip.setAttribute('aria-valuetext', clock(which === 0 ? begin : end, false, fine));
    });
  }
}

/** Three times what nearly all points keep is a gap; some series are as irregular as the collections they come from. */
function gapLimit(times: number[]): number {
  const steps: number[] = [];
  for (let i = 1; i < times.length; i++) steps.push(times[i]! - times[i - 1]!);
  steps.sort((a, b) => a - b);
  return steps.length > 0 ? Math.max(1, steps[Math.floor(steps.length * 0.98)]!) * 3 : Infinity;
}

function niceStep(least: number): number {
  const steps = [
    100, 200, 500, 1e3, 2e3, 5e3, 1e4, 15e3, 3e4, 6e4, 12e4, 3e5, 6e5, 9e5, 18e5, 36e5, 72e5, 216e5, 432e5, 864e5,
  ];
  return steps.find((step) => step >= least) ?? Math.ceil(least / 864e5) * 864e5;
}
