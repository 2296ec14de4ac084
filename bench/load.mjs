// What 1, 10 and 100 candidates ask of the engine, counted by the engine: while one of them leads, and when another one
// takes over. See docs/benchmarks.md.
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { atMost, report } from './harness.mjs';
import { NAMES, startEngine } from './load-engines.mjs';
import { Group } from './load-group.mjs';

const SIZES = [1, 10, 100];
/** How long the quiet is that is counted. */
const LEASES = 5;
const HAND_OVER_WINDOW_MS = 500;

const { values } = parseArgs({ options: { engine: { type: 'string' } } });
const names = values.engine === undefined ? NAMES : [values.engine];

/** What the engine was asked while `work` was under way by its own count, and what for by what the candidates say. */
async function during(engine, group, work) {
  const before = { commands: await engine.commands(), ...group.asked };
  const begin = performance.now();
  await work();
  const ms = performance.now() - begin;
  const after = { commands: await engine.commands(), ...group.asked };
  return { ms, ...Object.fromEntries(Object.keys(after).map((kind) => [kind, after[kind] - before[kind]])) };
}

/** What is under way when a window begins or ends is counted by one side only. */
function assertAccounted({ commands, read, attempt, renewal }, costs, size) {
  const difference = Math.abs(commands - read * costs.read - attempt - renewal * costs.renewal);
  if (difference > 2 + size / 20)
    throw new Error(`${commands} commands, of which candidates do not know ${difference}`);
}

async function measure(engine, size) {
  const group = new Group(engine, `bench-${size}`);
  const { leaseMs } = engine.timing;
  // Whoever joined last has settled then, and whoever tried in vain after a hand-over too.
  const settled = () => pause(leaseMs);
  await group.join(size);
  try {
    await settled();
    const steady = await during(engine, group, () => pause(LEASES * leaseMs));
    assertAccounted(steady, engine.costs, size);
    const figures = { steady: { ...steady, perSecond: (steady.commands * 1000) / steady.ms } };
    if (size === 1) return figures;
    for (const way of ['crash', 'handOver']) {
      figures[way] = await during(engine, group, async () => {
        await group[way]();
        await pause(HAND_OVER_WINDOW_MS);
      });
      figures[way].candidates = group.size;
      await settled();
    }
    return figures;
  } finally {
    await group.leave();
  }
}

function goalsOf(name, { leaseMs, renewMs }, size, { steady, handOver, crash }) {
  const goals = [
    // A window that begins just before a renewal holds one more than it is long.
    atMost(`${name}, ${size}: renewals in ${LEASES * leaseMs} ms`, steady.renewal, Math.floor(steady.ms / renewMs) + 1),
  ];
  if (size === 1) return goals;
  const reads = steady.read / (size - 1) / (steady.ms / (leaseMs / 3));
  goals.push(atMost(`${name}, ${size}: reads of a follower per third of the lease`, reads, 1));
  for (const [what, { attempt, candidates }] of Object.entries({ handOver, crash })) {
    goals.push(atMost(`${name}, ${size}: acquires of a candidate, ${what}`, attempt / candidates, 1));
  }
  return goals;
}

const figures = {};
const goals = [];
for (const name of names) {
  const engine = await startEngine(name);
  try {
    for (const size of SIZES) {
      console.log(`${name}, ${size} candidates ...`);
      const measured = await measure(engine, size);
      figures[`${name}, ${size} candidates`] = measured;
      goals.push(...goalsOf(name, engine.timing, size, measured));
    }
  } finally {
    await engine.stop();
  }
}
report('load', figures, goals);
