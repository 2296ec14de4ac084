import type { Replicas, ReplicasListener } from './replicas.js';
import { rowOf } from './row.js';

/** The same without a terminal: a line for each thing that happens. */
export class Lines implements ReplicasListener {
  #replicas: Replicas | undefined;
  readonly #told = new Map<string, string>();

  open(replicas: Replicas): void {
    this.#replicas = replicas;
  }

  close(): void {
    console.log('The demo has ended');
  }

  onNews(text: string): void {
    console.log(text);
  }

  onChange(): void {
    for (const replica of this.#replicas?.all ?? []) {
      const row = rowOf(replica).filter(Boolean).join('  ');
      if (this.#told.get(replica.name) !== row) console.log(`  ${row}`);
      this.#told.set(replica.name, row);
    }
  }
}
