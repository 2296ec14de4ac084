import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * `npm test`: everything but the packed package, in three runs. What computes has the processors for itself, and so has what
 * starts many processes; what waits for servers and leases waits side by side: a lease that is not renewed in time is lost.
 *
 * --results <folder> writes what Jest reports as JSON; everything else is for Jest. A path or a pattern runs what matches.
 */
const RUNS = [
  { name: 'unit', projects: ['unit'], workers: 2 },
  { name: 'apps', projects: ['e2e-nest12', 'e2e-nest11', 'docs', 'api'], workers: 2 },
  { name: 'contract', projects: ['contract'], workers: 5 },
];

const JEST = fileURLToPath(new URL('../node_modules/jest/bin/jest.js', import.meta.url));
const NODE_OPTIONS = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];

const args = process.argv.slice(2);
const at = args.indexOf('--results');
const [, results] = at < 0 ? [] : args.splice(at, 2);

const jest = ({ projects, workers }, more, options) =>
  spawnSync(
    process.execPath,
    [
      ...[...NODE_OPTIONS, JEST, '--selectProjects', ...projects],
      ...['--errorOnDeprecated', '--maxWorkers', workers, ...args, ...more],
    ],
    options,
  );
const hasTests = (run) => /\.test\.ts$/m.test(jest(run, ['--listTests'], { encoding: 'utf8' }).stdout);

// Jest fails where nothing matches, and a pattern may well match in one of the runs only.
const runs = args.length === 0 ? RUNS : RUNS.filter(hasTests);
if (runs.length === 0) console.error(`No test matches: ${args.join(' ')}`);

// All of them, also after a failure of the first: who mends one wants to know of all.
const statuses = runs.map((run) => {
  const report = results === undefined ? [] : ['--json', '--outputFile', join(results, `${run.name}.json`)];
  return jest(run, report, { stdio: 'inherit' }).status;
});
process.exitCode = statuses.length > 0 && statuses.every((it) => it === 0) ? 0 : 1;
