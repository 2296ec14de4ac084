/**
 * A worker without HTTP and with a management port. Told what to do by its argument; tells what happens by lines on stdout.
 * Run by `management-processes.test.ts`.
 */
import { writeSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Injectable, Module, type OnModuleInit } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { LifecycleComponent, LifecycleModule, ManagementServer, type StartContext } from '../../lib/index.js';

const scenario = process.argv[2];
const tell = (line: string) => writeSync(1, `${line}\n`);

@LifecycleComponent({ completes: true })
class Import {
  async start(): Promise<void> {
    await pause(50);
    tell('done');
  }

  stop(): void {
    tell('stopped');
  }
}

@LifecycleComponent()
class Poller {
  async start({ signal }: StartContext): Promise<void> {
    while (!signal.aborted) await pause(1000, undefined, { signal }).catch(() => undefined);
    tell('stopped');
  }
}

@Injectable()
class Database implements OnModuleInit {
  onModuleInit(): void {
    if (scenario === 'another module fails') throw new Error('no database');
  }
}

@Module({
  imports: [LifecycleModule.forRoot({ health: { port: 0, host: '127.0.0.1' } })],
  providers: [Database, scenario === 'polls' ? Poller : Import],
})
class AppModule {}

const app = await NestFactory.createApplicationContext(AppModule, { logger: false, abortOnError: false });
app.enableShutdownHooks();
const { port = 0 } = app.get(ManagementServer).address() ?? {};
tell(`port ${port}`);
if (scenario === 'has a client that says nothing')
  connect(port, '127.0.0.1')
    .on('error', () => undefined)
    .unref();
if (scenario === 'closes') {
  await app.close();
  tell('closed');
}
