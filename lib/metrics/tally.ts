import type { Emit, Labels } from './instrument.js';

interface Series {
  readonly labels: Labels;
  value: number;
}

/** Numbers by the values of their labels, which are given in the order of the names. An empty value is left out. */
export class Tally {
  readonly #series = new Map<string, Series>();

  constructor(private readonly names: readonly string[]) {}

  add(value: number, ...values: readonly string[]): void {
    this.#of(values, 0).value += value;
  }

  set(value: number, ...values: readonly string[]): void {
    this.#of(values, value).value = value;
  }

  each(emit: Emit): void {
    for (const { value, labels } of this.#series.values()) emit(value, labels);
  }

  #of(values: readonly string[], initial: number): Series {
    const key = values.length === 1 ? (values[0] ?? '') : JSON.stringify(values);
    let series = this.#series.get(key);
    if (series === undefined) this.#series.set(key, (series = { labels: this.#labelsOf(values), value: initial }));
    return series;
  }

  #labelsOf(values: readonly string[]): Labels {
    const pairs = this.names.map((name, index) => [name, values[index] ?? ''] as const);
    return Object.fromEntries(pairs.filter(([, value]) => value !== ''));
  }
}
