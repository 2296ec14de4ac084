import { checkSettings, type CheckedSettings } from '../../../lib/doctor/settings-check.js';
import { resolveOptions } from '../../../lib/lifecycle.options.js';

const { registry, drainDelayMs, health } = resolveOptions({});
const { shutdownTimeoutMs, stopTimeoutMs } = registry;
const DEFAULTS: CheckedSettings = { drainDelayMs, shutdownTimeoutMs, stopTimeoutMs, health, env: {} };
const IN_A_POD = { KUBERNETES_SERVICE_HOST: '10.0.0.1' };

const found = (changes: Partial<CheckedSettings>) => checkSettings({ ...DEFAULTS, ...changes }).map((it) => it.summary);

it.each([[{}], [IN_A_POD], [{ TERMINATION_GRACE_PERIOD_SECONDS: 'soon' }]])(
  'has nothing to say about the defaults in %p',
  (env) => expect(found({ env })).toEqual([]),
);

it('finds a shutdown that takes longer than a pod has where its manifest says nothing', () => {
  expect(found({ drainDelayMs: 4999, env: IN_A_POD })).toEqual([]);
  expect(found({ drainDelayMs: 5000, env: IN_A_POD })).toEqual([
    expect.stringContaining('drainDelayMs + shutdownTimeoutMs = 30000 ms, and the process is killed after 30000 ms'),
  ]);
  expect(found({ drainDelayMs: 5000 })).toEqual([]);
});

it('takes the grace that the manifest says', () => {
  const env = { ...IN_A_POD, TERMINATION_GRACE_PERIOD_SECONDS: '60' };
  expect(found({ drainDelayMs: 34_999, env })).toEqual([]);
  expect(found({ drainDelayMs: 35_000, env })).toEqual([expect.stringContaining('after 60000 ms')]);
});

it('finds a stop that may take longer than the whole shutdown', () => {
  expect(found({ stopTimeoutMs: 25_000 })).toEqual([]);
  expect(found({ stopTimeoutMs: 25_001 })).toEqual([expect.stringContaining('stopTimeoutMs (25001 ms)')]);
});

it('finds a check that may take longer than there is between two', () => {
  expect(found({ health: { intervalMs: 2000, timeoutMs: 2000 } })).toEqual([]);
  expect(found({ health: { intervalMs: 2000, timeoutMs: 2001 } })).toEqual([
    expect.stringContaining('health.timeoutMs (2001 ms)'),
  ]);
});

it('says what to do about each', () => {
  const bad = { stopTimeoutMs: 60_000, drainDelayMs: 60_000, health: { intervalMs: 1, timeoutMs: 2 }, env: IN_A_POD };
  const all = checkSettings({ ...DEFAULTS, ...bad });
  expect(all).toHaveLength(3);
  for (const { remedy } of all) expect(remedy).toMatch(/\.$/);
});
