import type { Nanos } from './term-trace.js';

interface Lag {
  readonly from: Nanos;
  readonly until: Nanos;
}

/** When which process stood still. */
export class LagTable {
  readonly #lags = new Map<string, Lag[]>();

  add(who: string, from: Nanos, until: Nanos): void {
    const lags = this.#lags.get(who) ?? [];
    lags.push({ from, until });
    this.#lags.set(who, lags);
  }

  /** The longest standstill of a process that touches the time between, whole: a part of it may have been outside. */
  longest(who: string, from: Nanos, until: Nanos): Nanos {
    return this.#touching(who, from, until).reduce((max, it) => larger(max, it.until - it.from), 0n);
  }

  /** The longest part of a standstill, of any process, within the time between. */
  longestWithin(from: Nanos, until: Nanos): Nanos {
    const parts = [...this.#lags.keys()].flatMap((who) => this.#parts(who, from, until));
    return parts.reduce(larger, 0n);
  }

  /** How long a process stood still in all within the time between. */
  sumWithin(who: string, from: Nanos, until: Nanos): Nanos {
    return this.#parts(who, from, until).reduce((sum, it) => sum + it, 0n);
  }

  #parts(who: string, from: Nanos, until: Nanos): Nanos[] {
    return this.#touching(who, from, until).map((it) => smaller(it.until, until) - larger(it.from, from));
  }

  #touching(who: string, from: Nanos, until: Nanos): Lag[] {
    return (this.#lags.get(who) ?? []).filter((it) => it.from <= until && it.until >= from);
  }
}

const larger = (a: Nanos, b: Nanos): Nanos => (a > b ? a : b);
const smaller = (a: Nanos, b: Nanos): Nanos => (a < b ? a : b);
