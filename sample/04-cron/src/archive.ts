import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Cron, CronExpression } from '@nestjs/schedule';
import { LeaderOnly, leaderTerm } from 'nestjs-lifecycle';

const BATCHES = 4;

/** A long job: it ends early when its term does, and the next leader goes on at its own next tick. */
@Injectable()
export class Archive {
  @Cron(CronExpression.EVERY_10_SECONDS, { waitForCompletion: true })
  @LeaderOnly()
  async run(): Promise<void> {
    const { signal } = leaderTerm();
    for (let batch = 1; batch <= BATCHES && !signal.aborted; batch++) {
      // Right before the side effect: this process may have been paused while another one took over.
      leaderTerm().assertValid();
      console.log(`batch ${batch} of ${BATCHES} archived by replica ${process.pid}`);
      await sleep(1000, undefined, { signal }).catch(() => undefined);
    }
  }
}
