// One replica of an app with a peer, for handover.mjs: node handover-peer.mjs <package> <settings as JSON>
// Its own stop call runs on SIGTERM; the process ends once that is through.
import { createRequire } from 'node:module';
import { Marks } from './handover-marks.mjs';

const [name, settings] = process.argv.slice(2);
const { port } = JSON.parse(settings);
const require = createRequire(new URL('./peers/package.json', import.meta.url));
const Redis = require('ioredis');
const marks = new Marks();
const say = (kind) => process.send({ kind, marks: marks.take() });

const peers = {
  'redis-leader'(redis) {
    const Leader = require('redis-leader');
    // Lease 10 s, a try every second.
    const leader = new Leader(redis, { key: 'bench' });
    leader.elect();
    return { leader, stop: () => leader.stop() && undefined };
  },
  'ts-safe-redis-leader'(redis) {
    const { SafeRedisLeader } = require('ts-safe-redis-leader');
    // It has no defaults. These are the ones of its README: lease 1.5 s, a try every 3 s.
    const leader = new SafeRedisLeader(redis, 1500, 3000, 'bench');
    void leader.elect();
    return { leader, stop: () => leader.shutdown() };
  },
};

const redis = new Redis({ port, host: '127.0.0.1' });
await new Promise((resolve) => redis.once('ready', resolve));
const { leader, stop } = peers[name](redis);
leader.on('error', (error) => {
  throw error;
});
leader.on('elected', () => {
  marks.add('running');
  say('running');
});
const end = () => say('released') && redis.quit().finally(() => process.exit());
leader.on(name === 'redis-leader' ? 'revoked' : 'demoted', end);
process.once('SIGTERM', () => {
  marks.add('signal received');
  void stop();
});
setTimeout(() => say('following'), 500).unref();
process.once('disconnect', () => process.exit());
