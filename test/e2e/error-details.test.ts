import { Controller, Get, Inject } from '@nestjs/common';
import { HealthCheck, HealthCheckService, TerminusModule } from '@nestjs/terminus';
import {
  HealthMonitor,
  LifecycleComponent,
  LifecycleHealthIndicator,
  LifecycleModule,
  StallError,
  type Elector,
  type LifecycleRootOptions,
  type StartContext,
} from 'nestjs-lifecycle';
import { ADAPTERS, Apps, get, RecordingLogger } from '../fixtures/apps.js';
import { ask, managementPort } from '../fixtures/management.js';
import { aborted, until } from '../fixtures/until.js';

const apps = new Apps();
const SECRET = 'postgres://orders:hunter2@db.internal:5432';
const PATHS = ['/health', '/health/live', '/health/ready', '/health/startup'];

@LifecycleComponent()
class Database {
  start(): Promise<void> {
    return Promise.reject(new Error(SECRET));
  }
}

@LifecycleComponent()
class Feed {
  async start({ signal }: StartContext): Promise<void> {
    await aborted(signal);
  }

  healthCheck(): void {
    throw new StallError('Feed', SECRET, 1);
  }
}

@LifecycleComponent({ dependsOn: [Database] })
class Api {
  async start({ signal }: StartContext): Promise<void> {
    await aborted(signal);
  }
}

/** An elector whose engine cannot be reached. */
const unreachable: Elector = {
  async campaign(_election, candidate, signal) {
    candidate.onReport({ kind: 'error', operation: 'acquire', error: new Error(SECRET) });
    await aborted(signal);
  },
};

@Controller('own')
class OwnController {
  constructor(
    @Inject(HealthCheckService) private readonly health: HealthCheckService,
    @Inject(LifecycleHealthIndicator) private readonly lifecycle: LifecycleHealthIndicator,
  ) {}

  @Get()
  @HealthCheck()
  check(): unknown {
    return this.health.check([() => this.lifecycle.component('Database'), () => this.lifecycle.leadership()]);
  }
}

const module = (logger: RecordingLogger, health: LifecycleRootOptions['health'] = {}) => ({
  imports: [
    TerminusModule.forRoot({ logger: false }),
    LifecycleModule.forRoot({ logger, elector: unreachable, failFast: false, health }),
  ],
  controllers: [OwnController],
  providers: [Database, Feed, Api],
});

describe.each(ADAPTERS)('errorDetails: false on %s', (_, createAdapter) => {
  it('keeps the texts of errors off every endpoint, and leaves names and states', async () => {
    const logger = new RecordingLogger();
    const app = await apps.listen(module(logger, { errorDetails: false }), createAdapter);
    const monitor = app.get(HealthMonitor);
    await until(() => !monitor.live().reasons.every((it) => !it.includes('Feed')));
    await until(() => monitor.elections()[0]?.note !== undefined);

    const answers = await Promise.all([...PATHS, '/own'].map((path) => get(app, path)));
    expect(JSON.stringify(answers)).not.toContain('hunter2');
    const [health, live, ready] = answers;
    expect(health).toMatchObject({
      status: 503,
      body: {
        error: {
          'component:Database': { status: 'down', state: 'failed', note: 'failed' },
          'component:Feed': { status: 'down', note: 'unhealthy' },
          'component:Api': { status: 'down', state: 'pending', note: 'not started yet' },
        },
        details: {
          'leadership:default': { note: expect.stringContaining('the elector reports an error, which is in the log') },
        },
      },
    });
    expect(live).toEqual({
      status: 503,
      body: {
        status: 'error',
        reasons: ['component "Database" has failed for good', 'component "Feed" makes no progress'],
      },
    });
    expect(ready).toEqual({
      status: 503,
      body: { status: 'error', reasons: ['component "Database" is failed', 'component "Api" is pending'] },
    });
    const log = [...logger.warnings, ...logger.errors];
    for (const who of ['Database', 'Feed', 'default']) {
      expect(log.some((it) => it.includes(who) && it.includes(SECRET))).toBe(true);
    }
  });
});

it('shows the texts by default', async () => {
  const app = await apps.listen(module(new RecordingLogger()));
  await until(() => app.get(HealthMonitor).elections()[0]?.note !== undefined);
  expect(JSON.stringify(await get(app, '/health'))).toContain(SECRET);
  expect(JSON.stringify(await get(app, '/health/ready'))).toContain(SECRET);
});

it('holds for the management port, and for options from a factory', async () => {
  const health = { errorDetails: false, port: 0, host: '127.0.0.1' };
  const app = await apps.context({
    imports: [
      LifecycleModule.forRootAsync({
        useFactory: () => ({ logger: new RecordingLogger(), elector: unreachable, failFast: false, health }),
      }),
    ],
    providers: [Database, Feed, Api],
  });
  await until(() => !app.get(HealthMonitor).live().ok);
  const answers = await Promise.all(PATHS.map((path) => ask(managementPort(app), path)));
  expect(answers[0]?.text).toContain('component:Database');
  expect(JSON.stringify(answers)).not.toContain('hunter2');
});
