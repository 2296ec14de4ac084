import { EventEmitterModule } from '@nestjs/event-emitter';
import {
  LifecycleComponent,
  LifecycleModule,
  type AppPhase,
  type HealthCheckReport,
  type LifecycleObserver,
  type LifecycleRootOptions,
  type ObservedApp,
  type ObservedEvent,
  type StartContext,
  type TermProgress,
} from 'nestjs-lifecycle';
import { ManualElector } from 'nestjs-lifecycle/testing';
import { Apps, RecordingLogger } from '../fixtures/apps.js';
import { aborted, until } from '../fixtures/until.js';

const apps = new Apps();

@LifecycleComponent()
class Feed {
  async start({ signal }: StartContext): Promise<void> {
    await aborted(signal);
  }

  healthCheck(): void {
    // Healthy.
  }
}

@LifecycleComponent(true)
class Job {
  async start({ signal }: StartContext): Promise<void> {
    await aborted(signal);
  }
}

class Recorder implements LifecycleObserver {
  readonly seen: string[] = [];
  app: ObservedApp | undefined;

  attach(app: ObservedApp): void {
    this.app = app;
    this.seen.push(`attach ${app.components().length}`);
  }

  onEvent({ name, payload }: ObservedEvent): void {
    if (name === 'lifecycle.component.status') this.seen.push(`${payload.name} ${payload.to}`);
    if (name === 'lifecycle.leadership.acquired') this.seen.push(`acquired ${payload.fencingToken}`);
    // What is true at that moment is what the app says when it is asked.
    if (name === 'lifecycle.leadership.lost') this.seen.push(`lost, leading ${this.app?.elections()[0]?.leading}`);
  }

  onPhase({ phase, state }: AppPhase): void {
    this.seen.push(`${phase} ${state}`);
  }

  onTermProgress({ stage, fencingToken }: TermProgress): void {
    this.seen.push(`${stage} ${fencingToken}`);
  }

  onHealthCheck({ name, healthy }: HealthCheckReport): void {
    this.seen.push(`checked ${name} ${healthy}`);
  }

  detach(): void {
    this.seen.push(`detach, ready ${this.app?.probes().ready.ok}`);
  }
}

const listen = (options: LifecycleRootOptions) =>
  apps.listen({
    imports: [EventEmitterModule.forRoot(), LifecycleModule.forRoot({ logger: new RecordingLogger(), ...options })],
    providers: [Feed, Job],
  });

it('sees boot, terms, checks and shutdown, in order', async () => {
  const [recorder, elector] = [new Recorder(), new ManualElector()];
  const app = await listen({ observers: [recorder], elector, health: { intervalMs: 3_600_000 } });
  await until(() => recorder.seen.includes('checked Feed true'));
  await elector.elect();
  await until(() => recorder.seen.includes('started 1'));
  await elector.depose();
  await until(() => recorder.seen.includes('settled 1'));
  await apps.close(app);
  const expected = [
    'attach 0',
    'boot begun',
    'Job standby',
    'Feed starting',
    'Feed running',
    'boot ended',
    'acquired 1',
    'Job starting',
    'Job running',
    'started 1',
    'lost, leading false',
    'Job stopping',
    'Job standby',
    'settled 1',
    'shutdown begun',
    'Feed stopping',
    'Job stopped',
    'Feed stopped',
    'shutdown ended',
    'detach, ready false',
  ];
  expect(recorder.seen.filter((it) => it !== 'checked Feed true').toSorted()).toEqual(expected.toSorted());
  const inOrder = expected.filter((it) => !/^(Feed|Job) stop/.test(it));
  expect(recorder.seen.filter((it) => inOrder.includes(it))).toEqual(inOrder);
});

it('goes on as ever when an observer throws at everything', async () => {
  const fails = () => {
    throw new Error('broken');
  };
  const broken = { attach: fails, onEvent: fails, onPhase: fails, onTermProgress: fails, onHealthCheck: fails };
  const recorder = new Recorder();
  const app = await listen({ observers: [{ ...broken, detach: fails }, recorder] });
  await until(() => recorder.seen.includes('Job running'));
  await apps.close(app);
  expect(recorder.seen.at(-1)).toBe('detach, ready false');
});

it.each([[{ attach: () => undefined }], [[Recorder]], [[null]], [[undefined]]])('refuses %p as observers', (given) => {
  expect(() => LifecycleModule.forRoot({ observers: given as unknown as LifecycleObserver[] })).toThrow(
    /Option "?observers"?/,
  );
});

it('refuses an observer that is given twice', () => {
  const twice = new Recorder();
  expect(() => LifecycleModule.forRoot({ observers: [twice, twice] })).toThrow('each once');
});
