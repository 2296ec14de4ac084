import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module.js';
import type { ElectorChoice } from './elector.js';

// The demo tells its replicas when to stop; this is for a demo that was killed.
const stop = () => process.kill(process.pid, 'SIGTERM');
if (process.connected) process.once('disconnect', stop);
else stop();

const [identity = 'replica', choice = '{}'] = process.argv.slice(2);
const module = await AppModule.forReplica(identity, JSON.parse(choice) as ElectorChoice);
const app = await NestFactory.createApplicationContext(module, { logger: ['error'] });
// Not on SIGINT: the terminal sends Ctrl-C to all processes, and the demo stops its replicas itself.
app.enableShutdownHooks(['SIGTERM']);
process.on('SIGINT', () => undefined);
