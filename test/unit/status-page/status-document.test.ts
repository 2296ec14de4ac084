import { StatusFixture } from './status-fixture.js';

const at = 1_700_000_000_000;

it('keeps the last transitions, oldest first, and no more than it may', async () => {
  const fixture = new StatusFixture({ history: 3 }).attach();
  for (const name of ['a', 'b', 'c', 'd', 'e']) fixture.tell(name);
  const { history, seq, historyLimit } = await fixture.status();
  expect(history.map((it: { component: string }) => it.component)).toEqual(['c', 'd', 'e']);
  expect({ seq, historyLimit }).toEqual({ seq: 5, historyLimit: 3 });
});

it('tells of terms, observed leaders, health and phases', async () => {
  const fixture = new StatusFixture().attach();
  const term = { election: 'default', identity: 'me', fencingToken: 2n ** 70n, at };
  const { observer } = fixture.page;
  observer.onPhase?.({ phase: 'boot', state: 'ended', at, durationMs: 7, error: new Error('no disk') });
  fixture.observe({ name: 'lifecycle.leadership.acquired', payload: term });
  observer.onTermProgress?.({ ...term, stage: 'started', durationMs: 3 });
  fixture.observe({
    name: 'lifecycle.leadership.lost',
    payload: { ...term, durationMs: 9, reason: new Error('lease lost'), voluntary: false },
  });
  observer.onTermProgress?.({ ...term, stage: 'settled', durationMs: 12 });
  fixture.observe({ name: 'lifecycle.leadership.observed', payload: { election: 'default', at } });
  fixture.observe({
    name: 'lifecycle.leadership.observed',
    payload: { election: 'default', at, leader: { identity: 'rival', since: 5, fencingToken: 8n, address: 'host:1' } },
  });
  fixture.observe({
    name: 'lifecycle.health.changed',
    payload: { name: 'feed', healthy: false, error: 'thrown text', at },
  });
  const fencingToken = '1180591620717411303424';
  expect((await fixture.status()).history).toEqual([
    { seq: 1, at, kind: 'phase', phase: 'boot', state: 'ended', durationMs: 7, error: 'no disk' },
    { seq: 2, at, kind: 'acquired', election: 'default', identity: 'me', fencingToken },
    { seq: 3, at, kind: 'started', election: 'default', identity: 'me', fencingToken, durationMs: 3 },
    {
      ...{ seq: 4, at, kind: 'lost', election: 'default', identity: 'me', fencingToken, durationMs: 9 },
      ...{ reason: 'lease lost', voluntary: false },
    },
    { seq: 5, at, kind: 'settled', election: 'default', identity: 'me', fencingToken, durationMs: 12 },
    { seq: 6, at, kind: 'observed', election: 'default' },
    {
      ...{ seq: 7, at, kind: 'observed', election: 'default' },
      leader: { identity: 'rival', since: 5, fencingToken: '8', address: 'host:1' },
    },
    { seq: 8, at, kind: 'health', component: 'feed', healthy: false, error: 'thrown text' },
  ]);
});

it('shows elections with tokens and errors as text', async () => {
  const fixture = new StatusFixture().attach();
  const leader = { identity: 'me', fencingToken: 7n, since: 3 };
  fixture.elections.push({
    ...{ election: 'default', leading: true, fencingToken: 7n, remainingMs: 1234.56 },
    ...{ leader, wedged: 'hangs', error: new Error('no answer') },
  });
  expect((await fixture.status()).elections).toEqual([
    {
      ...{ election: 'default', leading: true, fencingToken: '7', remainingMs: 1235 },
      ...{ leader: { identity: 'me', fencingToken: '7', since: 3 }, wedged: 'hangs', error: 'no answer' },
    },
  ]);
});

it.each(['__proto__', 'constructor', '</script><script>', '\u202egnirts', 'line\nbreak\u2028', '\ud800'])(
  'shows a component named %j as it is, in JSON and in the stream',
  async (name) => {
    const fixture = new StatusFixture().attach();
    fixture.components.push({ name, status: 'running', since: at, restarts: 0, criticality: 'critical' });
    const { sink } = await fixture.stream();
    fixture.tell(name);
    await fixture.clock.advance(50);
    const { components, history } = await fixture.status();
    expect(components[0].name).toBe(name);
    expect(history[0].component).toBe(name);
    for (const line of sink.chunks.join('').split('\n'))
      expect(line).toMatch(/^(|retry: \d+|event: \w+|data: \{[^]*\})$/);
  },
);

it('cuts an error of 10 kB, of the history and of a component', async () => {
  const fixture = new StatusFixture().attach();
  const error = 'x'.repeat(10_000);
  fixture.components.push({ name: 'a', status: 'failed', error, since: at, restarts: 0, criticality: 'critical' });
  fixture.tell('a', { to: 'failed', error: new Error(error) });
  const { components, history } = await fixture.status();
  expect(components[0].error).toHaveLength(1000);
  expect(history[0].error).toHaveLength(1000);
});

it.each([
  [
    'a getter that throws',
    Object.defineProperty(new Error('x'), 'message', {
      get: () => {
        throw new Error('no');
      },
    }),
  ],
  [
    'a circular object',
    (() => {
      const it: Record<string, unknown> = {};
      it['it'] = it;
      return it;
    })(),
  ],
  ['nothing', undefined],
  ['a bigint', 5n],
])('takes %s that was thrown', async (_, error) => {
  const fixture = new StatusFixture().attach();
  fixture.tell('a', { to: 'failed', error });
  expect(typeof (await fixture.status()).history[0].error).toBe('string');
});
