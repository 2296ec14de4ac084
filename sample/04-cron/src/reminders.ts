import { Injectable } from '@nestjs/common';
import { Cron, CronExpression } from '@nestjs/schedule';
import { LeaderOnly, leaderTerm } from 'nestjs-lifecycle';

/** A short job: its tick belongs to whoever leads when the timer fires. */
@Injectable()
export class Reminders {
  @Cron(CronExpression.EVERY_SECOND)
  @LeaderOnly()
  send(): void {
    const second = new Date().toISOString().slice(0, 19);
    console.log(`${second} reminders sent by replica ${process.pid}, token ${leaderTerm().fencingToken}`);
  }
}
