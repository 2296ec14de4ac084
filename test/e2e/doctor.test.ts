import { LifecycleComponent, LifecycleModule, type LifecycleRootOptions, type StartContext } from 'nestjs-lifecycle';
import { ManualClock } from 'nestjs-lifecycle/testing';
import { Apps, RecordingLogger } from '../fixtures/apps.js';
import { aborted } from '../fixtures/until.js';

const HOUR_MS = 3_600_000;
const apps = new Apps();

@LifecycleComponent()
class Feed {
  async start({ signal }: StartContext): Promise<void> {
    await aborted(signal);
  }
}

@LifecycleComponent(true)
class Job {
  async start({ signal }: StartContext): Promise<void> {
    await aborted(signal);
  }
}

async function warningsOfAnHour(options: LifecycleRootOptions): Promise<string[]> {
  const [logger, clock] = [new RecordingLogger(), new ManualClock()];
  const app = await apps.create({
    imports: [LifecycleModule.forRoot({ logger, clock, ...options })],
    providers: [Feed, Job],
  });
  app.enableShutdownHooks();
  await app.listen(0, '127.0.0.1');
  await clock.advance(HOUR_MS);
  await apps.close(app);
  return [...logger.warnings, ...logger.errors];
}

it('does not hear of the doctor when all is well', async () => {
  expect(await warningsOfAnHour({})).toEqual([]);
});

it('warns about settings that do not fit together, once', async () => {
  const health = { intervalMs: 1_000_000, timeoutMs: 1_000_001 };
  expect(await warningsOfAnHour({ health })).toEqual([expect.stringMatching(/health\.timeoutMs .* less time than/)]);
});

it('says what an elector finds', async () => {
  const elector = {
    campaign: (_election: string, _candidate: unknown, signal: AbortSignal) => aborted(signal),
    diagnose: async () => [{ level: 'error', summary: 'It is full.', remedy: 'Empty it.' } as const],
  };
  expect(await warningsOfAnHour({ elector })).toEqual(['It is full. Empty it.']);
});

it('is not there with `doctor: false`', async () => {
  const health = { intervalMs: 1_000_000, timeoutMs: 1_000_001 };
  expect(await warningsOfAnHour({ health, doctor: false })).toEqual([]);
});
