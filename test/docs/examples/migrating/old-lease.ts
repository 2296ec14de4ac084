// old-lease.ts
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { LifecycleComponent, type Component, type StartContext } from 'nestjs-lifecycle';
import { Pool } from 'pg';

const TAKE = `UPDATE leases SET holder = $1, expires_at = now() + interval '15 seconds'
  WHERE name = 'worker' AND (holder = $1 OR expires_at < now())`;

const RELEASE = `UPDATE leases SET expires_at = '-infinity' WHERE name = 'worker' AND holder = $1`;

/** Holds the lease of the version before, as that one did. An hour is more than the rollout takes. */
@Injectable()
@LifecycleComponent({ leaderOnly: true, startTimeoutMs: 3_600_000 })
export class OldLease implements Component {
  readonly #holder = randomUUID();
  #renewals: NodeJS.Timeout | undefined;

  constructor(private readonly pool: Pool) {}

  async start(context: StartContext): Promise<void> {
    while (!(await this.#take())) await sleep(1000, undefined, { signal: context.signal });
    this.#renewals = setInterval(() => void this.#renew(context), 5000);
  }

  async stop(): Promise<void> {
    clearInterval(this.#renewals);
    await this.pool.query(RELEASE, [this.#holder]);
  }

  async #renew(context: StartContext): Promise<void> {
    try {
      if (!(await this.#take())) context.fail(new Error('The old lease is lost'));
    } catch (error) {
      context.fail(error);
    }
  }

  async #take(): Promise<boolean> {
    return (await this.pool.query(TAKE, [this.#holder])).rowCount === 1;
  }
}
