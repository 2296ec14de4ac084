// Boots and closes one app, for boot.mjs: node boot-app.mjs <plain|service|run> <providers> [observed]
// A process of its own for each boot, as in real life: nothing is compiled, and Nest has not loaded its platform yet.
import 'reflect-metadata';
import { Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { EventEmitterModule } from '@nestjs/event-emitter';
import { TerminusModule } from '@nestjs/terminus';
import { LifecycleComponent, LifecycleModule } from '../dist/index.js';
import { observersOf } from './observers.mjs';

const [variant, count, observed] = process.argv.slice(2);
const options = observed === undefined ? {} : { observers: await observersOf(observed) };

const classes = {
  plain: () =>
    class {
      async onApplicationBootstrap() {}
      async onModuleDestroy() {}
    },
  service: () =>
    class {
      async start() {}
      async stop() {}
    },
  run: () =>
    class {
      start({ signal }) {
        return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      }
    },
};

const providers = Array.from({ length: Number(count) }, (_, index) => {
  const provider = classes[variant]();
  Object.defineProperty(provider, 'name', { value: `Worker${index}` });
  if (variant !== 'plain') LifecycleComponent()(provider);
  Injectable()(provider);
  return provider;
});
const own = variant === 'plain' ? [] : [LifecycleModule.forRoot(options)];
class App {}
Module({ imports: [TerminusModule, EventEmitterModule.forRoot(), ...own], providers })(App);

const cpuBefore = process.cpuUsage();
const times = [performance.now()];
const app = await NestFactory.create(App, { logger: false });
times.push(performance.now());
await app.init();
times.push(performance.now());
await app.close();
times.push(performance.now());

const { user, system } = process.cpuUsage(cpuBefore);
const [createMs, initMs, closeMs] = times.slice(1).map((time, phase) => time - times[phase]);
const measured = { createMs, initMs, closeMs, totalMs: times[3] - times[0], cpuMs: (user + system) / 1000 };
process.stdout.write(JSON.stringify(measured));
