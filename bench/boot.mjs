// What the module adds to create + init + close of an app, over the same app whose providers have plain Nest hooks. Each
// boot is a process of its own; what is imported before the app is created is not counted. With `--observed` instead: what
// metrics and traces add to an app with the module.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { alternate, atMost, median, ratio, report, under } from './harness.mjs';

// The most where the goal is: single boots differ by a third.
const ROUNDS = { 10: 9, 100: 9, 1000: 61, 10_000: 9 };
const VARIANTS = ['plain', 'service', 'run'];
const OBSERVED = ['prometheus', 'opentelemetry', 'prometheus,traces'];
const OBSERVED_COUNT = 1000;
/** Differences of a few percent want many. */
const OBSERVED_ROUNDS = 31;
const APP = fileURLToPath(new URL('./boot-app.mjs', import.meta.url));

const boot = (variant, count, ...observed) =>
  JSON.parse(execFileSync(process.execPath, [APP, variant, String(count), ...observed], { encoding: 'utf8' }));

async function measure(count, rounds) {
  const boots = await alternate(Object.fromEntries(VARIANTS.map((it) => [it, () => boot(it, count)])), rounds);
  const series = (variant, phase = 'totalMs') => boots[variant].map((it) => it[phase]);
  const addedUs = (variant) =>
    median(series(variant).map((total, round) => ((total - boots.plain[round].totalMs) * 1000) / count));
  const byVariant = (variants, figure) => Object.fromEntries(variants.map((it) => [it, figure(it)]));
  const phases = (variant) =>
    Object.fromEntries(Object.keys(boots[variant][0]).map((phase) => [phase, median(series(variant, phase))]));
  const subjects = VARIANTS.filter((it) => it !== 'plain');
  return {
    over: byVariant(subjects, (it) => ratio(series(it), series('plain'))),
    // Of all threads; hardly moved by what else the machine is doing.
    cpuOver: byVariant(subjects, (it) => ratio(series(it, 'cpuMs'), series('plain', 'cpuMs'))),
    addedUsPerComponent: byVariant(subjects, addedUs),
    ms: byVariant(VARIANTS, phases),
  };
}

async function measurePlain() {
  const figures = {};
  for (const [count, rounds] of Object.entries(ROUNDS)) {
    console.log(`${count} components, ${rounds} rounds ...`);
    figures[count] = await measure(Number(count), rounds);
  }
  // A service is what the hooks are: something to call at the start, and something to call at the end.
  const growth = figures[10_000].addedUsPerComponent.service / figures[1000].addedUsPerComponent.service;
  report('boot', figures, [
    under('create + init + close over plain hooks, 1,000 service-style components', figures[1000].over.service, 1.3),
    atMost('added time per service-style component, 10,000 over 1,000', growth, 1.2),
  ]);
}

async function measureObserved() {
  const subjects = Object.fromEntries(OBSERVED.map((it) => [it, () => boot('service', OBSERVED_COUNT, it)]));
  const boots = await alternate({ without: () => boot('service', OBSERVED_COUNT), ...subjects }, OBSERVED_ROUNDS);
  const series = (name, phase) => boots[name].map((it) => it[phase]);
  const over = (name, phase) => ratio(series(name, phase), series('without', phase));
  const figures = Object.fromEntries(
    OBSERVED.map((it) => [it, { over: over(it, 'totalMs'), cpuOver: over(it, 'cpuMs') }]),
  );
  const goal = (it) => under(`${it} over the module alone, ${OBSERVED_COUNT} components`, figures[it].over, 1.05);
  report('boot-observed', figures, OBSERVED.map(goal));
}

await (process.argv.includes('--observed') ? measureObserved() : measurePlain());
