// ordinal-elector.test.ts
import { Test } from '@nestjs/testing';
import { Leadership, LifecycleModule } from 'nestjs-lifecycle';
import { OrdinalElector } from './ordinal-elector.js';

async function startOn(host: string) {
  const imports = [LifecycleModule.forRoot({ elector: new OrdinalElector(host) })];
  const module = await Test.createTestingModule({ imports }).compile();
  return module.init();
}

test('the first pod leads until it is stopped', async () => {
  const app = await startOn('orders-0');
  const leadership = app.get(Leadership);
  const term = await leadership.whenLeader();
  expect(term.isValid()).toBe(true);

  await app.close();

  expect(term.isValid()).toBe(false);
  expect(leadership.isLeader()).toBe(false);
});

test('the others never lead', async () => {
  const app = await startOn('orders-1');

  expect(app.get(Leadership).isLeader()).toBe(false);

  await app.close();
});
