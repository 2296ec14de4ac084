import { InvalidOptionError } from '../../../lib/core/errors.js';
import { MemoryElectionHub, MemoryElector } from '../../../lib/electors/memory/index.js';
import { LifecycleModule } from '../../../lib/lifecycle.module.js';
import { resolveOptions } from '../../../lib/lifecycle.options.js';

function refusalOf(action: () => unknown): InvalidOptionError {
  try {
    action();
  } catch (error) {
    if (error instanceof InvalidOptionError) return error;
    throw error;
  }
  throw new Error('It was accepted');
}

const forRoot = (options: unknown) => () => LifecycleModule.forRoot(options as never);
const forRootAsync = (options: unknown) => () => LifecycleModule.forRootAsync(options as never);

/** Every option with values that cannot work: what was given, and which option the error is about. */
const BAD: readonly (readonly [given: Record<string, unknown>, option: string, value: unknown])[] = [
  ...['autoStart', 'awaitStart', 'failFast', 'exitOnFailure', 'watchdog', 'isGlobal'].flatMap((option) =>
    ['yes', 1, null].map((value) => [{ [option]: value }, option, value] as const),
  ),
  ...['drainDelayMs', 'startTimeoutMs', 'stopTimeoutMs', 'shutdownTimeoutMs'].flatMap((option) =>
    [-1, Number.NaN, Infinity, 2 ** 31, '5s', null].map((value) => [{ [option]: value }, option, value] as const),
  ),
  ...['startTimeoutMs', 'stopTimeoutMs', 'shutdownTimeoutMs'].map((option) => [{ [option]: 0 }, option, 0] as const),
  ...[0, 1.5, '3', null].map((value) => [{ unhealthyThreshold: value }, 'unhealthyThreshold', value] as const),
  ...['always', 5, [], null].map((value) => [{ restart: value }, 'restart', value] as const),
  ...['initialDelayMs', 'maxDelayMs', 'stableAfterMs', 'windowMs', 'maxRestarts'].map(
    (option) => [{ restart: { [option]: -1 } }, `restart.${option}`, -1] as const,
  ),
  [{ restart: { mode: 'always' } }, 'mode', 'always'],
  ...['memory', 5, null, {}, { campaign: true }].map((value) => [{ elector: value }, 'elector', value] as const),
  [{ elections: 'orders' }, 'elections', 'orders'],
  [{ elections: null }, 'elections', null],
  [{ elections: ['orders', 'Bad Name'] }, 'elections[1]', 'Bad Name'],
  [{ elections: [undefined] }, 'elections[0]', undefined],
  ...['', '  ', 7, null].map((value) => [{ identity: value }, 'identity', value] as const),
  ...['console', {}, null, { log: () => undefined }].map((value) => [{ logger: value }, 'logger', value] as const),
  ...['system', {}, null].map((value) => [{ clock: value }, 'clock', value] as const),
  ...[0.5, null].map((value) => [{ random: value }, 'random', value] as const),
  ...['off', null, []].map((value) => [{ health: value }, 'health', value] as const),
  [{ health: { endpoints: 'no' } }, 'health.endpoints', 'no'],
  ...['', '/', 'a//b', ':id', 'a/*', 'he alth', 5, null].map(
    (value) => [{ health: { path: value } }, 'health.path', value] as const,
  ),
  ...['Public', {}, ['Public'], null].map(
    (value) => [{ health: { decorators: value } }, 'health.decorators', value] as const,
  ),
  [{ health: { intervalMs: 0 } }, 'health.intervalMs', 0],
  [{ health: { timeoutMs: '2s' } }, 'health.timeoutMs', '2s'],
  ...['no', 0, null].map((value) => [{ health: { errorDetails: value } }, 'health.errorDetails', value] as const),
  ...[-1, 65_536, 1.5, Number.NaN, '9090', null, true].map(
    (value) => [{ health: { port: value } }, 'health.port', value] as const,
  ),
  ...['', ' ', 'localhost:9090', 'http://localhost', 'a b', '*', 5, null].map(
    (value) => [{ health: { port: 0, host: value } }, 'health.host', value] as const,
  ),
  [{ health: { host: '127.0.0.1' } }, 'health.host', '127.0.0.1'],
  [{ health: { port: 0, path: 'a/*' } }, 'health.path', 'a/*'],
  [{ health: { interval: 5 } }, 'interval', 5],
  ...['lifecycle', true, null].map((value) => [{ statusPage: value }, 'statusPage', value] as const),
  ...['', 'a//b', ':id', 5, null].map((value) => [{ statusPage: { path: value } }, 'statusPage.path', value] as const),
  ...['Admin', [{}], [class {}], [null], null].map(
    (value) => [{ statusPage: { guards: value } }, 'statusPage.guards', value] as const,
  ),
  ...[0, 1.5, 10_001, null].map((value) => [{ statusPage: { history: value } }, 'statusPage.history', value] as const),
  [{ statusPage: { actions: true } }, 'statusPage.actions', true],
  [{ statusPage: { actions: 'yes' } }, 'statusPage.actions', 'yes'],
  [{ statusPage: { guard: [] } }, 'guard', []],
  ...['off', null].map((value) => [{ events: value }, 'events', value] as const),
  [{ events: { bufferSize: 0 } }, 'events.bufferSize', 0],
  [{ events: { pauseBufferSize: 1.5 } }, 'events.pauseBufferSize', 1.5],
  [{ events: { size: 5 } }, 'size', 5],
  [{ imports: {} }, 'imports', {}],
  [{ drainDelay: 5 }, 'drainDelay', 5],
];

it.each(BAD)('forRoot(%j) is refused for its option %s', (given, option, value) => {
  const error = refusalOf(forRoot(given));
  expect(error).toMatchObject({ code: 'ERR_LIFECYCLE_INVALID_OPTION', option });
  expect(error.value).toEqual(value);
  // Option, place, what is wrong with the value, and a remedy.
  expect(error.message).toMatch(/^Option ".+" in .*LifecycleModule.* is .+, expected .+\. .+\.$/);
});

it.each([
  [null, null],
  ['options', 'options'],
  [[], []],
])('forRoot(%p) is refused as a whole', (given, value) => {
  expect(refusalOf(forRoot(given))).toMatchObject({ option: 'options', value });
  expect(refusalOf(forRootAsync(given))).toMatchObject({ option: 'options', value });
});

it.each<[object, string]>([
  [{ useFactory: 5 }, 'elector'],
  [{ useFactory: () => undefined, useClass: class {} }, 'elector'],
  [{ useClass: () => undefined }, 'elector'],
  [{ useClass: 'MemoryElector' }, 'elector'],
  [{ useExisting: undefined }, 'elector'],
  [{ useExisting: null }, 'elector'],
])('an elector provider %p is refused, beside forRoot() and forRootAsync()', (elector, option) => {
  for (const refused of [forRoot({ elector }), forRootAsync({ elector, useFactory: () => ({}) })]) {
    expect(refusalOf(refused)).toMatchObject({ option, value: elector });
  }
});

it('a function that makes an elector is refused where a class is meant, and told how to write it', () => {
  const error = refusalOf(forRoot({ elector: () => new MemoryElector(new MemoryElectionHub()) }));
  expect(error.message).toContain('A provider ({ useFactory, inject }) belongs beside the options');
});

it('an elector itself is refused beside forRootAsync(), which takes only providers there', () => {
  const elector = new MemoryElector(new MemoryElectionHub());
  expect(refusalOf(forRootAsync({ elector, useFactory: () => ({}) }))).toMatchObject({ option: 'elector' });
});

it.each<[object, string]>([
  [{}, 'useFactory, useClass, useExisting'],
  [{ useFactory: () => ({}), useClass: class {} }, 'useFactory, useClass, useExisting'],
  [{ useFactory: 'options' }, 'useFactory, useClass, useExisting'],
  [{ useClass: () => ({}) }, 'useFactory, useClass, useExisting'],
  [{ useExisting: null }, 'useFactory, useClass, useExisting'],
  [{ useFactroy: () => ({}) }, 'useFactroy'],
  [{ useFactory: () => ({}), drainDelayMs: 5 }, 'drainDelayMs'],
  [{ useFactory: () => ({}), health: { intervalMs: 5 } }, 'intervalMs'],
  [{ useFactory: () => ({}), health: null }, 'health'],
  [{ useFactory: () => ({}), health: { path: '' } }, 'health.path'],
  [{ useFactory: () => ({}), statusPage: null }, 'statusPage'],
  [{ useFactory: () => ({}), statusPage: { actions: true } }, 'statusPage.actions'],
  [{ useFactory: () => ({}), isGlobal: 'yes' }, 'isGlobal'],
  [{ useFactory: () => ({}), imports: {} }, 'imports'],
])('forRootAsync(%p) is refused for its option %s', (given, option) => {
  const error = refusalOf(forRootAsync(given));
  expect(error.option).toBe(option);
  expect(error.message).toMatch(/^Option ".+" in .*LifecycleModule.* is .+, expected .+\. .+\.$/s);
});

it('has every default written once', () => {
  expect(resolveOptions({})).toEqual({
    given: {},
    registry: {
      startTimeoutMs: 30_000,
      stopTimeoutMs: 10_000,
      shutdownTimeoutMs: 25_000,
      unhealthyThreshold: 3,
      restart: { initialDelayMs: 1000, maxDelayMs: 60_000, maxRestarts: 5, windowMs: 600_000, stableAfterMs: 60_000 },
    },
    elections: [],
    identity: expect.stringMatching(new RegExp(`-${process.pid}-[0-9a-f]{6}$`)),
    autoStart: true,
    awaitStart: true,
    failFast: true,
    exitOnFailure: false,
    watchdog: false,
    doctor: true,
    drainDelayMs: 0,
    health: { endpoints: true, path: 'health', decorators: [], intervalMs: 5000, timeoutMs: 2000, errorDetails: true },
    events: {},
    clock: expect.objectContaining({ now: expect.any(Function) }),
    observers: [],
    random: Math.random,
  });
});

it('has a status page only when it is asked for one', () => {
  expect(resolveOptions({}).statusPage).toBeUndefined();
  expect(resolveOptions({ statusPage: {} }).statusPage).toEqual({
    path: 'lifecycle',
    guards: [],
    actions: false,
    history: 200,
  });
});

it('takes an option that is undefined as one that is left out', () => {
  const undefinedOptions = Object.fromEntries(
    BAD.flatMap(([given]) => Object.keys(given)).map((it) => [it, undefined]),
  );
  delete undefinedOptions['drainDelay'];
  expect(() => LifecycleModule.forRoot(undefinedOptions as never)).not.toThrow();
  const resolved = resolveOptions({ restart: { maxRestarts: undefined }, events: { bufferSize: undefined } } as never);
  expect(resolved.registry.restart).toEqual(resolveOptions({}).registry.restart);
});

it.each([
  '127.0.0.1',
  '0.0.0.0',
  '::',
  '::1',
  'fe80::1%eth0',
  '::ffff:10.0.0.1',
  'localhost',
  'pod-1.svc.cluster.local',
])('takes %s as a host', (host) => {
  expect(resolveOptions({ health: { port: 9090, host } }).health).toMatchObject({ port: 9090, host });
});

it('gives each process start an identity of its own', () => {
  expect(resolveOptions({}).identity).not.toBe(resolveOptions({}).identity);
});
