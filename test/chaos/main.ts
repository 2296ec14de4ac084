/** `npm run chaos`: see docs/proof.md. */
import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { chaosArguments, USAGE, type ChaosArguments } from './chaos-arguments.js';
import type { Verdict } from './checker/chaos-checker.js';
import { CONTROLS, controlsFor, type ControlName } from './faults/control-plan.js';
import { ChaosRun } from './harness/chaos-run.js';

/** What the report shows of a check that failed often. */
const SHOWN_PER_CHECK = 5;

const GIVE_UP_WITHIN_MS = 5000;

let current: ChaosRun | undefined;
process.once('SIGINT', () => void giveUp(130));
process.once('SIGTERM', () => void giveUp(143));
// oxlint-disable-next-line unicorn/no-process-exit -- whatever a server or a proxy has left open
process.exit(await main());

async function main(): Promise<number> {
  let given: ChaosArguments;
  try {
    given = chaosArguments(process.argv.slice(2), () => randomInt(2 ** 31));
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n${USAGE}\n`);
    return 2;
  }
  try {
    if (given.controls) return await runControls(given);
    return (await run(given)).violations.length > 0 ? 1 : 0;
  } catch (error) {
    process.stderr.write(`The run broke: ${(error as Error).stack}\n`);
    return 3;
  }
}

async function runControls(given: ChaosArguments): Promise<number> {
  let missed = 0;
  for (const control of controlsFor(given.engine)) {
    const { violations } = await run({ ...given, control });
    if (isFound(control, violations)) continue;
    missed++;
    process.stderr.write(`NOT FOUND: ${control}\n`);
  }
  return missed > 0 ? 1 : 0;
}

async function run(given: ChaosArguments): Promise<Verdict> {
  const { engine, minutes, seed, control, quiet, keep } = given;
  const print = (line: string) => void (quiet || process.stderr.write(`${line}\n`));
  print(
    `chaos: engine ${engine}, ${minutes} minutes, seed ${seed}${control === undefined ? '' : `, control ${control}`}`,
  );
  const chaos = (current = new ChaosRun({ engine, minutes, seed, print, ...(control !== undefined && { control }) }));
  const verdict = await chaos.run().catch((error: unknown) => {
    process.stderr.write(`Its logs: ${chaos.directory}\n`);
    throw error;
  });
  const hasFailed = verdict.violations.length > 0;
  const isExpected = control !== undefined && isFound(control, verdict.violations);
  const isKept = keep || (hasFailed && !isExpected);
  if (!isKept) chaos.removeLogs();
  const report = {
    engine,
    minutes,
    seed,
    ...(control !== undefined && { control, found: isExpected }),
    ...verdict,
    violationCount: verdict.violations.length,
    violations: shortened(verdict.violations),
    ...(isKept && { logs: chaos.directory }),
  };
  process.stdout.write(`${JSON.stringify(report)}\n`);
  return verdict;
}

function isFound(control: ControlName, violations: Verdict['violations']): boolean {
  const expected: readonly string[] = CONTROLS[control].foundAs;
  return violations.some(({ check }) => expected.includes(check));
}

function shortened(violations: Verdict['violations']): Verdict['violations'] {
  const counts = new Map<string, number>();
  return violations.filter(({ check }) => {
    const count = (counts.get(check) ?? 0) + 1;
    counts.set(check, count);
    return count <= SHOWN_PER_CHECK;
  });
}

/** Leaves nothing running, and no logs: nobody asked for a verdict. */
async function giveUp(code: number): Promise<void> {
  // Servers are killed when this process ends, at the latest.
  await Promise.race([current?.stop(), pause(GIVE_UP_WITHIN_MS)]);
  current?.removeLogs();
  // oxlint-disable-next-line unicorn/no-process-exit -- the run that was given up still waits for something
  process.exit(code);
}
