// One replica of the app that handover.mjs measures: node handover-replica.mjs <engine> <settings as JSON>
// It says to its parent: that it follows, that its component is running, that it has released, each with what led to it.
import 'reflect-metadata';
import { Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { EventEmitter2, EventEmitterModule } from '@nestjs/event-emitter';
import { LifecycleComponent, LifecycleEvent, LifecycleModule } from '../dist/index.js';
import { Marks } from './handover-marks.mjs';

const [engine, settings] = process.argv.slice(2);
const marks = new Marks();
const say = (kind) => process.send({ kind, marks: marks.take() });

const electors = {
  async local(options) {
    const { LocalElector } = await import('../dist/electors/local/index.js');
    const { Claim } = await import('../dist/electors/local/claim.js');
    const { TokenFile } = await import('../dist/electors/local/token-file.js');
    marks.ofCalls(Claim, 'take', 'acquire');
    marks.ofCalls(TokenFile.prototype, 'next', 'token');
    marks.ofCalls(Claim.prototype, 'release', 'release', () => say('released'));
    return new LocalElector(options);
  },
  async redis(options) {
    const { RedisElector } = await import('../dist/electors/redis/index.js');
    const { RedisLeaseStore } = await import('../dist/electors/redis/redis-lease-store.js');
    await markLeases(RedisLeaseStore);
    return new RedisElector(options);
  },
  async nats(options) {
    const { NatsElector } = await import('../dist/electors/nats/index.js');
    const { NatsLeaseStore } = await import('../dist/electors/nats/nats-lease-store.js');
    await markLeases(NatsLeaseStore);
    return new NatsElector(options);
  },
  async postgres(options) {
    const { PostgresElector } = await import('../dist/electors/postgres/index.js');
    const { PostgresLeaseStore } = await import('../dist/electors/postgres/postgres-lease-store.js');
    const { PostgresSessionStore } = await import('../dist/electors/postgres/postgres-session-store.js');
    await markLeases(options.crashDetection === 'session' ? PostgresSessionStore : PostgresLeaseStore);
    return new PostgresElector(options);
  },
  async etcd(options) {
    const { EtcdElector } = await import('../dist/electors/etcd/index.js');
    const { EtcdLeaseStore } = await import('../dist/electors/etcd/etcd-lease-store.js');
    await markLeases(EtcdLeaseStore);
    return new EtcdElector(options);
  },
  async kubernetes(options) {
    const { KubernetesElector } = await import('../dist/electors/kubernetes/index.js');
    const { KubernetesLeaseStore } = await import('../dist/electors/kubernetes/kubernetes-lease-store.js');
    await markLeases(KubernetesLeaseStore);
    return new KubernetesElector(options);
  },
  async mysql(options) {
    const { MysqlElector } = await import('../dist/electors/mysql/index.js');
    const { MysqlLeaseStore } = await import('../dist/electors/mysql/mysql-lease-store.js');
    await markLeases(MysqlLeaseStore);
    return new MysqlElector(options);
  },
};

async function markLeases(store) {
  const { LeaseFollower } = await import('../dist/core/lease/lease-follower.js');
  marks.ofCalls(LeaseFollower.prototype, 'hint', 'hint');
  for (const method of ['read', 'acquire']) marks.ofCalls(store.prototype, method, method);
  marks.ofCalls(store.prototype, 'release', 'release', () => say('released'));
}

class Work {
  async start() {
    marks.add('start entered');
  }

  async stop() {
    marks.add('stop entered');
    marks.add('stop left');
  }
}
LifecycleComponent({ leaderOnly: true })(Work);
Injectable()(Work);

const elector = await electors[engine](JSON.parse(settings));
class App {}
Module({ imports: [EventEmitterModule.forRoot(), LifecycleModule.forRoot({ elector })], providers: [Work] })(App);
const app = await NestFactory.create(App, { logger: false, abortOnError: false });
app.enableShutdownHooks();

const emitter = app.get(EventEmitter2);
// The first time only: when it leads itself, that has been observed as well.
let isKnown = false;
emitter.on(LifecycleEvent.LeadershipObserved, ({ leader }) => {
  if (leader === undefined || isKnown) return;
  isKnown = true;
  say('following');
});
emitter.on(LifecycleEvent.LeadershipAcquired, () => marks.add('acquired'));
emitter.on(LifecycleEvent.LeadershipLost, () => marks.add('lost'));
emitter.on(LifecycleEvent.ComponentStatus, ({ to }) => {
  if (to !== 'running') return;
  marks.add('running');
  say('running');
});
await app.listen(0, '127.0.0.1');
process.prependOnceListener('SIGTERM', () => marks.add('signal received'));
process.once('disconnect', () => process.exit());
