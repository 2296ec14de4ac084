import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Sums jest's `--json` files of one folder into a closing line for people and CI. */
const [folder] = process.argv.slice(2);
const runs = readdirSync(folder).map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')));
const sum = (count) => runs.reduce((total, run) => total + count(run), 0);

const passed = sum((run) => run.numPassedTests);
// A suite that does not load has no failed tests.
const failed = sum((run) => run.numFailedTests + run.numRuntimeErrorTestSuites);
const skipped = sum((run) => run.numPendingTests + run.numTodoTests);

console.log(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
