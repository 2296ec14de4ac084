import { expect, test } from '@jest/globals';
import { ManualClock, untilStatus } from 'nestjs-lifecycle/testing';
import { Registry, untilAborted, type StartContext } from 'nestjs-lifecycle/registry';

const runs = { name: 'feed', start: ({ signal }: StartContext) => untilAborted(signal) };

test('resolves with the info of a component that is in the status already', async () => {
  const registry = new Registry();
  registry.register(runs);

  await expect(untilStatus(registry, 'feed', 'pending')).resolves.toMatchObject({ name: 'feed', status: 'pending' });
});

test('waits for a status that comes later', async () => {
  const registry = new Registry();
  registry.register(runs);
  const running = untilStatus(registry, 'feed', 'running');
  await registry.startAll(new AbortController().signal, false);

  await expect(running).resolves.toMatchObject({ status: 'running' });
  await registry.stopAll();
});

test('says where the component is, and why, when it does not get there', async () => {
  const registry = new Registry({ clock: new ManualClock() });
  registry.register({ name: 'feed', start: () => Promise.reject(new Error('no broker')) });
  await registry.startAll(new AbortController().signal, false);

  await expect(untilStatus(registry, 'feed', 'running', 20)).rejects.toThrow(
    '"feed" is failed (no broker), not running, after 20 ms',
  );
});

test('says that there is no such component', async () => {
  await expect(untilStatus(new Registry(), 'feed', 'running', 1)).rejects.toThrow('No component is named "feed"');
});
