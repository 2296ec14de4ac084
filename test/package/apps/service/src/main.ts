import type { AddressInfo } from 'node:net';
import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module.js';

/** Boots, asks itself for its health, closes, and prints what it saw. It does not exit: the process has to end by itself. */
async function main(): Promise<void> {
  const app = await NestFactory.create(AppModule, { logger: ['error', 'warn'] });
  app.enableShutdownHooks();
  await app.listen(0, '127.0.0.1');
  const { port } = app.getHttpServer().address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}/health`);
  const body: unknown = await response.json();
  await app.close();
  console.log(JSON.stringify({ status: response.status, body }));
}

void main();
