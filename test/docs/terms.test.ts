import { Module, type INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { expect, it } from '@jest/globals';
import {
  Leadership,
  LifecycleComponent,
  LifecycleModule,
  Registry,
  type LifecycleObserver,
  type ObservedApp,
  type ObservedEvent,
  type StartContext,
  type TermProgress,
} from 'nestjs-lifecycle';
import { ManualElector, untilStatus } from 'nestjs-lifecycle/testing';
import { aborted, gate, until } from '../fixtures/until.js';
import { page, tableUnder } from './pages.js';

/** Names the states as docs/terms.md does. */
class Recorder implements LifecycleObserver {
  readonly path: string[] = [];
  readonly ends: (readonly [reason: string, voluntary: string])[] = [];
  app!: ObservedApp;

  attach(app: ObservedApp): void {
    this.app = app;
    this.path.push('[*]', 'standby');
  }

  onEvent({ name, payload }: ObservedEvent): void {
    if (name === 'lifecycle.leadership.acquired') this.path.push('acquired');
    if (name !== 'lifecycle.leadership.lost') return;
    this.path.push('lost');
    this.ends.push([`\`${(payload.reason as Error).constructor.name}\``, `\`${payload.voluntary}\``]);
  }

  onTermProgress({ stage }: TermProgress): void {
    this.path.push(stage);
  }

  detach(): void {
    this.path.push('[*]');
  }
}

class Replica {
  readonly recorder = new Recorder();
  readonly elector = new ManualElector();
  /** Both are open unless a test closes them. */
  readonly #gates = { start: Promise.resolve(), end: Promise.resolve() };
  context: StartContext | undefined;
  app!: INestApplicationContext;

  async boot(): Promise<void> {
    const booted = (context: StartContext) => (this.context = context);
    const gates = this.#gates;

    @LifecycleComponent({ leaderOnly: true, stopTimeoutMs: 20 })
    class Job {
      async start(context: StartContext): Promise<void> {
        booted(context);
        await Promise.race([gates.start, aborted(context.signal)]);
      }

      stop(): Promise<void> {
        return gates.end;
      }
    }
    const { recorder, elector } = this;
    const options = { elector, observers: [recorder], shutdownTimeoutMs: 5000 };
    @Module({ imports: [LifecycleModule.forRoot(options)], providers: [Job] })
    class AppModule {}
    this.app = await NestFactory.createApplicationContext(AppModule, { logger: false });
  }

  hold(which: 'start' | 'end'): () => void {
    const { promise, open } = gate();
    this.#gates[which] = promise;
    return () => {
      open();
      this.#gates[which] = Promise.resolve();
    };
  }

  async lead(): Promise<void> {
    const { path } = this.recorder;
    if (path.at(-1) === 'settled') path.push('standby');
    await this.elector.elect();
  }

  async leadAndStart(): Promise<void> {
    await this.lead();
    await this.until('started');
  }

  until(state: string): Promise<void> {
    return until(() => this.recorder.path.at(-1) === state);
  }
}

const edgesOf = (path: readonly string[]) => path.slice(1).map((to, index) => `${path[index]} ${to}`);

it('docs/terms.md draws what a term goes through, and names how it ends', async () => {
  const replica = new Replica();
  const { recorder, elector } = replica;
  await replica.boot();

  await replica.leadAndStart();
  await elector.depose();

  const letStart = replica.hold('start');
  await replica.lead();
  await elector.depose();
  letStart();

  await replica.leadAndStart();
  const letEnd = replica.hold('end');
  const deposed = elector.depose();
  await until(() => !recorder.app.probes().live.ok);
  recorder.path.push('overrun');
  letEnd();
  await deposed;

  await replica.leadAndStart();
  await replica.app.get(Leadership).stepDown('a test');

  await replica.leadAndStart();
  await replica.app.close();

  const idle = new Replica();
  await idle.boot();
  await idle.app.close();

  const [diagram] = page('docs/terms.md').blocks;
  const drawn = [...(diagram?.code ?? '').matchAll(/^ +(\S+) --> ([^:\s]+)/gm)].map(([, from, to]) => `${from} ${to}`);
  const seen = [recorder.path, idle.recorder.path].flatMap(edgesOf);
  expect(new Set(drawn)).toEqual(new Set(seen));

  const { rows } = tableUnder(page('docs/terms.md'), 'How it ends');
  const [stepDown, shutdown, , deadline] = rows.map(([, reason, voluntary]) => [reason, voluntary]);
  expect(recorder.ends).toEqual([deadline, deadline, deadline, stepDown, shutdown]);
}, 30_000);

it('docs/terms.md says how a term ends in which a component fails for good', async () => {
  const replica = new Replica();
  await replica.boot();
  await replica.leadAndStart();
  await untilStatus(replica.app.get(Registry), 'Job', 'running');

  replica.context?.fail(new Error('broken'));
  await replica.until('settled');
  await replica.app.close();

  const row = tableUnder(page('docs/terms.md'), 'How it ends').rows.find(([cause]) =>
    cause?.includes('failed for good'),
  );
  expect(replica.recorder.ends).toEqual([row?.slice(1, 3)]);
}, 30_000);
