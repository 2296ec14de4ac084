/**
 * What the thread of the watchdog runs, as plain JavaScript: a file of its own would be lost by bundlers, and a thread that
 * starts from a file runs the app's `--import` and `--require` first.
 *
 * Both threads see two numbers. The first is until when the main thread is expected to be heard of, in nanoseconds on the
 * clock of `process.hrtime.bigint()`; 0 while nothing is expected of it. The second changes whenever it is heard of.
 */
export const WATCHDOG_THREAD = `
'use strict';
const { parentPort, workerData } = require('node:worker_threads');
const { write } = require('node:fs');
const { shared, graceMs, message } = workerData;
const [DEADLINE, SIGNS] = [0, 1];
const SLICES = 10;

const sleepUntilChanged = (index, known, ms) => Atomics.wait(shared, index, known, ms) !== 'timed-out';
const msBetween = (from, to) => Number(to - from) / 1e6;

/**
 * Asks the main thread, which answers when its event loop turns. A process that was stopped (SIGSTOP, a debugger, a frozen
 * host) finds the deadline passed when it goes on, and this thread may run first. So only time counts in which the main
 * thread could have run: a slice that took much longer than it should was such a stop, and all begins anew.
 */
function isSilent() {
  const signs = Atomics.load(shared, SIGNS);
  const sliceMs = graceMs / SLICES;
  parentPort.postMessage('Does the event loop turn?');
  for (let slices = 0; slices < SLICES; slices++) {
    const from = process.hrtime.bigint();
    if (sleepUntilChanged(SIGNS, signs, sliceMs)) return false;
    if (msBetween(from, process.hrtime.bigint()) > sliceMs + graceMs) slices = -1;
  }
  return true;
}

function watch() {
  for (;;) {
    const deadline = Atomics.load(shared, DEADLINE);
    const leftMs = deadline === 0n ? Infinity : msBetween(process.hrtime.bigint(), deadline);
    if (leftMs > 0) sleepUntilChanged(DEADLINE, deadline, leftMs);
    else if (isSilent()) return;
    // It turns, and the deadline stands: its term goes by another clock. There is no hurry to ask again.
    else sleepUntilChanged(DEADLINE, deadline, graceMs);
  }
}

watch();
const kill = () => process.kill(process.pid, 'SIGKILL');
// Whoever reads the output may be why the main thread is blocked: nothing waits for them.
write(2, message, kill);
setTimeout(kill, 100);
`;
