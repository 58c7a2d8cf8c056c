// Opens built pages in Debian's chromium; every page must stay free of console errors.

import { mkdir, writeFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { page as writePage } from './encode.mjs';

export const DIST = join(dirname(fileURLToPath(import.meta.url)), '..', 'dist');

export async function launch() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

/** A folder of pages that goes away with the tests. */
export async function workshop() {
  const folder = await mkdtemp(join(tmpdir(), 'charcloth-web-'));
  const browser = await launch();
  const pages = new Map();

  /** Writes a profile once and returns its file:// address. */
  async function address(name, make) {
    if (!pages.has(name)) {
      const file = join(folder, `${name}.html`);
      await mkdir(folder, { recursive: true });
      await writeFile(file, await writePage(join(DIST, 'page.html'), make()));
      pages.set(name, pathToFileURL(file).href);
    }
    return pages.get(name);
  }

  /** Opens a page and waits until it is drawn. The `errors` of the result must be empty at the end of a test. */
  async function open(name, make, { width = 1280, height = 800, scheme = 'light', hash = '', touch = false } = {}) {
    const context = await browser.newContext({
      viewport: { width, height },
      colorScheme: scheme,
      hasTouch: touch,
      timezoneId: 'Europe/Berlin',
    });
    const page = await context.newPage();
    const errors = [];
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') errors.push(message.text());
    });
    page.on('pageerror', (error) => errors.push(String(error)));
    page.on('request', (request) => {
      if (!/^(file|blob|data):/.test(request.url())) errors.push(`asked the network for ${request.url()}`);
    });
    await page.goto((await address(name, make)) + hash);
    await page.waitForFunction(() => window.charcloth !== undefined);
    return { page, errors, close: () => context.close() };
  }

  return {
    folder,
    browser,
    address,
    open,
    close: async () => {
      await browser.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
