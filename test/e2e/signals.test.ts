import { runApp, type Scenario } from '../fixtures/app-process.js';

const SERVERS = ['express', 'fastify'] as const;
const HTTP = SERVERS.map((kind) => ({ kind, handler: 'nest' }) satisfies Scenario);

/** As Nest does it: once all is stopped, it sends itself the signal again, without its own handler. */
const BY_SIGTERM = { code: null, signal: 'SIGTERM', complaints: '' };

describe('SIGTERM in mid-bootstrap', () => {
  it.each(HTTP)('on $kind while a hook of another module hangs starts nothing and ends the process', async (server) => {
    const app = runApp({ ...server, elector: 'memory', hangs: 'other bootstrap' });
    await app.told('other bootstrap hangs');
    app.send('SIGTERM');
    expect(await app.ended).toMatchObject(BY_SIGTERM);
    expect(app.lines).toEqual(['other bootstrap hangs', 'elector closed', 'other destroyed', 'other shut down']);
  });

  it('while an init hook of another module hangs starts nothing and ends the process', async () => {
    const app = runApp({ kind: 'express', handler: 'nest', elector: 'memory', hangs: 'other init' });
    await app.told('other init hangs');
    app.send('SIGTERM');
    expect(await app.ended).toMatchObject(BY_SIGTERM);
    expect(app.lines).toEqual(['other init hangs', 'elector closed', 'other destroyed', 'other shut down']);
  });

  it.each(HTTP)('on $kind while a component starts stops what has started, without a campaign', async (server) => {
    const app = runApp({ ...server, elector: 'memory', hangs: 'start' });
    await app.told('start hangs');
    app.send('SIGTERM');
    expect(await app.ended).toMatchObject(BY_SIGTERM);
    expect(app.lines.filter((it) => it !== 'booted').toSorted()).toEqual(
      [
        'feed starts',
        'start hangs',
        'api is up',
        'feed stopped',
        'api stopped',
        'elector closed',
        'other destroyed',
        'other shut down',
      ].toSorted(),
    );
    expect(app.lines.slice(-2)).toEqual(['other destroyed', 'other shut down']);
    expect(app.lines.indexOf('elector closed')).toBeGreaterThan(app.lines.indexOf('api stopped'));
  });

  it('while a component starts and ignores its signal ends the process within the budget', async () => {
    const app = runApp({ kind: 'express', handler: 'nest', hangs: 'start for good' });
    await app.told('start hangs');
    app.send('SIGTERM');
    expect(await app.ended).toMatchObject(BY_SIGTERM);
    expect(app.lines).toEqual(expect.arrayContaining(['feed stopped', 'api stopped', 'other shut down']));
    expect(app.lines).toContainEqual(expect.stringMatching(/^ERROR .*"Api" has not stopped after 50 ms: start\(\)/));
  });

  it('in a context whose shutdown Nest holds back until the boot is over ends that boot', async () => {
    const app = runApp({ kind: 'testing module', handler: 'nest', elector: 'memory', hangs: 'start' });
    await app.told('start hangs');
    app.send('SIGTERM');
    expect(await app.ended).toMatchObject(BY_SIGTERM);
    expect(app.lines).toEqual(expect.arrayContaining(['feed stopped', 'api stopped', 'other shut down']));
    expect(app.lines).not.toContain('campaigning');
  });

  it('in an application context, which nobody can have told to listen, kills it before it stands for anything', async () => {
    const app = runApp({ kind: 'context', handler: 'nest', elector: 'memory', hangs: 'start' });
    await app.told('start hangs');
    app.send('SIGTERM');
    expect(await app.ended).toMatchObject(BY_SIGTERM);
    expect(app.lines).toEqual(['feed starts', 'start hangs']);
  });

  it('is left to a handler of the app that was added by once(), which ends the process in order', async () => {
    const app = runApp({ kind: 'express', handler: 'once()', elector: 'memory', hangs: 'start' });
    await app.told('start hangs');
    app.send('SIGTERM');
    expect(await app.ended).toMatchObject({ code: 0, signal: null, complaints: '' });
    expect(app.lines).toEqual(expect.arrayContaining(['feed stopped', 'api stopped', 'other shut down', 'closed']));
    expect(app.lines).not.toContain('campaigning');
  });

  it.each([
    ['twice', {}],
    ['twice, together with close()', { alsoClose: true }],
  ] as const)('%s is one stop', async (_, more) => {
    const app = runApp({ kind: 'express', handler: 'nest', elector: 'memory', hangs: 'start', ...more });
    await app.told('start hangs');
    app.send('SIGTERM');
    await app.told('api stopped');
    app.send('SIGTERM');
    expect((await app.ended).signal ?? 'SIGTERM').toBe('SIGTERM');
    for (const once of ['feed stopped', 'api stopped', 'elector closed'])
      expect(app.lines.filter((it) => it === once)).toHaveLength(1);
    expect(app.lines).not.toContain('campaigning');
  });

  it('with awaitStart: false, when the port is open already, is the same', async () => {
    const app = runApp({ kind: 'express', handler: 'nest', elector: 'memory', hangs: 'start', awaitStart: false });
    await app.told('booted');
    await app.told('start hangs');
    app.send('SIGTERM');
    expect(await app.ended).toMatchObject(BY_SIGTERM);
    expect(app.lines).toEqual(expect.arrayContaining(['feed stopped', 'api stopped', 'other shut down']));
    expect(app.lines).not.toContain('campaigning');
  });
});

describe('a signal after the boot', () => {
  const STOPPED = ['job stopped', 'term settled', 'released'];
  const LAST = ['elector closed', 'other destroyed', 'other shut down'];

  it.each<[Scenario['kind'], NodeJS.Signals]>([
    ['express', 'SIGTERM'],
    ['fastify', 'SIGTERM'],
    ['express', 'SIGINT'],
    ['context', 'SIGTERM'],
    ['testing module', 'SIGTERM'],
  ])('ends what runs, the term before the rest, in %s (%s)', async (kind, signal) => {
    const app = runApp({ kind, handler: 'nest', elector: 'memory' });
    await app.told('booted');
    await app.told('job starts');
    const before = app.lines.length;
    app.send(signal);
    expect(await app.ended).toMatchObject({ code: null, signal, complaints: '' });
    const after = app.lines.slice(before);
    expect(after.slice(0, 3)).toEqual(STOPPED);
    expect(after.slice(3, 5).toSorted()).toEqual(['api stopped', 'feed stopped']);
    expect(after.slice(5)).toEqual(LAST);
  });

  it('ends both of two apps in one process, also one that is still booting', async () => {
    const app = runApp({ kind: 'express', handler: 'nest', elector: 'memory', besideAnother: true, hangs: 'start' });
    await app.told('job starts');
    await app.told('start hangs');
    app.send('SIGTERM');
    expect(await app.ended).toMatchObject(BY_SIGTERM);
    expect(app.lines.filter((it) => it === 'feed stopped')).toHaveLength(2);
    expect(app.lines).toEqual(expect.arrayContaining(['job stopped', 'api stopped', 'other shut down']));
    expect(app.lines).not.toContain('campaigning');
  });

  it('ends with code 0 where Nest was told to exit', async () => {
    const app = runApp({ kind: 'express', handler: 'nest, with process.exit()', elector: 'memory' });
    await app.told('job starts');
    await app.told('booted');
    app.send('SIGTERM');
    expect(await app.ended).toMatchObject({ code: 0, signal: null });
    expect(app.lines.slice(-4)).toEqual([...LAST, 'exit 0']);
  });

  it('twice, together with close(), is one stop', async () => {
    const app = runApp({ kind: 'fastify', handler: 'nest', elector: 'memory', alsoClose: true });
    await app.told('job starts');
    await app.told('booted');
    app.send('SIGTERM');
    app.send('SIGTERM');
    await app.ended;
    for (const once of [...STOPPED, 'feed stopped', 'api stopped', 'elector closed'])
      expect(app.lines.filter((it) => it === once)).toHaveLength(1);
  });

  it('kills the process where nobody listens, of which it was warned once', async () => {
    const app = runApp({ kind: 'express' });
    await app.told('booted');
    await app.told(
      'WARN Nothing listens to SIGTERM, so components are killed rather than stopped, and leadership is not handed ' +
        'over. Call app.enableShutdownHooks().',
    );
    app.send('SIGTERM');
    expect(await app.ended).toMatchObject({ code: null, signal: 'SIGTERM' });
    expect(app.lines.filter((it) => it.startsWith('WARN'))).toHaveLength(1);
    expect(app.lines).not.toContain('feed stopped');
  });
});

describe('the process ends by itself', () => {
  it.each<[string, Scenario]>([
    ['Express', { kind: 'express', elector: 'memory' }],
    ['Fastify', { kind: 'fastify' }],
    ['an application context', { kind: 'context', elector: 'memory' }],
    ['Express with hooks enabled', { kind: 'express', handler: 'nest' }],
  ])('after close(): %s', async (_, scenario) => {
    const app = runApp({ ...scenario, closes: true });
    expect(await app.ended).toMatchObject({ code: 0, signal: null, complaints: '' });
    expect(app.lines.slice(-2)).toEqual(['closed', 'exit 0']);
  });

  it.each<[string, Scenario, string]>([
    [
      'a component that fails',
      { kind: 'express', elector: 'memory', throws: 'start' },
      'Component "Api" failed: start threw',
    ],
    [
      'a component that fails in a context',
      { kind: 'context', throws: 'start' },
      'Component "Api" failed: start threw',
    ],
    ['a hook of another module that throws', { kind: 'fastify', throws: 'other bootstrap' }, 'other bootstrap threw'],
  ])('after a boot that failed by %s', async (_, scenario, message) => {
    const app = runApp(scenario);
    expect(await app.ended).toMatchObject({ code: 7, signal: null, complaints: '' });
    expect(app.lines).toContain(`boot failed: ${message}`);
    expect(app.lines).not.toContain('campaigning');
    if (scenario.throws === 'start') expect(app.lines).toEqual(expect.arrayContaining(['feed stopped', 'api stopped']));
  });

  it('with code 1 after an orderly stop when a critical component fails for good and exitOnFailure is on', async () => {
    const app = runApp({ kind: 'express', elector: 'memory', throws: 'feed later', exitOnFailure: true });
    await app.told('job starts');
    await app.told('booted');
    app.send('SIGUSR2');
    expect(await app.ended).toMatchObject({ code: 1, signal: null });
    expect(app.lines).toContain('ERROR Exiting: "Feed" failed for good, and exitOnFailure is on');
    expect(app.lines).toEqual(expect.arrayContaining(['job stopped', 'released', 'feed stopped', 'api stopped']));
    expect(app.lines.slice(-2)).toEqual(['elector closed', 'exit 1']);
  });
});
