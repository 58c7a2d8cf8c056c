/* Keeps the hash of the page's address in step with the state. */

import type { Meta } from './decode';
import { fromHash, toHash, type State } from './state';

/** Milliseconds between two rewrites of one entry: browsers refuse to take an address per wheel step or letter. */
const REWRITE_EVERY = 250;

export class Address {
  private last = -Infinity;
  private later = 0;
  private waiting: State | null = null;

  constructor(
    private readonly meta: Meta,
    private readonly first: State,
    private readonly labelKeys: string[],
  ) {}

  read(): State {
    return fromHash(location.hash, this.first, this.meta, this.labelKeys);
  }

  matches(state: State): boolean {
    return toHash(state, this.first, this.meta) === location.hash;
  }

  /** A new entry in the history. The one about to be left first gets what was last seen there. */
  push(state: State): void {
    if (this.waiting) this.write(this.waiting, true);
    this.forget();
    this.write(state, false);
  }

  /** The same entry with another state: at once, or together with those that follow shortly. */
  replace(state: State): void {
    this.forget();
    const wait = this.last + REWRITE_EVERY - performance.now();
    if (wait <= 0) {
      this.write(state, true);
      return;
    }
    this.waiting = state;
    this.later = window.setTimeout(() => {
      this.waiting = null;
      this.write(state, true);
    }, wait);
  }

  /** Drops a rewrite still waiting. */
  forget(): void {
    clearTimeout(this.later);
    this.waiting = null;
  }

  private write(state: State, replace: boolean): void {
    if (replace) this.last = performance.now();
    const hash = toHash(state, this.first, this.meta);
    if (hash === location.hash) return;
    const url = location.pathname + location.search + hash;
    try {
      if (replace) history.replaceState(null, '', url);
      else history.pushState(null, '', url);
    } catch {
      // Sandboxed frames forbid history; the page works without links then.
    }
  }
}
