/**
 * One replica of an app with cron jobs, elected among processes of this host. Told where by its argument; tells what
 * happens by lines of JSON on stdout. Run by `schedule-processes.test.ts`.
 */
import { writeSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { EventEmitterModule, OnEvent } from '@nestjs/event-emitter';
import { Cron, CronExpression, ScheduleModule } from '@nestjs/schedule';
import { LocalElector } from '../../lib/electors/local/index.js';
import { LeaderOnly, LeaderOnlyCalls, LifecycleEvent, LifecycleModule } from '../../lib/index.js';

const place = JSON.parse(process.argv[2] ?? '{}') as { namespace: string; directory: string };

/** Synchronous: a signal may end the process right after. All processes share the clock of the host. */
function tell(what: string, details: object = {}): void {
  writeSync(1, `${JSON.stringify({ what, at: Date.now(), ...details })}\n`);
}

const second = () => Math.floor(Date.now() / 1000);

@Injectable()
class Jobs {
  constructor(@Inject(LeaderOnlyCalls) private readonly calls: LeaderOnlyCalls) {}

  @LeaderOnly()
  @Cron(CronExpression.EVERY_SECOND)
  over(): void {
    tell('ran', { job: 'over', second: second() });
  }

  @Cron(CronExpression.EVERY_SECOND)
  @LeaderOnly()
  async under(): Promise<void> {
    const begun = second();
    await pause(20);
    tell('ran', { job: 'under', second: begun });
  }

  /** On every replica: some time after the tick, when the others have had theirs. */
  @Cron(CronExpression.EVERY_SECOND)
  async beat(): Promise<void> {
    const begun = second();
    await pause(100);
    tell('beat', { second: begun, skipped: this.calls.counts().map((it) => it.skipped) });
  }

  @OnEvent(LifecycleEvent.LeadershipAcquired)
  acquired(): void {
    tell('acquired');
  }

  @OnEvent(LifecycleEvent.LeadershipLost)
  lost(): void {
    tell('lost');
  }
}

@Module({
  imports: [
    EventEmitterModule.forRoot(),
    ScheduleModule.forRoot(),
    LifecycleModule.forRoot({ elector: new LocalElector(place), health: { endpoints: false } }),
  ],
  providers: [Jobs],
})
class AppModule {}

const app = await NestFactory.createApplicationContext(AppModule, { logger: false });
app.enableShutdownHooks();
tell('booted');
