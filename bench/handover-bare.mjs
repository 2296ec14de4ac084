// One replica with nothing in it but Node, for handover.mjs: node handover-bare.mjs <address>
// Whoever listens at the address leads, and whoever sees its connection end takes it. What a hand-over takes here is what
// the machine takes to wake two processes.
import { connect, createServer } from 'node:net';
import { Marks } from './handover-marks.mjs';

const [address] = process.argv.slice(2);
const marks = new Marks();
const say = (kind) => process.send({ kind, marks: marks.take() });

const followers = new Set();
const server = createServer((socket) => {
  followers.add(socket.resume());
  socket.on('error', () => undefined);
  socket.once('close', () => followers.delete(socket));
});
server.on('error', follow);
server.on('listening', () => {
  marks.add('running');
  say('running');
});

function lead() {
  server.listen(address);
}

function follow() {
  connect(address)
    .resume()
    .once('connect', () => say('following'))
    .once('error', () => undefined)
    .once('close', lead);
}

process.once('SIGTERM', () => {
  marks.add('stop entered');
  server.close(() => process.exit());
  for (const socket of followers) socket.destroy();
  marks.add('stop left');
  say('released');
});
process.once('disconnect', () => process.exit());
lead();
