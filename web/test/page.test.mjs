// The page in a real browser: what a hand or a keyboard does, and what must come of it.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { workshop } from './browser.mjs';
import * as fixtures from './fixtures.mjs';

let shop;
before(async () => {
  shop = await workshop();
});
after(() => shop.close());

/** Opens a page, runs the test on it, and insists on a clean console. */
const on = (fixture, options, body) => async () => {
  const { page, errors, close } = await shop.open(fixture, fixtures[fixture], options);
  try {
    await body(page, handle(page));
    assert.deepEqual(errors, []);
  } finally {
    await close();
  }
};

function handle(page) {
  const ask = (name, ...args) => page.evaluate(([n, a]) => window.charcloth[n](...a), [name, args]);
  const self = {
    tree: () => ask('tree'),
    state: () => ask('state'),
    names: () => ask('names'),
    hash: () => page.evaluate(() => decodeURIComponent(location.hash)),
    click: async (name, options) => {
      const spot = await ask('find', name);
      assert.ok(spot, `${name} is in the picture`);
      await page.mouse.click(spot.x, spot.y, options);
    },
    hover: async (name) => {
      const spot = await ask('find', name);
      await page.mouse.move(spot.x, spot.y);
    },
    /** Waits until a reading of the tree agrees. */
    until: (field, value) => page.waitForFunction(([f, v]) => window.charcloth.tree()[f] === v, [field, value]),
    text: (selector) => page.locator(selector).innerText(),
  };
  return self;
}

describe('zoom', () => {
  test(
    'click zooms, double click and Escape go back, the back button undoes',
    on('small', {}, async (page, at) => {
      await at.click('pkg.C.c');
      await at.until('zoom', 'pkg.C.c');
      assert.equal((await at.tree()).zoomShare, 0.4);
      assert.match(await at.hash(), /zoom=/);
      await at.click('pkg.B.b');
      await at.until('zoom', 'pkg.B.b');
      await page.keyboard.press('Escape');
      await at.until('zoom', 'pkg.C.c');
      await page.keyboard.press('Escape');
      await at.until('zoom', 'all');
      await page.goBack();
      await at.until('zoom', 'pkg.C.c');
      const spot = await page.evaluate(() => window.charcloth.find('pkg.B.b'));
      await page.mouse.dblclick(spot.x, spot.y);
      await at.until('zoom', 'all');
    }),
  );

  test(
    'a link reproduces the view',
    on('small', {}, async (page, at) => {
      await at.click('pkg.A.a');
      await page.keyboard.press('i');
      await page.locator('#search').fill('B\\.b');
      const { state, url } = { state: await at.state(), url: page.url() };
      const other = await page.context().newPage();
      await other.goto(url);
      await other.waitForFunction(() => window.charcloth !== undefined);
      assert.deepEqual(await other.evaluate(() => window.charcloth.state()), state);
      assert.equal((await other.evaluate(() => window.charcloth.tree())).zoom, 'pkg.A.a');
      assert.equal(await other.locator('#search').inputValue(), 'B\\.b');
    }),
  );

  test(
    'a nonsense hash shows the first view',
    on('small', { hash: '#zoom=zz.zz&time=9_1&part=7_8&event=none&label=x&filter=q&sort=up' }, async (page, at) => {
      assert.equal((await at.tree()).width, 1e9);
      assert.equal((await at.tree()).zoom, 'all');
    }),
  );

  test(
    'a band of narrow frames opens on click',
    on('narrow', { width: 1000 }, async (page, at) => {
      const box = await page.locator('#canvas').boundingBox();
      const spot = await page.evaluate(() => window.charcloth.find('pkg.Wide.w'));
      await page.mouse.move(box.x + 50, spot.y);
      await page.locator('#tip', { hasText: 'narrower than half a pixel' }).waitFor();
      await page.mouse.click(box.x + 50, spot.y);
      await page.waitForFunction(() => window.charcloth.state().part !== null);
      await page.keyboard.press('Escape');
      await page.waitForFunction(() => window.charcloth.state().part === null);
    }),
  );

  test(
    'Ctrl wheel zooms about the pointer, Shift wheel pans',
    on('small', {}, async (page, at) => {
      await at.hover('pkg.C.c');
      await page.keyboard.down('Control');
      await page.mouse.wheel(0, -50);
      await page.keyboard.up('Control');
      await page.waitForFunction(() => window.charcloth.state().part !== null);
      const [from] = (await at.state()).part;
      await page.keyboard.down('Shift');
      await page.mouse.wheel(0, -40);
      await page.keyboard.up('Shift');
      await page.waitForFunction((left) => window.charcloth.state().part[0] < left, from);
    }),
  );

  test(
    'a deep stack scrolls, its root first, and links stay short enough to share',
    on('deep', {}, async (page, at) => {
      const top = () => page.evaluate(() => document.getElementById('graph').scrollTop);
      const home = await top();
      assert.ok(home > 40_000);
      await at.click('pkg.Deep3.call');
      await at.until('zoom', 'pkg.Deep3.call');
      for (let i = 0; i < 60; i++) await page.keyboard.press('ArrowUp');
      await at.until('selected', 'pkg.Deep63.call');
      await page.waitForFunction((before) => document.getElementById('graph').scrollTop < before, home);
      await page.keyboard.press('Enter');
      await at.until('zoom', 'pkg.Deep63.call');
      assert.ok((await at.hash()).length < 400);
    }),
  );

  test(
    'a tap zooms on a touch screen',
    on('small', { touch: true, width: 400 }, async (page, at) => {
      await page.locator('#graph').scrollIntoViewIfNeeded();
      const spot = await page.evaluate(() => window.charcloth.find('pkg.C.c'));
      await page.touchscreen.tap(spot.x, spot.y);
      await at.until('zoom', 'pkg.C.c');
    }),
  );
});

describe('keyboard', () => {
  test(
    'arrows walk the frames and say where they are, Enter zooms',
    on('small', {}, async (page, at) => {
      await page.locator('#graph').focus();
      await page.keyboard.press('ArrowUp');
      await page.keyboard.press('ArrowUp');
      await at.until('selected', 'main');
      await page.keyboard.press('ArrowUp');
      await at.until('selected', 'pkg.A.a');
      await page.keyboard.press('ArrowRight');
      await at.until('selected', 'pkg.C.c');
      assert.match(
        await page.locator('#live').textContent(),
        /^pkg\.C\.c, Java, compiled, Total 40\.00%, Self 0\.00%, level 2$/,
      );
      await page.keyboard.press('Enter');
      await at.until('zoom', 'pkg.C.c');
      await page.keyboard.press('i');
      await page.keyboard.press('ArrowDown');
      await at.until('selected', 'pkg.B.b');
    }),
  );

  test(
    '/ searches, n walks the matches from the widest, Escape clears',
    on('small', {}, async (page, at) => {
      await page.keyboard.press('/');
      await page.keyboard.type('b\\.b');
      await page.locator('#matched', { hasText: '80.00% matched' }).waitFor();
      await page.keyboard.press('Enter');
      await at.until('selected', 'pkg.B.b');
      assert.match(await page.locator('#live').textContent(), /^Match 1 of 2/);
      await page.locator('#graph').focus();
      await page.keyboard.press('n');
      assert.match(await page.locator('#live').textContent(), /^Match 2 of 2/);
      await page.keyboard.press('N');
      assert.match(await page.locator('#live').textContent(), /^Match 1 of 2/);
      await page.keyboard.press('/');
      await page.keyboard.press('Escape');
      await page.waitForFunction(() => window.charcloth.state().search === '');
    }),
  );

  test(
    'a broken expression is said to be read as text',
    on('small', {}, async (page) => {
      await page.locator('#search').fill('b(');
      await page.locator('#matched', { hasText: 'read as plain text' }).waitFor();
    }),
  );

  test(
    'i, r, t and ? do what the help says',
    on('small', {}, async (page, at) => {
      await page.keyboard.press('i');
      assert.equal(await page.locator('#icicle').getAttribute('aria-pressed'), 'true');
      await page.keyboard.press('r');
      assert.equal((await at.state()).hotspots, true);
      assert.equal(await page.locator('#table').isVisible(), true);
      await page.keyboard.press('t');
      assert.equal(await page.locator('#table').isVisible(), false);
      await page.keyboard.press('?');
      await page.locator('#help', { hasText: 'walk the frames' }).waitFor();
      await page.keyboard.press('Escape');
      await page.locator('#help').waitFor({ state: 'hidden' });
    }),
  );

  test(
    'every control can be reached with Tab',
    on('spark', {}, async (page) => {
      const wanted = [
        'search',
        'event',
        'metric',
        'flame',
        'icicle',
        'stacks',
        'hotspots',
        'colour',
        'table-toggle',
        'theme',
        'help-open',
        'graph',
      ];
      const seen = new Set();
      for (let i = 0; i < 60; i++) {
        await page.keyboard.press('Tab');
        seen.add(
          await page.evaluate(
            () => document.activeElement?.id || document.activeElement?.className || document.activeElement?.tagName,
          ),
        );
      }
      for (const id of [...wanted, 'grip', 'rows', 'SUMMARY']) assert.ok(seen.has(id), `${id} in ${[...seen]}`);
    }),
  );

  test(
    'the menu of a frame opens by key, walks by arrows, closes by Escape',
    on('small', {}, async (page, at) => {
      await at.click('pkg.A.a');
      await page.keyboard.press('m');
      await page.locator('#menu').waitFor();
      await page.keyboard.press('ArrowDown');
      assert.match(await page.evaluate(() => document.activeElement.textContent), /^Inspect/);
      await page.keyboard.press('Escape');
      await page.locator('#menu').waitFor({ state: 'hidden' });
      assert.equal(await page.evaluate(() => document.activeElement.id), 'graph');
    }),
  );
});

describe('views', () => {
  test(
    'hotspots, inspect and back to stacks',
    on('small', {}, async (page, at) => {
      await page.locator('#hotspots').click();
      await at.click('pkg.B.b');
      await at.until('zoomShare', 0.7);
      await page.keyboard.press('c');
      await page.waitForFunction(() => window.charcloth.state().inspect === 'pkg.B.b');
      assert.equal((await at.tree()).width, 80e7);
      await at.click('main');
      await page.waitForFunction(() => window.charcloth.tree().depth === -2);
      await page.locator('#stacks').click();
      await at.until('width', 1e9);
      await page.goBack();
      await page.waitForFunction(() => window.charcloth.state().inspect === 'pkg.B.b');
    }),
  );

  test(
    'the matched share means the same stacks in every view',
    on('sides', { hash: '#q=Caller%7CCallee' }, async (page) => {
      await page.locator('#matched', { hasText: '80.56% matched' }).waitFor();
      await page.locator('#hotspots').click();
      await page.locator('#matched', { hasText: '80.56% matched' }).waitFor();
      await page.evaluate(() => (location.hash += '&inspect=pkg.Mid.m'));
      // 25 of 36: the stack without the inspected frame no longer counts.
      await page.locator('#matched', { hasText: '69.44% matched' }).waitFor();
    }),
  );

  test(
    'hide, focus and drop leave chips that undo them',
    on('small', {}, async (page, at) => {
      await at.click('pkg.C.c');
      await page.keyboard.press('h');
      await page.locator('#chips', { hasText: 'Hidden: pkg.C.c' }).waitFor();
      assert.equal(await page.evaluate(() => window.charcloth.find('pkg.C.c')), null);
      assert.equal((await at.tree()).width, 1e9);
      await page.getByRole('button', { name: 'Remove Hidden: pkg.C.c' }).click();
      await page.keyboard.press('0');
      await at.click('pkg.A.a');
      await page.locator('#detail').getByRole('button', { name: 'Focus' }).click();
      await at.until('width', 60e7);
      await page.goBack();
      await at.until('width', 1e9);
      await page.locator('#graph').focus();
      await page.keyboard.press('x');
      await at.until('width', 40e7);
      assert.match(await at.text('#facts'), /40\.00% of all/);
    }),
  );

  test(
    'packages can be hidden by name',
    on('small', {}, async (page, at) => {
      await page.locator('#filter-pop summary').click();
      await page.getByLabel('Package prefix', { exact: true }).fill('pkg');
      await page.locator('#filter-panel').getByRole('button', { name: 'Hide' }).click();
      await page.waitForFunction(() => window.charcloth.find('pkg.A.a') === null);
      assert.equal((await at.tree()).nodes, 2);
    }),
  );

  test(
    'what is filtered to nothing says so and offers the way back',
    on('small', { hash: '#filter=df:main' }, async (page, at) => {
      await page.locator('#empty', { hasText: 'No samples left' }).waitFor();
      await page.getByRole('button', { name: 'Clear filters' }).click();
      await at.until('width', 1e9);
    }),
  );

  test(
    'events, widths and labels can be switched',
    on('spark', {}, async (page, at) => {
      await page.locator('#metric').selectOption('samples');
      await at.until('width', 6000);
      await page.locator('#event').selectOption({ label: 'alloc' });
      await at.until('width', 2500);
      assert.match(await at.hash(), /event=alloc/);
      await page.locator('#filter-pop summary').click();
      await page.locator('select[data-label="stage"]').selectOption({ index: 1 });
      await page.locator('#chips', { hasText: 'stage: 9' }).waitFor();
      const part = (await at.tree()).width;
      assert.ok(part > 0 && part < 2500);
      await page.locator('select[data-label="/split"]').selectOption('thread');
      await page.waitForFunction(() => window.charcloth.find('thread=GC Thread#0') !== null);
      assert.equal((await at.tree()).width, part);
    }),
  );

  test(
    'colours by package and by own code',
    on('spark', { hash: '#colour=mine&mine=com.acme' }, async (page, at) => {
      assert.equal(await page.locator('#mine').inputValue(), 'com.acme');
      await page.locator('#colour').selectOption('package');
      assert.match(await at.hash(), /colour=package/);
      for (const contrast of await page.evaluate(() => window.charcloth.contrasts())) assert.ok(contrast >= 4.5);
    }),
  );

  test(
    'the widest path leads to where most is spent',
    on('small', {}, async (page, at) => {
      assert.match(await at.text('#path'), /Widest path 40\.00% of all main › A\.a › B\.b/);
      await page.locator('#path').getByRole('button', { name: 'B.b' }).click();
      await at.until('zoom', 'pkg.B.b');
    }),
  );
});

describe('table', () => {
  test(
    'sorts, filters, copies, and points at the picture',
    on('small', {}, async (page, at) => {
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await page.waitForFunction(() => window.charcloth.names().length === 4);
      assert.deepEqual(await at.names(), ['pkg.B.b', 'pkg.A.a', 'pkg.C.c', 'main']);
      await page.getByRole('columnheader', { name: 'Total %' }).getByRole('button').click();
      await page.waitForFunction(() => window.charcloth.names()[0] === 'main');
      await page.getByRole('columnheader', { name: 'Method' }).getByRole('button').click();
      await page.waitForFunction(
        () => window.charcloth.names()[0] === 'main' && window.charcloth.names()[1] === 'pkg.A.a',
      );
      await page.getByLabel('Filter rows').fill('c\\.c|b\\.b');
      await page.waitForFunction(() => window.charcloth.names().length === 2);
      await page.getByRole('button', { name: 'Copy TSV' }).click();
      await page.waitForFunction(() => document.getElementById('live').textContent === 'Copied 2 rows');
      assert.equal(
        await page.evaluate(() => navigator.clipboard.readText()),
        'method\tself samples\tself ns\ttotal samples\ttotal ns\npkg.B.b\t70\t700000000\t80\t800000000\npkg.C.c\t10\t100000000\t40\t400000000\n',
      );
    }),
  );

  test(
    'rows by keyboard: arrows choose, Enter inspects; the picture marks its row',
    on('small', {}, async (page, at) => {
      await page.locator('.body-row').first().waitFor();
      await page.locator('.rows').focus();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowDown');
      await page.locator('.body-row.on', { hasText: 'pkg.A.a' }).waitFor();
      await page.keyboard.press('Enter');
      await page.waitForFunction(() => window.charcloth.state().inspect === 'pkg.A.a');
      await page.goBack();
      await at.hover('pkg.C.c');
      await page.locator('.body-row.hot', { hasText: 'pkg.C.c' }).waitFor();
    }),
  );
});

describe('time', () => {
  test(
    'a brush filters the picture, a click clears it',
    on('spark', { hash: '#metric=samples' }, async (page, at) => {
      const box = await page.locator('.time-box canvas').boundingBox();
      const y = box.y + box.height / 2;
      await page.mouse.move(box.x + box.width * 0.25, y);
      await page.mouse.down();
      await page.mouse.move(box.x + box.width * 0.5, y, { steps: 3 });
      await page.mouse.up();
      await page.waitForFunction(() => window.charcloth.state().time !== null);
      const { time } = await at.state();
      assert.ok(Math.abs(time[0] - 150) <= 2 && Math.abs(time[1] - 300) <= 2, String(time));
      const part = (await at.tree()).width;
      assert.ok(part > 500 && part < 3000);
      assert.match(await at.text('.time-line'), /13:58:15.* – 13:58:30.* local/);
      assert.match(await at.text('.time-line'), /11:58:15.* – 11:58:30.* UTC/);
      await page.mouse.click(box.x + box.width * 0.75, y);
      await at.until('width', 6000);
    }),
  );

  test(
    'the ends of the brush move by keys',
    on('spark', {}, async (page, at) => {
      await page.getByRole('slider', { name: 'Start of the time range' }).focus();
      await page.keyboard.press('PageUp');
      await page.keyboard.press('ArrowRight');
      assert.deepEqual((await at.state()).time, [31, 599]);
      await page.keyboard.press('Home');
      assert.equal((await at.state()).time, null);
    }),
  );
});

describe('comparison', () => {
  test(
    'shares of each side, orange and blue, widths of either side',
    on('diff', {}, async (page, at) => {
      assert.equal((await at.tree()).width, 200);
      await page.waitForFunction(() => window.charcloth.names().length === 6);
      assert.equal((await at.names())[0], 'pkg.C.c');
      assert.match(
        await page.locator('.body-row', { hasText: 'pkg.C.c' }).innerText(),
        /20\.00%\s+50\.00%\s+\+30\.00 pt/,
      );
      assert.match(await page.locator('.body-row', { hasText: 'Gone' }).innerText(), /−20\.00 pt/);
      assert.equal(await page.evaluate(() => window.charcloth.find('pkg.Gone.gone')), null);
      await page.locator('#side').selectOption('before');
      await page.waitForFunction(() => window.charcloth.find('pkg.Gone.gone') !== null);
      await page.locator('#side').selectOption('both');
      await page.waitForFunction(
        () => window.charcloth.find('pkg.Gone.gone') !== null && window.charcloth.find('pkg.Fresh.fresh') !== null,
      );
      await at.hover('pkg.C.c');
      await page.locator('#tip', { hasText: '+30.00 pt' }).waitFor();
      for (const contrast of await page.evaluate(() => window.charcloth.contrasts())) assert.ok(contrast >= 4.5);
    }),
  );
});

describe('hostile names', () => {
  test(
    'are text everywhere',
    on('hostile', {}, async (page, at) => {
      assert.equal(await at.text('#title'), fixtures.HOSTILE[0]);
      for (const name of fixtures.HOSTILE) {
        await at.hover(name);
        await page.locator('#tip').waitFor();
      }
      assert.ok((await page.evaluate(() => window.charcloth.find('a\u202eevil\u202c.b'))) !== null);
      await at.hover('a\u202eevil\u202c.b');
      await page.locator('#tip', { hasText: 'a⟨U+202E⟩evil⟨U+202C⟩.b' }).waitFor();
      await at.click(fixtures.HOSTILE[5]);
      await page.keyboard.press('f');
      await page.keyboard.press('c');
      await page.locator('#filter-pop summary').click();
      await page.locator('#filter-pop summary').click();
      await page.goBack();
      await at.until('width', 10);
      assert.equal(await page.evaluate(() => window.owned), undefined);
      assert.equal(await page.locator('img').count(), 0);
    }),
  );

  test(
    'do not break the exported pictures',
    on('hostile', {}, async (page) => {
      const [svg] = await Promise.all([
        page.waitForEvent('download'),
        page
          .locator('#export-pop summary')
          .click()
          .then(() => page.getByRole('button', { name: 'Picture as SVG' }).click()),
      ]);
      const text = await readFile(await svg.path(), 'utf8');
      assert.ok(!/<(script|img)/i.test(text));
      const problem = await page.evaluate(
        (source) =>
          new DOMParser().parseFromString(source, 'image/svg+xml').querySelector('parsererror')?.textContent ?? '',
        text,
      );
      assert.equal(problem, '');
    }),
  );
});

describe('saving', () => {
  test(
    'SVG, PNG and TSV carry the whole view',
    on('spark', { hash: '#q=spark' }, async (page) => {
      const save = async (name) => {
        const [file] = await Promise.all([
          page.waitForEvent('download'),
          page
            .locator('#export-pop summary')
            .click()
            .then(() => page.getByRole('button', { name }).click()),
        ]);
        return { name: file.suggestedFilename(), bytes: await readFile(await file.path()) };
      };
      const svg = await save('Picture as SVG');
      assert.match(svg.name, /^orders-nightly-executor-7-on-worker-12-cpu\.svg$/);
      assert.match(svg.bytes.toString(), /charcloth 0\.1\.0/);
      assert.match(svg.bytes.toString(), /java\.lang\.Thread\.run/);
      const png = await save('Picture as PNG');
      assert.equal(png.bytes.subarray(1, 4).toString(), 'PNG');
      const tsv = await save('Table as TSV');
      assert.equal(tsv.bytes.toString().trim().split('\n').length, 75);
    }),
  );
});

describe('states that are not the usual one', () => {
  test(
    'an empty profile says what is missing',
    on('empty', {}, async (page, at) => {
      assert.match(await at.text('#empty'), /No cpu samples/);
      assert.match(await at.text('#empty'), /charcloth top/);
    }),
  );

  test('damaged data says what to do', async () => {
    const page = await shop.browser.newPage();
    const file = new URL(
      await shop.address('damaged', () => ({ ...fixtures.small(), body: new Uint8Array([200, 1, 5]) })),
    );
    await page.goto(file.href);
    await page.locator('#empty', { hasText: 'charcloth convert IN -o OUT.html' }).waitFor();
    await page.close();
  });

  test(
    'a theme chosen by hand is in the link',
    on('small', {}, async (page, at) => {
      await page.locator('#theme').click();
      assert.match(await at.hash(), /theme=dark/);
      assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme), 'dark');
    }),
  );
});
