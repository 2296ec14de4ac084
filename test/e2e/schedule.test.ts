import { Injectable } from '@nestjs/common';
import { Cron, CronExpression, Interval, ScheduleModule, SchedulerRegistry, Timeout } from '@nestjs/schedule';
import { LeaderOnly, LeaderOnlyCalls, leaderTerm, LifecycleModule, type LifecycleRootOptions } from 'nestjs-lifecycle';
import { MemoryElectionHub, MemoryElector } from 'nestjs-lifecycle/electors/memory';
import { ManualElector } from 'nestjs-lifecycle/testing';
import { Apps, RecordingLogger } from '../fixtures/apps.js';
import { aborted, gate, until } from '../fixtures/until.js';

const apps = new Apps();

const boot = (provider: new () => object, options: LifecycleRootOptions) =>
  apps.context({
    imports: [ScheduleModule.forRoot(), LifecycleModule.forRoot({ logger: new RecordingLogger(), ...options })],
    providers: [provider],
  });

@Injectable()
class Jobs {
  readonly ran = new Set<string>();

  @LeaderOnly()
  @Cron(CronExpression.EVERY_SECOND, { name: 'cron, over' })
  cronOver(): void {
    this.ran.add(`cron, over, ${leaderTerm().election}`);
  }

  @Cron(CronExpression.EVERY_SECOND, { name: 'cron, under' })
  @LeaderOnly('reports')
  async cronUnder(): Promise<void> {
    await Promise.resolve();
    this.ran.add(`cron, under, ${leaderTerm().election}`);
  }

  @LeaderOnly()
  @Interval('interval, over', 5)
  intervalOver(): void {
    this.ran.add('interval, over');
  }

  @Interval('interval, under', 5)
  @LeaderOnly()
  intervalUnder(): void {
    this.ran.add('interval, under');
  }

  @LeaderOnly()
  @Timeout('timeout', 1)
  timeout(): void {
    this.ran.add('timeout');
  }
}

const ALL = ['cron, over, default', 'cron, under, reports', 'interval, over', 'interval, under'];

describe('a method with @LeaderOnly() and a schedule', () => {
  it('keeps its schedule, over and under; each tick is skipped and counted on a follower', async () => {
    const elector = new ManualElector();
    const app = await boot(Jobs, { elector });
    const jobs = app.get(Jobs);
    const registry = app.get(SchedulerRegistry, { strict: false });
    expect([...registry.getCronJobs().keys()]).toEqual(['cron, over', 'cron, under']);
    expect(registry.getIntervals()).toEqual(['interval, over', 'interval, under']);
    const counts = () => app.get(LeaderOnlyCalls).counts();
    await until(() => counts().every((it) => it.skipped > 0));
    expect(counts().map((it) => it.ran)).toEqual([0, 0, 0, 0, 0]);
    expect([...jobs.ran]).toEqual([]);

    await elector.elect();
    await elector.elect('reports');
    await until(() => jobs.ran.size === ALL.length);
    expect([...jobs.ran].toSorted()).toEqual(ALL);
  });

  it('ticks on one of several replicas, and on the next one when that has stopped', async () => {
    const hub = new MemoryElectionHub();
    const ticks: string[] = [];
    const replica = (name: string) => {
      @Injectable()
      class Ticker {
        @Interval(2)
        @LeaderOnly()
        tick(): void {
          ticks.push(name);
        }
      }
      return boot(Ticker, { elector: new MemoryElector(hub) });
    };
    const [first] = [await replica('first'), await replica('second')];
    await until(() => ticks.length > 5);
    expect(new Set(ticks)).toEqual(new Set(['first']));
    await apps.close(first);
    const before = ticks.length;
    await until(() => ticks.length > before + 5);
    expect(new Set(ticks.slice(before))).toEqual(new Set(['second']));
  });

  it('does not tick before the app has started, though the timers run', async () => {
    const ticks: string[] = [];
    const slow = gate();
    @Injectable()
    class Ticker {
      @Interval(1)
      @LeaderOnly()
      tick(): void {
        ticks.push('tick');
      }
      async onApplicationBootstrap(): Promise<void> {
        await slow.promise;
      }
    }
    const booting = boot(Ticker, {});
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(ticks).toEqual([]);
    slow.open();
    await booting;
    await until(() => ticks.length > 0);
  });
});

describe('a tick that is under way', () => {
  /** One tick, which ends a while after its signal was aborted. */
  function tickingOnce() {
    const begun = gate();
    const journal: string[] = [];
    @Injectable()
    class Ticker {
      @Interval(2)
      @LeaderOnly()
      async tick(): Promise<void> {
        const { signal, fencingToken } = leaderTerm();
        if (journal.length > 0) return;
        journal.push(`begins in term ${fencingToken}`);
        begun.open();
        await aborted(signal);
        await new Promise((resolve) => setTimeout(resolve, 30));
        journal.push('ends');
      }
    }
    return { Ticker, begun, journal };
  }

  it('gets the signal at the loss, and is waited for before anybody else leads', async () => {
    const { Ticker, begun, journal } = tickingOnce();
    const elector = new ManualElector();
    await boot(Ticker, { elector });
    await elector.elect();
    await begun.promise;
    await elector.depose('lost');
    expect(journal).toEqual(['begins in term 1', 'ends']);
  });

  it('gets the signal at shutdown, and is waited for before close() resolves', async () => {
    const { Ticker, begun, journal } = tickingOnce();
    const elector = new ManualElector();
    const app = await boot(Ticker, { elector });
    await elector.elect();
    await begun.promise;
    await apps.close(app);
    expect(journal).toEqual(['begins in term 1', 'ends']);
  });

  it('that does not react is named when its budget is over, and the shutdown goes on', async () => {
    const begun = gate();
    const logger = new RecordingLogger();
    @Injectable()
    class Ticker {
      @Interval(2)
      @LeaderOnly()
      tick(): Promise<void> {
        begun.open();
        return new Promise(() => undefined);
      }
    }
    const app = await boot(Ticker, { logger, stopTimeoutMs: 30, shutdownTimeoutMs: 200 });
    await begun.promise;
    await apps.close(app);
    expect(logger.errors).toContainEqual(expect.stringMatching(/^Ticker\.tick\(\) has not settled 30 ms/));
  });
});
