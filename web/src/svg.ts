/*
 * The script inside a stand-alone SVG flame graph: zoom, search, details. The picture reads well without it, as a
 * sanitizing wiki shows it; the script adds hands. What the writer (src/render/svg.c) puts into the file:
 *
 *   <svg class="charcloth" width="1200" height="H" viewBox="0 0 1200 H" data-width="1200" data-fluid="1"
 *        data-inverted="0|1" data-total="T" data-unit="samples" xmlns="http://www.w3.org/2000/svg">
 *     <text id="title" …>   <text id="details" …/>   <text id="matched" …/>
 *     <text id="search" display="none" …>Search</text>   <text id="unzoom" display="none" …>Reset zoom</text>
 *     <g id="frames">
 *       <g data-x="START" data-w="WIDTH" data-d="DEPTH">            integers in units of weight; the root has depth 0
 *         <title>NAME (1,234 samples, 12.34%)</title>
 *         <rect x="12.5%" y="PX" width="3.1%" height="15" fill="#rrggbb"/>
 *         <text x="12.5%" dx="3" y="PX">short name</text>            absent or empty when nothing fits
 *       </g> …
 *     </g>
 *     <script><![CDATA[ this file ]]></script>
 *   </svg>
 *
 * As an image the file has a size of its own and scales; opened in a window the script lets it follow the window, unless
 * the user asked for a width (no data-fluid). x and width are percentages, so this takes no more than that; texts are
 * cut for `data-width` pixels and cut again by the script for the real width. `data-n` on a frame gives its full name where the title does not begin
 * with it. Depth alone decides what lies above what, so flame (root at the bottom) and icicle need no difference.
 */

interface Frame {
  box: SVGGElement;
  rect: SVGRectElement;
  text: SVGTextElement;
  fill: string;
  name: string;
  title: string;
  x: number;
  w: number;
  d: number;
  /** Share of the picture's width in the present zoom; 0 when out of sight. */
  share: number;
}

const NS = 'http://www.w3.org/2000/svg';
const PALE = '#e4e4e7';

function start(): void {
  const svg = document.querySelector<SVGSVGElement>('svg.charcloth');
  if (!svg) return;
  if (svg.dataset['fluid']) {
    svg.removeAttribute('viewBox');
    svg.setAttribute('width', '100%');
  }
  const part = (id: string): SVGTextElement | null => svg.querySelector<SVGTextElement>(`#${id}`);
  const total = Number(svg.dataset['total']) || 1;
  const frames = [...svg.querySelectorAll<SVGGElement>('#frames > g')].map(read);
  const byBox = new Map<Element, Frame>(frames.map((frame) => [frame.box, frame]));
  const details = part('details');
  const matched = part('matched');
  const unzoom = part('unzoom');
  let zoomed: Frame | null = null;
  let pattern: RegExp | null = null;

  function read(box: SVGGElement): Frame {
    const title = box.querySelector('title')?.textContent ?? '';
    const rect = box.querySelector('rect')!;
    let text = box.querySelector('text');
    if (!text) {
      text = document.createElementNS(NS, 'text');
      text.setAttribute('dx', '3');
      text.setAttribute('y', String(Number(rect.getAttribute('y')) + 11.5));
      box.append(text);
    }
    return {
      box,
      rect,
      text,
      title,
      fill: rect.getAttribute('fill') ?? '',
      name: box.dataset['n'] ?? title.replace(/ \([^()]*\)$/, ''),
      x: Number(box.dataset['x']),
      w: Number(box.dataset['w']),
      d: Number(box.dataset['d']),
      share: 0,
    };
  }

  /** Width of one letter, measured once: the font is monospace, but which one is the reader's choice. */
  let letter = 0;
  function letterWidth(): number {
    if (letter > 0) return letter;
    const probe = document.createElementNS(NS, 'text');
    probe.textContent = 'abcdefghij';
    svg!.append(probe);
    letter = probe.getComputedTextLength() / 10 || 7.2;
    probe.remove();
    return letter;
  }

  function cut(name: string, room: number): string {
    if (room < 3) return '';
    if (name.length <= room) return name;
    const right = Math.floor((room - 1) * 0.7);
    return `${name.slice(0, room - 1 - right)}…${name.slice(-right)}`;
  }

  function fit(): void {
    const width = svg!.getBoundingClientRect().width || Number(svg!.dataset['width']) || 1200;
    for (const frame of frames) {
      if (frame.share > 0)
        frame.text.textContent = cut(frame.name, Math.floor((frame.share * width - 6) / letterWidth()));
    }
  }

  function place(): void {
    const from = zoomed ? zoomed.x : 0;
    const span = zoomed ? zoomed.w : total;
    const depth = zoomed ? zoomed.d : -1;
    for (const frame of frames) {
      const left = Math.max(frame.x, from);
      const right = Math.min(frame.x + frame.w, from + span);
      // Frames as deep as the zoomed one or deeper must lie inside it, the others around it.
      const seen = right > left && (frame.d > depth || frame === zoomed || (frame.d < depth && frame.w >= span));
      frame.share = seen ? (right - left) / span : 0;
      frame.box.style.display = seen ? '' : 'none';
      if (!seen) continue;
      const x = `${((left - from) / span) * 100}%`;
      frame.rect.setAttribute('x', x);
      frame.rect.setAttribute('width', `${frame.share * 100}%`);
      frame.text.setAttribute('x', x);
      frame.box.style.opacity = frame.d < depth ? '0.75' : '';
    }
    unzoom?.setAttribute('display', zoomed ? '' : 'none');
    fit();
  }

  function zoom(to: Frame | null): void {
    // The root shows everything: that is no zoom.
    zoomed = to && to.w < total ? to : null;
    place();
  }

  /** Weight of stacks with a match: outermost matches only, each stretch of x once. */
  function mark(): void {
    let covered = 0;
    let end = -1;
    const order = frames.slice().sort((a, b) => a.x - b.x || a.d - b.d);
    for (const frame of order) {
      const hit = pattern !== null && pattern.test(frame.name);
      frame.rect.setAttribute('fill', pattern && !hit ? PALE : frame.fill);
      if (!hit) continue;
      const from = Math.max(frame.x, end);
      end = Math.max(end, frame.x + frame.w);
      covered += Math.max(0, end - from);
    }
    if (matched) matched.textContent = pattern ? `Matched: ${((covered / total) * 100).toFixed(2)}%` : '';
    const label = part('search');
    if (label) label.textContent = pattern ? 'Clear search' : 'Search';
  }

  function search(text: string | null): void {
    if (text) {
      const flags = /[A-Z]/.test(text) ? '' : 'i';
      try {
        pattern = new RegExp(text, flags);
      } catch {
        pattern = new RegExp(text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'), flags);
      }
    } else {
      pattern = null;
    }
    mark();
  }

  const ask = (): void => search(pattern ? null : prompt('Search frames by regular expression', ''));
  const frameOf = (target: EventTarget | null): Frame | undefined => {
    const box = target instanceof Element ? target.closest('#frames > g') : null;
    return box ? byBox.get(box) : undefined;
  };

  svg.addEventListener('click', (event) => {
    const target = event.target as Element;
    const frame = frameOf(target);
    if (frame) zoom(frame);
    else if (target.closest('#unzoom')) zoom(null);
    else if (target.closest('#search')) ask();
  });
  svg.addEventListener('mouseover', (event) => {
    if (details) details.textContent = frameOf(event.target)?.title ?? '';
  });
  window.addEventListener('keydown', (event) => {
    const find = (event.ctrlKey || event.metaKey) && event.key === 'f';
    if (find || (event.key === '/' && !event.ctrlKey)) {
      event.preventDefault();
      pattern = null;
      ask();
    } else if (event.key === 'Escape') {
      if (pattern) search(null);
      else zoom(null);
    }
  });
  window.addEventListener('resize', fit);
  part('search')?.removeAttribute('display');
  for (const id of ['search', 'unzoom', 'frames']) svg.querySelector<SVGElement>(`#${id}`)!.style.cursor = 'pointer';
  place();
}

start();
