// worker.ts
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { LifecycleComponent, type Component, type StartContext } from 'nestjs-lifecycle';
import { Mailer } from './mailer.js';
import { OldLease } from './old-lease.js';

@Injectable()
@LifecycleComponent({ leaderOnly: true, dependsOn: [OldLease] })
export class Worker implements Component {
  constructor(private readonly mailer: Mailer) {}

  async start({ signal, term }: StartContext): Promise<void> {
    while (!signal.aborted) {
      term?.assertValid();
      await this.mailer.send('what is due', signal);
      await sleep(5000, undefined, { signal });
    }
  }
}
