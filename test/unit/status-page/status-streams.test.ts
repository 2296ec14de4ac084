import { StatusFixture, type RecordingSink } from './status-fixture.js';

const lastData = (sink: RecordingSink) => JSON.parse(/data: (.*)\n\n$/.exec(sink.chunks.at(-1) ?? '')?.[1] ?? 'null');

it('begins with everything, then tells what is new, together', async () => {
  const fixture = new StatusFixture().attach();
  fixture.tell('a');
  const { sink } = await fixture.stream();
  expect(lastData(sink).history).toHaveLength(1);
  fixture.tell('b');
  fixture.tell('c');
  await fixture.clock.advance(50);
  expect(sink.events).toEqual(['status', 'change']);
  expect(lastData(sink).history.map((it: { component: string }) => it.component)).toEqual(['b', 'c']);
});

it('gives a sign of life when nothing happens, and no timer runs without a client', async () => {
  const fixture = new StatusFixture().attach();
  const { sink, close } = await fixture.stream();
  await fixture.clock.advance(6000);
  expect(sink.events).toEqual(['status', 'change', 'change', 'change']);
  close();
  close();
  fixture.tell();
  await fixture.clock.advance(60_000);
  expect(sink.chunks).toHaveLength(4);
});

it('tells a newcomer everything, and those who are there nothing twice', async () => {
  const fixture = new StatusFixture().attach();
  const { sink: first } = await fixture.stream();
  fixture.tell('a');
  const { sink: second } = await fixture.stream();
  fixture.tell('b');
  await fixture.clock.advance(50);
  const seqs = (sink: RecordingSink) => [...sink.chunks.join('').matchAll(/"seq":(\d+),"at"/g)].map((it) => it[1]);
  expect(seqs(first)).toEqual(['1', '2']);
  expect(seqs(second)).toEqual(['1', '2']);
});

it('refuses more than 20 clients, and takes one again when one has gone', async () => {
  const fixture = new StatusFixture().attach();
  const streams = [];
  for (let i = 0; i < 20; i++) streams.push(await fixture.stream());
  expect(await fixture.whole('events')).toMatchObject({ status: 503, headers: { 'Retry-After': '5' } });
  streams[3]?.close();
  await expect(fixture.stream()).resolves.toBeDefined();
});

it('writes nothing to a client that does not read, and everything once it does', async () => {
  const fixture = new StatusFixture().attach();
  const { sink } = await fixture.stream();
  sink.full = true;
  fixture.tell('a');
  await fixture.clock.advance(50);
  fixture.tell('b');
  await fixture.clock.advance(10_000);
  expect(sink.events).toEqual(['status', 'change']);
  sink.drain();
  expect(sink.events).toEqual(['status', 'change', 'status']);
  expect(lastData(sink).history).toHaveLength(2);
});

it('cuts a client that has not read for 20 s', async () => {
  const fixture = new StatusFixture().attach();
  const { sink } = await fixture.stream();
  sink.full = true;
  await fixture.clock.advance(30_000);
  expect(sink.destroyed).toBe(true);
  expect(sink.chunks).toHaveLength(2);
});

it('ends a stream after ten minutes, so that the guards decide again', async () => {
  const fixture = new StatusFixture().attach();
  const { sink } = await fixture.stream();
  await fixture.clock.advance(10 * 60_000 - 1);
  expect(sink.ended).toBe(false);
  await fixture.clock.advance(1);
  expect(sink.ended).toBe(true);
});

it('ends all streams with the last news when the app has stopped, and opens none after that', async () => {
  const fixture = new StatusFixture().attach();
  const { sink, close } = await fixture.stream();
  fixture.tell('a', { from: 'stopping', to: 'stopped' });
  await fixture.page.observer.detach?.();
  expect(sink.events).toEqual(['status', 'change', 'end']);
  expect(sink.ended).toBe(true);
  close();
  expect(await fixture.whole('events')).toMatchObject({ status: 503 });
  expect((await fixture.whole('status')).status).toBe(200);
});
