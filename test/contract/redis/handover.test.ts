import assert from 'node:assert/strict';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { RedisElector } from 'nestjs-lifecycle/electors/redis';
import { ContractCandidate } from '../../../lib/testing/contract/contract-candidate.js';
import { Stage } from '../../../lib/testing/contract/stage.js';
import type { Stand } from '../../../lib/testing/contract/stand.js';
import { describeEngine } from '../../fixtures/engines/engine-binaries.js';
import { RedisServer } from '../../fixtures/engines/redis-server.js';
import { TcpProxy } from '../../fixtures/engines/tcp-proxy.js';
import { until } from '../../fixtures/until.js';
import { CLIENT_KINDS } from './client-kinds.js';
import { RedisArena } from './redis-arena.js';
import { TIMING } from './timing.js';

/** Followers look every third of it: every 20 s. */
const LONG = { leaseMs: 60_000, renewMs: 1000, requestTimeoutMs: 1500, stopBudgetMs: 500 };

/** How leadership goes from one elector to the next. */
describeEngine('A hand-over on Redis', ['redis-server'], () => {
  let server: RedisServer;

  beforeAll(async () => {
    server = await RedisServer.start();
  });

  afterAll(() => server.stop());

  /** How many listen to the channel of that election. */
  const listeners = async (election: string) => {
    const [channel] = (await server.command('pubsub', 'channels', `*/${election}}*`)) as string[];
    if (channel === undefined) return 0;
    return Number(((await server.command('pubsub', 'numsub', channel)) as unknown[])[1]);
  };
  const reads = ({ reports }: ContractCandidate) => reports.filter(({ kind }) => kind === 'read').length;

  test.each(CLIENT_KINDS)('is told by a message with $name, long before anybody looks', ({ name, offer }) => {
    const election = `push-${name.replaceAll(/[^a-z0-9]/gi, '-').toLowerCase()}`;
    const settings = { timing: LONG, emptyStoreWaitMs: 0 };
    const open = () => RedisArena.open(server.port, { name, offer }, settings);
    return Stage.play({ open }, async (stage) => {
      const leader = await stage.leading({ election });
      const startedAt = performance.now();
      const follower = stage.stand({ election });
      await until(async () => (await listeners(election)) === 2);
      // The first look, and the one for what may have been missed before it listened.
      await stage.until(() => reads(follower.candidate) >= 2);

      await stage.end(leader);
      await stage.until(() => follower.leads);

      expect(performance.now() - startedAt).toBeLessThan(LONG.leaseMs / 3);
    });
  });

  test.each(CLIENT_KINDS.slice(1))('is found by looking when the channel of $name is mute', async ({ name, offer }) => {
    const election = `mute-${name.replaceAll(/[^a-z0-9]/gi, '-').toLowerCase()}`;
    const proxies = [await TcpProxy.open({ target: server }), await TcpProxy.open({ target: server })] as const;
    const [forCommands, forMessages] = proxies;
    const offers = proxies.map(({ port }) => offer(port));
    const [client, subscriber] = offers.map(({ options }) => options.client);
    assert.ok(client !== undefined && subscriber !== undefined);
    const electors = [
      new RedisElector({ namespace: 'mute', timing: TIMING, url: server.url }),
      new RedisElector({ namespace: 'mute', timing: TIMING, client, subscriber }),
    ] as const;
    const [leader, follower] = [new ContractCandidate('a'), new ContractCandidate('b')];
    const [first, second] = [new AbortController(), new AbortController()];
    const campaigns = [electors[0].campaign(election, leader, first.signal)];
    await until(() => leader.leads);
    campaigns.push(electors[1].campaign(election, follower, second.signal));
    await until(async () => follower.observed.at(-1) === 'a' && (await listeners(election)) === 2);
    const { connections } = forMessages;

    await forMessages.set('blackhole');
    first.abort();
    await campaigns[0];
    await until(() => follower.leads);

    expect([forMessages.mode, forMessages.connections, forCommands.mode]).toEqual(['blackhole', connections, 'pass']);
    second.abort();
    await Promise.all(campaigns);
    await Promise.all(electors.map((it) => it.close()));
    offers.forEach((it) => it.close());
    await Promise.all(proxies.map((it) => it.close()));
  });

  const acl = (...rules: string[]) => server.command('acl', 'setuser', 'app', ...rules);

  test.each([
    ['may not write', () => acl('-@write', '+eval', '+persist'), () => acl('+@all')],
    [
      'finds no memory to write to',
      () => server.command('config', 'set', 'maxmemory', '1'),
      () => server.command('config', 'set', 'maxmemory', '0'),
    ],
  ])('comes after the term has ended of a leader that can read and %s, who can lead again', async (_, fail, heal) => {
    await acl('on', '>secret', '~*', '&*', '+@all');
    const offer = (port: number) => ({
      options: { url: `redis://app:secret@127.0.0.1:${port}` },
      close: () => undefined,
    });
    const open = () => RedisArena.open(server.port, { name: 'a URL', offer });
    await Stage.play({ open }, async (stage) => {
      const leader = await stage.leading();
      const follower = stage.stand();
      await stage.until(() => follower.candidate.observed.length > 0);
      const looks = (it: Stand) => reads(it.candidate);

      try {
        await fail();
        await stage.until(() => !leader.leads);
        const before = [looks(leader), looks(follower)] as const;
        await stage.until(() => looks(leader) > before[0] && looks(follower) > before[1]);
        await stage.pass();
        expect(stage.leaders()).toEqual([]);
        expect(leader.candidate.reports.filter(({ kind }) => kind === 'refusal').length).toBeGreaterThan(0);
      } finally {
        await heal();
      }
      await stage.until(() => stage.leaders().length === 1);

      await stage.end(follower);
      await stage.until(() => leader.leads);
      expect(leader.candidate.terms.length).toBeGreaterThanOrEqual(2);
    });
  });
});
