import type { AddressInfo } from 'node:net';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { expect, test } from '@jest/globals';
import { HealthMonitor, LifecycleModule } from 'nestjs-lifecycle';

const DRAIN_MS = 1000;

@Module({ imports: [LifecycleModule.forRoot({ drainDelayMs: DRAIN_MS })] })
class AppModule {}

// What docs/shutdown.md says about it.
test.each([
  [false, 200],
  [true, 503],
])('with return503OnClosing: %s liveness is %d during the drain', async (return503OnClosing, status) => {
  const app = await NestFactory.create(AppModule, { logger: false, return503OnClosing });
  await app.listen(0, '127.0.0.1');
  const { port } = app.getHttpServer().address() as AddressInfo;

  const closed = app.close();
  while (app.get(HealthMonitor).ready().ok) await new Promise((resolve) => setImmediate(resolve));
  const response = await fetch(`http://127.0.0.1:${port}/health/live`, { headers: { connection: 'close' } });
  await response.text();
  await closed;

  expect(response.status).toBe(status);
});
