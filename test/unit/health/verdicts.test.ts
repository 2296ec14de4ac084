import { judgeComponent } from '../../../lib/health/component-verdict.js';
import { judgeElection } from '../../../lib/health/election-verdict.js';
import { VerdictCache } from '../../../lib/health/verdict-cache.js';
import { snapshotOf, type SnapshotChange } from '../../fixtures/fake-registry.js';

const judge = (change: SnapshotChange) => {
  const { level, note } = judgeComponent(snapshotOf('it', change));
  return note === undefined ? level : `${level} (${note})`;
};

describe('the verdict on a critical component', () => {
  it.each<[string, string, SnapshotChange]>([
    ['running without a check', 'up', {}],
    ['running and healthy', 'up', { info: { healthy: true } }],
    ['running and unhealthy', 'down (unhealthy: boom)', { info: { healthy: false }, healthError: new Error('boom') }],
    ['completed', 'up', { info: { status: 'stopped' }, completed: true }],
    ['stopped by itself', 'down (stopped)', { info: { status: 'stopped' } }],
    ['failed for good', 'down (failed: boom)', { info: { status: 'failed', error: 'boom' }, failedForGood: true }],
    ['waiting to restart', 'down (failed, to be started again: boom)', { info: { status: 'failed', error: 'boom' } }],
    [
      'overrunning',
      'down (has not stopped in time: too slow)',
      { info: { status: 'stopping', error: 'too slow' }, overrunning: true },
    ],
    ['not started yet', 'down (not started yet)', { info: { status: 'pending' } }],
    ['held back', 'down (not started yet: waits for "db")', { info: { status: 'pending', error: 'waits for "db"' } }],
    ['starting', 'down (still starting)', { info: { status: 'starting' } }],
    ['being restarted', 'down (stopping)', { info: { status: 'stopping' } }],
  ])('%s is %s', (_, expected, change) => {
    expect(judge(change)).toBe(expected);
  });
});

describe('the verdict on a leader-only component', () => {
  it.each(['standby', 'pending', 'starting', 'running', 'stopping'] as const)(
    'is up while %s: hand-over is no fault',
    (status) => {
      expect(judge({ info: { status, leaderOnly: true } })).toBe('up');
    },
  );

  it.each<[string, string, SnapshotChange]>([
    ['failed', 'down (failed, to be started again: boom)', { info: { status: 'failed', error: 'boom' } }],
    ['held back', 'down (not started yet: waits for "db")', { info: { status: 'pending', error: 'waits for "db"' } }],
    ['overrunning', 'down (has not stopped in time)', { info: { status: 'stopping' }, overrunning: true }],
    ['stopped by itself', 'down (stopped)', { info: { status: 'stopped' } }],
  ])('that is %s is %s', (_, expected, change) => {
    expect(judge({ ...change, info: { ...change.info, leaderOnly: true } })).toBe(expected);
  });
});

describe('criticality', () => {
  it.each([
    ['critical', 'down (failed: boom)'],
    ['degradable', 'degraded (failed: boom)'],
    ['optional', 'up (failed: boom)'],
  ] as const)('%s makes a failure %s', (criticality, expected) => {
    expect(judge({ info: { status: 'failed', error: 'boom', criticality }, failedForGood: true })).toBe(expected);
  });
});

describe('a note', () => {
  it('stays short, whatever was thrown', () => {
    const { note } = judgeComponent(snapshotOf('it', { info: { status: 'failed', error: 'x'.repeat(1_000_000) } }));
    expect(note?.length).toBeLessThan(600);
  });
});

describe('the verdict on an election', () => {
  it('tells role, leader and token', () => {
    const leader = { identity: 'pod-1', fencingToken: 7n, since: 0 };
    expect(judgeElection({ election: 'default', leading: true, fencingToken: 7n, leader })).toEqual({
      election: 'default',
      level: 'up',
      role: 'leader',
      leader: 'pod-1',
      fencingToken: '7',
    });
    expect(judgeElection({ election: 'default', leading: false })).toEqual({
      election: 'default',
      level: 'up',
      role: 'standby',
    });
  });

  it('is degraded, never down, while the engine fails', () => {
    expect(judgeElection({ election: 'default', leading: false, error: new Error('ECONNREFUSED') })).toMatchObject({
      level: 'degraded',
      note: 'ECONNREFUSED',
    });
  });

  it('is the same object for as long as nothing changes', () => {
    const verdicts = new VerdictCache(judgeElection);
    const follower = { election: 'default', leading: false, leader: { identity: 'pod-1', since: 0 } };
    const before = verdicts.of([follower]);
    expect(verdicts.of([{ ...follower }])).toBe(before);
    const after = verdicts.of([{ ...follower, leading: true, fencingToken: 8n }]);
    expect(after).not.toBe(before);
    expect(after).toMatchObject([{ role: 'leader', fencingToken: '8' }]);
    expect(verdicts.of([])).toEqual([]);
  });
});

describe('without details', () => {
  const note = (change: SnapshotChange) => judgeComponent(snapshotOf('it', change), false).note;

  it.each<[string | undefined, SnapshotChange]>([
    ['unhealthy', { info: { healthy: false }, healthError: new Error('secret') }],
    ['failed', { info: { status: 'failed', error: 'secret' }, failedForGood: true }],
    ['failed, to be started again', { info: { status: 'failed', error: 'secret' } }],
    ['has not stopped in time', { info: { status: 'stopping', error: 'secret' }, overrunning: true }],
    ['not started yet', { info: { status: 'pending', error: 'secret' } }],
    // What holds a leader-only component back still impairs it.
    ['not started yet', { info: { status: 'pending', error: 'secret', leaderOnly: true } }],
    [undefined, { info: { status: 'running' } }],
  ])('a component is %s, and the text of its error is left out', (expected, change) => {
    expect(note(change)).toBe(expected);
  });

  it('an election says that its elector reports an error, and still how its loop hangs', () => {
    const snapshot = { election: 'default', leading: false, error: new Error('secret') };
    expect(judgeElection(snapshot, false)).toMatchObject({
      level: 'degraded',
      note: 'the elector reports an error, which is in the log',
    });
    expect(judgeElection({ ...snapshot, wedged: 'it is silent' }, false)).toMatchObject({ note: 'it is silent' });
  });
});
