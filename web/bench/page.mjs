// Measures the page at a size few profiles reach: node bench/page.mjs [NODES]. Prints one line of JSON.
// All times are in milliseconds in a real browser, from the act to the frame that shows its result.

import { deflateSync } from 'node:zlib';
import { stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { large } from '../test/fixtures.mjs';
import { workshop } from '../test/browser.mjs';

const NODES = Number(process.argv[2] ?? 1_000_000);
const shop = await workshop();
try {
  const profile = large(NODES);
  const names = deflateSync(profile.body.subarray(0, profile.nameBytes), { level: 6 }).length;
  const address = await shop.address('large', () => profile);
  const { size } = await stat(fileURLToPath(address));
  const { page, errors, close } = await shop.open('large', () => profile, { width: 1920, height: 1080 });

  const firstPaint = await page.evaluate(
    () =>
      new Promise((resolve) => {
        const look = () =>
          'drawn' in window.charcloth.marks ? resolve({ ...window.charcloth.marks }) : requestAnimationFrame(look);
        look();
      }),
  );

  /** Runs an act in the page and waits for the frame after it. */
  const timed = (act, argument) =>
    page.evaluate(
      async ([source, value]) => {
        const begin = performance.now();
        new Function('value', source)(value);
        const script = performance.now() - begin;
        await new Promise((resolve) =>
          requestAnimationFrame(() => {
            const channel = new MessageChannel();
            channel.port1.onmessage = resolve;
            channel.port2.postMessage(0);
          }),
        );
        return { script, total: performance.now() - begin };
      },
      [act, argument],
    );

  const key = `document.getElementById('graph').dispatchEvent(
    new KeyboardEvent('keydown', { key: value, bubbles: true, cancelable: true }));`;
  const zooms = [];
  for (let i = 0; i < 12; i++) {
    await timed(key, 'ArrowUp');
    await timed(key, 'ArrowUp');
    zooms.push(await timed(key, 'Enter'));
  }
  for (let i = 0; i < 12; i++) zooms.push(await timed(key, 'Escape'));
  const type = `const box = document.getElementById('search');
    box.value = value;
    box.dispatchEvent(new Event('input', { bubbles: true }));`;
  const searches = [];
  for (const text of ['method12', 'Class5.*9$', 'part[0-9]+', 'nothing at all', ''])
    searches.push(await timed(type, text));

  // Merging by leaf is long work done in slices: how long until it shows, and the longest time the page did not answer.
  const hotspots = await page.evaluate(
    () =>
      new Promise((resolve) => {
        const begin = performance.now();
        const before = window.charcloth.tree().nodes;
        let last = begin;
        let blocked = 0;
        const channel = new MessageChannel();
        channel.port1.onmessage = () => {
          const now = performance.now();
          blocked = Math.max(blocked, now - last);
          last = now;
          if (window.charcloth.tree().nodes === before) channel.port2.postMessage(0);
          else resolve({ total: now - begin, blocked });
        };
        channel.port2.postMessage(0);
        document.getElementById('hotspots').click();
      }),
  );
  const worst = (list, field) => +Math.max(...list.map((item) => item[field])).toFixed(1);
  const median = (list, field) =>
    +list
      .map((item) => item[field])
      .sort((a, b) => a - b)
      [list.length >> 1].toFixed(1);
  console.log(
    JSON.stringify({
      nodes: NODES,
      first_paint_ms: +firstPaint.drawn.toFixed(0),
      steps_ms: Object.fromEntries(Object.entries(firstPaint).map(([name, at]) => [name, +at.toFixed(0)])),
      zoom_ms: { median: median(zooms, 'total'), worst: worst(zooms, 'total'), worst_script: worst(zooms, 'script') },
      search_ms: { median: median(searches, 'total'), worst: worst(searches, 'total') },
      hotspots_ms: { total: +hotspots.total.toFixed(0), longest_block: +hotspots.blocked.toFixed(0) },
      file_bytes: size,
      bytes_per_frame: +((size - (names * 4) / 3) / NODES).toFixed(2),
      errors,
    }),
  );
  await close();
} finally {
  await shop.close();
}
