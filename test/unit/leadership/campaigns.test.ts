import { describe, expect, test } from '@jest/globals';
import { delay } from '../../../lib/core/clock.js';
import { aborted, errorOf, lead, leaderOnly, Replica, ScriptedElector, type Call } from './leadership-fixtures.js';

const MINUTE = 60_000;

describe('a campaign that ends by itself', () => {
  const broken: Record<string, (call: Call) => Promise<void>> = {
    'throws synchronously': () => {
      throw new Error('no engine');
    },
    rejects: () => Promise.reject(new Error('no engine')),
    'rejects with undefined': () => Promise.reject(undefined),
    'resolves early': () => Promise.resolve(),
    'rejects after a while': () => Promise.resolve().then(() => Promise.reject(new Error('no engine'))),
  };

  test.each(Object.entries(broken))('is begun again for ever when it %s, ever more slowly', async (_, script) => {
    const elector = new ScriptedElector(script);
    const replica = await new Replica({ elector }).boot();

    await replica.clock.advance(MINUTE);
    const inTheFirstMinute = elector.calls.length;
    await replica.clock.advance(60 * MINUTE);

    // 0, 1, 3, 7, 15, 31 s, then every 30 s.
    expect(inTheFirstMinute).toBe(6);
    expect(elector.calls.length - inTheFirstMinute).toBe(120);
    expect(errorOf(replica)).toBeDefined();
    await replica.leadership.stop();
  });

  test('begins at a short pause again when it had gone well for long', async () => {
    const elector: ScriptedElector = new ScriptedElector(async (call) => {
      if (call.number > 4) return aborted(call.signal);
      const term = elector.term();
      void call.candidate.onElected(term);
      await delay(replica.clock, 31_000, call.signal);
      throw new Error('connection lost');
    });
    const replica = new Replica({ elector });
    await replica.boot();

    await replica.clock.advance(4 * 32_000);

    expect(elector.calls).toHaveLength(5);
    await replica.leadership.stop();
  });

  test('leaves nothing of what it observed: nobody is watching any more', async () => {
    const elector = new ScriptedElector(async ({ candidate }) => {
      candidate.onLeaderObserved({ identity: 'me', fencingToken: 1n, since: 0 });
      throw new Error('connection lost');
    });
    const replica = await new Replica({ elector }).boot();

    expect(replica.leadership.leader()).toBeUndefined();
    await replica.leadership.stop();
  });

  test('leads once it works again', async () => {
    const elector: ScriptedElector = new ScriptedElector((call) =>
      call.number <= 20 ? Promise.reject(new Error('no engine')) : lead(call, elector.term()),
    );
    const replica = new Replica({ elector });
    leaderOnly(replica);
    await replica.boot();

    await replica.clock.advance(20 * MINUTE);

    expect(replica.statusOf('worker')).toBe('running');
    expect(errorOf(replica)).toBeUndefined();
    await replica.leadership.stop();
  });

  test('is spread over time by jitter, so that replicas which failed together do not come back together', async () => {
    const elector = new ScriptedElector(() => Promise.reject(new Error('no engine')));
    const replica = await new Replica({ elector, random: () => 0 }).boot();

    await replica.clock.advance(500);

    expect(elector.calls).toHaveLength(2);
    await replica.leadership.stop();
  });

  test('is logged once a minute, with the number of those left out, however long it goes on', async () => {
    const elector = new ScriptedElector(() => Promise.reject(new Error('no engine')));
    const replica = await new Replica({ elector }).boot();

    await replica.clock.advance(10 * MINUTE);

    const lines = replica.logger.matching(/no engine/);
    expect(lines[0]).toBe('warn Election "default", campaign: no engine');
    expect(lines.at(-1)).toMatch(/more of these since/);
    expect(lines.length).toBeLessThanOrEqual(11);
    await replica.leadership.stop();
  });

  test('says so when it ends without an error and without having been told to', async () => {
    const elector = new ScriptedElector(() => Promise.resolve());
    const replica = await new Replica({ elector }).boot();

    expect(String(errorOf(replica))).toMatch(/campaign\(\) resolved before its signal was aborted/);
    await replica.leadership.stop();
  });

  test('is no error when the replica told it to end', async () => {
    const elector = new ScriptedElector(async ({ signal }) => {
      await aborted(signal);
      throw signal.reason;
    });
    const replica = await new Replica({ elector }).boot();

    await replica.leadership.stop();

    expect(errorOf(replica)).toBeUndefined();
    expect(replica.logger.matching(/^(warn|error)/)).toEqual([]);
  });

  test('is an error when the release fails', async () => {
    const elector: ScriptedElector = new ScriptedElector(async (call) => {
      await lead(call, elector.term());
      throw new Error('DEL was refused');
    });
    const replica = await new Replica({ elector }).boot();

    await replica.leadership.stop();

    expect(replica.logger.matching(/DEL was refused/)).toHaveLength(1);
  });
});

describe('the error of an election', () => {
  test('stays until a success, and is logged in each of its kinds at most once a minute', async () => {
    let report: Call['candidate']['onReport'] = () => undefined;
    const elector = new ScriptedElector(async ({ candidate, signal }) => {
      report = (it) => candidate.onReport(it);
      await aborted(signal);
    });
    const replica = await new Replica({ elector }).boot();

    for (let second = 0; second < 120; second++) {
      report({ kind: 'error', operation: 'renew', error: new Error('timeout') });
      report({ kind: 'refusal', operation: 'acquire', error: new Error('no permission') });
      await replica.clock.advance(1000);
    }
    expect(errorOf(replica)).toMatchObject({ message: 'no permission' });
    expect(replica.logger.matching(/renew: timeout/)).toHaveLength(2);
    expect(replica.logger.matching(/acquire: no permission/)).toHaveLength(2);

    report({ kind: 'attempt', won: false, latencyMs: 3 });
    expect(errorOf(replica)).toBeUndefined();
    await replica.leadership.stop();
  });
});

describe('an error whose text is another one each time', () => {
  test('is logged at most 20 times a minute', async () => {
    const elector = new ScriptedElector(async ({ candidate, signal }) => {
      for (let port = 0; port < 1000; port++) {
        candidate.onReport({ kind: 'error', operation: 'renew', error: new Error(`reset on port ${port}`) });
      }
      await aborted(signal);
    });
    const replica = await new Replica({ elector }).boot();

    expect(replica.logger.matching(/reset on port/)).toHaveLength(20);
    await replica.leadership.stop();
  });
});

describe('a logger that throws', () => {
  test('ends no campaign and hides no event', async () => {
    const elector: ScriptedElector = new ScriptedElector((call) =>
      call.number === 1 ? Promise.reject(new Error('no engine')) : lead(call, elector.term()),
    );
    const replica = new Replica({ elector });
    const worker = leaderOnly(replica);
    const fail = () => {
      throw new Error('the log is closed');
    };
    Object.assign(replica.logger, { log: fail, warn: fail, error: fail });
    await replica.boot();

    await replica.clock.advance(2000);

    expect(replica.terms).toEqual(['+1']);
    expect(worker.starts).toBe(1);
    await replica.leadership.stop();
  });
});
