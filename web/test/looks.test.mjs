// Every page at three widths, light and dark: no console errors, no serious axe finding, nothing wider than the window.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import { workshop } from './browser.mjs';
import * as fixtures from './fixtures.mjs';

const AXE = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const SIZES = [
  [400, 860],
  [1280, 800],
  [3840, 2160],
];
const VIEWS = {
  spark: ['', '#q=spark&hot=1&table=1', '#inspect=org.apache.spark.scheduler.Task.run&time=100_200&table=1'],
  diff: ['', '#side=both&icicle=1'],
  hostile: ['#table=1'],
  empty: [''],
};

let shop;
before(async () => {
  shop = await workshop();
});
after(() => shop.close());

async function serious(page) {
  // Playwright's evaluate is not bound by the page's policy, so the checker can be brought in without weakening it.
  await page.evaluate(AXE);
  const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
  return found.violations
    .filter((violation) => violation.impact === 'serious' || violation.impact === 'critical')
    .map((violation) => `${violation.id}: ${violation.nodes.map((node) => node.html.slice(0, 160)).join(' | ')}`);
}

for (const scheme of ['light', 'dark']) {
  for (const [width, height] of SIZES) {
    test(`${width} px, ${scheme}`, async () => {
      for (const [name, hashes] of Object.entries(VIEWS)) {
        for (const hash of hashes) {
          const { page, errors, close } = await shop.open(name, fixtures[name], { width, height, scheme, hash });
          await page.evaluate(
            () => new Promise((done) => requestAnimationFrame(() => setTimeout(() => requestAnimationFrame(done)))),
          );
          const where = `${name}${hash} at ${width} ${scheme}`;
          assert.deepEqual(await serious(page), [], where);
          assert.ok(
            await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
            `${where} is wider than the window`,
          );
          assert.deepEqual(errors, [], where);
          await close();
        }
      }
    });
  }
}

test('popovers, menu and help are clean too', async () => {
  const { page, errors, close } = await shop.open('spark', fixtures.spark, {});
  await page.locator('#filter-pop summary').click();
  assert.deepEqual(await serious(page), []);
  await page.keyboard.press('Escape');
  await page.locator('#graph').focus();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('m');
  assert.deepEqual(await serious(page), []);
  await page.keyboard.press('Escape');
  await page.keyboard.press('?');
  assert.deepEqual(await serious(page), []);
  assert.deepEqual(errors, []);
  await close();
});

test('the policy forbids everything but what the page brings along', async () => {
  const html = await readFile(new URL('../dist/page.html', import.meta.url), 'utf8');
  const policy = /Content-Security-Policy" content="([^"]+)"/.exec(html)[1];
  assert.match(
    policy,
    /^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; img-src blob: data:;/,
  );
  for (const marker of ['@@TITLE@@', '@@META@@', '@@BODY@@']) assert.equal(html.split(marker).length, 2, marker);
  assert.equal(html.match(/@@[A-Z]+@@/g).length, 3);
});
