// What is left behind by 100,000 start/stop cycles of one component, and by 10,000 probes. Needs --expose-gc.
import 'reflect-metadata';
import { getEventListeners } from 'node:events';
import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { EventEmitter2, EventEmitterModule } from '@nestjs/event-emitter';
import { ElectionTerm, HealthMonitor, LifecycleComponent, LifecycleModule, Registry } from '../dist/index.js';
import { atMost, report, under } from './harness.mjs';

const CYCLES = 100_000;
const PROBES = 10_000;
/** Heap counts from here on: caches are full then, and the code is compiled. */
const SETTLED_AFTER = 10_000;
const SETTLED_AFTER_PROBES = 1000;
const CHECKPOINTS = 10;
const MB = 1024 * 1024;

class RunStyle {
  static started = 0;
  start({ signal }) {
    RunStyle.started++;
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  }
  async healthCheck() {}
}

class ServiceStyle {
  static started = 0;
  async start({ signal }) {
    ServiceStyle.started++;
    signal.addEventListener('abort', () => undefined, { once: true });
  }
  async stop() {}
  async healthCheck() {}
}

async function boot(...components) {
  for (const component of components) LifecycleComponent()(component);
  class App {}
  Module({ imports: [EventEmitterModule.forRoot(), LifecycleModule.forRoot()], providers: components })(App);
  const app = await NestFactory.create(App, { logger: false });
  app.get(EventEmitter2).on('lifecycle.component.status', () => undefined);
  return app;
}

/** What keeps the process alive by kind, and who listens to what the library could have subscribed to. */
function census(emitter, signal) {
  const resources = {};
  for (const kind of process.getActiveResourcesInfo().toSorted()) resources[kind] = (resources[kind] ?? 0) + 1;
  const ofProcess = process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0);
  const ofEmitter = emitter ? emitter.eventNames().reduce((sum, name) => sum + emitter.listenerCount(name), 0) : 0;
  const ofSignal = signal ? getEventListeners(signal, 'abort').length : 0;
  return { resources, listeners: { process: ofProcess, emitter: ofEmitter, signal: ofSignal } };
}

async function heapMb() {
  for (let i = 0; i < 3; i++) {
    await sleep(150);
    globalThis.gc();
  }
  return process.memoryUsage().heapUsed / MB;
}

/** Calls `once` so often, and weighs the heap in between. */
async function repeat(times, settledAfter, count, once) {
  const heap = [];
  await heapMb();
  const before = count();
  const every = (times - settledAfter) / (CHECKPOINTS - 1);
  for (let done = 1; done <= times; done++) {
    await once(done);
    if (done >= settledAfter && (done - settledAfter) % every === 0) heap.push(await heapMb());
  }
  return { heapMb: heap, grownMb: Math.max(...heap) - heap[0], before, after: count() };
}

async function cyclesInApp(component) {
  const app = await boot(component);
  await app.init();
  const registry = app.get(Registry);
  const emitter = app.get(EventEmitter2);
  const lifetime = new AbortController();
  component.started = 0;
  await registry.stopAll();
  const soak = await repeat(
    CYCLES,
    SETTLED_AFTER,
    () => census(emitter, lifetime.signal),
    async () => {
      await registry.startAll(lifetime.signal, true);
      await registry.stopAll();
    },
  );
  await app.close();
  if (component.started !== CYCLES) throw new Error(`${component.started} starts in ${CYCLES} cycles`);
  return soak;
}

async function leaderOnlyCycles() {
  const registry = new Registry();
  registry.register(new RunStyle(), { leaderOnly: true });
  const lifetime = new AbortController();
  RunStyle.started = 0;
  await registry.startAll(lifetime.signal, false);
  const soak = await repeat(
    CYCLES,
    SETTLED_AFTER,
    () => census(undefined, lifetime.signal),
    async (token) => {
      const term = new ElectionTerm({ election: 'default', identity: 'soak', fencingToken: BigInt(token) });
      await registry.startLeaderOnlyComponentsAsync(term);
      term.end('the cycle is over');
      await registry.stopLeaderOnlyComponents();
    },
  );
  await registry.stopAll();
  if (RunStyle.started !== CYCLES) throw new Error(`${RunStyle.started} starts in ${CYCLES} terms`);
  return soak;
}

/** Each probe: `/health` over HTTP, the verdicts, and a round of checks. */
async function probes() {
  const app = await boot(RunStyle, ServiceStyle);
  await app.listen(0, '127.0.0.1');
  const { port } = app.getHttpServer().address();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const monitor = app.get(HealthMonitor);
  const probe = async () => {
    const status = await statusOf({ host: '127.0.0.1', port, path: '/health', agent });
    const verdicts = [monitor.live(), monitor.ready(), monitor.startup()];
    if (status !== 200 || verdicts.some(({ ok }) => !ok)) throw new Error(JSON.stringify({ status, verdicts }));
    await monitor.refresh();
  };
  await probe();
  const soak = await repeat(PROBES, SETTLED_AFTER_PROBES, () => census(app.get(EventEmitter2)), probe);
  agent.destroy();
  await app.close();
  return soak;
}

function statusOf(request) {
  return new Promise((resolve, reject) => {
    get(request, (response) => response.resume().on('end', () => resolve(response.statusCode))).on('error', reject);
  });
}

const soaks = {
  [`${CYCLES} cycles, run style`]: () => cyclesInApp(RunStyle),
  [`${CYCLES} cycles, service style`]: () => cyclesInApp(ServiceStyle),
  [`${CYCLES} terms, leader-only`]: leaderOnlyCycles,
  [`${PROBES} probes`]: probes,
};

if (globalThis.gc === undefined) throw new Error('Run it with: node --expose-gc bench/soak.mjs');
const figures = {};
const goals = [];
// Those of this process itself are handles too where they are pipes, from their first use on.
for (const stream of [process.stdout, process.stderr]) stream.write('');
// What the imports began is over then.
await heapMb();
const before = census();
for (const [name, soak] of Object.entries(soaks)) {
  console.log(`${name} ...`);
  figures[name] = await soak();
  goals.push(under(`${name}: heap grown, MB`, figures[name].grownMb, 1));
  goals.push(atMost(`${name}: handles or listeners left`, difference(figures[name].before, figures[name].after), 0));
}
await heapMb();
figures['all apps closed'] = { before, after: census() };
goals.push(atMost('all apps closed: handles or listeners left', difference(before, census()), 0));
report('soak', figures, goals);

/** By how much two censuses differ, over all counts. */
function difference(one, other) {
  const counts = ({ resources, listeners }) => ({ ...resources, ...listeners });
  const [a, b] = [counts(one), counts(other)];
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].reduce((sum, name) => sum + Math.abs((a[name] ?? 0) - (b[name] ?? 0)), 0);
}
