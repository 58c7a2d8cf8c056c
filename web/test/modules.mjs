// Loads TypeScript modules of the page into node, for tests that need no browser.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const SRC = join(dirname(fileURLToPath(import.meta.url)), '..', 'src');

export async function load(...names) {
  const folder = await mkdtemp(join(tmpdir(), 'charcloth-mod-'));
  try {
    const outfile = join(folder, 'modules.mjs');
    await build({
      stdin: { contents: names.map((name) => `export * from './${name}';`).join('\n'), resolveDir: SRC, loader: 'ts' },
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'es2022',
      outfile,
      logLevel: 'warning',
    });
    return await import(pathToFileURL(outfile).href);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
