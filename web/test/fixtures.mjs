// Profiles for the tests: small ones whose numbers can be checked by hand, a lifelike Spark job, a very large one.

import { encode, Writer } from './encode.mjs';

/** A random generator with a seed: fixtures must not change from run to run. */
export function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 13), 0x297a2d39);
    t ^= t >>> 16;
    return (t >>> 0) / 2 ** 32;
  };
}

const START = Date.UTC(2024, 4, 1, 11, 58, 0);

/** 100 samples: main → a (60: b 40, self 20) and c (40: b 30, b → c 10). */
export function small() {
  return encode({
    meta: { title: 'small' },
    events: [
      {
        word: 'cpu',
        type: 'jdk.ExecutionSample',
        unit: 'ns',
        samples: [
          { stack: ['main', 'pkg.A.a', 'pkg.B.b'], samples: 40, value: 40e7 },
          { stack: ['main', 'pkg.A.a'], samples: 20, value: 20e7 },
          { stack: ['main', 'pkg.C.c', 'pkg.B.b'], samples: 30, value: 30e7 },
          { stack: ['main', 'pkg.C.c', 'pkg.B.b', 'pkg.C.c'], samples: 10, value: 10e7 },
        ],
      },
      {
        word: 'alloc',
        type: 'jdk.ObjectAllocationSample',
        unit: 'bytes',
        samples: [
          { stack: ['main', 'pkg.A.a', ['byte[]', 9]], samples: 5, value: 5 * 2 ** 20 },
          { stack: ['main', 'pkg.C.c', ['java.lang.String', 9]], samples: 3, value: 2 ** 20 },
        ],
      },
    ],
  });
}

/** Two events, threads and stages, one minute of time, series with a gap. */
export function spark() {
  const next = random(7);
  const exec = [
    'java.lang.Thread.run',
    'java.util.concurrent.ThreadPoolExecutor.runWorker',
    'org.apache.spark.executor.Executor$TaskRunner.run',
    'org.apache.spark.scheduler.Task.run',
  ];
  const shapes = [
    [
      30,
      [
        ...exec,
        'org.apache.spark.scheduler.ShuffleMapTask.runTask',
        'org.apache.spark.shuffle.sort.UnsafeShuffleWriter.write',
        'org.apache.spark.sql.execution.WholeStageCodegenExec$$anon$1.hasNext',
        ['org.apache.spark.sql.catalyst.expressions.GeneratedClass$GeneratedIteratorForCodegenStage1.processNext', 4],
        ['org.apache.spark.unsafe.types.UTF8String.compareTo', 4],
      ],
    ],
    [
      14,
      [
        ...exec,
        'org.apache.spark.scheduler.ShuffleMapTask.runTask',
        'org.apache.spark.shuffle.sort.UnsafeShuffleWriter.write',
        'org.apache.spark.util.collection.unsafe.sort.RadixSort.sort',
      ],
    ],
    [
      12,
      [
        ...exec,
        'org.apache.spark.scheduler.ResultTask.runTask',
        'com.acme.orders.Enrich.apply',
        'com.acme.orders.Rules.match',
        ['java.util.regex.Pattern$Loop.match', 2],
        ['java.util.regex.Matcher.find', 3],
      ],
    ],
    [
      9,
      [
        ...exec,
        'org.apache.spark.scheduler.ResultTask.runTask',
        'org.apache.spark.storage.ShuffleBlockFetcherIterator.next',
        ['[vdso]', 0],
        ['epoll_wait', 5],
        ['do_epoll_wait', 7],
        ['schedule', 7],
      ],
    ],
    [
      8,
      [
        ['pyspark/worker.py:main', 8],
        ['pyspark/serializers.py:load_stream', 8],
        ['acme/features.py:score', 8],
        ['pandas/core/frame.py:apply', 8],
        ['numpy.ndarray.take', 5],
      ],
    ],
    [
      7,
      [
        ['start_thread', 5],
        ['GCTaskThread::run', 6],
        ['G1ParEvacuateFollowersClosure::do_void', 6],
        ['G1ParScanThreadState::copy_to_survivor_space', 6],
      ],
    ],
    [
      5,
      [
        ['start_thread', 5],
        ['CompileBroker::compiler_thread_loop', 6],
        ['C2Compiler::compile_method', 6],
        ['PhaseIdealLoop::build_and_optimize', 6],
      ],
    ],
    [
      3,
      [
        ...exec,
        'org.apache.spark.scheduler.ShuffleMapTask.runTask',
        'net.jpountz.lz4.LZ4JNICompressor.compress',
        ['LZ4_compress_fast', 5],
      ],
    ],
  ];
  const threads = [
    'Executor task launch worker for task 1.0 in stage 3.0 (TID 41)',
    'Executor task launch worker for task 2.0 in stage 3.0 (TID 42)',
    'python worker',
    'GC Thread#0',
    'C2 CompilerThread0',
  ];
  const make = (count, unitValue, extra) => {
    const out = [];
    for (let i = 0; i < count; i++) {
      let at = next() * 88;
      const shape = shapes.find(([weight]) => (at -= weight) < 0) ?? shapes[0];
      const deep = Math.floor(next() * 4);
      const stack = [...shape[1]];
      for (let d = 0; d < deep; d++)
        stack.push([
          `org.apache.spark.sql.catalyst.expressions.codegen.Expr${Math.floor(next() ** 2 * 40)}.eval`,
          1 + Math.floor(next() * 4),
        ]);
      if (extra) stack.push(extra[Math.floor(next() ** 2 * extra.length)]);
      const stage = Math.floor(next() * 3) + 9;
      out.push({
        stack,
        samples: 1,
        value: Math.round(unitValue * (0.5 + next())),
        bucket: Math.floor(Math.min(0.999, next() * 0.9 + (stage - 9) * 0.04) * 600),
        labels: { thread: threads[Math.floor(next() * threads.length)], stage: String(stage) },
      });
    }
    return out;
  };
  const wave = (f, skip) => {
    const t_ms = [];
    const v = [];
    for (let s = 0; s < 60; s++) {
      if (skip && s >= 20 && s < 27) continue;
      t_ms.push(START + s * 1000);
      v.push(f(s));
    }
    return { t_ms, v };
  };
  return encode({
    meta: {
      title: 'orders-nightly · executor 7 on worker-12',
      source: ['executor-7.jfr'],
      time: { start_ms: START, bucket_ms: 100, buckets: 600 },
      series: [
        { name: 'CPU machine', unit: '%', ...wave((s) => 55 + 35 * Math.sin(s / 6) + 6 * next(), true) },
        { name: 'Heap used', unit: 'bytes', ...wave((s) => (1 + (s % 12) / 9) * 2 ** 30, false) },
      ],
      notes: ['18 samples were dropped: the stack was not walkable.'],
    },
    events: [
      { word: 'cpu', type: 'jdk.ExecutionSample', unit: 'ns', samples: make(6000, 1e7, null) },
      {
        word: 'alloc',
        type: 'jdk.ObjectAllocationSample',
        unit: 'bytes',
        samples: make(2500, 5e5, [
          ['byte[]', 9],
          ['java.lang.String', 9],
          ['java.util.HashMap$Node', 9],
          ['scala.Tuple2', 9],
        ]),
      },
      {
        word: 'lock',
        type: 'jdk.JavaMonitorEnter',
        unit: 'ns',
        samples: make(200, 3e6, [['org.apache.spark.memory.TaskMemoryManager', 10]]),
      },
    ],
  });
}

/** The small profile before and after: b under a shrank, c grew, "gone" vanished, "fresh" appeared. */
export function diff(normalized = true) {
  const side = (name, rows) => rows.map(([stack, samples]) => ({ stack, samples, labels: { side: name } }));
  return encode({
    meta: {
      title: 'before against after',
      source: ['before.jfr', 'after.jfr'],
      diff: { before: 'before.jfr', after: 'after.jfr', normalized },
    },
    events: [
      {
        word: 'cpu',
        type: 'jdk.ExecutionSample',
        samples: [
          ...side('before', [
            [['main', 'pkg.A.a', 'pkg.B.b'], 60],
            [['main', 'pkg.C.c'], 20],
            [['main', 'pkg.Gone.gone'], 20],
          ]),
          ...side('after', [
            [['main', 'pkg.A.a', 'pkg.B.b'], 80],
            [['main', 'pkg.C.c'], 100],
            [['main', 'pkg.Fresh.fresh'], 20],
          ]),
        ],
      },
    ],
  });
}

export const HOSTILE = [
  '</script><script>window.owned=1</script>',
  '<img src=x onerror=window.owned=1>',
  'a\u202eevil\u202c.b',
  '日本語.クラス.メソッド',
  '\'"&amp;',
  `long.${'x'.repeat(65536)}.end`,
];

export function hostile() {
  return encode({
    meta: {
      title: HOSTILE[0],
      source: [HOSTILE[1]],
      notes: [HOSTILE[1]],
      time: { start_ms: START, bucket_ms: 1000, buckets: 4 },
      series: [{ name: HOSTILE[1], unit: HOSTILE[0], t_ms: [START, START + 1000], v: [1, 2] }],
    },
    events: [
      {
        word: 'cpu',
        samples: HOSTILE.map((name, i) => ({
          stack: ['root.Main.main', name, `leaf.L.l${i}`],
          samples: 10,
          bucket: i % 4,
          labels: { [HOSTILE[1]]: name.slice(0, 300) },
        })),
      },
    ],
  });
}

export function empty() {
  return encode({ meta: { title: 'nothing' }, events: [{ word: 'cpu', samples: [] }] });
}

/** Stacks through Mid with a caller of note (10), a callee of note (15), neither (7); and a caller without Mid (4). */
export function sides() {
  const samples = [
    { stack: ['main', 'pkg.Caller.c', 'pkg.Mid.m'], samples: 10 },
    { stack: ['main', 'pkg.Plain.p', 'pkg.Mid.m', 'pkg.Callee.d'], samples: 15 },
    { stack: ['main', 'pkg.Plain.p', 'pkg.Mid.m'], samples: 7 },
    { stack: ['main', 'pkg.Caller.c'], samples: 4 },
  ];
  return encode({ meta: { title: 'sides' }, events: [{ word: 'cpu', samples }] });
}

/** A runaway recursion: 3000 frames deep. */
export function deep() {
  const stack = Array.from({ length: 3000 }, (_, i) => `pkg.Deep${i}.call`);
  return encode({ meta: { title: 'deep' }, events: [{ word: 'cpu', samples: [{ stack, samples: 5 }] }] });
}

/** 3000 equal leaves under one frame: narrower than half a pixel on most screens. */
export function narrow() {
  const samples = Array.from({ length: 3000 }, (_, i) => ({
    stack: ['main', `pkg.Leaf.l${String(i).padStart(4, '0')}`],
    samples: 1,
  }));
  samples.push({ stack: ['main', 'pkg.Wide.w'], samples: 1000 });
  return encode({ meta: { title: 'narrow' }, events: [{ word: 'cpu', samples }] });
}

/** A trie of about `nodes` nodes, written straight in the format: stacks as plain objects would not fit in memory. */
export function large(nodes, frameCount = 20_000) {
  const next = random(42);
  const out = new Writer();
  const packages = Array.from({ length: 400 }, (_, i) => `org.apache.module${i % 40}.part${i}`);
  out.varint(frameCount);
  const names = Array.from(
    { length: frameCount },
    (_, i) => `${packages[i % packages.length]}.Class${i % 997}.method${i}`,
  ).sort();
  for (const name of names) out.text(name);
  const nameBytes = out.length;
  out.varint(frameCount);
  for (let i = 0; i < frameCount; i++) {
    out.varint(i);
    out.varint(1 + (i % 8));
  }
  out.varint(nodes);
  // Real stacks share long trunks and fray at the ends: mostly go deeper, at times fall back a few or many levels.
  let depth = 0;
  const lastFrame = [0];
  const weights = new Float64Array(nodes + 1);
  for (let i = 1; i <= nodes; i++) {
    let up = 0;
    if (i > 1) {
      const roll = next();
      if (depth >= 60 || roll < 0.42) up = 1 + Math.floor(next() ** 4 * depth);
      if (up > depth) up = depth;
      if (depth - up < 4 && next() < 0.98) up = Math.max(0, depth - 4);
    }
    // Siblings stand in the order of names and differ; when the names run out, go deeper.
    if (up > 0 && lastFrame[depth - up + 1] >= frameCount - 1) up = 0;
    depth = depth - up + 1;
    const from = up > 0 ? (lastFrame[depth] ?? 0) : 0;
    const frame = Math.min(frameCount - 1, from + 1 + Math.floor(next() ** 3 * 300));
    lastFrame[depth] = frame;
    out.varint(up);
    out.varint(frame);
    weights[i] = next() < 0.6 ? 1 + Math.floor(next() ** 8 * 4000) : 0;
  }
  out.varint(0);
  out.varint(1);
  out.varint(0);
  const rows = [];
  for (let i = 1; i <= nodes; i++) if (weights[i] > 0) rows.push(i);
  out.varint(rows.length);
  out.varint(4);
  let last = 0;
  for (const node of rows) {
    out.varint(node - last);
    last = node;
  }
  let samples = 0;
  for (const node of rows) {
    out.varint(weights[node]);
    samples += weights[node];
  }
  for (const node of rows) out.varint(weights[node] * 1e7);
  const meta = {
    version: '0.1.0',
    title: `${nodes} frames`,
    source: ['large.jfr'],
    generated: '2024-05-01T12:00:00Z',
    event: 0,
    metric: 'samples',
    series: [],
    events: [{ word: 'cpu', type: 'jdk.ExecutionSample', unit: 'ns', scale: 1, samples, total: samples * 1e7 }],
    view: { inverted: false, reverse: false, minwidth: 0.5 },
    notes: [],
  };
  return { meta, body: out.done(), nodes, nameBytes };
}
