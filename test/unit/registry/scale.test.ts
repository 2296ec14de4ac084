import { describe, expect, it } from '@jest/globals';
import { Registry } from '../../../lib/registry/registry.js';
import { aborted } from './registry-fixture.js';

const MANY = 10_000;
const start = ({ signal }: { signal: AbortSignal }) => aborted(signal);
const lifetime = () => new AbortController().signal;

function statuses(registry: Registry): Set<string> {
  return new Set(Object.values(registry.status()).map(({ status }) => status));
}

describe('ten thousand components', () => {
  it('in one chain start and stop, whatever the order of registration', async () => {
    const order: number[] = [];
    const registry = new Registry();
    for (let index = MANY - 1; index >= 0; index--) {
      const dependsOn = index === 0 ? [] : [`c${index - 1}`];
      const note = (context: { signal: AbortSignal }) => {
        order.push(index);
        return start(context);
      };
      registry.register({ name: `c${index}`, start: note }, { dependsOn });
    }
    await registry.startAll(lifetime(), false);
    expect(order).toEqual(Array.from({ length: MANY }, (_, index) => index));
    await registry.stopAll();

    expect(statuses(registry)).toEqual(new Set(['stopped']));
  }, 30_000);

  it('in one chain of which the first fails all name that one', async () => {
    const registry = new Registry();
    registry.register({ name: 'c0', start: () => Promise.reject(new Error('boom')) });
    for (let index = 1; index < MANY; index++) {
      registry.register({ name: `c${index}`, start }, { dependsOn: [`c${index - 1}`] });
    }
    await registry.startAll(lifetime(), false);
    const errors = Object.values(registry.status()).map(({ error }) => error);

    expect(errors[0]).toBe('boom');
    expect(new Set(errors.slice(1))).toEqual(new Set(['waits for "c0" (failed: boom)']));
  }, 30_000);

  it('that one depends on start and stop', async () => {
    const registry = new Registry();
    const names = Array.from({ length: MANY }, (_, index) => `c${index}`);
    registry.register({ name: 'hub', start }, { dependsOn: names });
    for (const name of names) registry.register({ name, start });
    await registry.startAll(lifetime(), false);
    expect(statuses(registry)).toEqual(new Set(['running']));
    await registry.stopAll();

    expect(statuses(registry)).toEqual(new Set(['stopped']));
  }, 30_000);

  it('that depend on one start and stop', async () => {
    const registry = new Registry();
    registry.register({ name: 'hub', start });
    for (let index = 0; index < MANY; index++) registry.register({ name: `c${index}`, start }, { dependsOn: ['hub'] });
    await registry.startAll(lifetime(), false);
    expect(statuses(registry)).toEqual(new Set(['running']));
    await registry.stopAll();

    expect(statuses(registry)).toEqual(new Set(['stopped']));
  }, 30_000);
});
