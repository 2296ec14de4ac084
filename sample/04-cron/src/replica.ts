import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module.js';

const app = await NestFactory.createApplicationContext(AppModule, { logger: ['warn', 'error'] });
// Not on SIGINT: the terminal sends Ctrl-C to all processes, and the first one stops the others.
app.enableShutdownHooks(['SIGTERM']);
process.on('SIGINT', () => undefined);
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
console.log(`replica ${process.pid} is up`);
