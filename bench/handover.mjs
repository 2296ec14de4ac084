// From SIGTERM at the leader, and from SIGKILL, until the rival's leader-only component is running: real processes, and a
// server of our own for each engine. See docs/benchmarks.md.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';
import { setup } from '../scripts/setup.mjs';
import { ENGINES } from './handover-engines.mjs';
import { Pair, timeOf } from './handover-pair.mjs';
import { atLeast, median, quantile, report, under } from './harness.mjs';

/** By engine: packages, and over how many milliseconds the moment of the signal is spread. */
const PEERS = {
  redis: { 'redis-leader': 1000, 'ts-safe-redis-leader': 3000 },
  // A follower of it that has been there for 20 s does not take over at all.
  kubernetes: { '@codedependant/kubernetes-leader-election': 10_000 },
};
const TRIPS_PER_ROUND = 10;
const GRACEFUL_GOAL_MS = 10;
/** Engines whose round trips take longer. */
const OTHER_GRACEFUL_GOALS_MS = { etcd: 25, kubernetes: 25, nats: 15, mysql: 15 };
const KUBERNETES_CRASH_MS = 15_500;
const PEER_GOAL = 50;

const { values } = parseArgs({
  options: {
    engine: { type: 'string' },
    signal: { type: 'string' },
    rounds: { type: 'string', default: '50' },
    'peer-rounds': { type: 'string', default: '20' },
  },
});
const engines = values.engine === undefined ? Object.keys(ENGINES) : [values.engine];
const signals = values.signal === undefined ? ['SIGTERM', 'SIGKILL'] : [values.signal];
const [rounds, peerRounds] = [Number(values.rounds), Number(values['peer-rounds'])];

const file = (name) => fileURLToPath(new URL(name, import.meta.url));
const spread = (series) => ({
  p50: median(series),
  p95: quantile(series, 0.95),
  max: Math.max(...series),
  rounds: series.length,
});

/** Rounds of one pair of replicas, with round trips to the engine in between, and rounds of a pair with nothing in it. */
async function race(engine, { start, listeners, settleMs, signal, count }) {
  const pair = new Pair({ start, listeners, settleMs });
  const folder = mkdtempSync(join(tmpdir(), 'lifecycle-bench-'));
  const bareStart = [file('./handover-bare.mjs'), join(folder, 'leader')];
  const bare = new Pair({ start: bareStart, listeners: async () => 2, settleMs });
  const results = [];
  const trips = [];
  const bareMs = [];
  await pair.open();
  await bare.open();
  try {
    for (let round = 0; round < count; round++) {
      for (let trip = 0; trip < TRIPS_PER_ROUND; trip++) trips.push(await engine.roundTripMs());
      results.push(await pair.round(signal));
      bareMs.push((await bare.round('SIGTERM')).totalMs);
    }
  } finally {
    await pair.close();
    await bare.close();
    rmSync(folder, { recursive: true });
  }
  return { results, roundTripMs: median(trips), bareMs: spread(bareMs) };
}

function raceOurs(engine, signal) {
  const start = [file('./handover-replica.mjs'), engine.elector, JSON.stringify(engine.settings)];
  return race(engine, { start, listeners: engine.listeners, settleMs: engine.settleMs, signal, count: rounds });
}

/** Nothing in between: a follower may try for some time only. */
async function racePeer(engine, name, waitMs) {
  const start = [file('./handover-peer.mjs'), name, JSON.stringify(engine.peerSettings)];
  const pair = new Pair({ start, listeners: async () => 2, settleMs: waitMs });
  const times = [];
  await pair.open();
  try {
    for (let round = 0; round < peerRounds; round++) times.push((await pair.round('SIGTERM')).totalMs);
  } finally {
    await pair.close();
  }
  await engine.forget?.();
  return spread(times);
}

function graceful({ results, roundTripMs, bareMs }) {
  const own = results.map(({ stopping }) => timeOf(stopping, 'stop left') - timeOf(stopping, 'stop entered'));
  const beyond = results.map(({ totalMs }, round) => totalMs - own[round]);
  return {
    totalMs: spread(results.map(({ totalMs }) => totalMs)),
    ownStopMs: spread(own),
    beyondOwnStopMs: spread(beyond),
    roundTripMs,
    overRoundTrip: median(beyond) / roundTripMs,
    bareMs,
    overBare: median(beyond) / bareMs.p50,
    stepsMs: { leader: steps(results, 'stopping'), rival: steps(results, 'starting') },
  };
}

/**
 * What happened in most rounds, each with the medians of its time since the signal, and of the processor time that its
 * process had used since the first of these.
 */
function steps(results, who) {
  const series = new Map();
  for (const result of results) {
    const seen = new Map();
    for (const [name, at, cpu] of result[who]) {
      const nth = (seen.get(name) ?? 0) + 1;
      seen.set(name, nth);
      const step = nth === 1 ? name : `${name} (${nth})`;
      series.set(step, [...(series.get(step) ?? []), [at, cpu - result[who][0][2]]]);
    }
  }
  const usual = [...series].filter(([, times]) => times.length > results.length / 2);
  const medians = usual.map(([name, times]) => [name, [0, 1].map((which) => median(times.map((it) => it[which])))]);
  return Object.fromEntries(medians.toSorted(([, [one]], [, [other]]) => one - other));
}

/** By which the rival runs after a crash, and why. */
function crashLimit(name, { timing }) {
  if (name === 'local') return ['50 ms', 50];
  if (name === 'kubernetes') return ['the lease and half a second', KUBERNETES_CRASH_MS];
  if (name !== 'postgres-session') return [`the lease, ${timing.leaseMs} ms`, timing.leaseMs];
  const { renewMs, requestTimeoutMs, stopBudgetMs, marginMs } = timing;
  const safeWaitMs = renewMs + requestTimeoutMs + stopBudgetMs + marginMs;
  return [`the safe wait, ${safeWaitMs} ms, and 150 ms`, safeWaitMs + 150];
}

const measures = {
  async SIGTERM(name, engine) {
    const figures = graceful(await raceOurs(engine, 'SIGTERM'));
    const ours = figures.beyondOwnStopMs.p50;
    const goals = [
      under(
        `${name}: SIGTERM p50 beyond the component's own stop time, ms`,
        ours,
        OTHER_GRACEFUL_GOALS_MS[name] ?? GRACEFUL_GOAL_MS,
      ),
    ];
    if (PEERS[name] === undefined || peerRounds === 0) return { figures, goals };
    figures.peersMs = {};
    for (const [peer, waitMs] of Object.entries(PEERS[name])) {
      console.log(`${name} SIGTERM, ${peer}, ${peerRounds} rounds ...`);
      figures.peersMs[peer] = await racePeer(engine, peer, waitMs);
      if (name === 'redis')
        goals.push(atLeast(`${name}: p50 of ${peer} over ours`, figures.peersMs[peer].p50 / ours, PEER_GOAL));
    }
    return { figures, goals };
  },
  async SIGKILL(name, engine) {
    const { results, roundTripMs, bareMs } = await raceOurs(engine, 'SIGKILL');
    const totalMs = spread(results.map((it) => it.totalMs));
    const [why, limit] = crashLimit(name, engine);
    const goals = [under(`${name}: SIGKILL p50, ms (${why})`, totalMs.p50, limit)];
    const slowest = results.find((it) => it.totalMs === totalMs.max).starting.map(([what, at]) => [what, at]);
    const figures = { totalMs, roundTripMs, bareMs, stepsMs: { rival: steps(results, 'starting') }, slowest };
    return { figures, goals };
  },
};

if (engines.some((it) => PEERS[it] !== undefined)) setup('bench/peers');
const figures = {};
const goals = [];
for (const name of engines) {
  const engine = await ENGINES[name]();
  try {
    for (const signal of signals) {
      console.log(`${name} ${signal}, ${rounds} rounds ...`);
      const measured = await measures[signal](name, engine);
      figures[`${name} ${signal}`] = measured.figures;
      goals.push(...measured.goals);
    }
  } finally {
    await engine.stop();
  }
}
report('handover', figures, goals);
