// One replica of an app with a peer, for handover.mjs: node handover-peer.mjs <package> <settings as JSON>
// Its own stop call runs on SIGTERM; the process ends once that is through.
import { createRequire } from 'node:module';
import { Marks } from './handover-marks.mjs';

const [name, settings] = process.argv.slice(2);
const { port, kubeconfig } = JSON.parse(settings);
const require = createRequire(new URL('./peers/package.json', import.meta.url));
const marks = new Marks();
const say = (kind) => process.send({ kind, marks: marks.take() });

/** Each gives what tells of the leadership, by which events, and what stops it. */
const peers = {
  async 'redis-leader'() {
    const redis = await openRedis();
    const Leader = require('redis-leader');
    // Lease 10 s, a try every second.
    const leader = new Leader(redis, { key: 'bench' });
    leader.elect();
    const over = new Promise((resolve) => leader.on('revoked', resolve));
    return { leader, won: 'elected', stop: () => leader.stop() && over.then(() => redis.quit()) };
  },
  async 'ts-safe-redis-leader'() {
    const redis = await openRedis();
    const { SafeRedisLeader } = require('ts-safe-redis-leader');
    // It has no defaults. These are the ones of its README: lease 1.5 s, a try every 3 s.
    const leader = new SafeRedisLeader(redis, 1500, 3000, 'bench');
    void leader.elect();
    const over = new Promise((resolve) => leader.on('demoted', resolve));
    return { leader, won: 'elected', stop: () => leader.shutdown() && over.then(() => redis.quit()) };
  },
  async '@codedependant/kubernetes-leader-election'() {
    process.env.KUBECONFIG = kubeconfig;
    process.env.KUBERNETES_SERVICE_HOST = '127.0.0.1';
    const { Elector } = require('@codedependant/kubernetes-leader-election');
    // Lease 20 s. It tries when it starts, 10 s later, and 10 s after that; then never again.
    const leader = new Elector({ auto_close: false, identity: String(process.pid), lease_name: 'bench' });
    void leader.start();
    return { leader, won: 'leadership_acquired', stop: () => leader.stop() };
  },
};

async function openRedis() {
  const Redis = require('ioredis');
  const redis = new Redis({ port, host: '127.0.0.1' });
  await new Promise((resolve) => redis.once('ready', resolve));
  return redis;
}

const { leader, won, stop } = await peers[name]();
leader.on('error', (error) => {
  throw error;
});
leader.on(won, () => {
  marks.add('running');
  say('running');
});
process.once('SIGTERM', () => {
  marks.add('signal received');
  void stop().then(() => say('released') && process.exit());
});
setTimeout(() => say('following'), 500).unref();
process.once('disconnect', () => process.exit());
