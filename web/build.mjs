// Bundles the page and the script of the stand-alone SVG: node build.mjs OUTDIR [DEPFILE]
// Writes OUTDIR/page.html, with the markers @@TITLE@@, @@META@@ and @@BODY@@ left for the C side, and OUTDIR/svg.js.

import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const SVG_LIMIT = 8 * 1024;
const here = dirname(fileURLToPath(import.meta.url));
const [out, depfile] = process.argv.slice(2);
if (!out) {
  console.error('usage: node build.mjs OUTDIR [DEPFILE]');
  process.exit(2);
}

/** Every file a bundle was made of, for the build that called us. */
const sources = [join(here, 'src', 'page.html')];

async function bundle(entry) {
  const result = await build({
    entryPoints: [join(here, 'src', entry)],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    target: 'es2022',
    charset: 'ascii',
    legalComments: 'none',
    logLevel: 'warning',
    metafile: true,
    absWorkingDir: here,
  });
  sources.push(...Object.keys(result.metafile.inputs).map((name) => join(here, name)));
  return result.outputFiles[0].text.trim();
}

const sha256 = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Replaces a marker that must be there exactly once; the text goes in as it is, "$&" and all. */
function splice(page, marker, text) {
  const parts = page.split(marker);
  if (parts.length !== 2) throw new Error(`${marker} occurs ${parts.length - 1} times in page.html, expected once`);
  return parts.join(text);
}

const [page, style, script, svg] = await Promise.all([
  readFile(join(here, 'src', 'page.html'), 'utf8'),
  bundle('page.css'),
  bundle('main.ts'),
  bundle('svg.ts'),
]);

// Inside HTML the text would end the element early; better to stop here than to ship it.
if (/<\/(script|style)|<!--/i.test(script + style)) throw new Error('the bundle contains markup that ends its element');
if (svg.length > SVG_LIMIT) throw new Error(`svg.js has ${svg.length} bytes, the limit is ${SVG_LIMIT}`);
if (/]]>/.test(svg)) throw new Error('svg.js contains "]]>", which ends its CDATA section');

// Styles set through the DOM (element.style) need no permission; only the one <style> element does.
const policy = [
  "default-src 'none'",
  `script-src ${sha256(script)}`,
  `style-src ${sha256(style)}`,
  'img-src blob: data:',
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

let html = splice(page, '@@CSP@@', policy);
html = splice(html, '@@STYLE@@', style);
html = splice(html, '@@SCRIPT@@', script);
for (const marker of ['@@TITLE@@', '@@META@@', '@@BODY@@']) splice(html, marker, '');

await mkdir(out, { recursive: true });
await Promise.all([writeFile(join(out, 'page.html'), html), writeFile(join(out, 'svg.js'), svg)]);
if (depfile) {
  const escape = (path) => path.replace(/[ #\\]/g, '\\$&');
  await writeFile(depfile, `${join(out, 'page.html')} ${join(out, 'svg.js')}: ${sources.map(escape).join(' ')}\n`);
}
