/** One replica: an app as users have it, which writes down all that it does. Started by `ReplicaProcess`. */
import 'reflect-metadata';
import { Inject, Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { EventEmitterModule, OnEvent } from '@nestjs/event-emitter';
import {
  HealthMonitor,
  Leadership,
  LifecycleComponent,
  LifecycleModule,
  LifecycleEvent,
  untilAborted,
  type ComponentStatusEvent,
  type LeadershipAcquiredEvent,
  type LeadershipLostEvent,
  type StartContext,
} from '../../../lib/index.js';
import { Journal } from '../journal.js';
import type { ReplicaRecord } from '../records.js';
import { LeaderSampler } from './leader-sampler.js';
import { LeaderWork } from './leader-work.js';
import { makeElector } from './make-elector.js';
import { SETTINGS_VARIABLE, type ReplicaCommand, type ReplicaSettings } from './replica-settings.js';
import { ResourceClient } from './resource-client.js';

const settings = JSON.parse(process.env[SETTINGS_VARIABLE] ?? '{}') as ReplicaSettings;
let isUp = false;
const journal = new Journal<ReplicaRecord>(settings.journal);
journal.write({ k: 'boot', pid: process.pid });
noteTrouble();
const resource = await ResourceClient.open(settings.resource, settings.who);
journal.write({ k: 'stage', stage: 'resource' });
const { elector, closeClients } = await makeElector(settings, journal);
journal.write({ k: 'stage', stage: 'elector' });

@Injectable()
class Work extends LeaderWork {
  constructor() {
    super(journal, resource);
  }
}

@LifecycleComponent({ leaderOnly: true, name: 'ledger' })
class Ledger {
  constructor(@Inject(Work) private readonly work: Work) {}

  start(context: StartContext): Promise<void> {
    return this.work.run(context);
  }
}

@LifecycleComponent({ leaderOnly: true, name: 'reports', election: 'reports' })
class Reports {
  constructor(@Inject(Work) private readonly work: Work) {}

  start(context: StartContext): Promise<void> {
    return this.work.run(context);
  }
}

@LifecycleComponent({ name: 'heartbeat' })
class Heartbeat {
  async start({ signal }: StartContext): Promise<void> {
    await untilAborted(signal);
  }
}

@Injectable()
class Witness {
  @OnEvent(LifecycleEvent.LeadershipAcquired)
  onAcquired({ election, fencingToken }: LeadershipAcquiredEvent): void {
    journal.write({ k: 'acquired', e: election, token: String(fencingToken) });
  }

  @OnEvent(LifecycleEvent.LeadershipLost)
  onLost({ election, fencingToken, voluntary }: LeadershipLostEvent): void {
    journal.write({ k: 'lost', e: election, token: String(fencingToken), voluntary });
  }

  @OnEvent(LifecycleEvent.ComponentStatus)
  onStatus({ name, from, to }: ComponentStatusEvent): void {
    journal.write({ k: 'status', component: name, from, to });
  }
}

@Module({
  imports: [
    EventEmitterModule.forRoot(),
    LifecycleModule.forRoot({
      elector,
      identity: settings.who,
      logger: {
        log: () => undefined,
        warn: () => undefined,
        error: (message) => void process.stderr.write(`${typeof message === 'string' ? message : message.message}\n`),
      },
    }),
  ],
  providers: [Work, Ledger, Reports, Heartbeat, Witness],
})
class AppModule {}

const app = await NestFactory.create(AppModule, { logger: false });
journal.write({ k: 'stage', stage: 'app' });
const sampler = new LeaderSampler(app.get(Leadership), app.get(HealthMonitor), journal);
process.once('SIGTERM', () => void close());
process.on('message', (command: ReplicaCommand) => void obey(command));
await app.listen(0, '127.0.0.1');
sampler.start();
isUp = true;
process.send?.('ready');
// Nothing of the harness keeps the process alive: after close() it has to end by itself.
process.channel?.unref();

async function close(): Promise<void> {
  journal.write({ k: 'closing' });
  await app.close();
  await closeClients();
  sampler.stop();
  resource.close();
  journal.write({ k: 'closed' });
}

async function obey(command: ReplicaCommand): Promise<void> {
  if (command.do === 'step-down') return app.get(Leadership).stepDown('chaos', { election: command.election });
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, command.ms);
  // Before any timer can have fired.
  sampler.sample();
}

function noteTrouble(): void {
  process.on('unhandledRejection', (reason) => note('unhandled-rejection', reason));
  process.on('uncaughtException', (error) => note('uncaught-exception', error));
  process.on('warning', (warning) => {
    if (warning.name !== 'ExperimentalWarning') note('warning', warning);
  });
  // The harness is gone.
  process.on('disconnect', () => process.exit(98));
}

function note(what: string, error: unknown): void {
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  journal.write({ k: 'trouble', what, message });
  // It would never come up, and nobody would be told.
  if (!isUp && what !== 'warning') process.exit(97);
}
