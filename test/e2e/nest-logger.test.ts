import { Logger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { LifecycleComponent, LifecycleModule } from 'nestjs-lifecycle';
import { RecordingLogger, rootModule } from '../fixtures/apps.js';

@LifecycleComponent()
class Broken {
  async start(): Promise<void> {
    throw new Error('no connection');
  }
}

const root = () => rootModule({ imports: [LifecycleModule.forRoot({ failFast: false })], providers: [Broken] });

afterEach(() => Logger.overrideLogger(false));

it("logs through Nest's logger, whose levels nobody has chosen", async () => {
  const logger = new RecordingLogger();
  const app = await NestFactory.createApplicationContext(root(), { logger });
  await app.close();
  expect(logger.errors).toContainEqual(expect.stringContaining('Broken failed'));
});
