import { jest } from '@jest/globals';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-node';
import { SpanStatusCode, trace } from '@opentelemetry/api';
import { EventEmitterModule } from '@nestjs/event-emitter';
import { LifecycleComponent, LifecycleModule, type LifecycleRootOptions, type StartContext } from 'nestjs-lifecycle';
import { ManualElector } from 'nestjs-lifecycle/testing';
import { OpenTelemetryTraces } from 'nestjs-lifecycle/traces/opentelemetry';
import { Apps, RecordingLogger } from '../fixtures/apps.js';
import { aborted, until } from '../fixtures/until.js';

const apps = new Apps();

@LifecycleComponent()
class Feed {
  async start({ signal }: StartContext): Promise<void> {
    await aborted(signal);
  }
}

/** Fails at its first start, and is started again. */
@LifecycleComponent({ criticality: 'optional', restart: { mode: 'on-failure', initialDelayMs: 1 } })
class Flaky {
  #starts = 0;

  async start({ signal }: StartContext): Promise<void> {
    if (this.#starts++ === 0) throw Object.assign(new TypeError('no route'), { code: 'ENOROUTE' });
    await aborted(signal);
  }
}

@LifecycleComponent({ leaderOnly: true, election: 'orders' })
class Job {
  async start({ signal }: StartContext): Promise<void> {
    await aborted(signal);
  }
}

@LifecycleComponent()
class Broken {
  start(): void {
    throw new Error('no database');
  }

  stop(): void {
    // Never started.
  }
}

function record() {
  const exporter = new InMemorySpanExporter();
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const spans = () => exporter.getFinishedSpans();
  const named = (name: string) => spans().filter((it) => it.name === name);
  return { observer: new OpenTelemetryTraces({ tracerProvider }), spans, named };
}

const moduleOf = (options: LifecycleRootOptions, providers: (new () => object)[]) => ({
  imports: [EventEmitterModule.forRoot(), LifecycleModule.forRoot({ logger: new RecordingLogger(), ...options })],
  providers,
});

/** Each span below its parent, as `name outcome`, a failed one with an exclamation mark; in order of their begin. */
function treeOf(spans: readonly ReadableSpan[]): string[] {
  const ms = (it: ReadableSpan) => it.startTime[0] * 1000 + it.startTime[1] / 1e6;
  const below = (parent: string | undefined, indent: string): string[] =>
    spans
      .filter((it) => it.parentSpanContext?.spanId === parent)
      .toSorted((a, b) => ms(a) - ms(b))
      .flatMap((it) => {
        const mark = it.status.code === SpanStatusCode.ERROR ? ' !' : '';
        return [
          `${indent}${it.name}: ${String(it.attributes['lifecycle.outcome'])}${mark}`,
          ...below(it.spanContext().spanId, `${indent}  `),
        ];
      });
  return below(undefined, '');
}

it('makes a tree of a boot, two terms, a failure and a shutdown', async () => {
  const { observer, spans, named } = record();
  const elector = new ManualElector();
  const app = await apps.listen(moduleOf({ observers: [observer], elector, identity: 'pod-1' }, [Feed, Flaky, Job]));
  await until(() => named('start Flaky').length === 2);
  await elector.elect('orders');
  await until(() => named('start Job').length === 1);
  await elector.depose('lease expired', 'orders');
  await elector.elect('orders');
  await until(() => named('start Job').length === 2);
  await apps.close(app);

  const tree = treeOf(spans());
  const bootAndShutdown = tree.filter((it) => !it.includes('Flaky'));
  expect(bootAndShutdown).toEqual([
    'boot: ended',
    '  start Feed: running',
    'term orders: settled !',
    '  start Job: running',
    '  stop Job: standby',
    'term orders: settled',
    '  start Job: running',
    '  stop Job: standby',
    'shutdown: ended',
    '  stop Feed: stopped',
  ]);
  expect(tree).toEqual(expect.arrayContaining(['  start Flaky: failed !', '  stop Flaky: stopped']));
});

it('gives terms their token, their events in order, and the cause of a loss', async () => {
  const { observer, named } = record();
  const elector = new ManualElector();
  const app = await apps.listen(moduleOf({ observers: [observer], elector, identity: 'pod-1' }, [Job]));
  await elector.elect('orders');
  await until(() => named('start Job').length === 1);
  await elector.depose('lease expired', 'orders');
  await elector.elect('orders');
  await until(() => named('start Job').length === 2);
  await apps.close(app);

  const [lost, handedOver] = named('term orders');
  expect(lost?.attributes).toMatchObject({
    'lifecycle.election': 'orders',
    'lifecycle.fencing_token': '1',
    'lifecycle.identity': 'pod-1',
  });
  expect(lost?.events.map((it) => it.name)).toEqual(['started', 'lost', 'exception']);
  expect(lost?.events[1]?.attributes).toMatchObject({ 'lifecycle.voluntary': false });
  expect(lost?.events[1]?.attributes?.['lifecycle.reason']).toContain('lease expired');
  expect(handedOver?.attributes['lifecycle.fencing_token']).toBe('2');
  expect(handedOver?.events.map((it) => it.name)).toEqual(['started', 'lost']);
  expect(handedOver?.events[1]?.attributes).toMatchObject({ 'lifecycle.voluntary': true });
});

it('records what a component failed of', async () => {
  const { observer, named } = record();
  const app = await apps.listen(moduleOf({ observers: [observer] }, [Flaky]));
  await until(() => named('start Flaky').length === 2);
  await apps.close(app);

  const [failed, restarted] = named('start Flaky');
  expect(failed?.status).toEqual({ code: SpanStatusCode.ERROR, message: 'no route' });
  expect(failed?.attributes).toMatchObject({
    'lifecycle.component': 'Flaky',
    'lifecycle.criticality': 'optional',
    'lifecycle.restarts': 0,
    'error.type': 'ENOROUTE',
  });
  expect(failed?.events[0]?.attributes).toMatchObject({
    'exception.type': 'ENOROUTE',
    'exception.message': 'no route',
    'exception.stacktrace': expect.stringContaining('TypeError: no route'),
  });
  expect(restarted?.attributes['lifecycle.restarts']).toBe(1);
});

it('shows of what a boot failed that never came to an end', async () => {
  const { observer, spans, named } = record();
  await expect(apps.listen(moduleOf({ observers: [observer] }, [Feed, Broken]))).rejects.toThrow('no database');

  expect(named('boot')[0]?.status).toEqual({ code: SpanStatusCode.ERROR, message: 'no database' });
  expect(treeOf(spans())).toEqual(expect.arrayContaining(['boot: failed !', '  start Broken: failed !']));
  expect(named('shutdown')).toHaveLength(1);
});

it('reaches a global provider that is set after the app was created, and flushes it at the end', async () => {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const flushed = jest.spyOn(provider, 'forceFlush');
  const app = await apps.create(moduleOf({ observers: [new OpenTelemetryTraces()] }, [Feed]));
  trace.setGlobalTracerProvider(provider);
  try {
    await app.init();
    await apps.close(app);
  } finally {
    trace.disable();
  }

  const names = exporter.getFinishedSpans().map((it) => it.name);
  expect(names.filter((it) => !it.startsWith('term'))).toEqual(['start Feed', 'boot', 'stop Feed', 'shutdown']);
  expect(flushed).toHaveBeenCalledTimes(1);
});

it('has no part in the trace of whoever happens to publish', async () => {
  const { observer, named } = record();
  const app = await apps.create(moduleOf({ observers: [observer] }, [Feed]));
  const { AsyncLocalStorageContextManager } = await import('@opentelemetry/context-async-hooks');
  const { context, ROOT_CONTEXT } = await import('@opentelemetry/api');
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  try {
    const request = trace.wrapSpanContext({ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), traceFlags: 1 });
    await context.with(trace.setSpan(ROOT_CONTEXT, request), () => app.init());
  } finally {
    context.disable();
  }
  await apps.close(app);

  expect(named('boot')[0]?.parentSpanContext).toBeUndefined();
  expect(named('start Feed')[0]?.spanContext().traceId).toBe(named('boot')[0]?.spanContext().traceId);
});
