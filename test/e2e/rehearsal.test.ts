import { jest } from '@jest/globals';
import type { Elector } from 'nestjs-lifecycle';
import { Apps } from '../fixtures/apps.js';

const rehearseHandOver = jest.fn(async () => undefined);
jest.unstable_mockModule('../../lib/lifecycle.rehearsal.js', () => ({ rehearseHandOver }));
const { LifecycleModule } = await import('nestjs-lifecycle');
const { ManualClock, ManualElector } = await import('nestjs-lifecycle/testing');

const apps = new Apps();

async function boot(elector?: Elector) {
  const clock = new ManualClock();
  const app = await apps.listen({
    imports: [LifecycleModule.forRoot({ clock, ...(elector && { elector }) })],
  });
  return { app, clock };
}

beforeEach(() => rehearseHandOver.mockClear());

it('a hand-over is rehearsed once, when it is known who leads', async () => {
  const elector = new ManualElector();
  const { clock } = await boot(elector);
  await clock.advance(10_000);
  expect(rehearseHandOver).not.toHaveBeenCalled();

  await elector.elect();
  await clock.advance(10_000);
  await elector.depose();
  await elector.elect();
  await clock.advance(10_000);

  expect(rehearseHandOver).toHaveBeenCalledTimes(1);
});

it('not where nobody else could lead', async () => {
  const { clock } = await boot();
  await clock.advance(10_000);

  expect(rehearseHandOver).not.toHaveBeenCalled();
});

it('not once the app is about to stop', async () => {
  const elector = new ManualElector();
  const { app, clock } = await boot(elector);
  await elector.elect();

  const closed = apps.close(app);
  await clock.advance(10_000);
  await closed;

  expect(rehearseHandOver).not.toHaveBeenCalled();
});
