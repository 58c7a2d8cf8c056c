/* Numbers, units and names as people read them. */

const grouped = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const groupedFine = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 });

/** 1234567 → "1,234,567"; fractions appear only where the data has them. */
export function count(value: number): string {
  return (Number.isInteger(value) ? grouped : groupedFine).format(value);
}

/** Three significant digits: what an eye can use, and columns stay narrow. */
function three(value: number): string {
  const size = Math.abs(value);
  if (size >= 100 || size === 0) return grouped.format(value);
  return value.toFixed(size >= 10 ? 1 : 2);
}

const TIME: [number, string][] = [
  [3.6e12, 'h'],
  [6e10, 'min'],
  [1e9, 's'],
  [1e6, 'ms'],
  [1e3, 'µs'],
  [1, 'ns'],
];
const BYTES: [number, string][] = [
  [2 ** 50, 'PiB'],
  [2 ** 40, 'TiB'],
  [2 ** 30, 'GiB'],
  [2 ** 20, 'MiB'],
  [2 ** 10, 'KiB'],
  [1, 'B'],
];

function scaled(value: number, steps: [number, string][]): string {
  const size = Math.abs(value);
  if (size === 0) return steps === TIME ? '0 s' : '0 B';
  for (const [step, unit] of steps) {
    // Minutes and hours only when they say more than seconds do.
    const least = unit === 'min' ? 6e11 : unit === 'h' ? 3.6e13 : step;
    if (size >= least) return `${three(value / step)} ${unit}`;
  }
  return `${three(value)} ${steps[steps.length - 1]![1]}`;
}

/** A value with its unit: ns → s, bytes → MiB, "count" → a bare grouped number, any other word is kept. */
export function quantity(value: number, unit: string): string {
  if (unit === 'ns') return scaled(value, TIME);
  if (unit === 'bytes') return scaled(value, BYTES);
  if (unit === 'count' || unit === '') return count(value);
  return `${count(value)} ${unit}`;
}

export function samples(value: number): string {
  return `${count(value)} ${value === 1 ? 'sample' : 'samples'}`;
}

export function percent(part: number, whole: number): string {
  if (!(whole > 0)) return '–';
  const share = (part / whole) * 100;
  if (share > 0 && share < 0.01) return '<0.01%';
  return `${share.toFixed(share >= 99.995 ? 0 : 2)}%`;
}

/** A difference of shares in percentage points, always signed. */
export function points(delta: number): string {
  const value = delta * 100;
  if (value === 0) return '0 pt';
  if (Math.abs(value) < 0.01) return value > 0 ? '<+0.01 pt' : '>−0.01 pt';
  return `${value > 0 ? '+' : '−'}${Math.abs(value).toFixed(2)} pt`;
}

export function duration(ms: number): string {
  return scaled(ms * 1e6, TIME);
}

const two = (value: number): string => String(value).padStart(2, '0');

/** Clock time of an epoch instant; tenths only where the scale is finer than seconds. */
export function clock(ms: number, utc: boolean, fine = false): string {
  const date = new Date(ms);
  const text = utc
    ? `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())}`
    : `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
  return fine ? `${text}.${Math.floor((((ms % 1000) + 1000) % 1000) / 100)}` : text;
}

export function date(ms: number, utc: boolean): string {
  const day = new Date(ms);
  return utc
    ? `${day.getUTCFullYear()}-${two(day.getUTCMonth() + 1)}-${two(day.getUTCDate())}`
    : `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
}

/* Characters that reorder or hide text could make one method look like another; they are spelled out. */
const HIDDEN = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/** A name safe to show: same letters, invisible and direction-changing characters written as U+XXXX. */
export function shown(name: string): string {
  return name.replace(HIDDEN, (c) => `⟨U+${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`);
}

/** Where the package ends in a name: "org.apache.spark.Foo.bar" → 16, just before ".Foo"; 0 when there is none. */
export function packageEnd(name: string): number {
  const stop = name.search(/[ (<\[$]/);
  const head = stop < 0 ? name : name.slice(0, stop);
  const colons = head.indexOf('::');
  if (colons > 0) return colons;
  const library = head.search(/[`!]/);
  if (library > 0) return library;
  const offset = head.search(/\+0x[0-9a-f]+$/); // "libc.so.6+0x88ef0": its dots part nothing
  if (offset > 0) return offset;
  // A path ("pandas/core/frame.py:apply") parts at slashes only, or its file ending would pass for a class.
  const separator = head.includes('/') ? 47 : 46;
  let end = 0;
  let last = 0;
  for (let i = 0; i < head.length; i++) {
    if (head.charCodeAt(i) !== separator) continue;
    const first = head.charCodeAt(last);
    if (first >= 65 && first <= 90) return end;
    end = i;
    last = i + 1;
  }
  return end;
}

export function packageOf(name: string): string {
  return name.slice(0, packageEnd(name));
}

/** True when `name` lies in the package (or namespace, or library) `prefix`. */
export function inPackage(name: string, prefix: string): boolean {
  if (prefix === '' || !name.startsWith(prefix)) return false;
  const next = name.charAt(prefix.length);
  return next === '' || /[^A-Za-z0-9_]/.test(next) || /[^A-Za-z0-9_]$/.test(prefix);
}

/**
 * Cuts a name in the middle so that it fits `room` characters: the package gives way first, because class and
 * method tell more ("org.apa…Foo.bar"); when even those are too long the cut moves into them.
 */
export function cut(name: string, room: number): string {
  if (name.length <= room) return name;
  if (room < 2) return '';
  const end = packageEnd(name);
  const from = end === 0 ? 0 : name.startsWith('::', end) ? end + 2 : end + 1;
  const tail = from > 0 ? name.length - from : 0;
  if (tail > 0 && tail + 1 <= room) return `${name.slice(0, room - tail - 1)}…${name.slice(from)}`;
  const right = Math.floor((room - 1) * 0.6);
  const left = room - 1 - right;
  return `${name.slice(from, from + left)}…${right > 0 ? name.slice(-right) : ''}`;
}
