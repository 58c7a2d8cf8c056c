// The script inside stand-alone SVG pictures, on a picture written as the contract in src/svg.ts says.

import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { DIST, workshop } from './browser.mjs';

const FRAMES = [
  ['all', 0, 100, 0],
  ['main', 0, 100, 1],
  ['pkg.A.a', 0, 60, 2],
  ['pkg.B.b', 0, 40, 3],
  ['pkg.C.c', 60, 40, 2],
  ['pkg.B.b', 60, 40, 3],
  ['<hostile> & "quoted"', 60, 10, 4],
];
const escape = (text) => text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);

function picture(script, inverted) {
  const rows = 5;
  const frames = FRAMES.map(([name, x, w, d]) => {
    const y = 40 + 16 * (inverted ? d : rows - 1 - d);
    return `<g data-x="${x}" data-w="${w}" data-d="${d}">
<title>${escape(name)} (${w} samples, ${w.toFixed(2)}%)</title>
<rect x="${x}%" y="${y}" width="${w}%" height="15" fill="#66bb6a"/>
<text x="${x}%" dx="3" y="${y + 11.5}">${escape(name)}</text>
</g>`;
  });
  return `<svg class="charcloth" xmlns="http://www.w3.org/2000/svg" width="100%" height="160" data-width="1200"
data-inverted="${inverted ? 1 : 0}" data-total="100" data-unit="samples" font-family="monospace" font-size="12">
<text id="title" x="50%" y="20" text-anchor="middle">Title</text>
<text id="unzoom" x="10" y="20" display="none">Reset zoom</text>
<text id="search" x="99%" y="20" text-anchor="end" display="none">Search</text>
<g id="frames">${frames.join('\n')}</g>
<text id="details" x="10" y="150"/>
<text id="matched" x="99%" y="150" text-anchor="end"/>
${script ? `<script><![CDATA[${script}]]></script>` : ''}
</svg>`;
}

let shop;
let script;
before(async () => {
  shop = await workshop();
  script = await readFile(join(DIST, 'svg.js'), 'utf8');
});
after(() => shop.close());

async function open(inverted, code = script, width = 1200) {
  const file = join(shop.folder, `picture-${inverted}.svg`);
  await writeFile(file, picture(code, inverted));
  const page = await shop.browser.newPage({ viewport: { width, height: 400 } });
  const errors = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  await page.goto(pathToFileURL(file).href);
  return { page, errors };
}

const frame = (page, index) => page.locator('#frames > g').nth(index);

for (const inverted of [false, true]) {
  describe(inverted ? 'icicle' : 'flame', () => {
    test('click zooms, reset and Escape show everything', async () => {
      const { page, errors } = await open(inverted);
      await frame(page, 4).locator('rect').click();
      assert.equal(await frame(page, 4).locator('rect').getAttribute('width'), '100%');
      assert.equal(await frame(page, 1).isVisible(), true, 'ancestors stay');
      assert.equal(await frame(page, 2).isVisible(), false, 'neighbours go');
      assert.equal(await frame(page, 6).locator('rect').getAttribute('width'), '25%');
      await page.locator('#unzoom').click();
      assert.equal(await frame(page, 2).isVisible(), true);
      assert.equal(await page.locator('#unzoom').isVisible(), false);
      await frame(page, 2).locator('rect').click();
      await page.keyboard.press('Escape');
      assert.equal(await frame(page, 4).isVisible(), true);
      assert.deepEqual(errors, []);
      await page.close();
    });

    test('search marks matches and counts each stack once', async () => {
      const { page, errors } = await open(inverted);
      page.once('dialog', (dialog) => dialog.accept('pkg\\.[BC]'));
      await page.locator('#search').click();
      assert.equal(await page.locator('#matched').textContent(), 'Matched: 80.00%');
      assert.equal(await frame(page, 2).locator('rect').getAttribute('fill'), '#e4e4e7');
      assert.equal(await frame(page, 3).locator('rect').getAttribute('fill'), '#66bb6a');
      await page.keyboard.press('Escape');
      assert.equal(await page.locator('#matched').textContent(), '');
      for (const key of ['/', 'Control+f']) {
        page.once('dialog', (dialog) => dialog.accept('<hostile'));
        await page.keyboard.press(key);
        assert.equal(await page.locator('#matched').textContent(), 'Matched: 10.00%');
      }
      assert.deepEqual(errors, []);
      await page.close();
    });
  });
}

test('the details line follows the pointer; texts fit the window', async () => {
  const { page } = await open(false, script, 300);
  await frame(page, 6).hover();
  assert.equal(await page.locator('#details').textContent(), '<hostile> & "quoted" (10 samples, 10.00%)');
  assert.match(await frame(page, 6).locator('text').textContent(), /^(.{0,3}|.*….*)$/);
  await page.setViewportSize({ width: 3000, height: 400 });
  await page.waitForFunction(
    () => document.querySelectorAll('#frames > g')[6].querySelector('text').textContent === '<hostile> & "quoted"',
  );
  await page.close();
});

test('without its script the picture still reads: no buttons that do nothing', async () => {
  const { page } = await open(false, '');
  assert.equal(await page.locator('#search').isVisible(), false);
  assert.equal(await page.locator('#unzoom').isVisible(), false);
  assert.equal(await frame(page, 2).locator('text').textContent(), 'pkg.A.a');
  await page.close();
});
