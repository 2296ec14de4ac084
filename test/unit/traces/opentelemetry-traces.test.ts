import { SpanStatusCode, type TracerProvider } from '@opentelemetry/api';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type ReadableSpan,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace-node';
import { describe, expect, it, jest } from '@jest/globals';
import { silentLogger } from '../../../lib/core/logger.js';
import type { ComponentStatusEvent } from '../../../lib/core/lifecycle-events.js';
import type { TermProgress } from '../../../lib/core/lifecycle-observer.js';
import type { Status } from '../../../lib/core/status.js';
import { ManualClock } from '../../../lib/testing/manual-clock.js';
import type { OpenTelemetryTracesOptions } from '../../../lib/traces/opentelemetry/opentelemetry-traces-options.js';
import { OpenTelemetryTraces } from '../../../lib/traces/opentelemetry/opentelemetry-traces.js';

const EPOCH = 1_700_000_000_000;

function stage(options: OpenTelemetryTracesOptions = {}) {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const traces = new OpenTelemetryTraces({ tracerProvider: provider, ...options });
  const clock = new ManualClock();
  traces.attach({
    identity: 'pod-1',
    clock,
    logger: silentLogger,
    components: () => [],
    elections: () => [],
    leaderOnlyCalls: () => [],
    eventBus: () => ({ depth: 0, dropped: 0, subscriptions: 0 }),
    probes: () => ({ live: UP, ready: UP, startup: UP }),
  });
  const status = (to: Status, more: Partial<ComponentStatusEvent> = {}) =>
    traces.onEvent({
      name: 'lifecycle.component.status',
      payload: { ...STATUS, at: clock.wallNow(), to, ...more },
    });
  const term = (token = 1n) => ({ election: 'orders', identity: 'pod-1', fencingToken: token, at: clock.wallNow() });
  const acquired = (token?: bigint) => traces.onEvent({ name: 'lifecycle.leadership.acquired', payload: term(token) });
  const lost = (token?: bigint, reason: unknown = new Error('gone'), voluntary = false) =>
    traces.onEvent({
      name: 'lifecycle.leadership.lost',
      payload: { ...term(token), durationMs: 1, reason, voluntary },
    });
  const progress = (step: TermProgress['stage'], token?: bigint) =>
    traces.onTermProgress({ ...term(token), stage: step, durationMs: 1 });
  const phase = (name: 'boot' | 'shutdown', state: 'begun' | 'ended', error?: unknown) =>
    traces.onPhase({ phase: name, state, at: clock.wallNow(), ...(error !== undefined && { error }) });
  const named = (name: string) => exporter.getFinishedSpans().filter((it) => it.name === name);
  return { traces, clock, status, acquired, lost, progress, phase, named, exporter };
}

const UP = { ok: true, reasons: [] };
const STATUS: ComponentStatusEvent = {
  name: 'Feed',
  from: 'pending',
  to: 'starting',
  at: EPOCH,
  durationMs: 0,
  leaderOnly: false,
  criticality: 'critical',
  restarts: 0,
};

const beginOf = (span: ReadableSpan | undefined) => span && span.startTime[0] * 1000 + span.startTime[1] / 1e6;
const lengthOf = (span: ReadableSpan | undefined) => span && span.duration[0] * 1000 + span.duration[1] / 1e6;
const parentOf = (span: ReadableSpan | undefined) => span?.parentSpanContext?.spanId;
const outcomeOf = (span: ReadableSpan | undefined) => span?.attributes['lifecycle.outcome'];

describe('times', () => {
  it('are those of the events, not of the callbacks', () => {
    const { status, clock, named } = stage();
    const begin = clock.wallNow() - 5000;
    status('starting', { at: begin });
    status('running', { at: begin + 1250.5 });

    expect(beginOf(named('start Feed')[0])).toBeCloseTo(begin, 3);
    expect(lengthOf(named('start Feed')[0])).toBeCloseTo(1250.5, 3);
  });

  it.each([0, 7, EPOCH])('are right however early they are: %d', (at) => {
    const { status, named } = stage();
    status('starting', { at });
    status('running', { at: at + 3 });

    expect(beginOf(named('start Feed')[0])).toBe(at);
    expect(lengthOf(named('start Feed')[0])).toBe(3);
  });

  it('do not run backwards with the wall clock', () => {
    const { status, phase, traces, named } = stage();
    traces.onPhase({ phase: 'boot', state: 'begun', at: EPOCH });
    status('starting', { at: EPOCH });
    status('running', { at: EPOCH - 60_000 });
    traces.onPhase({ phase: 'boot', state: 'ended', at: EPOCH - 60_000 });
    phase('shutdown', 'begun');

    expect(lengthOf(named('start Feed')[0])).toBe(0);
    expect(lengthOf(named('boot')[0])).toBe(0);
  });
});

describe('a term', () => {
  it('is one span from acquired to settled', () => {
    const { acquired, progress, lost, clock, named } = stage();
    const begin = clock.wallNow();
    acquired(7n);
    progress('started', 7n);
    lost(7n);
    expect(named('term orders')).toEqual([]);
    progress('settled', 7n);

    const [span] = named('term orders');
    expect(beginOf(span)).toBe(begin);
    expect(span?.events.map((it) => it.name)).toEqual(['started', 'lost', 'exception']);
    expect(span?.status).toEqual({ code: SpanStatusCode.ERROR, message: 'gone' });
    expect(outcomeOf(span)).toBe('settled');
  });

  it('that is lost before its work has started has no such event', () => {
    const { acquired, progress, lost, named } = stage();
    acquired();
    lost();
    progress('settled');
    progress('started');

    expect(named('term orders')[0]?.events.map((it) => it.name)).toEqual(['lost', 'exception']);
  });

  it('that is handed over has not failed', () => {
    const { acquired, progress, lost, named } = stage();
    acquired();
    lost(1n, new Error('the application stops'), true);
    progress('settled');

    const [span] = named('term orders');
    expect(span?.status.code).toBe(SpanStatusCode.UNSET);
    expect(span?.events[0]?.attributes).toEqual({
      'lifecycle.reason': 'the application stops',
      'lifecycle.voluntary': true,
    });
  });

  it('is not touched by what is told of another', () => {
    const { acquired, progress, lost, named } = stage();
    lost(1n);
    progress('settled', 1n);
    acquired(2n);
    lost(1n);
    progress('settled', 1n);
    expect(named('term orders')).toEqual([]);
    progress('settled', 2n);

    expect(named('term orders')[0]?.events).toEqual([]);
  });

  it('ends at the latest when the next one begins', () => {
    const { acquired, named } = stage();
    acquired(1n);
    acquired(2n);

    expect(named('term orders').map(outcomeOf)).toEqual(['superseded']);
  });
});

describe('a component', () => {
  it('belongs to the term of its election until that has settled', () => {
    const { acquired, progress, lost, status, phase, named } = stage();
    const job = { name: 'Job', election: 'orders', leaderOnly: true };
    phase('boot', 'begun');
    acquired();
    status('starting', job);
    status('running', job);
    phase('shutdown', 'begun');
    lost();
    status('stopping', job);
    status('standby', job);
    progress('settled');

    const id = named('term orders')[0]?.spanContext().spanId;
    expect([parentOf(named('start Job')[0]), parentOf(named('stop Job')[0])]).toEqual([id, id]);
    expect(named('stop Job').map(outcomeOf)).toEqual(['standby']);
  });

  it('that is stopped while the app boots belongs to the shutdown', () => {
    const { status, phase, named } = stage();
    phase('boot', 'begun');
    status('starting');
    phase('shutdown', 'begun');
    status('stopping', { from: 'starting' });
    status('stopped', { from: 'stopping' });
    phase('shutdown', 'ended');
    phase('boot', 'ended');

    expect(parentOf(named('start Feed')[0])).toBe(named('boot')[0]?.spanContext().spanId);
    expect(parentOf(named('stop Feed')[0])).toBe(named('shutdown')[0]?.spanContext().spanId);
    expect([named('start Feed')[0], named('stop Feed')[0]].map(outcomeOf)).toEqual(['stopping', 'stopped']);
  });

  it('that is started again later is a trace of its own', () => {
    const { status, phase, named } = stage();
    phase('boot', 'begun');
    phase('boot', 'ended');
    status('starting', { restarts: 3 });
    status('running');

    expect(parentOf(named('start Feed')[0])).toBeUndefined();
    expect(named('start Feed')[0]?.attributes['lifecycle.restarts']).toBe(3);
  });

  it('that fails while it runs is a span without a length', () => {
    const { status, named } = stage();
    status('failed', { from: 'running', error: new Error('boom') });

    expect(lengthOf(named('fail Feed')[0])).toBe(0);
    expect(named('fail Feed')[0]?.status).toEqual({ code: SpanStatusCode.ERROR, message: 'boom' });
  });

  it.each([
    [
      'a proxy that throws',
      new Proxy(
        {},
        {
          get: () => {
            throw new Error('no');
          },
        },
      ),
    ],
    ['nothing', undefined],
    ['an error whose message is no text', Object.assign(new Error('x'), { message: 7n, code: { deep: true } })],
  ])('may fail of %s', (_, error) => {
    const { status, named } = stage();
    status('starting');
    status('failed', { error });

    expect(named('start Feed')[0]?.status.code).toBe(SpanStatusCode.ERROR);
  });
});

describe('detaching', () => {
  it('ends whatever is open', async () => {
    const { traces, status, acquired, phase, exporter } = stage();
    phase('boot', 'begun');
    acquired();
    status('starting');
    phase('shutdown', 'begun');
    await traces.detach();

    const ended = exporter.getFinishedSpans().map((it) => `${it.name}: ${String(outcomeOf(it))}`);
    expect(ended).toEqual(['start Feed: detached', 'term orders: detached', 'boot: cut short', 'shutdown: cut short']);
  });

  it('is the end: what is told later makes no span', async () => {
    const { traces, status, acquired, progress, phase, exporter } = stage();
    acquired();
    await traces.detach();
    await traces.detach();
    exporter.reset();
    progress('settled');
    acquired(2n);
    status('starting');
    status('running');
    phase('boot', 'ended', new Error('late'));

    expect(exporter.getFinishedSpans()).toEqual([]);
  });

  it('tells of what the boot failed, whose end comes later', async () => {
    const { traces, status, phase, named } = stage();
    phase('boot', 'begun');
    status('starting');
    status('failed', { error: new Error('no database') });
    phase('shutdown', 'begun');
    phase('shutdown', 'ended');
    await traces.detach();

    expect(named('boot')[0]?.status).toEqual({ code: SpanStatusCode.ERROR, message: 'no database' });
  });
});

it('ends every span, also where a span processor throws', async () => {
  const ended: string[] = [];
  const throwing = {
    onStart: () => undefined,
    onEnd: (it: ReadableSpan) => {
      ended.push(it.name);
      throw new Error('broken');
    },
    forceFlush: () => Promise.resolve(),
    shutdown: () => Promise.resolve(),
  };
  const { traces, status, acquired } = stage({
    tracerProvider: new BasicTracerProvider({ spanProcessors: [throwing] }),
  });
  acquired();
  status('starting');
  status('running');
  status('stopping');
  status('starting', { name: 'Other' });
  await traces.detach();

  expect(ended).toEqual(['start Feed', 'stop Feed', 'start Other', 'term orders']);
});

it('ends what is left where a processor throws at the beginning of a span', async () => {
  const ended: string[] = [];
  const throwing: SpanProcessor = {
    onStart(span) {
      if (span.name === 'start Feed') throw new Error('full');
    },
    onEnd: (span) => void ended.push(span.name),
    forceFlush: () => Promise.resolve(),
    shutdown: () => Promise.resolve(),
  };
  const { traces, status } = stage({ tracerProvider: new BasicTracerProvider({ spanProcessors: [throwing] }) });
  status('starting');
  status('starting', { name: 'Other' });
  await traces.detach();

  expect(ended).toEqual(['start Other']);
});

describe('of starts and stops that are brief', () => {
  const LIMIT = 32;

  /** That many components, one after the other. */
  function start({ status, clock }: ReturnType<typeof stage>, count: number, takesMs: number) {
    for (let i = 0; i < count; i++) {
      const at = clock.wallNow();
      status('starting', { name: `c${i}`, at });
      status('running', { name: `c${i}`, at: at + takesMs });
    }
  }

  const starts = ({ exporter }: ReturnType<typeof stage>) =>
    exporter.getFinishedSpans().filter(({ name }) => name.startsWith('start '));
  const omitted = ({ named }: ReturnType<typeof stage>, name: string) =>
    named(name)[0]?.attributes['lifecycle.brief_omitted'];

  it('a boot has so many spans, and the number of the others', () => {
    const it = stage();
    it.phase('boot', 'begun');
    start(it, 1000, 99);
    it.phase('boot', 'ended');

    expect([starts(it).length, omitted(it, 'boot')]).toEqual([LIMIT, 1000 - LIMIT]);
  });

  it('nothing is said where there are no more', () => {
    const it = stage();
    it.phase('boot', 'begun');
    start(it, LIMIT, 0);
    it.phase('boot', 'ended');

    expect(starts(it)).toHaveLength(LIMIT);
    expect(it.named('boot')[0]?.attributes).not.toHaveProperty('lifecycle.brief_omitted');
  });

  it('those that take long or fail are not counted, and have one each', () => {
    const it = stage();
    it.phase('boot', 'begun');
    start(it, 100, 100);
    start(it, 100, 0);
    it.status('starting', { name: 'Last' });
    it.status('failed', { name: 'Last', error: new Error('refused') });
    it.phase('boot', 'ended');

    expect([starts(it).length, omitted(it, 'boot')]).toEqual([100 + LIMIT + 1, 100 - LIMIT]);
    expect(it.named('start Last')[0]?.status.code).toBe(SpanStatusCode.ERROR);
  });

  it('each term and the shutdown have their own', () => {
    const it = stage({ briefSpanLimit: 2 });
    for (const token of [1n, 2n]) {
      it.acquired(token);
      for (const name of ['a', 'b', 'c']) {
        it.status('starting', { name, election: 'orders', leaderOnly: true });
        it.status('running', { name, election: 'orders', leaderOnly: true });
      }
      it.progress('settled', token);
    }
    it.phase('shutdown', 'begun');
    for (const name of ['d', 'e', 'f']) {
      it.status('stopping', { name });
      it.status('stopped', { name });
    }
    it.phase('shutdown', 'ended');

    expect(starts(it)).toHaveLength(4);
    expect(it.named('term orders').map(({ attributes }) => attributes['lifecycle.brief_omitted'])).toEqual([1, 1]);
    expect(omitted(it, 'shutdown')).toBe(1);
  });

  it('none is left out of what nothing holds together', () => {
    const it = stage({ briefSpanLimit: 0 });
    start(it, 100, 0);

    expect(starts(it)).toHaveLength(100);
  });

  it('briefMs 0 says that none is brief', () => {
    const it = stage({ briefMs: 0, briefSpanLimit: 0 });
    it.phase('boot', 'begun');
    start(it, 100, 0);

    expect(starts(it)).toHaveLength(100);
  });
});

it('makes nothing for the components of a boot that nobody records', () => {
  const span = { isRecording: () => false } as unknown as ReturnType<
    ReturnType<TracerProvider['getTracer']>['startSpan']
  >;
  const startSpan = jest.fn(() => span);
  const tracerProvider = { getTracer: () => ({ startSpan }) } as unknown as TracerProvider;
  const { status, traces } = stage({ tracerProvider });
  traces.onPhase({ phase: 'boot', state: 'begun', at: EPOCH });
  for (let i = 0; i < 1000; i++) {
    status('starting', { name: `c${i}` });
    status('running', { name: `c${i}` });
  }

  expect(startSpan).toHaveBeenCalledTimes(1);
});

it.each([
  [{ tracer: 1 }, /no such option/],
  [{ tracerProvider: {} }, /tracerProvider.*getTracer/s],
  [{ briefMs: -1 }, /briefMs.*-1/s],
  [{ briefSpanLimit: 1.5 }, /briefSpanLimit.*1\.5/s],
  [null, /options/],
])('refuses %p', (options, message) => {
  expect(() => new OpenTelemetryTraces(options as object)).toThrow(message);
});
