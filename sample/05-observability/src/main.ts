import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module.js';

// A worker: no HTTP but the management port.
const app = await NestFactory.createApplicationContext(AppModule);
app.enableShutdownHooks();
