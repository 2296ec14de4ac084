import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { LifecycleComponent, type Component, type StartContext } from 'nestjs-lifecycle';
import { InvoiceTable } from './invoice-table.js';

const INTERVAL_MS = 5000;

/** On the leader only: no customer wants an invoice from each replica. */
@Injectable()
@LifecycleComponent({ leaderOnly: true })
export class InvoiceRun implements Component {
  readonly #logger = new Logger(InvoiceRun.name);

  constructor(private readonly invoices: InvoiceTable) {}

  async start({ signal, term }: StartContext): Promise<void> {
    if (term === undefined) throw new Error('InvoiceRun is leader-only');
    while (!signal.aborted) {
      // Right before the side effect: this process may have been paused while another replica took over.
      term.assertValid();
      const count = await this.invoices.insert(term.fencingToken);
      this.#logger.log(`Invoice ${count} written with token ${term.fencingToken}`);
      await sleep(INTERVAL_MS, undefined, { signal });
    }
  }
}
