import { jest } from '@jest/globals';
import { listenAlongToShutdown, warnUnlessShutdownIsHandled } from '../../../lib/core/shutdown-signals.js';
import { ManualClock } from '../../../lib/testing/manual-clock.js';

let kill: jest.SpiedFunction<typeof process.kill>;
let seen: string[];
const undo: (() => void)[] = [];

beforeEach(() => {
  seen = [];
  kill = jest.spyOn(process, 'kill').mockReturnValue(true);
});

afterEach(() => {
  undo.splice(0).forEach((it) => it());
  kill.mockRestore();
  expect(process.listenerCount('SIGTERM')).toBe(0);
  expect(process.listenerCount('SIGINT')).toBe(0);
});

function handle(signal: NodeJS.Signals, how: 'on' | 'once' = 'on'): void {
  const handler = () => void seen.push('handled');
  process[how](signal, handler);
  undo.push(() => process.removeListener(signal, handler));
}

function listenAlong(name = 'heard'): () => void {
  const stop = listenAlongToShutdown(() => void seen.push(name));
  undo.push(stop);
  return stop;
}

const send = (signal: NodeJS.Signals) => process.emit(signal, signal);

describe('listening along', () => {
  it('hears a signal that somebody else handles, before that one does', () => {
    handle('SIGTERM');
    listenAlong();
    send('SIGTERM');
    expect(seen).toEqual(['heard', 'handled']);
    expect(kill).not.toHaveBeenCalled();
  });

  it('hears it also when the handler was added by once(), and is gone once it was called', () => {
    handle('SIGTERM', 'once');
    listenAlong();
    send('SIGTERM');
    expect(seen).toEqual(['heard', 'handled']);
    expect(kill).not.toHaveBeenCalled();
  });

  it('adds no listener for a signal that nobody handles, which would keep it from ending the process', () => {
    handle('SIGINT');
    listenAlong();
    expect(process.listenerCount('SIGTERM')).toBe(0);
    expect(process.listenerCount('SIGINT')).toBe(2);
  });

  it('steps aside and sends the signal again when the handler has left', () => {
    handle('SIGTERM');
    listenAlong();
    undo[0]?.();
    send('SIGTERM');
    expect(seen).toEqual([]);
    expect(kill.mock.calls).toEqual([[process.pid, 'SIGTERM']]);
    expect(process.listenerCount('SIGTERM')).toBe(0);
  });

  it('takes no other listening along for a handler: two of them do not swallow a signal', () => {
    handle('SIGTERM');
    listenAlong('one');
    undo[0]?.();
    listenAlong('two');
    send('SIGTERM');
    expect(seen).toEqual([]);
    expect(kill).toHaveBeenCalledTimes(1);
    expect(process.listenerCount('SIGTERM')).toBe(0);
  });

  it('hears a second signal as well, and nothing after it has stopped, which is idempotent', () => {
    handle('SIGTERM');
    const stop = listenAlong();
    send('SIGTERM');
    send('SIGTERM');
    stop();
    stop();
    send('SIGTERM');
    expect(seen.filter((it) => it === 'heard')).toHaveLength(2);
  });
});

describe('the warning', () => {
  const warn = jest.fn();
  const logger = { log: jest.fn(), warn, error: jest.fn() };

  beforeEach(() => warn.mockClear());

  it('comes once, when nobody handles SIGTERM', async () => {
    const clock = new ManualClock();
    warnUnlessShutdownIsHandled(logger, clock);
    await clock.advance(10_000);
    expect(warn.mock.calls).toEqual([[expect.stringContaining('Call app.enableShutdownHooks().')]]);
  });

  it('does not come when somebody handles it in time, nor when it is cancelled', async () => {
    const clock = new ManualClock();
    warnUnlessShutdownIsHandled(logger, clock);
    warnUnlessShutdownIsHandled(logger, clock)();
    handle('SIGTERM');
    await clock.advance(10_000);
    expect(warn).not.toHaveBeenCalled();
    expect(clock.pending).toBe(0);
  });
});
