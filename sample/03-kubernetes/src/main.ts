import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module.js';
import { readEnvironment } from './environment.js';

const app = await NestFactory.create(AppModule);
// As process 1 of a container this one would not die of the signal that Nest sends it after its hooks: there the kernel
// ignores what nobody handles. So Nest is told to exit, which is code 0 everywhere.
app.enableShutdownHooks([], { useProcessExit: true });
await app.listen(readEnvironment(process.env).port);
