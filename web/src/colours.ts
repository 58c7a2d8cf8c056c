/*
 * Flame colours. Every fill is made in OKLCH, where equal lightness looks equally light, so that one rule gives
 * readable text on all of them; within a kind the lightness varies by package so that neighbours part.
 */

import type { Profile } from './decode';
import { inPackage, packageOf } from './format';
import { LABEL_KIND } from './select';

export type ColourMode = 'kind' | 'package' | 'mine' | 'diff';

type Rgb = [number, number, number];

interface Kind {
  name: string;
  lightness: number;
  chroma: number;
  hue: number;
}

/** By kind code of docs/page-format.md. */
export const KINDS: Kind[] = [
  { name: 'other', lightness: 0.8, chroma: 0.012, hue: 260 },
  { name: 'Java, compiled', lightness: 0.72, chroma: 0.14, hue: 147 },
  { name: 'Java, C1', lightness: 0.82, chroma: 0.13, hue: 142 },
  { name: 'Java, interpreted', lightness: 0.9, chroma: 0.075, hue: 138 },
  { name: 'Java, inlined', lightness: 0.77, chroma: 0.095, hue: 182 },
  { name: 'native', lightness: 0.88, chroma: 0.145, hue: 98 },
  { name: 'JVM', lightness: 0.79, chroma: 0.14, hue: 67 },
  { name: 'kernel', lightness: 0.72, chroma: 0.155, hue: 37 },
  { name: 'Python', lightness: 0.74, chroma: 0.115, hue: 248 },
  { name: 'allocated class', lightness: 0.74, chroma: 0.115, hue: 302 },
  { name: 'lock', lightness: 0.74, chroma: 0.15, hue: 347 },
  { name: 'label', lightness: 0.86, chroma: 0.02, hue: 260 },
];

const SHADES = 6;
const DIFF_STEPS = 12;

function oklch(lightness: number, chroma: number, hue: number): Rgb {
  const a = chroma * Math.cos((hue * Math.PI) / 180);
  const b = chroma * Math.sin((hue * Math.PI) / 180);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const gamma = (v: number): number => {
    const c = Math.min(1, Math.max(0, v));
    return Math.round(255 * (c <= 0.0031308 ? 12.92 * c : 1.055 * c ** (1 / 2.4) - 0.055));
  };
  return [
    gamma(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    gamma(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    gamma(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
  ];
}

const hex = (c: Rgb): string => `#${c.map((v) => v.toString(16).padStart(2, '0')).join('')}`;
const mix = (a: Rgb, b: Rgb, share: number): Rgb => a.map((v, i) => Math.round(v + (b[i]! - v) * share)) as Rgb;

function luminance(c: Rgb): number {
  const [r, g, b] = c.map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
}

export function contrast(a: Rgb, b: Rgb): number {
  const [high, low] = [luminance(a), luminance(b)].sort((p, q) => q - p);
  return (high! + 0.05) / (low! + 0.05);
}

const INK: Rgb = [16, 18, 22];
const PAPER: Rgb = [246, 247, 249];
const QUIET_CONTRAST = 5;

export interface Theme {
  dark: boolean;
  /** What lies behind the flames; faded colours sink into it. */
  surface: Rgb;
  text: string;
  muted: string;
  accent: string;
  line: string;
}

export interface Swatch {
  fill: string;
  ink: string;
  fadedFill: string;
  fadedInk: string;
  /** Lowest contrast of text on the two fills, checked by the tests. */
  contrast: number;
}

const readable = (on: Rgb): Rgb => (contrast(INK, on) >= contrast(PAPER, on) ? INK : PAPER);

/** As quiet as text may be on this fill without becoming hard to read. */
function quiet(on: Rgb): Rgb {
  const loud = readable(on);
  for (let share = 0.5; share > 0; share -= 0.05) {
    const text = mix(loud, on, share);
    if (contrast(text, on) >= QUIET_CONTRAST) return text;
  }
  return loud;
}

function swatch(fill: Rgb, theme: Theme): Swatch {
  const faded = mix(fill, theme.surface, 0.78);
  return {
    fill: hex(fill),
    ink: hex(readable(fill)),
    fadedFill: hex(faded),
    fadedInk: hex(quiet(faded)),
    contrast: Math.min(contrast(readable(fill), fill), contrast(quiet(faded), faded)),
  };
}

function hash(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  return (h ^ (h >>> 15)) >>> 0;
}

/** Dark pages dim the flames a little, or they would glare. */
const dim = (theme: Theme): number => (theme.dark ? 0.05 : 0);

function kindColour(kind: number, shade: number, theme: Theme): Rgb {
  const { lightness, chroma, hue } = KINDS[kind] ?? KINDS[0]!;
  const offset = (shade / (SHADES - 1) - 0.5) * 0.07;
  return oklch(lightness + offset - dim(theme), chroma, hue);
}

/** Maps frames (and in a comparison, nodes) to swatches. Frames get theirs when first drawn: most never are. */
export class Palette {
  readonly swatches: Swatch[] = [];
  private readonly byKey = new Map<string, number>();
  /** Swatch per frame plus one, 0 while unknown; the last entry is for the root. */
  private readonly ofFrame: Uint16Array;
  /** 1 for frames that are not my code. */
  private readonly fadedFrame: Uint8Array;

  constructor(
    private readonly profile: Profile,
    private readonly mode: ColourMode,
    private readonly theme: Theme,
    private readonly mine: string[],
  ) {
    this.ofFrame = new Uint16Array(profile.frameString.length + 1);
    this.fadedFrame = new Uint8Array(profile.frameString.length + 1);
    if (mode === 'diff') this.addDiff(theme);
  }

  private swatchFor(key: string, make: () => Rgb): number {
    let at = this.byKey.get(key);
    if (at === undefined) this.byKey.set(key, (at = this.swatches.push(swatch(make(), this.theme)) - 1));
    return at;
  }

  private colour(frame: number): number {
    const { profile, theme } = this;
    const kind = Math.min(profile.frameKind[frame]!, KINDS.length - 1);
    const name = profile.strings.at(profile.frameString[frame]!);
    const group = hash(packageOf(name) || name);
    if (this.mode === 'package' && kind !== LABEL_KIND) {
      const hue = group % 36;
      const shade = (group >>> 8) % 3;
      return this.swatchFor(`package ${hue} ${shade}`, () => oklch(0.74 + shade * 0.045 - dim(theme), 0.115, hue * 10));
    }
    if (this.mode === 'mine' && kind !== LABEL_KIND) {
      this.fadedFrame[frame] = this.mine.some((prefix) => inPackage(name, prefix)) ? 0 : 1;
    }
    const shade = group % SHADES;
    return this.swatchFor(`kind ${kind} ${shade}`, () => kindColour(kind, shade, theme));
  }

  private addDiff(theme: Theme): void {
    const neutral = oklch(theme.dark ? 0.66 : 0.9, 0.006, 260);
    const more = oklch(0.74 - dim(theme), 0.165, 56);
    const less = oklch(0.7 - dim(theme), 0.14, 250);
    for (let i = -DIFF_STEPS; i <= DIFF_STEPS; i++) {
      this.swatches.push(swatch(mix(neutral, i < 0 ? less : more, Math.abs(i) / DIFF_STEPS), theme));
    }
  }

  frame(frame: number): Swatch {
    const at = frame < 0 ? this.ofFrame.length - 1 : frame;
    if (this.ofFrame[at] === 0) {
      const root = (): Rgb => oklch(this.theme.dark ? 0.7 : 0.87, 0.012, 260);
      this.ofFrame[at] = 1 + (frame < 0 ? this.swatchFor('root', root) : this.colour(frame));
    }
    return this.swatches[this.ofFrame[at]! - 1]!;
  }

  /** Whether a frame is not "my code"; known once its colour was asked for. */
  faded(frame: number): boolean {
    return frame >= 0 && this.fadedFrame[frame] === 1;
  }

  /** `change` in shares of the total; `full` is the change that gets the full colour. */
  change(change: number, full: number): Swatch {
    const strength = Math.min(1, Math.abs(change) / full) ** 0.5;
    const step = Math.ceil(strength * DIFF_STEPS - 1e-9);
    return this.swatches[DIFF_STEPS + (change < 0 ? -step : step)]!;
  }
}

/** The middle shade of a kind, for legends. */
export function kindSwatch(kind: number, theme: Theme): string {
  return hex(kindColour(kind, SHADES / 2, theme));
}

export function readTheme(root: HTMLElement): Theme {
  const style = getComputedStyle(root);
  const get = (name: string): string => style.getPropertyValue(name).trim();
  const surface = get('--surface');
  return {
    dark: get('--dark') === '1',
    surface: [1, 3, 5].map((at) => parseInt(surface.slice(at, at + 2), 16)) as Rgb,
    text: get('--text'),
    muted: get('--muted'),
    accent: get('--accent'),
    line: get('--line'),
  };
}
