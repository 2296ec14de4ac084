import { missingEngines } from '../../scripts/engine-binaries.mjs';

/** The last line of a run that did not run everything. */
export default function tellSkippedEngines() {
  const names = missingEngines().map(({ name }) => name);
  if (names.length === 0 || process.env.REQUIRE_ENGINES === '1') return;
  console.error(`\nEngines not found: ${names.join(', ')}. Their tests are skipped; npm run test:all installs them.`);
}
