// The arithmetic behind the picture: decoding, filters, derived trees, layout. Numbers are small enough to check by hand.

import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import * as fixtures from './fixtures.mjs';
import { load } from './modules.mjs';

let lib;
before(async () => {
  lib = await load('decode', 'select', 'views', 'layout', 'search', 'format', 'colours', 'trie');
});

const ALL = { event: 0, labels: {}, time: null, split: '', diff: false, metric: 'total' };

function read(fixture, pick = {}) {
  const profile = lib.decodeBody(fixture.body, fixture.meta);
  return { profile, base: lib.select(profile, { ...ALL, ...pick }) };
}

const nameOf = (profile, tree, node) =>
  tree.frame[node] < 0 ? 'all' : profile.strings.at(profile.frameString[tree.frame[node]]);

/** "a;b;c" → [self, total] of the first column, zero-weight nodes left out. */
function paths(profile, tree) {
  const out = {};
  const full = [];
  for (let i = 0; i < tree.n; i++) {
    const up = tree.parent[i];
    full[i] = i === 0 ? '' : up === 0 ? nameOf(profile, tree, i) : `${full[up]};${nameOf(profile, tree, i)}`;
    if (tree.columns[0].total[i] > 0) out[full[i]] = [tree.columns[0].self[i], tree.columns[0].total[i]];
  }
  return out;
}

describe('decoding', () => {
  test('weights add up along the stacks', () => {
    const { profile, base } = read(fixtures.small());
    assert.deepEqual(paths(profile, lib.plain(base)), {
      '': [0, 100],
      main: [0, 100],
      'main;pkg.A.a': [20, 60],
      'main;pkg.A.a;pkg.B.b': [40, 40],
      'main;pkg.C.c': [0, 40],
      'main;pkg.C.c;pkg.B.b': [30, 40],
      'main;pkg.C.c;pkg.B.b;pkg.C.c': [10, 10],
    });
  });

  test('every truncation of the body is refused with a sentence, never a hang or a wild allocation', () => {
    const { body, meta } = fixtures.small();
    for (let length = 0; length < body.length; length++) {
      assert.throws(() => lib.decodeBody(body.subarray(0, length), meta), /^Error: (the data|a )/);
    }
  });

  test('random damage is refused or read, not fatal', () => {
    const next = fixtures.random(3);
    const { body, meta } = fixtures.small();
    for (let round = 0; round < 2000; round++) {
      const bad = body.slice();
      bad[Math.floor(next() * bad.length)] = Math.floor(next() * 256);
      try {
        lib.decodeBody(bad, meta);
      } catch (error) {
        assert.match(String(error), /^Error: (the data|a )/);
      }
    }
  });

  test('numbers beyond 32 bits keep their value', () => {
    const { profile, base } = read(fixtures.small());
    assert.equal(lib.plain(base).columns[1].total[0], 100e7);
    assert.equal(
      profile.rows[1].value.reduce((a, b) => a + b),
      6 * 2 ** 20,
    );
  });
});

describe('derived trees', () => {
  test('hotspots start where the weight was spent', () => {
    const { profile, base } = read(fixtures.small());
    const found = paths(profile, lib.finished(lib.hotspots(profile, base, [])));
    assert.deepEqual(found['pkg.B.b'], [0, 70]);
    assert.deepEqual(found['pkg.B.b;pkg.A.a'], [0, 40]);
    assert.deepEqual(found['pkg.B.b;pkg.C.c;main'], [30, 30]);
    assert.deepEqual(found['pkg.A.a;main'], [20, 20]);
    assert.deepEqual(found['pkg.C.c;pkg.B.b;pkg.C.c;main'], [10, 10]);
  });

  test('inspect shows callees above and callers below, recursion once', () => {
    const { profile, base } = read(fixtures.small());
    const tree = lib.finished(lib.inspect(profile, base, 'pkg.C.c', []));
    assert.equal(tree.columns[0].total[0], 40);
    const sides = { up: {}, down: {} };
    for (let i = 1; i < tree.n; i++)
      if (tree.columns[0].total[i] > 0)
        sides[tree.depth[i] > 0 ? 'up' : 'down'][nameOf(profile, tree, i)] = [tree.depth[i], tree.columns[0].total[i]];
    assert.deepEqual(sides, { up: { 'pkg.B.b': [1, 40], 'pkg.C.c': [2, 10] }, down: { main: [-1, 40] } });
  });

  test('hidden frames leave their weight with the caller', () => {
    const { profile, base } = read(fixtures.small());
    const hidden = lib.filtered(profile, base, [{ act: 'hide', by: 'frame', name: 'pkg.C.c' }]);
    assert.deepEqual(paths(profile, lib.plain(hidden)), {
      '': [0, 100],
      main: [0, 100],
      'main;pkg.A.a': [20, 60],
      'main;pkg.A.a;pkg.B.b': [40, 40],
      'main;pkg.B.b': [40, 40],
    });
    const all = lib.filtered(profile, base, [{ act: 'hide', by: 'package', name: 'pkg' }]);
    assert.deepEqual(paths(profile, lib.plain(all)), { '': [0, 100], main: [100, 100] });
  });

  test('focus keeps and drop removes whole stacks', () => {
    const { profile, base } = read(fixtures.small());
    const focus = lib.plain(lib.filtered(profile, base, [{ act: 'focus', by: 'frame', name: 'pkg.B.b' }]));
    assert.equal(focus.columns[0].total[0], 80);
    const drop = lib.plain(lib.filtered(profile, base, [{ act: 'drop', by: 'package', name: 'pkg.B' }]));
    assert.equal(drop.columns[0].total[0], 20);
  });

  test('the table counts a recursive method once', () => {
    const { profile, base } = read(fixtures.small());
    const table = lib.byName(profile, lib.plain(base));
    const at = (name) => [...table.ids].find((id) => profile.strings.at(id) === name);
    assert.deepEqual([table.self[0][at('pkg.C.c')], table.total[0][at('pkg.C.c')]], [10, 40]);
    assert.deepEqual([table.self[0][at('pkg.B.b')], table.total[0][at('pkg.B.b')]], [70, 80]);
  });

  test('labels, time and split select the same weight in different ways', () => {
    const fixture = fixtures.spark();
    const whole = lib.plain(read(fixture).base).columns[0].total[0];
    assert.equal(whole, 6000);
    const stages = ['9', '10', '11'].map(
      (stage) => lib.plain(read(fixture, { labels: { stage } }).base).columns[0].total[0],
    );
    assert.equal(
      stages.reduce((a, b) => a + b),
      whole,
    );
    const halves = [
      [0, 299],
      [300, 599],
    ].map((time) => lib.plain(read(fixture, { time }).base).columns[0].total[0]);
    assert.equal(halves[0] + halves[1], whole);
    const { profile, base } = read(fixture, { split: 'stage' });
    const found = paths(profile, lib.plain(base));
    assert.deepEqual(
      ['stage=9', 'stage=10', 'stage=11'].map((name) => found[name][1]),
      stages,
    );
  });

  test('a merge too large to finish keeps all weight', () => {
    const { profile, base } = read(fixtures.large(400_000, 2000));
    const whole = lib.plain(base).columns[0].total[0];
    const tree = lib.finished(lib.hotspots(profile, base, []));
    assert.equal(tree.partial, true);
    assert.equal(tree.columns[0].total[0], whole);
    // Zooming into a narrow branch unfolds it without changing its weight.
    const layout = lib.layOut(tree, tree.columns[0].total);
    const narrow = layout.order.findLast((node) => tree.depth[node] === 3);
    const path = lib.pathOf(tree, narrow);
    const again = lib.finished(lib.hotspots(profile, base, path));
    const found = lib.findPath(lib.layOut(again, again.columns[0].total), path, 1);
    assert.equal(again.depth[found], 3);
    assert.equal(again.columns[0].total[found], tree.columns[0].total[narrow]);
  });
});

describe('layout', () => {
  test('bands cover exactly the weight of the frames they stand for', () => {
    const { base } = read(fixtures.large(60_000, 3000));
    const tree = lib.plain(base);
    const layout = lib.layOut(tree, tree.columns[0].total);
    const win = { from: 0, to: layout.width[0], scale: 900 / layout.width[0] };
    for (let depth = 0; depth <= layout.maxDepth; depth++) {
      let covered = 0;
      let frames = 0;
      let edge = -1e-9;
      lib.spans(layout, depth, win, 0.5, (span) => {
        assert.ok(span.x >= edge - 1e-6, 'spans go from left to right without overlap');
        edge = span.x + span.width;
        covered += span.width;
        frames += span.last - span.first + 1;
      });
      let weight = 0;
      const level = layout.order.subarray(layout.start[depth], layout.start[depth + 1]);
      for (const node of level) weight += layout.width[node];
      assert.equal(frames, level.length, 'no frame is left out');
      // A band may bridge gaps narrower than half a pixel, never hide weight.
      assert.ok(covered >= weight * win.scale - 1e-6);
    }
  });

  test('a hit test finds the node that covers a point, and nothing in a gap', () => {
    const { profile, base } = read(fixtures.small());
    const tree = lib.plain(base);
    const layout = lib.layOut(tree, tree.columns[0].total);
    assert.equal(nameOf(profile, tree, lib.nodeAt(layout, 2, 59.9)), 'pkg.A.a');
    assert.equal(nameOf(profile, tree, lib.nodeAt(layout, 2, 60)), 'pkg.C.c');
    assert.equal(lib.nodeAt(layout, 3, 50), -1);
    assert.equal(lib.nodeAt(layout, 9, 1), -1);
  });

  test('a path leads back to its node', () => {
    const { base } = read(fixtures.large(20_000, 500));
    const tree = lib.plain(base);
    const layout = lib.layOut(tree, tree.columns[0].total);
    for (const node of layout.order.filter((_, i) => i % 997 === 0)) {
      assert.equal(lib.findPath(layout, lib.pathOf(tree, node), 1), node);
    }
  });
});

describe('search', () => {
  const weight = (profile, base, text, through = null) => {
    const tree = lib.plain(base);
    const flags = through && lib.framesNamed(profile, through);
    return lib.matchedWeight(tree, tree.columns[0].total, lib.matchFrames(profile, lib.compile(text).test), flags);
  };

  test('the matched share counts a stack once', () => {
    const { profile, base } = read(fixtures.small());
    assert.equal(weight(profile, base, 'pkg\\.C'), 40);
    assert.equal(weight(profile, base, 'B\\.b|A\\.a'), 100);
    assert.equal(weight(profile, base, 'b\\.b'), 80);
    assert.equal(weight(profile, base, 'nothing'), 0);
  });

  test('around an inspected frame it counts stacks matched on either side', () => {
    const { profile, base } = read(fixtures.sides());
    assert.equal(weight(profile, base, 'Caller|Callee', 'pkg.Mid.m'), 25);
    assert.equal(weight(profile, base, 'Caller', 'pkg.Mid.m'), 10);
    assert.equal(weight(profile, base, 'Mid', 'pkg.Mid.m'), 32);
    assert.equal(weight(profile, base, 'Caller'), 14);
  });

  test('a broken expression is searched for as text', () => {
    const { test: pattern, problem } = lib.compile('foo(');
    assert.ok(problem !== '');
    assert.ok(pattern.test('a foo(int) b'));
  });
});

describe('words', () => {
  test('names are cut in the middle, the package first', () => {
    assert.equal(lib.cut('org.apache.spark.Foo.bar', 40), 'org.apache.spark.Foo.bar');
    assert.equal(lib.cut('org.apache.spark.Foo.bar', 14), 'org.ap…Foo.bar');
    assert.equal(lib.cut('org.apache.spark.Foo.bar', 5), 'Fo…ar');
    assert.equal(lib.cut('G1Thing::do_it', 9), 'G1T…do_it');
    assert.equal(lib.cut('libc.so.6+0x88ef0', 12), 'libc…0x88ef0');
    for (const room of [2, 3, 5, 8, 13, 21]) assert.ok(lib.cut('a.very.long.package.With.method', room).length <= room);
  });

  test('packages of Java, native and Python names', () => {
    assert.equal(lib.packageOf('org.apache.spark.Foo$Bar.baz'), 'org.apache.spark');
    assert.equal(lib.packageOf('org/apache/spark/Foo.baz'), 'org/apache/spark');
    assert.equal(lib.packageOf('pandas/core/frame.py:apply'), 'pandas/core');
    assert.equal(lib.packageOf('GCTaskThread::run'), 'GCTaskThread');
    assert.equal(lib.packageOf('malloc'), '');
    assert.equal(lib.packageOf('libc.so.6+0x88ef0'), 'libc.so.6');
    assert.ok(lib.inPackage('org.apache.spark.Foo.bar', 'org.apache'));
    assert.ok(!lib.inPackage('org.apachefoo.Bar.baz', 'org.apache'));
  });

  test('quantities carry units', () => {
    assert.equal(lib.quantity(12_340_000_000, 'ns'), '12.3 s');
    assert.equal(lib.quantity(1.5 * 2 ** 30, 'bytes'), '1.50 GiB');
    assert.equal(lib.quantity(1234567, 'count'), '1,234,567');
    assert.equal(lib.quantity(0, 'ns'), '0 s');
    assert.equal(lib.percent(1, 100000), '<0.01%');
    assert.equal(lib.points(-0.2), '−20.00 pt');
  });

  test('characters that reorder text are spelled out', () => {
    assert.equal(lib.shown('a\u202eb'), 'a⟨U+202E⟩b');
  });
});

test('text stands out by 4.5 to 1 on every flame colour, in both themes', () => {
  const themes = [
    { dark: false, surface: [255, 255, 255] },
    { dark: true, surface: [26, 29, 34] },
  ];
  const { profile } = read(fixtures.spark());
  // One frame of every kind and many packages.
  const names = Array.from({ length: 600 }, (_, i) => `pkg${i}.Class.method`);
  const made = {
    ...profile,
    strings: { count: names.length, at: (id) => names[id] },
    frameString: Int32Array.from(names, (_, i) => i),
    frameKind: Uint8Array.from(names, (_, i) => i % 12),
  };
  for (const theme of themes) {
    for (const mode of ['kind', 'package', 'mine', 'diff']) {
      const palette = new lib.Palette(made, mode, theme, []);
      if (mode !== 'diff') for (let frame = -1; frame < names.length; frame++) palette.frame(frame);
      assert.ok(palette.swatches.length > 5);
      for (const swatch of palette.swatches)
        assert.ok(swatch.contrast >= 4.5, `${mode} ${swatch.fill} ${swatch.contrast}`);
    }
  }
});
