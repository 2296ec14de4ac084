// Requests per second at /health over a plain Terminus controller with as many hand-written indicators, and what one
// check that hangs does to the slowest answers; requests per second with metrics and traces over those without. Every app
// has a process of its own; each is under load in turn.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { alternate, atLeast, atMost, median, quantile, ratio, report, under } from './harness.mjs';
import { HttpConnection } from './http-connection.mjs';

const SIZES = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [10, 100, 1000];
const GOALS = { 10: 1, 1000: 2 };
const ROUNDS = 40;
const SLICE_MS = 250;
const CONNECTIONS = 16;

async function boot(variant, size, mode = '') {
  const server = new URL('./health-server.mjs', import.meta.url);
  // Output is discarded, not switched off: what logging costs counts.
  const child = fork(server, [variant, String(size), mode], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const [{ port }] = await once(child, 'message');
  const connections = await Promise.all(
    Array.from({ length: CONNECTIONS }, () => HttpConnection.open(port, '/health')),
  );
  const stop = () => {
    connections.forEach((connection) => connection.close());
    child.disconnect();
  };
  return { connections, stop };
}

/** @returns requests per second and the 99th percentile of their latencies, in milliseconds */
async function load({ connections }) {
  const latencies = [];
  const begin = performance.now();
  const use = async (connection) => {
    while (performance.now() - begin < SLICE_MS) {
      const before = performance.now();
      await connection.get();
      latencies.push(performance.now() - before);
    }
  };
  await Promise.all(connections.map(use));
  return { perSecond: (latencies.length * 1000) / (performance.now() - begin), p99: quantile(latencies, 0.99) };
}

async function measure(size) {
  const apps = {
    plain: await boot('plain', size),
    lifecycle: await boot('lifecycle', size),
    hanging: await boot('lifecycle', size, 'hang'),
    observed: await boot('lifecycle', size, 'observed'),
  };
  // Long enough for the check that hangs to have timed out.
  await new Promise((resolve) => setTimeout(resolve, 1500));
  const responses = {};
  for (const [name, app] of Object.entries(apps)) responses[name] = await app.connections[0].get();
  if (responses.lifecycle.status !== 200 || responses.hanging.status !== 503)
    throw new Error(JSON.stringify(responses));
  const subjects = Object.fromEntries(Object.entries(apps).map(([name, app]) => [name, () => load(app)]));
  await alternate(subjects, 8);
  const slices = await alternate(subjects, ROUNDS);
  for (const app of Object.values(apps)) app.stop();
  const series = (name, figure) => slices[name].map((slice) => slice[figure]);
  return {
    throughput: ratio(series('lifecycle', 'perSecond'), series('plain', 'perSecond')),
    observed: ratio(series('lifecycle', 'perSecond'), series('observed', 'perSecond')),
    hangingP99: ratio(series('hanging', 'p99'), series('lifecycle', 'p99')),
    perSecond: Object.fromEntries(Object.keys(apps).map((name) => [name, median(series(name, 'perSecond'))])),
    p99Ms: Object.fromEntries(Object.keys(apps).map((name) => [name, median(series(name, 'p99'))])),
    responses,
  };
}

const figures = {};
const goals = [];
for (const size of SIZES) {
  const measured = await measure(size);
  figures[`${size} components`] = measured;
  if (GOALS[size] !== undefined) {
    goals.push(
      atLeast(`requests per second over plain Terminus, ${size} components`, measured.throughput, GOALS[size]),
    );
  }
  goals.push(under(`time a request with metrics and traces over without, ${size} components`, measured.observed, 1.05));
  goals.push(atMost(`p99 with a check that hangs over p99 without, ${size} components`, measured.hangingP99, 1.2));
}
report('health', figures, goals);
